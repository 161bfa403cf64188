/* forms.c - finds rows by name, and the name that a spelling stands for.
 * The index is built once, at the first question, and never changes: any thread may ask.
 * The rows themselves are in the families' .def files. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "alu/forms.h"
#include "base/hash.h"

static const struct {
    const struct form *rows;
    const size_t *count;
} families[] = {
    {forms_int, &forms_int_count},   {forms_logic, &forms_logic_count}, {forms_float, &forms_float_count},
    {forms_half, &forms_half_count}, {forms_cvt, &forms_cvt_count},     {forms_compare, &forms_compare_count},
    {forms_math, &forms_math_count}, {forms_video, &forms_video_count},
};
enum { FAMILIES = sizeof families / sizeof families[0], BUCKETS = 8192 };

static const struct form *buckets[BUCKETS]; /* open addressing; at most half full */
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

/* The bucket that holds the name, or the free one where it belongs. */
static uint32_t bucket_of(const char *name)
{
    uint32_t at = hash_text(name, strlen(name)) % BUCKETS;
    while (buckets[at] && strcmp(buckets[at]->name, name) != 0)
        at = (at + 1) % BUCKETS;
    return at;
}

static void build_index(void)
{
    for (size_t family = 0; family < FAMILIES; family++)
        for (size_t i = 0; i < *families[family].count; i++) {
            const struct form *row = &families[family].rows[i];
            buckets[bucket_of(row->name)] = row;
        }
}

const struct form *form_find(const char *name)
{
    pthread_once(&index_once, build_index);
    return buckets[bucket_of(name)];
}

