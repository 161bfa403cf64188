/* generate_memory.c - writes the kernels for loads, stores, asynchronous copies and atomics, a case per spelling.
 * Atomics come from exec/atomic.def, so no row can be left out; loads and stores from the tables below.
 * A load or store goes through registers of every size that its type allows; results are parities of checksums. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "generate_memory.h"

enum { MOST_CASES = 2048, NAME = 120 };

struct list {
    FILE *file;
    const char *family;
    size_t count;
    char name[MOST_CASES][NAME];
    const char *signature[MOST_CASES];
    bool has_flag[MOST_CASES]; /* a second result of one bit, kept where arithmetic keeps the carry */
};

static void begin(struct list *list, const char *signature, bool has_flag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(list->name[list->count], NAME, format, args);
    va_end(args);
    list->signature[list->count] = signature;
    list->has_flag[list->count] = has_flag;
    fprintf(list->file,
            "\n/* %s */\nextern \"C\" __global__ void %s_%zu(const uint64_t *in, uint64_t *out)\n{\n"
            "    const unsigned i = threadIdx.x;\n",
            list->name[list->count], list->family, list->count);
    list->count++;
}

/* ------------------------------------------------------------------------------------------- spaces */

struct space {
    const char *label, *suffix; /* what the name says, and what the instruction says */
    const char *cell;           /* declares cell, the thread's memory */
    const char *address;
    char constraint;
    bool is_read_only;
};

#define SHARED_CELL                                                                                          \
    "__shared__ __align__(64) uint8_t cells[SUITE_TUPLES * CELL]; uint8_t *const cell = cells + i * CELL;"
static const struct space spaces[] = {
    {"", ".global", "uint8_t *const cell = global_cells + i * CELL;", "__cvta_generic_to_global(cell)", 'l',
     false},
    {"", ".shared", SHARED_CELL, "(uint32_t)__cvta_generic_to_shared(cell)", 'r', false},
    {"", ".local", "__align__(64) uint8_t cell[CELL];", "__cvta_generic_to_local(cell)", 'l', false},
    {"", ".const", "const uint8_t *const cell = (const uint8_t *)constant_cells + i % 16 * CELL;",
     "__cvta_generic_to_constant(cell)", 'l', true},
    {" in global memory", "", "uint8_t *const cell = global_cells + i * CELL;", "(uint64_t)cell", 'l', false},
    {" in shared memory", "", SHARED_CELL, "(uint64_t)cell", 'l', false},
    {" in local memory", "", "__align__(64) uint8_t cell[CELL];", "(uint64_t)cell", 'l', false},
};
enum {
    SPACES = sizeof spaces / sizeof spaces[0],
    GLOBAL = 0,
    SHARED = 1,
    CONST = 3,
    GENERIC = 4,
    GENERIC_SHARED = 5
};

/* Memory that no kernel writes, for ld.global.nc. */
static const struct space untouched = {
    "",
    ".global",
    "const uint8_t *const cell = (const uint8_t *)fixed_cells + i % 16 * CELL;",
    "__cvta_generic_to_global(cell)",
    'l',
    true};

static void write_fixed(FILE *file, const char *declaration)
{
    uint64_t x = 88172645463325252u;
    fprintf(file, "%s[16 * CELL / 4] = {", declaration);
    for (int k = 0; k < 256; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        fprintf(file, "%s0x%x,", k % 8 ? " " : "\n    ", (unsigned)(x >> 16));
    }
    fprintf(file, "\n};\n");
}

static void write_cell(struct list *list, const struct space *space, bool is_filled)
{
    fprintf(list->file, "    %s\n    uint32_t sum = 0;\n", space->cell);
    if (!space->is_read_only)
        fprintf(list->file,
                is_filled ? "    fill_cell(cell, OPERAND(0), OPERAND(1));\n" : "    clear_cell(cell);\n");
}

static void finish(struct list *list)
{
    fprintf(list->file, "    out[i] = parity(sum);\n}\n");
}

