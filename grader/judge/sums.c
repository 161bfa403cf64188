/* sums.c - see sums.h. Of integers, so that the order of additions does not matter. */
#include "grader/judge/sums.h"

#include <stdio.h>
#include <string.h>

#include "vgpu/vgpu.h"

enum { WORDS = 64 }; /* of 4 bytes, in a number of vgpu_words_used() */

static struct {
    const struct judge_side *side; /* NULL: nobody looks */
    double seen;                   /* bytes of the input that were used when they were looked at last */
    char doubt[200];
} own;

static bool is_used(const uint64_t *used, size_t word)
{
    return used[word / WORDS] >> word % WORDS & 1;
}

/* ------------------------------------------------------------------------------------------- what was read */

/* As the input was drawn, not as it lies in memory, where it could be changed. */
static int64_t sum_read(const struct lab_run *run, int input)
{
    const struct lab_buffer *buffer = &run->buffers[input];
    const uint64_t *used = vgpu_words_used((uint64_t)(uintptr_t)buffer->device);
    int32_t values[WORDS];
    int64_t sum = 0;
    for (size_t first = 0; used && first < buffer->count; first += WORDS) {
        const size_t left = buffer->count - first, count = left < WORDS ? left : WORDS;
        if (!used[first / WORDS])
            continue;
        lab_fill_part(run, input, first, count, values);
        for (size_t i = 0; i < count; i++)
            sum += is_used(used, first + i) ? values[i] : 0;
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------- what was left */

/* All numbers in memory that blocks have used, but for the input; or those alone that they have stored and not loaded again: a tree that
 * lies in global memory leaves its levels behind. */
struct left {
    bool is_last;
    int64_t sum;
    int64_t searched; /* is there such a number? */
    bool is_found;
};

static void add_number(struct left *left, const uint8_t *at, size_t each)
{
    int64_t value;
    int32_t small;
    memcpy(&small, at, sizeof small);
    value = small;
    if (each == sizeof value)
        memcpy(&value, at, sizeof value);
    left->sum = (int64_t)((uint64_t)left->sum + (uint64_t)value);
    left->is_found |= value == left->searched;
}

/* Memory of its own holds numbers of 8 bytes, if such fill it. */
static void add_memory(struct left *left, uint64_t address)
{
    struct vgpu_place place;
    const uint64_t *used = vgpu_words_used(address), *loaded = vgpu_words_loaded(address);
    const uint8_t *memory = vgpu_peek(address);
    if (!used || !memory || !vgpu_locate(address, &place))
        return;
    const size_t each = place.size % sizeof(int64_t) ? sizeof(int32_t) : sizeof(int64_t);
    for (size_t word = 0; word * 4 + each <= place.size; word += each / 4) {
        if (word % WORDS == 0 && !used[word / WORDS])
            word += WORDS - each / 4;
        else if (is_used(used, word) && !(left->is_last && is_used(loaded, word)))
            add_number(left, memory + word * 4, each);
    }
}

static struct left add_all(const struct judge_side *side, int input, bool is_last, int64_t searched)
{
    const struct trace_segment *segment = side->segment;
    struct left left = {.is_last = is_last, .searched = searched};
    for (int i = 0; i < side->run.nbuffers; i++)
        if (i != input)
            add_memory(&left, (uint64_t)(uintptr_t)side->run.buffers[i].device);
    for (uint32_t k = 0; k < segment->nops; k++)
        if (segment->ops[k].kind == TRACE_ALLOC)
            add_memory(&left, (uint64_t)(uintptr_t)player_address(side->player, &segment->ops[k].to));
    return left;
}

/* ------------------------------------------------------------------------------------------- both */

/* One number may be none of the sum's: a count of the blocks that are done. */
static void compare(const struct judge_side *side, int input)
{
    const int64_t read = sum_read(&side->run, input);
    const struct left left = add_all(side, input, false, 0);
    const int64_t over = left.sum - read;
    if (over && !add_all(side, input, false, over).is_found && add_all(side, input, true, 0).sum != read)
        snprintf(own.doubt, sizeof own.doubt,
                 "what its blocks leave adds up to %lld, and what they have read to %lld",
                 (long long)left.sum, (long long)read);
}

static int find_input(const struct lab_run *run)
{
    int index = 0;
    while (index < run->nbuffers - 1 && run->buffers[index].role != LAB_IN)
        index++;
    return index;
}

void sums_begin(const struct judge_side *side)
{
    own.side = side->run.lab->is_sum ? side : NULL;
    own.seen = 0;
    own.doubt[0] = 0;
}

void sums_look(const struct judge_side *side)
{
    if (side != own.side || own.doubt[0])
        return;
    const int input = find_input(&side->run);
    const double used = vgpu_bytes_used((uint64_t)(uintptr_t)side->run.buffers[input].device);
    if (used > own.seen)
        compare(side, input);
    own.seen = used;
}

void sums_end(char *doubt, size_t size)
{
    if (own.side && !own.doubt[0] && !(own.seen > 0))
        snprintf(own.doubt, sizeof own.doubt, "nothing of the input is read");
    if (own.side)
        snprintf(doubt, size, "%s", own.doubt);
    own.side = NULL;
}
