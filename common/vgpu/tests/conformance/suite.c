/* suite.c - operands, tolerances and the file of recorded results.
 * Everything here is a pure function of a case: recorder, checker and unit test see the same operands.
 * Knows no CUDA and no row function. */
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CROSSED = 16 };

/* What the bits of a source mean, which decides what values are worth trying. */
enum kind {
    KIND_PRED,
    KIND_INT16,
    KIND_INT32,
    KIND_INT64,
    KIND_F16,
    KIND_BF16,
    KIND_F32,
    KIND_F64,
    KIND_F16X2,
    KIND_BF16X2
};

static const uint64_t special_int16[CROSSED] = {0,  1,    2,    3,    7,     8,      15,     16,
                                                17, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff};
static const uint64_t special_int32[CROSSED] = {
    0, 1, 2, 3, 7, 31, 32, 33, 0x7f, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
static const uint64_t special_int64[CROSSED] = {0,
                                                1,
                                                2,
                                                3,
                                                31,
                                                32,
                                                63,
                                                64,
                                                0xff,
                                                0x7fffffff,
                                                0x80000000,
                                                0xffffffff,
                                                0x100000000,
                                                0x7fffffffffffffff,
                                                0x8000000000000000,
                                                0xffffffffffffffff};
/* Zeros, ones, infinities, a quiet and a signalling NaN, largest, smallest normal, subnormals. */
static const uint64_t special_f16[CROSSED] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x3e00, 0x7c00, 0xfc00, 0x7e01,
                                              0xfc01, 0x7bff, 0xfbff, 0x0400, 0x8400, 0x0001, 0x83ff, 0x3bff};
static const uint64_t special_bf16[CROSSED] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x3fc0, 0x7f80,
                                               0xff80, 0x7fc1, 0xff81, 0x7f7f, 0xff7f, 0x0080,
                                               0x8080, 0x0001, 0x807f, 0x3f7f};
static const uint64_t special_f32[CROSSED] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x7f800000, 0xff800000, 0x7fc00001,
    0xff800001, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000, 0x00000001, 0x807fffff, 0x3f7fffff};
static const uint64_t special_f64[CROSSED] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x3ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001,
    0xfff0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff, 0x0010000000000000,
    0x8010000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x3fefffffffffffff};

/* Numbers next to where rounding, clamping or a format's range changes something; tried on functions of one
 * operand. */
static const double edges[] = {0.5,
                               -0.5,
                               1.5,
                               -1.5,
                               2.5,
                               -2.5,
                               3.5,
                               0.49999997,
                               -0.75,
                               1e-3,
                               127.5,
                               128.5,
                               -128.5,
                               -129,
                               254.5,
                               255.5,
                               256,
                               32767.5,
                               32768,
                               -32768.5,
                               -32769,
                               65504,
                               65519.996,
                               65520,
                               65535.5,
                               65536,
                               2147483520.0,
                               2147483647.5,
                               2147483648.0,
                               -2147483648.0,
                               -2147483904.0,
                               -2147483649.0,
                               4294967040.0,
                               4294967295.5,
                               4294967296.0,
                               9223371487098961920.0,
                               9223372036854774784.0,
                               9223372036854775808.0,
                               -9223372036854775808.0,
                               -9223373136366403584.0,
                               18446742974197923840.0,
                               18446744073709549568.0,
                               18446744073709551616.0,
                               3.1415927410125732,
                               1.5707963,
                               -3.1415926,
                               100.0,
                               1e5,
                               16777217.0,
                               0x1p-14,
                               0x1.ffcp-15,
                               0x1p-24,
                               0x1p-25,
                               0x1.8p-25,
                               0x1p-26,
                               0x1.002p0,
                               0x1.003p0,
                               0x1.001p0,
                               0x1.01p0,
                               0x1.03p0,
                               0x1.fffffep-127,
                               0x1.ffffffp-127,
                               0x1p-149,
                               0x1.8p-149,
                               0x1p-150,
                               0x1.000001p0,
                               0x1.000003p0,
                               3.4028235677973366e38,
                               0x1p127,
                               0x1p126,
                               -126.5,
                               -127.0,
                               -149.5,
                               -150.5,
                               128.0,
                               448,
                               464,
                               465,
                               57344,
                               61440,
                               0x1p-9,
                               0x1p-10,
                               0x1p-16,
                               0x1p-17};