/* ------------------------------------------------------------------------------------------- loads and stores */

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {
    {"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2}, {"b32", 4},
    {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8},
};
enum { TYPES = sizeof types / sizeof types[0] };

static const char *register_type(unsigned bytes)
{
    return bytes == 2 ? "uint16_t" : bytes == 4 ? "uint32_t" : "uint64_t";
}

static char register_constraint(unsigned bytes)
{
    return bytes == 2 ? 'h' : bytes == 4 ? 'r' : 'l';
}

/* "{%0, %1}" or "%0". */
static void write_elements(FILE *file, unsigned first, unsigned count)
{
    fprintf(file, count > 1 ? "{" : "");
    for (unsigned k = 0; k < count; k++)
        fprintf(file, "%s%%%u", k ? ", " : "", first + k);
    fprintf(file, count > 1 ? "}" : "");
}

static void write_load(struct list *list, const struct space *space, const char *spelling, unsigned count,
                       unsigned bytes, unsigned offset)
{
    FILE *const file = list->file;
    fprintf(file, "    {\n        %s d[%u];\n        asm volatile(\"%s ", register_type(bytes), count,
            spelling);
    write_elements(file, 0, count);
    fprintf(file, ", [%%%u+%u];\" :", count, offset);
    for (unsigned k = 0; k < count; k++)
        fprintf(file, "%s \"=%c\"(d[%u])", k ? "," : "", register_constraint(bytes), k);
    fprintf(file, " : \"%c\"(%s) : \"memory\");\n", space->constraint, space->address);
    for (unsigned k = 0; k < count; k++)
        fprintf(file, "        sum = fold(sum, d[%u]);\n", k);
    fprintf(file, "    }\n");
}

static void write_store(struct list *list, const struct space *space, const char *spelling, unsigned count,
                        unsigned bytes, unsigned offset)
{
    FILE *const file = list->file;
    fprintf(file, "    asm volatile(\"%s [%%0+%u], ", spelling, offset);
    write_elements(file, 1, count);
    fprintf(file, ";\" :: \"%c\"(%s)", space->constraint, space->address);
    for (unsigned k = 0; k < count; k++)
        fprintf(file, ", \"%c\"((%s)word_of(OPERAND(0), OPERAND(1), %u))", register_constraint(bytes),
                register_type(bytes), k);
    fprintf(file, " : \"memory\");\n");
}

static const char *const vectors[] = {"", ".v2", ".v4"};

/* One case: the access through every register size. before and after are qualifiers around the space. */
static void access_case(struct list *list, bool is_store, const struct space *space, const char *before,
                        const char *after, size_t vector, size_t type)
{
    char spelling[NAME];
    const unsigned count = 1u << vector, width = types[type].bytes;
    if (count * width > 16 || (is_store && space->is_read_only))
        return;
    snprintf(spelling, sizeof spelling, "%s%s%s%s%s.%s", is_store ? "st" : "ld", before, space->suffix, after,
             vectors[vector], types[type].name);
    begin(list, "p=dd", false, "%s%s", spelling, space->label);
    write_cell(list, space, !is_store);
    const unsigned most = types[type].name[0] == 'f' ? width : 8;
    unsigned offset = count * width;
    for (unsigned bytes = width < 2 ? 2 : width; bytes <= most; bytes *= 2, offset += count * width)
        (is_store ? write_store : write_load)(list, space, spelling, count, bytes, offset);
    if (is_store)
        fprintf(list->file, "    sum = fold_cell(sum, cell);\n");
    finish(list);
}

static void plain_accesses(struct list *list)
{
    for (size_t s = 0; s < SPACES; s++)
        for (size_t v = 0; v < 3; v++)
            for (size_t t = 0; t < TYPES; t++)
                for (int is_store = 0; is_store < 2; is_store++)
                    access_case(list, is_store, &spaces[s], "", "", v, t);
}

/* Kernel parameters are read by their name in the PTX; every thread reads the same bytes. */
static void param_loads(struct list *list)
{
    for (size_t v = 0; v < 3; v++)
        for (size_t t = 0; t < TYPES; t++) {
            const unsigned count = 1u << v, width = types[t].bytes;
            const unsigned bytes = width < 2 ? 2 : width;
            if (count * width > 8) /* no further than the pointer */
                continue;
            begin(list, "p=dd", false, "ld.param%s.%s", vectors[v], types[t].name);
            /* an address differs from run to run; that its parts are read right does not */
            fprintf(list->file,
                    "    uint32_t sum = 0;\n    union { uint64_t whole; %s part[%u]; } want;\n"
                    "    want.whole = (uint64_t)in;\n",
                    width == 1 ? "uint8_t" : register_type(width), 8 / width);
            fprintf(list->file, "    %s d[%u];\n    asm volatile(\"ld.param%s.%s ", register_type(bytes),
                    count, vectors[v], types[t].name);
            write_elements(list->file, 0, count);
            fprintf(list->file, ", [%s_%zu_param_0];\" :", list->family, list->count - 1);
            for (unsigned k = 0; k < count; k++)
                fprintf(list->file, "%s \"=%c\"(d[%u])", k ? "," : "", register_constraint(bytes), k);
            fprintf(list->file, " :: \"memory\");\n");
            for (unsigned k = 0; k < count; k++)
                fprintf(list->file, "    sum = fold(sum, d[%u] == (%s)(%s)want.part[%u]);\n", k,
                        register_type(bytes),
                        types[t].name[0] != 's' ? register_type(bytes)
                        : width == 1            ? "int8_t"
                        : width == 2            ? "int16_t"
                        : width == 4            ? "int32_t"
                                                : "int64_t",
                        k);
            finish(list);
        }
}

static const char *const scopes[] = {".cta", ".cluster", ".gpu", ".sys"};

static void qualified(struct list *list, bool is_store, size_t space, const char *before, const char *after)
{
    static const struct {
        size_t vector, type;
    } shapes[] = {{0, 7}, {0, 2}, {1, 9}, {0, 10}}; /* u32, s8, v2.f32, b64 */
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        access_case(list, is_store, &spaces[space], before, after, shapes[k].vector, shapes[k].type);
}

static void qualified_accesses(struct list *list)
{
    static const size_t ordered[] = {GLOBAL, SHARED, GENERIC, GENERIC_SHARED};
    static const char *const load_hints[] = {".ca",
                                             ".cg",
                                             ".cs",
                                             ".lu",
                                             ".cv",
                                             ".L1::no_allocate",
                                             ".L1::evict_last",
                                             ".L1::evict_first",
                                             ".L2::64B",
                                             ".L2::128B",
                                             ".L2::256B"};
    static const char *const store_hints[] = {".wb", ".cg", ".cs", ".wt", ".L1::no_allocate"};
    char before[32];
    for (size_t s = 0; s < sizeof ordered / sizeof ordered[0]; s++) {
        for (int is_store = 0; is_store < 2; is_store++) {
            qualified(list, is_store, ordered[s], ".volatile", "");
            qualified(list, is_store, ordered[s], ".weak", "");
            for (size_t k = 0; k < 4; k++) {
                snprintf(before, sizeof before, ".relaxed%s", scopes[k]);
                access_case(list, is_store, &spaces[ordered[s]], before, "", 0, 7 + k);
                snprintf(before, sizeof before, "%s%s", is_store ? ".release" : ".acquire", scopes[k]);
                access_case(list, is_store, &spaces[ordered[s]], before, "", k % 2, 6 + k);
            }
        }
    }
    for (size_t k = 0; k < sizeof load_hints / sizeof load_hints[0]; k++)
        qualified(list, false, GLOBAL, "", load_hints[k]);
    for (size_t k = 0; k < sizeof store_hints / sizeof store_hints[0]; k++)
        qualified(list, true, GLOBAL, "", store_hints[k]);
    access_case(list, false, &spaces[GLOBAL], ".mmio.relaxed.sys", "", 0, 7);
    access_case(list, true, &spaces[GLOBAL], ".mmio.relaxed.sys", "", 0, 7);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t v = 0; v < 3; v++)
            access_case(list, false, &untouched, "", ".nc", v, t);
    static const char *const nc_hints[] = {
        ".ca.nc", ".cg.nc", ".cs.nc", ".nc.L1::no_allocate", ".nc.L2::256B", ".nc.L1::no_allocate.L2::128B"};
    for (size_t k = 0; k < sizeof nc_hints / sizeof nc_hints[0]; k++)
        access_case(list, false, &untouched, "", nc_hints[k], 2, 9);
}

