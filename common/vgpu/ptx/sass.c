/* sass.c - counts spilled registers in machine code, by the depth of the loops around them.
 * Code counts as understood only if it ends as every kernel does, in a branch to itself: its two known spellings also
 * tell how distances are written. Nothing else is decoded: no operands, no schedule. */
#include "ptx/sass.h"

#include <stdlib.h>
#include <string.h>

/* An instruction has 16 bytes; the low 9 bits name the operation, the next 3 the kind of its operands. */
enum {
    INSTRUCTION = 16,
    OPERATION_MASK = 0x1ff,
    NOP = 0x118,
    BRA = 0x147,
    EXIT = 0x14d,
    LDL = 0x183,
    STL = 0x187,
    ALWAYS = 7,        /* the predicate of an instruction that has none */
    STACK_POINTER = 1, /* the register R1 */
};

struct word {
    uint64_t low, high;
};

struct code {
    const uint8_t *bytes;
    uint32_t count;
    bool is_split; /* sm_90 and newer: a distance's low 8 bits stand apart */
};

/* By instruction: the loop that begins here ends before `end` (0: none does); how many end with this one. */
struct mark {
    uint32_t end, closed;
};

static struct word word_at(const struct code *code, uint32_t index)
{
    struct word word;
    memcpy(&word.low, code->bytes + (size_t)index * INSTRUCTION, 8);
    memcpy(&word.high, code->bytes + (size_t)index * INSTRUCTION + 8, 8);
    return word;
}

static bool is_operation(struct word word, uint32_t operation)
{
    return (word.low & OPERATION_MASK) == operation;
}

/* Leaves padding and the last branch out of the count; false: not a kernel's end. */
static bool cut_end(struct code *code)
{
    static const uint64_t self = 0xfffffff000007947, split_self = 0xfffffffc00fc7947;
    while (code->count && is_operation(word_at(code, code->count - 1), NOP))
        code->count--;
    if (!code->count)
        return false;
    uint64_t last = word_at(code, --code->count).low;
    code->is_split = last == split_self;
    return last == self || last == split_self;
}

/* Where a branch goes, as an instruction's index; it may lie outside the code. */
static int64_t branch_target(const struct code *code, uint32_t index)
{
    struct word word = word_at(code, index);
    uint64_t field = word.low >> 34 | (word.high & 0x3ffff) << 30; /* 48 bits, signed */
    int64_t distance = (int64_t)(field ^ 1ull << 47) - (int64_t)(1ull << 47);
    if (code->is_split)
        distance = distance * 256 + (int64_t)(word.low >> 16 & 0xff);
    return (int64_t)index + 1 + distance / (INSTRUCTION / 4);
}

/* A branch back makes a loop. Rare code may stand behind the kernel's end and branch back from there: that is none. */
static void mark_loops(const struct code *code, struct mark *marks)
{
    int64_t after_exit = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        struct word word = word_at(code, i);
        if (is_operation(word, EXIT) && (word.low >> 12 & 0xf) == ALWAYS)
            after_exit = (int64_t)i + 1;
        if (!is_operation(word, BRA))
            continue;
        int64_t target = branch_target(code, i);
        if (target >= after_exit && target < i)
            marks[target].end = i + 1;
    }
}

static bool is_spill(struct word word, uint32_t array_bytes)
{
    uint32_t base = word.low >> 24 & 0xff, offset = (uint32_t)(word.low >> 40);
    return base == STACK_POINTER && offset >= array_bytes;
}

static void count_one(struct sass_level *level, struct word word, uint32_t array_bytes)
{
    level->instructions += !is_operation(word, NOP);
    level->spill_loads += is_operation(word, LDL) && is_spill(word, array_bytes);
    level->spill_stores += is_operation(word, STL) && is_spill(word, array_bytes);
}

static void count_levels(const struct code *code, struct mark *marks, uint32_t array_bytes,
                         struct sass_level *levels)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        if (marks[i].end) {
            depth++;
            marks[marks[i].end - 1].closed++;
        }
        count_one(&levels[depth < SASS_LEVELS ? depth : SASS_LEVELS - 1], word_at(code, i), array_bytes);
        depth -= marks[i].closed;
    }
}

bool sass_count(const void *bytes, size_t size, uint32_t array_bytes, struct sass_level levels[SASS_LEVELS])
{
    struct code code = {.bytes = bytes, .count = (uint32_t)(size / INSTRUCTION)};
    memset(levels, 0, SASS_LEVELS * sizeof *levels);
    if (size / INSTRUCTION > UINT32_MAX / 2 || size % INSTRUCTION || !cut_end(&code))
        return false;
    struct mark *marks = calloc((size_t)code.count + 1, sizeof *marks);
    if (!marks)
        return false;
    mark_loops(&code, marks);
    count_levels(&code, marks, array_bytes, levels);
    free(marks);
    return true;
}