enum { EDGES = sizeof edges / sizeof edges[0] };

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint64_t low_mask(unsigned bits)
{
    return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

unsigned suite_bits(char letter)
{
    return letter == 'h' ? 16 : letter == 'w' || letter == 'f' ? 32 : letter == 'p' ? 1 : 64;
}

size_t suite_sources(const struct suite_case *c)
{
    return strlen(strchr(c->signature, '=') + 1);
}

/* The last type of a name is its sources'. */
static bool ends_with_type(const char *name, const char *type)
{
    const char *at = strstr(name, type);
    for (const char *next = at; next; next = strstr(next + 1, type))
        at = next;
    if (!at)
        return false;
    at += strlen(type);
    return *at == '\0' || strcmp(at, ".hi") == 0;
}

static enum kind kind_of(const struct suite_case *c, size_t source)
{
    switch (strchr(c->signature, '=')[1 + source]) {
    case 'p':
        return KIND_PRED;
    case 'f':
        return KIND_F32;
    case 'e':
        return KIND_F64;
    case 'd':
        return KIND_INT64;
    case 'h':
        return ends_with_type(c->name, ".f16")    ? KIND_F16
               : ends_with_type(c->name, ".bf16") ? KIND_BF16
                                                  : KIND_INT16;
    default:
        return ends_with_type(c->name, ".f16x2")    ? KIND_F16X2
               : ends_with_type(c->name, ".bf16x2") ? KIND_BF16X2
                                                    : KIND_INT32;
    }
}

static uint64_t special(enum kind kind, size_t index)
{
    static const uint64_t *const tables[] = {NULL,        special_int16, special_int32, special_int64,
                                             special_f16, special_bf16,  special_f32,   special_f64,
                                             NULL,        NULL};
    return tables[kind][index % CROSSED];
}

/* Small, of random length, negated, or any bits. */
static uint64_t random_int(uint64_t r, unsigned bits)
{
    const uint64_t value = mix(r) & low_mask(bits);
    switch (r >> 60 & 3) {
    case 0:
        return value % 70;
    case 1:
        return value >> (r >> 50) % bits;
    case 2:
        return (0 - (value >> (r >> 50) % bits)) & low_mask(bits);
    default:
        return value;
    }
}

/* Any bits; near 1; integers and halves; near the smallest normal; or such that a product of two is near it. */
static uint64_t random_float(uint64_t r, unsigned bits, unsigned fraction)
{
    const uint64_t any = mix(r) & low_mask(bits),
                   sign_and_fraction = any & (low_mask(fraction) | (uint64_t)1 << (bits - 1));
    const uint64_t bias = low_mask(bits - 2 - fraction);
    uint64_t exponent;
    switch ((r >> 40) % 6) {
    case 0:
        return any;
    case 1:
        exponent = bias - 3 + (r >> 50) % 7;
        break;
    case 2:
        exponent = bias + (r >> 50) % (bias < 64 ? bias : 64);
        break;
    case 3:
        exponent = (r >> 50) % 4;
        break;
    case 4:
        exponent = bias / 2 - 2 + (r >> 50) % 5;
        break;
    default:
        return (sign_and_fraction & ~low_mask(fraction - 3)) | (bias + (r >> 50) % 4) << fraction;
    }
    return sign_and_fraction | exponent << fraction;
}

static uint64_t random_value(enum kind kind, uint64_t r)
{
    switch (kind) {
    case KIND_INT16:
        return random_int(r, 16);
    case KIND_INT32:
        return random_int(r, 32);
    case KIND_INT64:
        return random_int(r, 64);
    case KIND_F16:
        return random_float(r, 16, 10);
    case KIND_BF16:
        return random_float(r, 16, 7);
    case KIND_F32:
        return random_float(r, 32, 23);
    default:
        return random_float(r, 64, 52);
    }
}

static uint64_t edge(enum kind kind, size_t index)
{
    const double wide = edges[index % EDGES];
    const float single = (float)wide;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &single, sizeof bits32);
    memcpy(&bits64, &wide, sizeof bits64);
    return kind == KIND_F32    ? bits32
           : kind == KIND_F64  ? bits64
           : kind == KIND_BF16 ? bits32 >> 16
                               : mix(index) & 0xffff;
}

static uint64_t value_at(enum kind kind, bool is_alone, size_t source, size_t tuple)
{
    const uint64_t r = mix((uint64_t)kind << 40 | source << 20 | tuple);
    if (kind == KIND_PRED)
        return r & 1;
    if (is_alone && tuple < CROSSED)
        return special(kind, tuple);
    if (is_alone && tuple < CROSSED + EDGES && kind >= KIND_F16)
        return edge(kind, tuple - CROSSED);
    if (!is_alone && tuple < CROSSED * CROSSED) {
        const size_t index[] = {tuple / CROSSED, tuple % CROSSED, tuple * 7 + tuple / CROSSED,
                                tuple * 5 + tuple / 32};
        return special(kind, index[source]);
    }
    return random_value(kind, r);
}