/* 128-bit registers exist in PTX only. */
static void wide_accesses(struct list *list)
{
    static const size_t where[] = {GLOBAL, SHARED, 2, CONST, GENERIC, GENERIC_SHARED};
    for (size_t s = 0; s < sizeof where / sizeof where[0]; s++) {
        const struct space *space = &spaces[where[s]];
        begin(list, "p=dd", false, "ld%s.b128%s", space->suffix, space->label);
        write_cell(list, space, true);
        fprintf(list->file,
                "    uint64_t low, high;\n    asm volatile(\"{ .reg .b128 q; ld%s.b128 q, [%%2+16]; mov.b128 "
                "{%%0, %%1}, "
                "q; }\" : \"=l\"(low), \"=l\"(high) : \"%c\"(%s) : \"memory\");\n    sum = fold(fold(sum, "
                "low), high);\n",
                space->suffix, space->constraint, space->address);
        finish(list);
        if (space->is_read_only)
            continue;
        begin(list, "p=dd", false, "st%s.b128%s", space->suffix, space->label);
        write_cell(list, space, false);
        fprintf(list->file,
                "    asm volatile(\"{ .reg .b128 q; mov.b128 q, {%%1, %%2}; st%s.b128 [%%0+16], q; }\" :: "
                "\"%c\"(%s), "
                "\"l\"(OPERAND(0)), \"l\"(OPERAND(1)) : \"memory\");\n    sum = fold_cell(sum, cell);\n",
                space->suffix, space->constraint, space->address);
        finish(list);
    }
}

