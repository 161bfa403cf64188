/* chains.c - see chains.h. Right values are computed in double precision where rounding matters. */
#include "chains.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab8.h"
#include "lab/element.h"
#include "work.h"

static int size_of(const struct lab_run *run, int which)
{
    return (int)run->size[which];
}

static void *pointer(const struct lab_run *run, int index)
{
    return run->buffers[index].device;
}

static struct lab_buffer *add_floats(struct lab_run *run, enum lab_role role, const char *name, long count)
{
    return lab_add(run, role, LAB_FLOAT, name, count);
}

/* ------------------------------------------------------------------------------------------- pieces, fused */

static void pieces_layout(struct lab_run *run)
{
    add_floats(run, LAB_OUT, "out", run->size[COUNT]);
    add_floats(run, LAB_IN, "a", run->size[COUNT])->low = -1;
    add_floats(run, LAB_IN, "b", run->size[COUNT])->low = -1;
}

static void pieces_call(const struct lab_run *run)
{
    ((pieces_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), pointer(run, 2),
                                        size_of(run, COUNT));
}

bool pieces_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const double sum = 1.5 * lab_at(run, 1, i) + lab_at(run, 2, i);
    (void)index;
    *value = sqrt(sum * sum + 0.25);
    return true;
}

const struct chain pieces_chain = {pieces_layout, pieces_call, NULL};

/* ------------------------------------------------------------------------------------------- host_reset, reset */

static void count_layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_INT, "counts", run->size[BINS]);
    struct lab_buffer *keys = lab_add(run, LAB_IN, LAB_INT, "keys", run->size[COUNT]);
    keys->high = run->size[BINS] > 1 ? (double)run->size[BINS] - 1 : 0.5; /* a range, but of one key */
}

static void count_call(const struct lab_run *run)
{
    ((count_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), size_of(run, COUNT),
                                       size_of(run, BINS));
}

void count_reference(const struct lab_run *run, int index, void *expected)
{
    const int *keys = run->buffers[1].host;
    int *counts = expected;
    memset(counts, 0, lab_buffer_bytes(&run->buffers[index]));
    for (long i = 0; i < run->size[COUNT]; i++)
        counts[keys[i]]++;
}

/* Counts that began with something else than 0. */
const char *count_recognise(const struct lab_run *run, int index, const void *expected)
{
    const uint32_t *got = run->buffers[index].host, *want = expected;
    const uint32_t begin = got[0] - want[0];
    for (long i = 0; i < run->size[BINS]; i++)
        if (got[i] - want[i] != begin)
            return NULL;
    return begin == 0x01010101
               ? "every counter began with 16843009, which is 0x01010101: cudaMemsetAsync() sets each "
                 "byte, not each int"
               : NULL;
}

const struct chain count_chain = {count_layout, count_call, "bins"};

/* ------------------------------------------------------------------------------------------- host_rest, leftover */

static void levels_layout(struct lab_run *run)
{
    const long count = run->size[COUNT], segments = segments_of((int)count);
    add_floats(run, LAB_OUT, "out", count)->operations = (int)segments + 4;
    add_floats(run, LAB_IN, "in", count);
    add_floats(run, LAB_SCRATCH, "x", count);
    add_floats(run, LAB_SCRATCH, "levels", segments);
    add_floats(run, LAB_SCRATCH, "host_x", count)->is_host = true;
    add_floats(run, LAB_SCRATCH, "host_levels", segments)->is_host = true;
}

static void levels_call(const struct lab_run *run)
{
    ((levels_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), pointer(run, 2), pointer(run, 3),
                                        pointer(run, 4), pointer(run, 5), size_of(run, COUNT));
}

void find_levels(void *levels, size_t levels_bytes, const void *x, size_t x_bytes)
{
    float level = 0;
    for (size_t k = 0; k < levels_bytes / sizeof level && k * SEGMENT < x_bytes / sizeof level; k++)
        ((float *)levels)[k] = level = next_level(level, ((const float *)x)[k * SEGMENT]);
}

void levels_reference(const struct lab_run *run, int index, void *expected)
{
    double level = 0;
    (void)index;
    for (long i = 0; i < run->size[COUNT]; i++) {
        const double in = lab_at(run, 1, (size_t)i), x = in * (2 - in);
        if (i % SEGMENT == 0)
            level = fabs(level - x);
        ((float *)expected)[i] = (float)(x + level);
    }
}

/* The first segment whose element 0 is not as expected; `segments`: there is none. */
static long first_wrong_segment(const float *got, const float *want, long segments)
{
    long k = 0;
    while (k < segments && fabsf(got[k * SEGMENT] - want[k * SEGMENT]) <= 1e-3f)
        k++;
    return k;
}

/* Levels that begin with 0 again in each tile of `tile` segments; in the first tile they are right. */
static bool begins_again(const struct lab_run *run, const float *out, long segments, long tile)
{
    double level = 0;
    for (long k = 0; k < segments; k++) {
        const double in = lab_at(run, 1, (size_t)(k * SEGMENT)), x = in * (2 - in);
        level = fabs((k % tile ? level : 0) - x);
        if (!(fabs(x + level - (double)out[k * SEGMENT]) <= 1e-3))
            return false;
    }
    return true;
}

