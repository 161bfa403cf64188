/* lower_table.c - which machine operations an opcode becomes: one row each, read off ptxas's code for sm_90.
 * The first row that fits counts. Division and square roots show their usual way: the slow path for subnormal numbers is
 * left out.
 * What instructions do to each other is not here: lower_merge.c. */
#include <string.h>

#include "model/lower_internal.h"

#define ALU(n)                                                                                               \
    {                                                                                                        \
        OP_ALU, n, n                                                                                         \
    }
#define SFU(n)                                                                                               \
    {                                                                                                        \
        OP_SFU, n, n                                                                                         \
    }
#define IMAD(n)                                                                                              \
    {                                                                                                        \
        OP_IMAD, n, n                                                                                        \
    }
#define EITHER(n)                                                                                            \
    {                                                                                                        \
        OP_EITHER, n, n                                                                                      \
    }
#define FP32(n)                                                                                              \
    {                                                                                                        \
        OP_FP32, n, n                                                                                        \
    }
#define FP64(n)                                                                                              \
    {                                                                                                        \
        OP_FP64, n, n                                                                                        \
    }
#define FP16(n)                                                                                              \
    {                                                                                                        \
        OP_FP16, n, n                                                                                        \
    }
#define WIDE(n)                                                                                              \
    {                                                                                                        \
        OP_IMAD_WIDE, n, n                                                                                   \
    }
#define CVT64(n)                                                                                             \
    {                                                                                                        \
        OP_CVT64, n, n                                                                                       \
    }
#define UNIFORM                                                                                              \
    {                                                                                                        \
        OP_UNIFORM, 1, 1                                                                                     \
    }
#define BRANCH(n)                                                                                            \
    {                                                                                                        \
        OP_BRANCH, n, 1                                                                                      \
    }
#define NOTHING                                                                                              \
    {                                                                                                        \
        OP_ALU, 0, 0                                                                                         \
    }
#define SIDE(class, n)                                                                                       \
    {                                                                                                        \
        class, n, 1                                                                                          \
    } /* independent of each other: the result comes after one latency */