/* ------------------------------------------------------------------------------------------- cp.async */

enum copy_option { WHOLE, WITH_SIZE, WITH_PREDICATE };

static void copy_case(struct list *list, const char *cache, unsigned bytes, enum copy_option option)
{
    static const char *const labels[] = {"", ", src-size", ", ignore-src"}, *const operands[] = {"", ", %2",
                                                                                                 ", p"};
    begin(list, "p=dd", false, "cp.async.%s.shared.global %u%s", cache, bytes, labels[option]);
    fprintf(list->file,
            "    uint8_t *const from = global_cells + i * CELL;\n    " SHARED_CELL "\n    uint32_t sum = 0;\n"
            "    fill_cell(from, OPERAND(0), OPERAND(1));\n    fill_cell(cell, OPERAND(1), OPERAND(0));\n"
            "    __threadfence();\n    __syncthreads();\n");
    fprintf(list->file,
            "    asm volatile(\"{ .reg .pred p; setp.ne.u32 p, %%2, 0; cp.async.%s.shared.global [%%0+16], "
            "[%%1+16], "
            "%u%s; }\"\n        :: \"r\"((uint32_t)__cvta_generic_to_shared(cell)), "
            "\"l\"(__cvta_generic_to_global(from)), \"r\"(i %% %u) : \"memory\");\n",
            cache, bytes, operands[option], option == WITH_SIZE ? bytes + 1 : 2);
    fprintf(list->file,
            "    asm volatile(\"cp.async.commit_group; cp.async.wait_group 0;\" ::: \"memory\");\n"
            "    sum = fold_cell(sum, cell);\n");
    finish(list);
}

static void copies(struct list *list)
{
    for (enum copy_option option = WHOLE; option <= WITH_PREDICATE; option++) {
        for (unsigned bytes = 4; bytes <= 16; bytes *= 2)
            copy_case(list, "ca", bytes, option);
        copy_case(list, "cg", 16, option);
    }
}

/* ------------------------------------------------------------------------------------------- atomics */

static const struct atomic {
    const char *op, *type;
    bool commutes;
} atomics[] = {
#define ATOMIC(id, op, type, T, commutes, expression) {op, #type, commutes},
#include "exec/atomic.def"
#undef ATOMIC
    {"cas", "PTX_B16", false},
    {"cas", "PTX_B32", false},
    {"cas", "PTX_B64", false},
};
enum { ATOMICS = sizeof atomics / sizeof atomics[0] };

/* "PTX_F16X2" to "f16x2". */
static const char *type_name(const struct atomic *atomic, char *name)
{
    size_t k = 0;
    for (const char *c = atomic->type + 4; *c; c++)
        name[k++] = (char)tolower((unsigned char)*c);
    name[k] = '\0';
    return name;
}

static unsigned type_bytes(const char *type)
{
    return strstr(type, "64") ? 8 : strstr(type, "32") || strstr(type, "x2") ? 4 : 2;
}

/* Results are values, or parities where the same row is recorded in full already. */
static const char *atomic_signature(const char *type, bool is_cas, bool is_brief)
{
    static const char *const signatures[][5] = {{"h=hh", "w=ww", "d=dd", "f=ff", "e=ee"},
                                                {"h=hhh", "w=www", "d=ddd", NULL, NULL},
                                                {"p=hh", "p=ww", "p=dd", "p=ff", "p=ee"},
                                                {"p=hhh", "p=www", "p=ddd", NULL, NULL}};
    const unsigned bytes = type_bytes(type);
    const size_t column = strcmp(type, "f32") == 0   ? 3
                          : strcmp(type, "f64") == 0 ? 4
                          : bytes == 8               ? 2
                                                     : bytes == 4;
    return signatures[is_cas + 2 * is_brief][column];
}