const char *levels_recognise(const struct lab_run *run, int index, const void *expected)
{
    const float *out = run->buffers[index].host;
    const long segments = segments_of((int)run->size[COUNT]),
               tile = first_wrong_segment(out, expected, segments);
    return tile > 1 && tile < segments && begins_again(run, out, segments, tile)
               ? "the level begins with 0 again in every tile. It must live on from tile to tile: set it to "
                 "0 once, before the loop over tiles"
               : NULL;
}

const struct chain levels_chain = {levels_layout, levels_call, NULL};

/* ------------------------------------------------------------------------------------------- pageable, pinned, streams */

enum { SHORT = 64 };

static void cipher_layout(struct lab_run *run)
{
    struct lab_buffer *out = lab_add(run, LAB_OUT, LAB_UINT, "host_out", run->size[COUNT]);
    out->is_host = true;
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_UINT, "host_in", run->size[COUNT]);
    in->is_host = true;
    /* A remainder of 64 bits has a short way for small numbers, which large ones hardly ever take: each kernel has shown it. */
    in->high = run->size[COUNT] <= SHORT ? 1 : UINT32_MAX;
    lab_add(run, LAB_SCRATCH, LAB_UINT, "out", run->size[COUNT]);
    lab_add(run, LAB_SCRATCH, LAB_UINT, "in", run->size[COUNT]);
}

static void cipher_call(const struct lab_run *run)
{
    ((cipher_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), pointer(run, 2), pointer(run, 3),
                                        size_of(run, COUNT), (unsigned)run->size[MODULUS]);
}

/* What encrypted() computes, with one division for all remainders. */
bool cipher_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const uint64_t x = (uint64_t)lab_at(run, 1, i), modulus = (uint64_t)run->size[MODULUS];
    uint64_t power = x;
    (void)index;
    for (int k = 0; k < 16; k++)
        power = element_rest(power * power, modulus);
    *value = (double)element_rest(power * x, modulus);
    return true;
}

/* All of it crosses the bus. */
double cipher_work(const struct lab_run *run)
{
    return 1e-9 * 2 * sizeof(unsigned) * (double)run->size[COUNT];
}

const struct chain cipher_chain = {cipher_layout, cipher_call, "modulus"};

/* ------------------------------------------------------------------------------------------- launches, graph */

static void rounds_layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_UINT, "out", run->size[COUNT]);
    lab_add(run, LAB_IN, LAB_UINT, "in", run->size[COUNT])->high = UINT32_MAX;
    lab_add(run, LAB_SCRATCH, LAB_UINT, "other", run->size[COUNT]);
}

static void rounds_call(const struct lab_run *run)
{
    ((rounds_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), pointer(run, 2),
                                        size_of(run, COUNT), size_of(run, ROUNDS));
}

double rounds_work(const struct lab_run *run)
{
    return 1e-9 * (double)(run->size[COUNT] * run->size[ROUNDS] * LEVELS) * 2 * sizeof(unsigned);
}

static void mix(unsigned *to, const unsigned *from, long distance, long count)
{
    for (long i = 0; i < count; i++)
        to[i] = mixed(from[i > distance ? i - distance : 0], from[i],
                      from[i + distance < count ? i + distance : count - 1]);
}

static void mix_rounds(unsigned *out, unsigned *other, const struct lab_run *run, long rounds)
{
    const long count = run->size[COUNT];
    memcpy(out, run->buffers[1].host, (size_t)count * sizeof *out);
    for (long round = 0; round < rounds; round++)
        for (int level = 0; level < LEVELS; level += 2) {
            mix(other, out, 1L << level, count);
            mix(out, other, 2L << level, count);
        }
}

void rounds_reference(const struct lab_run *run, int index, void *expected)
{
    unsigned *other = malloc(lab_buffer_bytes(&run->buffers[index]));
    if (other)
        mix_rounds(expected, other, run, run->size[ROUNDS]);
    free(other);
}

/* Results of another number of rounds. */
const char *rounds_recognise(const struct lab_run *run, int index, const void *expected)
{
    static const struct {
        bool is_more; /* than asked for */
        long rounds;
        const char *words;
    } known[] = {
        {false, 0,
         "the array out is a copy of `in`: no round ran after the copy. A capturing stream only records "
         "launches. So launch the graph once for each round. And every captured launch must name your "
         "stream"},
        {false, 1,
         "the array out is `in` after one round. Did you capture the copy from `in`? Then every launch of "
         "the graph begins with `in` again. Or did you launch the graph only once?"},
        {true, 1, "the array out is `in` after one round too many: while a stream captures, nothing runs"},
        {true, -1, "the array out is `in` after one round too few: while a stream captures, nothing runs"},
    };
    const size_t bytes = lab_buffer_bytes(&run->buffers[index]);
    unsigned *out = malloc(bytes), *other = malloc(bytes);
    const char *words = NULL;
    (void)expected;
    for (size_t i = 0; out && other && !words && i < sizeof known / sizeof known[0]; i++) {
        mix_rounds(out, other, run, known[i].rounds + (known[i].is_more ? run->size[ROUNDS] : 0));
        if (!memcmp(out, run->buffers[index].host, bytes))
            words = known[i].words;
    }
    free(out);
    free(other);
    return words;
}

const struct chain rounds_chain = {rounds_layout, rounds_call, "rounds"};