uint64_t suite_operand(const struct suite_case *c, size_t source, size_t tuple)
{
    const enum kind kind = kind_of(c, source);
    const bool is_alone = suite_sources(c) == 1;
    if (c->immediate >= 0 && source + 1 == suite_sources(c))
        return (uint64_t)c->immediate;
    if (kind != KIND_F16X2 && kind != KIND_BF16X2)
        return value_at(kind, is_alone, source, tuple);
    const enum kind half = kind == KIND_F16X2 ? KIND_F16 : KIND_BF16;
    const size_t other = (tuple * 7 + 3) % SUITE_TUPLES;
    return value_at(half, is_alone, source, tuple) | value_at(half, is_alone, source, other) << 16;
}

uint32_t suite_carry_in(size_t tuple)
{
    return (tuple ^ tuple >> 4) & 1;
}

/* Errors that the CUDA documentation grants, relative (as a power of two) or absolute; exact where a name is
 * missing. */
static const struct {
    const char *prefix;
    char type[8];
    double relative, absolute;
} tolerances[] = {
    {"rcp.approx.", ".f32", 0x1p-22, 0x1p-149},  {"sqrt.approx.", ".f32", 0x1p-22, 0},
    {"rsqrt.approx.", ".f32", 0x1p-22, 0},       {"sin.approx.", ".f32", 0, 0x1p-20},
    {"cos.approx.", ".f32", 0, 0x1p-20},         {"lg2.approx.", ".f32", 0x1p-22, 0x1p-22},
    {"ex2.approx.", ".f32", 0x1p-21, 0x1p-149},  {"div.approx.", ".f32", 0x1p-21, 0x1p-149},
    {"div.full.", ".f32", 0x1p-21, 0x1p-149},    {"tanh.approx.", ".f32", 0x1p-10, 0},
    {"rcp.approx.", ".f64", 0x1p-20, 0},         {"rsqrt.approx.ftz.", ".f64", 0x1p-19, 0},
    {"rsqrt.approx.", ".f64", 0x1p-51, 0},       {"ex2.approx.", ".f16", 0x1p-9, 0x1p-24},
    {"tanh.approx.", ".f16", 0x1p-9, 0x1p-11},   {"ex2.approx.", ".f16x2", 0x1p-9, 0x1p-24},
    {"tanh.approx.", ".f16x2", 0x1p-9, 0x1p-11}, {"ex2.approx.", ".bf16", 0x1p-7, 0},
    {"tanh.approx.", ".bf16", 0x1p-7, 0},        {"ex2.approx.", ".bf16x2", 0x1p-7, 0},
    {"tanh.approx.", ".bf16x2", 0x1p-7, 0},
};

static double number(uint64_t bits, const char *type)
{
    if (strcmp(type, ".f64") == 0) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    if (strcmp(type, ".f16") == 0) {
        const int exponent = (int)(bits >> 10 & 31);
        const double fraction = (double)(bits & 0x3ff) / 1024, sign = bits & 0x8000 ? -1 : 1;
        if (exponent == 31)
            return bits & 0x3ff ? NAN : sign * INFINITY;
        return sign * (exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14));
    }
    const uint32_t single_bits = (uint32_t)(strcmp(type, ".bf16") == 0 ? bits << 16 : bits);
    float single;
    memcpy(&single, &single_bits, sizeof single);
    return single;
}

static bool is_near(const char *type, double relative, double absolute, uint64_t expected, uint64_t got)
{
    const double want = number(expected, type), have = number(got, type);
    if (want != want || have != have)
        return want != want && have != have;
    return want == have || fabs(want - have) <= fabs(want) * relative + absolute;
}

bool suite_matches(const struct suite_case *c, uint64_t expected, uint64_t got)
{
    if (expected == got)
        return true;
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++) {
        const char *type = tolerances[i].type;
        const double relative = tolerances[i].relative, absolute = tolerances[i].absolute;
        if (strncmp(c->name, tolerances[i].prefix, strlen(tolerances[i].prefix)) != 0 ||
            !ends_with_type(c->name, type))
            continue;
        if (!strstr(type, "x2"))
            return is_near(type, relative, absolute, expected, got);
        const char *half = strcmp(type, ".f16x2") == 0 ? ".f16" : ".bf16";
        return is_near(half, relative, absolute, expected & 0xffff, got & 0xffff) &&
               is_near(half, relative, absolute, expected >> 16, got >> 16);
    }
    return false;
}