static bool is_half(const char *type)
{
    return strstr(type, "f16") != NULL;
}

/* Minimum and maximum of halves exist for vectors only. */
static bool needs_vector(const struct atomic *atomic, const char *type)
{
    return is_half(type) && strcmp(atomic->op, "add") != 0;
}

/* The new value in memory is the result; whether the old one came back is the flag. */
static void atomic_case(struct list *list, const struct atomic *atomic, const struct space *space,
                        bool is_atom, const char *order)
{
    char name[16], spelling[NAME];
    const char *type = type_name(atomic, name);
    const bool is_cas = strcmp(atomic->op, "cas") == 0;
    const unsigned bytes = type_bytes(type);
    FILE *const file = list->file;
    if (needs_vector(atomic, type) || (!is_atom && (is_cas || strcmp(atomic->op, "exch") == 0)))
        return;
    snprintf(spelling, sizeof spelling, "%s%s%s.%s%s.%s", is_atom ? "atom" : "red", order, space->suffix,
             atomic->op, is_half(type) ? ".noftz" : "", type);
    const bool is_brief = !is_atom || *order || !*space->suffix;
    begin(list, atomic_signature(type, is_cas, is_brief), is_atom && !is_brief, "%s%s%s",
          *space->label ? space->label + 1 : "", *space->label ? ": " : "", spelling);
    fprintf(file, "    typedef %s T;\n    %s\n    const T old = (T)OPERAND(0);\n    T d = old;\n",
            register_type(bytes), space->cell);
    fprintf(file, "    volatile T *const place = (volatile T *)(cell + 8);\n    clear_cell(cell);\n    "
                  "*place = old;\n");
    fprintf(file,
            "    asm volatile(\"%s %s[%%1+8], %%2%s;\" : \"+%c\"(d) : \"%c\"(%s), \"%c\"((T)OPERAND(1))",
            spelling, is_atom ? "%0, " : "", is_cas ? ", %3" : "", register_constraint(bytes),
            space->constraint, space->address, register_constraint(bytes));
    if (is_cas)
        fprintf(file, ", \"%c\"((T)OPERAND(2))", register_constraint(bytes));
    fprintf(file, " : \"memory\");\n");
    if (is_brief)
        fprintf(file, "    out[i] = parity(fold(fold(0, *place), d));\n}\n");
    else
        fprintf(file, "    out[i] = *place;\n    out[SUITE_TUPLES + i] = d == old;\n}\n");
}

/* All threads on one address, where the order cannot be told: every thread gives the sum of what memory holds. */
static void crowd_case(struct list *list, const struct atomic *atomic, const struct space *space,
                       bool is_atom)
{
    char name[16];
    const char *type = type_name(atomic, name);
    const unsigned bytes = type_bytes(type);
    const bool is_counter = strcmp(atomic->op, "inc") == 0 || strcmp(atomic->op, "dec") == 0;
    if (!atomic->commutes || is_half(type))
        return;
    begin(list, bytes == 8 ? "p=dd" : "p=ww", false, "all threads: %s%s.%s.%s", is_atom ? "atom" : "red",
          space->suffix, atomic->op, type);
    const bool is_shared = strcmp(space->suffix, ".shared") == 0;
    fprintf(list->file, "    typedef %s T;\n    %s\n", register_type(bytes),
            is_shared ? "__shared__ T crowd[4];" : "T *const crowd = (T *)global_cells;");
    fprintf(list->file,
            "    if (i < 4)\n        ((volatile T *)crowd)[i] = i & 1 ? (T)~(T)0 : (T)(0x5a5a5a5a + i);\n"
            "    __syncthreads();\n    const T b = %s;\n    T d = 0;\n",
            is_counter ? "1000 + i % 4 * 7" : "(T)OPERAND(1)");
    fprintf(list->file,
            "    asm volatile(\"%s%s.%s.%s %s[%%1], %%2;\" : \"+%c\"(d) : \"l\"(%s(crowd + i %% 4)), "
            "\"%c\"(b) : \"memory\");\n",
            is_atom ? "atom" : "red", space->suffix, atomic->op, type, is_atom ? "%0, " : "",
            register_constraint(bytes), is_shared ? "__cvta_generic_to_shared" : "__cvta_generic_to_global",
            register_constraint(bytes));
    fprintf(list->file, "    __syncthreads();\n"
                        "    const uint32_t sum = fold(0, ((volatile T *)crowd)[i %% 4]);\n");
    finish(list);
}