/* clang-format off */
static const struct recipe recipes[] = {
    /* word    part      from to   shape           steps */
    {"mov",    NULL,     'p', 0,   SHAPE_COPY,     {NOTHING}},
    {"mov",    NULL,     0,   0,   SHAPE_MOVE,     {NOTHING}},
    {"cvta",   NULL,     0,   0,   SHAPE_COPY,     {NOTHING}},
    {"ld",     "param",  0,   0,   SHAPE_CONSTANT, {UNIFORM}},
    {"ld",     NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"ldu",    NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"st",     "param",  0,   0,   SHAPE_PLAIN,    {ALU(1)}},
    {"st",     NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"atom",   NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"red",    NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"cp",     "ca",     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"cp",     "cg",     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"cp",     "commit_group", 0, 0, SHAPE_PLAIN,  {UNIFORM}},
    {"cp",     NULL,     0,   0,   SHAPE_PLAIN,    {{OP_FENCE, 1, 1}}}, /* wait_group, wait_all */
    {"tex",    NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"tld4",   NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"suld",   NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"sust",   NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"sured",  NULL,     0,   0,   SHAPE_MEMORY,   {NOTHING}},
    {"txq",    NULL,     0,   0,   SHAPE_CONSTANT, {UNIFORM}},
    {"suq",    NULL,     0,   0,   SHAPE_CONSTANT, {UNIFORM}},
    {"prefetch", NULL,   0,   0,   SHAPE_PLAIN,    {UNIFORM}},
    {"isspacep", NULL,   0,   0,   SHAPE_PLAIN,    {ALU(2)}},

    {"add",    NULL,     'i', 0,   SHAPE_ADD,      {ALU(1)}},
    {"add",    NULL,     'l', 0,   SHAPE_ADD,      {ALU(1), EITHER(1)}},
    {"sub",    NULL,     'i', 0,   SHAPE_ADD,      {ALU(1)}},
    {"sub",    NULL,     'l', 0,   SHAPE_ADD,      {ALU(1), EITHER(1)}},
    {"addc",   NULL,     'l', 0,   SHAPE_PLAIN,    {ALU(2)}},
    {"subc",   NULL,     'l', 0,   SHAPE_PLAIN,    {ALU(2)}},
    {"mul",    "wide",   0,   0,   SHAPE_WIDE,     {WIDE(1)}},
    {"mul",    "hi",     'l', 0,   SHAPE_PLAIN,    {WIDE(5), ALU(4)}},
    {"mul",    "hi",     0,   0,   SHAPE_HIGH,     {WIDE(1)}},
    {"mul",    "lo",     'l', 0,   SHAPE_PRODUCT,  {WIDE(1), SIDE(OP_IMAD, 2), ALU(1)}},
    {"mul",    "lo",     0,   0,   SHAPE_PRODUCT,  {IMAD(1)}},
    {"mul24",  NULL,     0,   0,   SHAPE_PLAIN,    {IMAD(2)}},
    {"mad24",  NULL,     0,   0,   SHAPE_PLAIN,    {IMAD(2)}},
    {"mad",    "wide",   0,   0,   SHAPE_PLAIN,    {WIDE(1)}},
    {"mad",    "hi",     'i', 0,   SHAPE_PLAIN,    {WIDE(1)}},
    {"mad",    "lo",     'l', 0,   SHAPE_PLAIN,    {WIDE(1), SIDE(OP_IMAD, 2), ALU(1)}},
    {"mad",    "lo",     'i', 0,   SHAPE_PLAIN,    {IMAD(1)}},
    {"dp4a",   NULL,     0,   0,   SHAPE_PLAIN,    {IMAD(1)}},
    {"dp2a",   NULL,     0,   0,   SHAPE_PLAIN,    {IMAD(1)}},
    {"div",    "s32",    0,   0,   SHAPE_PLAIN,    {SFU(3), IMAD(2), WIDE(2), {OP_ALU, 12, 6}, {OP_EITHER, 5, 3}}},
    {"rem",    "s32",    0,   0,   SHAPE_PLAIN,    {SFU(3), IMAD(2), WIDE(2), {OP_ALU, 9, 5}, {OP_EITHER, 6, 4}}},
    {"div",    NULL,     'i', 0,   SHAPE_PLAIN,    {SFU(3), IMAD(2), WIDE(2), {OP_ALU, 7, 5}, {OP_EITHER, 4, 3}}},
    {"rem",    NULL,     'i', 0,   SHAPE_PLAIN,    {SFU(3), IMAD(2), WIDE(2), {OP_ALU, 5, 4}, {OP_EITHER, 5, 4}}},
    {"div",    NULL,     'l', 0,   SHAPE_PLAIN,    {{OP_CVT64, 2, 2}, SFU(1), WIDE(18), {OP_IMAD, 12, 6}, {OP_ALU, 32, 12}}},
    {"rem",    NULL,     'l', 0,   SHAPE_PLAIN,    {{OP_CVT64, 2, 2}, SFU(1), WIDE(18), {OP_IMAD, 12, 6}, {OP_ALU, 30, 12}}},
    {"div",    "rn",     'f', 0,   SHAPE_PLAIN,    {SFU(1), FP32(5), SIDE(OP_SFU, 1), BRANCH(3)}},
    {"div",    "ftz",    'f', 0,   SHAPE_PLAIN,    {SFU(1), FP32(1)}},
    {"div",    NULL,     'f', 0,   SHAPE_PLAIN,    {ALU(1), SIDE(OP_FP32, 2), SFU(1), FP32(1)}},
    {"div",    NULL,     'd', 0,   SHAPE_PLAIN,    {SFU(1), FP64(8), FP32(1), SIDE(OP_ALU, 3), BRANCH(3)}},

    {"rcp",    "rn",     'f', 0,   SHAPE_PLAIN,    {ALU(3), SFU(1), FP32(3), BRANCH(3)}},
    {"rcp",    NULL,     'd', 0,   SHAPE_PLAIN,    {SFU(1), FP64(5), SIDE(OP_ALU, 2), BRANCH(3)}},
    {"sqrt",   "rn",     'f', 0,   SHAPE_PLAIN,    {SFU(1), {OP_FP32, 4, 3}, SIDE(OP_ALU, 2), BRANCH(3)}},
    {"sqrt",   NULL,     'd', 0,   SHAPE_PLAIN,    {SFU(1), FP64(8), SIDE(OP_ALU, 6), BRANCH(3)}},
    {"rsqrt",  NULL,     'd', 0,   SHAPE_PLAIN,    {SFU(1), FP64(5), SIDE(OP_ALU, 5), BRANCH(3)}},
    {"sin",    NULL,     0,   0,   SHAPE_PLAIN,    {FP32(1), SFU(1)}},
    {"cos",    NULL,     0,   0,   SHAPE_PLAIN,    {FP32(1), SFU(1)}},
    {"tanh",   NULL,     0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"rcp",    "ftz",    0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"sqrt",   "ftz",    0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"rsqrt",  "ftz",    0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"ex2",    "ftz",    0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"lg2",    "ftz",    0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    /* subnormal operands are scaled before and after */
    {"rcp",    NULL,     0,   0,   SHAPE_PLAIN,    {ALU(1), FP32(1), SFU(1), FP32(1)}},
    {"sqrt",   NULL,     0,   0,   SHAPE_PLAIN,    {ALU(1), FP32(1), SFU(1), FP32(1)}},
    {"rsqrt",  NULL,     0,   0,   SHAPE_PLAIN,    {ALU(1), FP32(1), SFU(1), FP32(1)}},
    {"ex2",    NULL,     0,   0,   SHAPE_PLAIN,    {ALU(1), FP32(1), SFU(1), FP32(1)}},
    {"lg2",    NULL,     0,   0,   SHAPE_PLAIN,    {ALU(1), FP32(1), SFU(1), FP32(1)}},

    {"neg",    NULL,     'f', 0,   SHAPE_COPY,     {NOTHING}}, /* a modifier of an operand */
    {"neg",    NULL,     'd', 0,   SHAPE_COPY,     {NOTHING}},
    {"abs",    NULL,     'f', 0,   SHAPE_COPY,     {NOTHING}},
    {"abs",    NULL,     'd', 0,   SHAPE_COPY,     {NOTHING}},
    {"neg",    NULL,     'i', 0,   SHAPE_PLAIN,    {EITHER(1)}},
    {"neg",    NULL,     'l', 0,   SHAPE_PLAIN,    {ALU(2)}},
    {"abs",    NULL,     'l', 0,   SHAPE_PLAIN,    {ALU(4)}},
    {"min",    NULL,     'l', 0,   SHAPE_PLAIN,    {ALU(2), SIDE(OP_ALU, 2)}},
    {"max",    NULL,     'l', 0,   SHAPE_PLAIN,    {ALU(2), SIDE(OP_ALU, 2)}},
    {"min",    NULL,     'd', 0,   SHAPE_PLAIN,    {FP64(1), ALU(1), SIDE(OP_ALU, 3)}},
    {"max",    NULL,     'd', 0,   SHAPE_PLAIN,    {FP64(1), ALU(1), SIDE(OP_ALU, 3)}},
    {"min",    NULL,     'f', 0,   SHAPE_PLAIN,    {ALU(1)}},
    {"max",    NULL,     'f', 0,   SHAPE_PLAIN,    {ALU(1)}},
    {"min",    NULL,     'i', 0,   SHAPE_EXTREME,  {ALU(1)}},
    {"max",    NULL,     'i', 0,   SHAPE_EXTREME,  {ALU(1)}},
    {"not",    NULL,     'p', 0,   SHAPE_COPY,     {NOTHING}},
    {"and",    NULL,     'p', 0,   SHAPE_JUNCTION, {ALU(1)}},
    {"or",     NULL,     'p', 0,   SHAPE_JUNCTION, {ALU(1)}},
    {"xor",    NULL,     'p', 0,   SHAPE_JUNCTION, {ALU(1)}},
    {"and",    NULL,     'l', 0,   SHAPE_LOGIC,    {SIDE(OP_ALU, 2)}},
    {"or",     NULL,     'l', 0,   SHAPE_LOGIC,    {SIDE(OP_ALU, 2)}},
    {"xor",    NULL,     'l', 0,   SHAPE_LOGIC,    {SIDE(OP_ALU, 2)}},
    {"not",    NULL,     'l', 0,   SHAPE_LOGIC,    {SIDE(OP_ALU, 2)}},
    {"and",    NULL,     0,   0,   SHAPE_LOGIC,    {ALU(1)}},
    {"or",     NULL,     0,   0,   SHAPE_LOGIC,    {ALU(1)}},
    {"xor",    NULL,     0,   0,   SHAPE_LOGIC,    {ALU(1)}},
    {"not",    NULL,     0,   0,   SHAPE_LOGIC,    {ALU(1)}},
    {"shl",    NULL,     'l', 0,   SHAPE_SHIFT,    {SIDE(OP_ALU, 2)}},
    {"shl",    NULL,     0,   0,   SHAPE_SHIFT,    {EITHER(1)}},
    {"shr",    NULL,     'l', 0,   SHAPE_RIGHT,    {SIDE(OP_ALU, 2)}},
    {"shr",    NULL,     'i', 0,   SHAPE_RIGHT,    {ALU(1)}},
    {"bfe",    NULL,     0,   0,   SHAPE_PLAIN,    {ALU(2)}},
    {"bfi",    NULL,     0,   0,   SHAPE_PLAIN,    {ALU(2)}},
    {"popc",   NULL,     'l', 0,   SHAPE_PLAIN,    {SIDE(OP_SFU, 2), ALU(1)}},
    {"popc",   NULL,     0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"clz",    NULL,     'l', 0,   SHAPE_PLAIN,    {SIDE(OP_SFU, 2), ALU(3)}},
    {"clz",    NULL,     0,   0,   SHAPE_PLAIN,    {SFU(1), ALU(1)}},
    {"brev",   NULL,     'l', 0,   SHAPE_PLAIN,    {SIDE(OP_SFU, 2)}},
    {"brev",   NULL,     0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"bfind",  NULL,     0,   0,   SHAPE_PLAIN,    {SFU(1)}},
    {"setp",   NULL,     'l', 0,   SHAPE_COMPARE,  {ALU(2)}},
    {"setp",   NULL,     'd', 0,   SHAPE_COMPARE,  {FP64(1)}},
    {"setp",   NULL,     'h', 0,   SHAPE_COMPARE,  {FP16(1)}},
    {"setp",   NULL,     0,   0,   SHAPE_COMPARE,  {ALU(1)}},
    {"set",    NULL,     'l', 0,   SHAPE_PLAIN,    {ALU(3)}},
    {"set",    NULL,     'd', 0,   SHAPE_PLAIN,    {FP64(1), ALU(1)}},
    {"set",    NULL,     0,   0,   SHAPE_PLAIN,    {ALU(2)}},
    {"selp",   NULL,     'l', 0,   SHAPE_PLAIN,    {SIDE(OP_ALU, 2)}},
    {"selp",   NULL,     'd', 0,   SHAPE_PLAIN,    {SIDE(OP_ALU, 2)}},
    {"slct",   NULL,     0,   0,   SHAPE_PLAIN,    {ALU(2)}},

    {"cvt",    NULL,     'd', 0,   SHAPE_PLAIN,    {CVT64(1)}},
    {"cvt",    NULL,     0,   'd', SHAPE_PLAIN,    {CVT64(1)}},
    {"cvt",    NULL,     'l', 'f', SHAPE_PLAIN,    {CVT64(1)}},
    {"cvt",    NULL,     'f', 'l', SHAPE_PLAIN,    {CVT64(1)}},
    {"cvt",    NULL,     'f', 'i', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    "u8",     'i', 'f', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    NULL,     'i', 'f', SHAPE_PLAIN,    {ALU(1)}},
    {"cvt",    "sat",    'f', 'f', SHAPE_COPY,     {NOTHING}}, /* of the operation before */
    {"cvt",    "rni",    'f', 'f', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    "rzi",    'f', 'f', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    "rmi",    'f', 'f', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    "rpi",    'f', 'f', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    NULL,     'f', 'f', SHAPE_PLAIN,    {FP32(1)}},
    {"cvt",    NULL,     'h', 'f', SHAPE_PLAIN,    {FP16(1)}},
    {"cvt",    NULL,     'f', 'h', SHAPE_PLAIN,    {ALU(1)}},
    {"cvt",    NULL,     'i', 'h', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    NULL,     'h', 'i', SHAPE_PLAIN,    {SFU(1)}},
    {"cvt",    "s32",    'i', 'l', SHAPE_SIGN,     {ALU(1)}},
    {"cvt",    "s16",    'i', 0,   SHAPE_PLAIN,    {ALU(1)}},
    {"cvt",    "s8",     'i', 0,   SHAPE_PLAIN,    {ALU(1)}},
    {"cvt",    "u8",     'i', 0,   SHAPE_PLAIN,    {ALU(1)}},
    {"cvt",    NULL,     0,   0,   SHAPE_COPY,     {NOTHING}}, /* fewer bits, or zeros above */

    {"shfl",   NULL,     0,   0,   SHAPE_PLAIN,    {{OP_SHUFFLE, 1, 1}}},
    {"vote",   NULL,     0,   0,   SHAPE_PLAIN,    {{OP_VOTE, 1, 1}}},
    {"match",  NULL,     0,   0,   SHAPE_PLAIN,    {{OP_VOTE, 1, 1}}},
    {"redux",  NULL,     0,   0,   SHAPE_PLAIN,    {{OP_VOTE, 1, 1}}},
    {"activemask", NULL, 0,   0,   SHAPE_PLAIN,    {{OP_VOTE, 1, 1}}},
    {"elect",  NULL,     0,   0,   SHAPE_PLAIN,    {{OP_VOTE, 1, 1}}},
    {"bar",    "warp",   0,   0,   SHAPE_PLAIN,    {UNIFORM}},
    {"bar",    NULL,     0,   0,   SHAPE_PLAIN,    {{OP_BARRIER, 1, 1}}},
    {"barrier", NULL,    0,   0,   SHAPE_PLAIN,    {{OP_BARRIER, 1, 1}}},
    {"membar", "cta",    0,   0,   SHAPE_PLAIN,    {{OP_FENCE, 1, 1}}},
    {"fence",  "cta",    0,   0,   SHAPE_PLAIN,    {{OP_FENCE, 1, 1}}},
    {"membar", NULL,     0,   0,   SHAPE_PLAIN,    {{OP_FENCE, 1, 1}, SIDE(OP_UNIFORM, 3)}},
    {"fence",  NULL,     0,   0,   SHAPE_PLAIN,    {{OP_FENCE, 1, 1}, SIDE(OP_UNIFORM, 3)}},
    {"mbarrier", NULL,   0,   0,   SHAPE_PLAIN,    {{OP_FENCE, 1, 1}}},

    {"bra",    NULL,     0,   0,   SHAPE_BRANCH,   {BRANCH(1)}},
    {"brx",    NULL,     0,   0,   SHAPE_BRANCH,   {ALU(3), BRANCH(1)}},
    {"call",   NULL,     0,   0,   SHAPE_BRANCH,   {ALU(2), BRANCH(1)}},
    {"ret",    NULL,     0,   0,   SHAPE_BRANCH,   {BRANCH(1)}},
    {"exit",   NULL,     0,   0,   SHAPE_BRANCH,   {BRANCH(1)}},
    {"trap",   NULL,     0,   0,   SHAPE_BRANCH,   {BRANCH(1)}},
    {"brkpt",  NULL,     0,   0,   SHAPE_BRANCH,   {BRANCH(1)}},
    {"nanosleep", NULL,  0,   0,   SHAPE_BRANCH,   {BRANCH(1)}},
    {"pmevent", NULL,    0,   0,   SHAPE_PLAIN,    {NOTHING}},

    /* everything else that computes: one operation of its type */
    {NULL,     NULL,     'f', 0,   SHAPE_PLAIN,    {FP32(1)}},
    {NULL,     NULL,     'd', 0,   SHAPE_PLAIN,    {FP64(1)}},
    {NULL,     NULL,     'h', 0,   SHAPE_PLAIN,    {FP16(1)}},
    {NULL,     NULL,     0,   0,   SHAPE_PLAIN,    {ALU(1)}},
};
/* clang-format on */

static const char letters[PTX_TYPES] = {
    [PTX_PRED] = 'p', [PTX_B8] = 'i',    [PTX_B16] = 'i', [PTX_B32] = 'i', [PTX_B64] = 'l',
    [PTX_B128] = 'l', [PTX_U8] = 'i',    [PTX_U16] = 'i', [PTX_U32] = 'i', [PTX_U64] = 'l',
    [PTX_S8] = 'i',   [PTX_S16] = 'i',   [PTX_S32] = 'i', [PTX_S64] = 'l', [PTX_F16] = 'h',
    [PTX_BF16] = 'h', [PTX_F16X2] = 'h', [PTX_F32] = 'f', [PTX_F64] = 'd', [PTX_BF16X2] = 'h',
};

/* selp.f32 and the like move bits; no float unit is needed. */
static bool is_bitwise(const char *word)
{
    return strcmp(word, "selp") == 0 || strcmp(word, "prmt") == 0 || strcmp(word, "slct") == 0;
}

static bool fits(const struct recipe *recipe, const struct opcode *opcode, char from, char to)
{
    if (recipe->word ? strcmp(recipe->word, opcode->parts[0]) != 0
                     : recipe->from && is_bitwise(opcode->parts[0]))
        return false;
    return (!recipe->part || opcode_has(opcode, recipe->part)) && (!recipe->from || recipe->from == from) &&
           (!recipe->to || recipe->to == to);
}

static char first_letter(const struct opcode *opcode)
{
    for (int i = 1; i < opcode->count; i++) {
        enum ptx_type type = ptx_type_find(opcode->parts[i], strlen(opcode->parts[i]));
        if (type != PTX_NONE)
            return letters[type];
    }
    return 0;
}

const struct recipe *recipe_find(const struct opcode *opcode, char *from, char *to)
{
    *from = letters[opcode_type(opcode)];
    *to = first_letter(opcode);
    const struct recipe *recipe = recipes;
    while (!fits(recipe, opcode, *from, *to))
        recipe++;
    return recipe;
}