/* The file: magic, then per case a byte of name length, the name, a 16-bit immediate + 1, a 16-bit size of
 * the results, the results (tuple after tuple, in whole bytes; predicates as bits), and the carries as bits. */
static const char magic[8] = "VGOLDEN1";

static size_t result_bytes(const struct suite_case *c)
{
    return (size_t)SUITE_TUPLES * suite_bits(c->signature[0]) / 8;
}

static size_t entry_bytes(const struct suite_case *c)
{
    return result_bytes(c) + (c->uses_carry ? SUITE_TUPLES / 8 : 0);
}

bool golden_begin(FILE *file)
{
    return fwrite(magic, sizeof magic, 1, file) == 1;
}

bool golden_append(FILE *file, const struct suite_case *c, const uint64_t *results)
{
    uint8_t data[SUITE_TUPLES * 9] = {0};
    const unsigned bits = suite_bits(c->signature[0]);
    for (size_t i = 0; i < SUITE_TUPLES; i++) {
        if (bits == 1)
            data[i / 8] |= (uint8_t)((results[i] & 1) << i % 8);
        else
            memcpy(data + i * bits / 8, &results[i], bits / 8);
        if (c->uses_carry)
            data[result_bytes(c) + i / 8] |= (uint8_t)((results[SUITE_TUPLES + i] & 1) << i % 8);
    }
    const uint8_t name_size = (uint8_t)strlen(c->name);
    const uint16_t numbers[2] = {(uint16_t)(c->immediate + 1), (uint16_t)entry_bytes(c)};
    return fwrite(&name_size, 1, 1, file) == 1 && fwrite(c->name, name_size, 1, file) == 1 &&
           fwrite(numbers, sizeof numbers, 1, file) == 1 && fwrite(data, entry_bytes(c), 1, file) == 1;
}

bool golden_read(struct golden *golden, const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = 0;
    golden->data = NULL;
    golden->size = 0;
    if (!file)
        return false;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
        golden->data = malloc((size_t)size);
        golden->size = golden->data ? fread(golden->data, 1, (size_t)size, file) : 0;
    }
    fclose(file);
    return golden->size == (size_t)size && golden->size >= sizeof magic &&
           memcmp(golden->data, magic, sizeof magic) == 0;
}

void golden_free(struct golden *golden)
{
    free(golden->data);
    golden->data = NULL;
}

const uint8_t *golden_find(const struct golden *golden, const struct suite_case *c)
{
    const size_t name_size = strlen(c->name);
    for (size_t at = sizeof magic; at + 1 < golden->size;) {
        const uint8_t *entry = golden->data + at;
        uint16_t numbers[2];
        if (at + 1 + entry[0] + sizeof numbers > golden->size)
            return NULL;
        memcpy(numbers, entry + 1 + entry[0], sizeof numbers);
        const uint8_t *results = entry + 1 + entry[0] + sizeof numbers;
        at = (size_t)(results - golden->data) + numbers[1];
        if (at > golden->size)
            return NULL;
        if (entry[0] == name_size && memcmp(entry + 1, c->name, name_size) == 0 &&
            numbers[0] == c->immediate + 1)
            return numbers[1] == entry_bytes(c) ? results : NULL;
    }
    return NULL;
}

uint64_t golden_result(const struct suite_case *c, const uint8_t *entry, size_t tuple)
{
    const unsigned bits = suite_bits(c->signature[0]);
    uint64_t result = 0;
    if (bits == 1)
        return entry[tuple / 8] >> tuple % 8 & 1;
    memcpy(&result, entry + tuple * bits / 8, bits / 8);
    return result;
}

uint32_t golden_carry(const struct suite_case *c, const uint8_t *entry, size_t tuple)
{
    return entry[result_bytes(c) + tuple / 8] >> tuple % 8 & 1;
}

void suite_explain(FILE *file, const struct suite_case *c, size_t tuple, uint64_t expected, uint64_t got,
                   const char *what)
{
    fprintf(file, "%s (%s), tuple %zu:", c->name, c->signature, tuple);
    for (size_t k = 0; k < suite_sources(c); k++)
        fprintf(file, " %c=0x%llx", "abcd"[k], (unsigned long long)suite_operand(c, k, tuple));
    if (c->uses_carry)
        fprintf(file, " carry=%u", suite_carry_in(tuple));
    fprintf(file, ": %s is 0x%llx, recorded was 0x%llx\n", what, (unsigned long long)got,
            (unsigned long long)expected);
}