static void vector_case(struct list *list, const struct atomic *atomic, unsigned count, bool is_atom)
{
    char name[16], spelling[NAME];
    const char *type = type_name(atomic, name);
    const unsigned bytes = type_bytes(type);
    FILE *const file = list->file;
    snprintf(spelling, sizeof spelling, "%s.global.v%u.%s.%s%s", is_atom ? "atom" : "red", count, type,
             atomic->op, is_half(type) ? ".noftz" : "");
    begin(list,
          bytes == 2                 ? "p=hh"
          : strcmp(type, "f32") == 0 ? "p=ff"
                                     : "p=ww",
          false, "%s.%s", spelling, type);
    fprintf(file,
            "    typedef %s T;\n    uint8_t *const cell = global_cells + i * CELL;\n    uint32_t sum = 0;\n"
            "    T d[%u] = {}, b[%u];\n    clear_cell(cell);\n",
            register_type(bytes), count, count);
    fprintf(
        file,
        "    for (unsigned k = 0; k < %u; k++) {\n        const unsigned j = (i + 11 * k) %% SUITE_TUPLES;\n"
        "        ((volatile T *)cell)[k] = (T)in[j];\n        b[k] = (T)in[SUITE_TUPLES + j];\n    }\n",
        count);
    fprintf(file, "    asm volatile(\"%s ", spelling);
    if (is_atom) {
        write_elements(file, 0, count);
        fprintf(file, ", ");
    }
    fprintf(file, "[%%%u], ", count);
    write_elements(file, count + 1, count);
    fprintf(file, ";\" :");
    for (unsigned k = 0; k < count; k++)
        fprintf(file, "%s \"+%c\"(d[%u])", k ? "," : "", register_constraint(bytes), k);
    fprintf(file, " : \"l\"(__cvta_generic_to_global(cell))");
    for (unsigned k = 0; k < count; k++)
        fprintf(file, ", \"%c\"(b[%u])", register_constraint(bytes), k);
    fprintf(file,
            " : \"memory\");\n    for (unsigned k = 0; k < %u; k++)\n        sum = fold(sum, d[k]);\n"
            "    sum = fold_cell(sum, cell);\n",
            count);
    finish(list);
}

static void vector_atomics(struct list *list)
{
    for (size_t a = 0; a < ATOMICS; a++) {
        char name[16];
        const char *type = type_name(&atomics[a], name);
        const unsigned most = strstr(type, "x2") || strcmp(type, "f32") == 0 ? 4 : 8;
        if (!is_half(type) && strcmp(type, "f32") != 0)
            continue;
        for (unsigned count = 2; count <= most; count *= 2)
            for (int is_atom = 0; is_atom < 2; is_atom++)
                vector_case(list, &atomics[a], count, is_atom);
    }
}

static void wide_atomics(struct list *list)
{
    for (size_t k = 0; k < 4; k++) {
        const struct space *space = &spaces[k < 2 ? GLOBAL : SHARED];
        const bool is_cas = k % 2;
        begin(list, "p=dd", false, "atom%s.%s.b128", space->suffix, is_cas ? "cas" : "exch");
        write_cell(list, space, true);
        fprintf(
            list->file,
            "    const uint64_t b = i %% 3 ? OPERAND(1) : 5;\n    uint64_t low, high;\n"
            "    asm volatile(\"{ .reg .b128 d, x, y; mov.b128 x, {%%3, %%4}; mov.b128 y, {%%4, %%3};\"\n"
            "        \"atom%s.%s.b128 d, [%%2], x%s; mov.b128 {%%0, %%1}, d; }\" : \"=l\"(low), \"=l\"(high)"
            " : \"%c\"(%s), \"l\"(OPERAND(0)), \"l\"(b) : \"memory\");\n"
            "    sum = fold(fold(fold_cell(sum, cell), low), high);\n",
            space->suffix, is_cas ? "cas" : "exch", is_cas ? ", y" : "", space->constraint, space->address);
        finish(list);
    }
}