const struct form *form_at(size_t index)
{
    for (size_t family = 0; family < FAMILIES; family++) {
        if (index < *families[family].count)
            return &families[family].rows[index];
        index -= *families[family].count;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------- traits */

static bool begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

static bool begins_with_one(const char *name, const char *const *starts)
{
    while (*starts && !begins(name, *starts))
        starts++;
    return *starts != NULL;
}

uint8_t form_traits(const struct form *form)
{
    static const char *const products[] = {"and.", "mul.lo.", "mul.wide.", "mad.lo.", "mad.wide.", NULL};
    const char *name = form->name;
    unsigned traits = begins_with_one(name, products) ? FORM_ZERO_SETTLES : 0;
    if (form->uses_carry)
        traits |= (name[3] == 'c' ? FORM_READS_CARRY : 0) | (strstr(name, ".cc") ? FORM_WRITES_CARRY : 0);
    traits |= strcmp(name, "and.pred") == 0 ? FORM_AND : strcmp(name, "or.pred") == 0 ? FORM_OR : 0;
    return (uint8_t)traits;
}

uint8_t form_flops(const struct form *form)
{
    static const char *const none[] = {"setp", "set.", "selp",  "mov",      "min", "max",
                                       "abs",  "neg",  "testp", "copysign", NULL};
    static const char *const fused[] = {"fma", "mad", NULL};
    const bool is_float = form->class == CLASS_FP32 || form->class == CLASS_FP64 ||
                          form->class == CLASS_FP16 || form->class == CLASS_SFU;
    if (!is_float || begins_with_one(form->name, none))
        return 0;
    const int flops = begins_with_one(form->name, fused) ? 2 : 1;
    return (uint8_t)(strstr(form->name, "16x2") ? 2 * flops : flops);
}

/* ------------------------------------------------------------------------------------------- spellings */

/* A name taken apart at its dots. Rules change the words; what they changed is joined again. */
enum { MAX_WORDS = 12, MAX_NAME = 96 };
struct words {
    char text[MAX_NAME];
    const char *word[MAX_WORDS];
    size_t count;
    bool is_changed;
};

static bool split(struct words *words, const char *name)
{
    const size_t size = strlen(name);
    if (size >= MAX_NAME)
        return false;
    memcpy(words->text, name, size + 1);
    words->count = 0;
    words->is_changed = false;
    for (char *at = words->text; at;) {
        if (words->count == MAX_WORDS)
            return false;
        words->word[words->count++] = at;
        at = strchr(at, '.');
        if (at)
            *at++ = '\0';
    }
    return true;
}

static bool join(const struct words *words, char *buffer, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < words->count; i++) {
        const int n = snprintf(buffer + used, size - used, "%s%s", i ? "." : "", words->word[i]);
        if (n < 0 || (size_t)n >= size - used)
            return false;
        used += (size_t)n;
    }
    return true;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static bool has_word(const struct words *words, const char *word)
{
    for (size_t i = 1; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0)
            return true;
    return false;
}

static void replace(struct words *words, size_t at, const char *word)
{
    words->word[at] = word;
    words->is_changed = true;
}

static void insert(struct words *words, size_t at, const char *word)
{
    if (words->count == MAX_WORDS)
        return;
    memmove(&words->word[at + 1], &words->word[at], (words->count - at) * sizeof words->word[0]);
    words->count++;
    replace(words, at, word);
}

static void drop(struct words *words, const char *word)
{
    for (size_t i = 1; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0) {
            memmove(&words->word[i], &words->word[i + 1], (words->count - i - 1) * sizeof words->word[0]);
            words->count--;
            words->is_changed = true;
            return;
        }
}

static const char *const int_types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", NULL};
static const char *const float_types[] = {"f16", "bf16", "f32", "f64", "f16x2", "bf16x2", NULL};
static const char *const roundings[] = {"rn", "rz", "rm", "rp", NULL};

/* Renames word `at` by a list of pairs (from, to). */
static void rename_word(struct words *words, size_t at, const char *const (*pairs)[2])
{
    for (; (*pairs)[0]; pairs++)
        if (strcmp(words->word[at], (*pairs)[0]) == 0) {
            replace(words, at, (*pairs)[1]);
            return;
        }
}

static const char *const to_unsigned[][2] = {{"s16", "u16"},     {"s32", "u32"}, {"s64", "u64"},
                                             {"b16", "u16"},     {"b32", "u32"}, {"b64", "u64"},
                                             {"s16x2", "u16x2"}, {NULL, NULL}};
static const char *const to_bits[][2] = {{"u16", "b16"}, {"s16", "b16"}, {"u32", "b32"}, {"s32", "b32"},
                                         {"u64", "b64"}, {"s64", "b64"}, {NULL, NULL}};
static const char *const to_signless[][2] = {
    {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}, {NULL, NULL}};

/* Wrapping sums and low products do not see the sign; float ones round to nearest unless they say otherwise. */
static void canonical_sum(struct words *words)
{
    const size_t last = words->count - 1;
    const bool is_float = is_one_of(words->word[last], float_types);
    if (is_float && !is_one_of(words->word[1], roundings))
        insert(words, 1, "rn");
    if (!is_float && !has_word(words, "sat") && !has_word(words, "hi") && !has_word(words, "wide"))
        rename_word(words, last, to_unsigned);
}

/* mad on floats has been fma since the first GPU that had one. */
static void canonical_mad(struct words *words)
{
    canonical_sum(words);
    if (is_one_of(words->word[words->count - 1], float_types))
        replace(words, 0, "fma");
}

static void canonical_bits(struct words *words)
{
    rename_word(words, words->count - 1, to_bits);
}

static void canonical_shr(struct words *words)
{
    if (words->word[words->count - 1][0] == 'b')
        rename_word(words, words->count - 1, to_unsigned);
}

static void canonical_slct(struct words *words)
{
    if (words->count > 2)
        rename_word(words, words->count - 2, to_bits);
}

static void canonical_compare(struct words *words)
{
    const size_t last = words->count - 1;
    rename_word(words, 1, to_signless);
    if (strcmp(words->word[1], "eq") == 0 || strcmp(words->word[1], "ne") == 0)
        rename_word(words, last, to_bits);
    if (strcmp(words->word[0], "set") == 0 && last > 1)
        rename_word(words, last - 1, to_unsigned);
}

/* min.s32.relu is min.relu.s32. */
static void canonical_extreme(struct words *words)
{
    const size_t last = words->count - 1;
    if (last > 1 && strcmp(words->word[last], "relu") == 0) {
        const char *type = words->word[last - 1];
        replace(words, last - 1, "relu");
        replace(words, last, type);
    }
}

/* Conversions to integers clamp anyway; those between integers see the destination's sign only when they
 * clamp. */
static void canonical_cvt(struct words *words)
{
    if (words->count < 3 || strcmp(words->word[1], "pack") == 0)
        return;
    const size_t to = words->count - 2, from = words->count - 1;
    const bool to_int = is_one_of(words->word[to], int_types),
               from_int = is_one_of(words->word[from], int_types);
    const bool is_single = strcmp(words->word[to], "f32") == 0 || strcmp(words->word[from], "f32") == 0;
    if (to_int && from_int && !has_word(words, "sat"))
        rename_word(words, to, to_unsigned);
    if (to_int && !from_int)
        drop(words, "sat");
    if (from_int || !is_single)
        drop(words, "ftz");
}

static const struct {
    const char *op;
    void (*rule)(struct words *words);
} rules[] = {
    {"add", canonical_sum},      {"sub", canonical_sum},     {"mul", canonical_sum},
    {"addc", canonical_sum},     {"subc", canonical_sum},    {"mad", canonical_mad},
    {"madc", canonical_sum},     {"mov", canonical_bits},    {"selp", canonical_bits},
    {"and", canonical_bits},     {"or", canonical_bits},     {"xor", canonical_bits},
    {"not", canonical_bits},     {"cnot", canonical_bits},   {"shl", canonical_bits},
    {"shr", canonical_shr},      {"popc", canonical_bits},   {"clz", canonical_bits},
    {"brev", canonical_bits},    {"bfi", canonical_bits},    {"slct", canonical_slct},
    {"setp", canonical_compare}, {"set", canonical_compare}, {"cvt", canonical_cvt},
    {"min", canonical_extreme},  {"max", canonical_extreme},
};

const char *form_canonical(const char *name, char *buffer, size_t size)
{
    struct words words;
    if (!split(&words, name) || words.count < 2)
        return name;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(words.word[0], rules[i].op) == 0)
            rules[i].rule(&words);
    return words.is_changed && join(&words, buffer, size) ? buffer : name;
}