static void ordered_atomics(struct list *list)
{
    static const char *const orders[] = {".relaxed", ".acquire", ".release", ".acq_rel"};
    static const size_t where[] = {GLOBAL, SHARED, GENERIC};
    for (size_t o = 0; o < 4; o++)
        for (size_t s = 0; s < 4; s++)
            for (size_t w = 0; w < 3; w++) {
                char order[32];
                snprintf(order, sizeof order, "%s%s", orders[o], scopes[s]);
                /* any of the rows will do: xor.b32, and add.u32 for red */
                atomic_case(list, &atomics[4], &spaces[where[w]], true, order);
                if (o % 2 == 0)
                    atomic_case(list, &atomics[6], &spaces[where[w]], false, order);
            }
}

static void all_atomics(struct list *list)
{
    static const size_t where[] = {GLOBAL, SHARED, GENERIC, GENERIC_SHARED};
    for (size_t a = 0; a < ATOMICS; a++) {
        for (size_t w = 0; w < 4; w++)
            atomic_case(list, &atomics[a], &spaces[where[w]], true, "");
        for (size_t w = 0; w < 2; w++) {
            atomic_case(list, &atomics[a], &spaces[where[w]], false, "");
            crowd_case(list, &atomics[a], &spaces[where[w]], true);
            crowd_case(list, &atomics[a], &spaces[where[w]], false);
        }
    }
    vector_atomics(list);
    wide_atomics(list);
    ordered_atomics(list);
}

/* Whether a case of the list computes that row: its spelling has the operation and the type, whatever stands between. */
static bool has_case(const struct list *list, const struct atomic *atomic)
{
    char name[16], op[16], type[24];
    snprintf(op, sizeof op, ".%s", atomic->op);
    snprintf(type, sizeof type, ".%s", type_name(atomic, name));
    for (size_t i = 0; i < list->count; i++) {
        const char *end = strstr(list->name[i], type);
        for (; end && isalnum((unsigned char)end[strlen(type)]); end = strstr(end + 1, type))
            continue;
        if (end && strstr(list->name[i], op))
            return true;
    }
    return fprintf(stderr, "no case for %s.%s\n", atomic->op, name), false;
}

/* ------------------------------------------------------------------------------------------- files */

static void write_tables(struct list *list)
{
    FILE *const file = list->file;
    fprintf(file, "\nstatic const struct suite_case cases[] = {\n");
    for (size_t i = 0; i < list->count; i++)
        fprintf(file, "    {\"%s\", \"%s\", %d, -1},\n", list->name[i], list->signature[i],
                list->has_flag[i]);
    fprintf(file, "};\nstatic case_kernel *const kernels[] = {\n");
    for (size_t i = 0; i < list->count; i++)
        fprintf(file, "    %s_%zu,\n", list->family, i);
    fprintf(file, "};\nDEFINE_FAMILY(%s)\n", list->family);
}

static bool write_file(const char *folder, const char *family, void (*const *parts)(struct list *),
                       size_t count)
{
    static struct list list;
    char path[4096];
    snprintf(path, sizeof path, "%s/cases_%s.cu", folder, family);
    list.file = fopen(path, "w");
    list.family = family;
    list.count = 0;
    if (!list.file)
        return perror(path), false;
    fprintf(list.file, "/* Written by generate_memory.c. */\n#include \"by_hand.cuh\"\n\n"
                       "static __device__ __align__(64) uint8_t global_cells[SUITE_TUPLES * CELL];\n");
    if (parts[0] == plain_accesses) {
        write_fixed(list.file, "static __device__ __align__(64) uint32_t fixed_cells");
        write_fixed(list.file, "static __constant__ __align__(64) uint32_t constant_cells");
    }
    for (size_t k = 0; k < count; k++)
        parts[k](&list);
    write_tables(&list);
    for (size_t a = 0; parts[0] == all_atomics && a < ATOMICS; a++)
        if (!has_case(&list, &atomics[a]))
            return fclose(list.file), false;
    printf("%-8s            %4zu cases\n", family, list.count);
    return fclose(list.file) == 0 || (perror(path), false);
}

bool generate_memory(const char *folder)
{
    static void (*const memory[])(struct list *) = {plain_accesses, param_loads, qualified_accesses,
                                                    wide_accesses, copies};
    static void (*const atomic[])(struct list *) = {all_atomics};
    return write_file(folder, "memory", memory, sizeof memory / sizeof memory[0]) &&
           write_file(folder, "atomic", atomic, sizeof atomic / sizeof atomic[0]);
}
