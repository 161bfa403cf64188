/* lab1.c - lab 1: pi from random points. Stages, cases, and an exact count on the CPU for every one of them.
 * The two generators are written here from their definitions, XORWOW's jump by 2^67 steps as a power of its step matrix:
 * nothing is taken from cuRAND's code or tables, so the two can only agree if both are right.
 * What the stages give points for stands in `stages`; the rest is arithmetic. */
#include <math.h>
#include <string.h>

#include "lab/lab.h"
#include "lab1.h"

/* ------------------------------------------------------------------------------------------- the stages */

enum {
    TIMED_BLOCKS = 1056, /* what an H200 holds at a time; the hits need more than 31 bits */
    TIMED_THREADS = 256,
    TIMED_POINTS = 16384,
    TIMED_WARPS = TIMED_BLOCKS * TIMED_THREADS / 32
};

#define STAGE(name) .id = #name, .entry = "pi_" #name, .function = (void (*)(void))pi_##name
#define UNTOUCHED   "*inside was never written: the stage is empty, or its count never gets there. See "
#define NO_LAUNCH                                                                                            \
    "This stage is still empty: write its kernel, then launch it in the entry point. Start with "
#define ATOMICS "atomic requests to global memory"

static const struct lab_stage stages[] = {
    {
        STAGE(per_hit),
        .title = "one atomic per hit",
        .baseline = "baseline_per_hit",
        .is_given = true,
        .hints = {{LAB_UNTOUCHED, "This stage came with the file: take it back from the original lab1.cu."},
                  {LAB_WRONG, "This stage came with the file: compare it with the original lab1.cu."}},
    },
    {
        STAGE(per_thread),
        .title = "one atomic per thread",
        .baseline = "baseline_per_hit",
        .correct = 10,
        .clean = 5,
        .concept = 5,
        .bounds = {{"global_atomic_requests", .at_most = TIMED_WARPS, .meaning = ATOMICS}},
        .speed = {{2.5, 5}, {5.0, 5}},
        .hints =
            {{LAB_UNTOUCHED, UNTOUCHED "TODO 1."},
             {LAB_NO_LAUNCH, NO_LAUNCH "TODO 1."},
             {LAB_LAUNCH,
              "A launch or a copy was refused. *inside is device memory, and so is the counter: copy with "
              "cudaMemcpyDeviceToDevice."},
             {LAB_RACE, "Threads change the counter at the same time, and `counter += hits` loses some of "
                        "them: use atomicAdd."},
             {LAB_WRONG,
              "Three things make the count: each thread draws its own sequence (its number in the whole "
              "grid), adds its hits once, and the counter goes from 0 before the kernel to *inside after "
              "it."},
             {LAB_HOST_READ, "The count has to go from the counter to *inside within the device: "
                             "cudaMemcpyFromSymbolAsync with cudaMemcpyDeviceToDevice."},
             {LAB_EDGE, "Is a point drawn for every i below points, and by every thread of the last block?"},
             {LAB_FAULT, "Only `counter` is written here; thread ids index no array."},
             {LAB_CONCEPT,
              "There are more atomics than threads: count in a local variable in the loop, and add it "
              "once, behind the loop."},
             {LAB_SLOW, "Atomics on one address wait for each other. Is there still one inside the loop?"}},
    },
    {
        STAGE(per_block),
        .title = "one atomic per block",
        .baseline = "baseline_per_hit",
        .correct = 10,
        .clean = 5,
        .concept = 5,
        .bounds = {{"global_atomic_requests", .at_most = TIMED_BLOCKS, .meaning = ATOMICS}},
        .hints =
            {{LAB_UNTOUCHED, UNTOUCHED "TODO 2."},
             {LAB_NO_LAUNCH, NO_LAUNCH "TODO 2."},
             {LAB_WRONG,
              "Set *inside to 0 first (cudaMemsetAsync). Then look at the sum: does it take every thread, "
              "and does one thread of every block add it?"},
             {LAB_EDGE,
              "The block's sum loses values when blockDim.x is no power of two: halving 33 leaves one "
              "over."},
             {LAB_RACE, "Between one thread's write to shared memory and another's read there has to be a "
                        "__syncthreads()."},
             {LAB_BARRIER, "__syncthreads() inside an if that not all threads enter: move it behind the if."},
             {LAB_UNINITIALISED, "A shared variable is read before anyone set it (let thread 0 set it, then "
                                 "__syncthreads()), or *inside was not set to 0."},
             {LAB_FAULT, "The shared array needs a place for every thread of the largest block: 1024."},
             {LAB_CONCEPT,
              "More than one atomic in global memory per block: only thread 0 adds, after the sum."}},
    },
    {
        STAGE(saved),
        .title = "saved generator states",
        .baseline = "baseline_per_hit",
        .correct = 10,
        .clean = 5,
        .concept = 5,
        .bounds = {{"launches", .at_least = 3, .meaning = "kernel launches (init and two batches)"},
                   {"global_atomic_requests", .at_most = 2 * TIMED_BLOCKS, .meaning = ATOMICS}},
        .hints = {{LAB_UNTOUCHED, UNTOUCHED "TODO 3."},
                  {LAB_NO_LAUNCH, NO_LAUNCH "TODO 3."},
                  {LAB_WRONG,
                   "The second batch must go on where the first one stopped: write the local state back to "
                   "states[t] at the end."},
                  {LAB_UNINITIALISED,
                   "A state is read before it was made: init_states has to run first, with the same "
                   "grid."},
                  {LAB_FAULT,
                   "There is one state per thread: index with the thread's number in the whole grid."},
                  {LAB_RACE, "Two threads use one state: index with the thread's number in the whole grid."},
                  {LAB_CONCEPT,
                   "This stage is three launches: init_states, then count_batch twice, each with one "
                   "atomic per block."}},
    },
    {
        STAGE(fast),
        .title = "Philox, float, a grid for the device",
        .baseline = "baseline_per_thread",
        .reference = "baseline_fast",
        .correct = 10,
        .clean = 5,
        .concept = 5,
        .bounds = {{"fp64_instructions", .at_most = 1, .meaning = "double precision instructions"},
                   {"global_atomic_requests", .at_most = TIMED_WARPS, .meaning = ATOMICS}},
        .speed = {{1.5, 5}, {2.0, 5}},
        .hints =
            {{LAB_UNTOUCHED, UNTOUCHED "TODO 4."},
             {LAB_NO_LAUNCH, NO_LAUNCH "TODO 4."},
             {LAB_WRONG,
              "Points 4q to 4q + 3 are the words of output block q: curand_init(seed, 0, 4 * first, &state), "
              "then one curand4 for four points. x is the upper half of a word, y the lower one."},
             {LAB_EDGE,
              "Some points are drawn twice or by nobody: round the share of a thread up, and cut the last "
              "range at the number of blocks. The last block gives what is left: 1 to 4 points."},
             {LAB_CONCEPT,
              "A literal such as 1.0 is a double and takes the whole expression with it: write 1.0f. "
              "Count in a local variable, and add once."},
             {LAB_SLOW, "Give each thread many blocks of Philox, and launch no more threads than fit on the "
                        "device. Then "
                        "call Philox itself, with the counter in a plain variable: the end of section 5."}},
    },
};

/* ------------------------------------------------------------------------------------------- the cases */

/* {blocks, threads, points}. `saved` splits points in halves, so odd ones belong to single stages. To start a
 * generator costs as much as a hundred points, so threads are few. The first one that fails is told: those that are
 * large enough for recognise() come first, and 70001 times 7 points tell the middle of a cell from its corner. */
static const struct lab_case cases[] = {
    {.size = {32, 32, 96}},
    {.size = {70001, 1, 7}, .stage = "fast"},
    {.size = {1, 1, 2}},
    {.size = {1, 31, 20}},
    {.size = {2, 33, 50}},
    {.size = {3, 100, 22}},
    {.size = {1, 1, 1}, .stage = "per_thread"},
    {.size = {2, 65, 33}, .stage = "per_thread"},
    {.size = {1, 1, 1}, .stage = "per_block"},
    {.size = {2, 255, 31}, .stage = "per_block"},
    {.size = {3, 2, 33}, .stage = "per_block"},
    {.size = {1, 1024, 6}, .stage = "per_block"},
    {.size = {2, 1, 2}, .stage = "saved"},
    {.size = {3, 31, 33}, .stage = "fast"},
    {.size = {33, 65, 63}, .stage = "fast"},
    {.size = {5, 7, 101}, .stage = "fast"},
    {.size = {1, 1, 3}, .stage = "fast"},
    {.size = {1, 1, 1}, .stage = "fast"},
    {.size = {2, 256, 64}},
};

enum { BLOCKS, THREADS, POINTS };

static long all_threads(const struct lab_run *run)
{
    return run->size[BLOCKS] * run->size[THREADS];
}

static uint64_t all_points(const struct lab_run *run)
{
    return (uint64_t)all_threads(run) * (uint64_t)run->size[POINTS];
}

static void layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_UINT64, "inside", 1);
    lab_add(run, LAB_SCRATCH, LAB_BYTE, "states", (size_t)all_threads(run) * LAB1_STATE_BYTES);
}

typedef void entry_point(unsigned long long *, void *, int, int, int, unsigned long long);

static void call(const struct lab_run *run)
{
    ((entry_point *)run->stage->function)(run->buffers[0].device, run->buffers[1].device,
                                          (int)run->size[BLOCKS], (int)run->size[THREADS],
                                          (int)run->size[POINTS], run->seed);
}

static double work(const struct lab_run *run)
{
    return (double)all_points(run) * 1e-9;
}

/* ------------------------------------------------------------------------------------------- XORWOW (Marsaglia 2003)
 * Five words are shifted and mixed by exclusive or alone, so a step is a 160 by 160 matrix of bits; a sixth counts up.
 * Sequence number t of cuRAND begins t * 2^67 steps behind sequence 0. The counter repeats after 2^32 steps, so such a
 * jump leaves it as it is. */

enum { XORWOW_WORDS = 5, XORWOW_BITS = 32 * XORWOW_WORDS, XORWOW_JUMP_LOG2 = 67 };

struct bits {
    uint32_t word[XORWOW_WORDS];
};

struct xorwow {
    struct bits mixed;
    uint32_t count;
};

struct matrix {
    struct bits column[XORWOW_BITS]; /* the image of each single bit */
};

static struct bits step_bits(struct bits v)
{
    uint32_t t = v.word[0] ^ (v.word[0] >> 2);
    uint32_t last = v.word[4];
    memmove(&v.word[0], &v.word[1], 4 * sizeof v.word[0]);
    v.word[4] = last ^ (last << 4) ^ t ^ (t << 1);
    return v;
}

static uint32_t xorwow_next(struct xorwow *state)
{
    state->mixed = step_bits(state->mixed);
    state->count += 362437;
    return state->mixed.word[4] + state->count;
}

static struct bits matrix_apply(const struct matrix *matrix, struct bits v)
{
    struct bits sum = {{0}};
    for (int i = 0; i < XORWOW_BITS; i++) {
        uint32_t mask = 0u - (v.word[i / 32] >> i % 32 & 1u);
        for (int w = 0; w < XORWOW_WORDS; w++)
            sum.word[w] ^= matrix->column[i].word[w] & mask;
    }
    return sum;
}

static void matrix_square(struct matrix *matrix)
{
    const struct matrix old = *matrix;
    for (int i = 0; i < XORWOW_BITS; i++)
        matrix->column[i] = matrix_apply(&old, old.column[i]);
}

/* 2^log2_steps steps at once. */
static struct matrix make_jump(int log2_steps)
{
    struct matrix jump;
    for (int i = 0; i < XORWOW_BITS; i++) {
        struct bits one = {{0}};
        one.word[i / 32] = 1u << i % 32;
        jump.column[i] = step_bits(one);
    }
    for (int i = 0; i < log2_steps; i++)
        matrix_square(&jump);
    return jump;
}

/* Made once: it never changes. */
static const struct matrix *sequence_jump(void)
{
    static struct matrix jump;
    static bool is_made;
    if (!is_made)
        jump = make_jump(XORWOW_JUMP_LOG2);
    is_made = true;
    return &jump;
}

/* How cuRAND makes the first state of a seed: Marsaglia's start values, changed by both halves of the seed. */
static struct xorwow xorwow_start(uint64_t seed)
{
    uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    return (struct xorwow){
        {{123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low}},
        6615241u + low + high,
    };
}

/* ------------------------------------------------------------------------------------------- points of XORWOW */

typedef bool point_function(struct xorwow *state);

static bool is_inside(double x, double y)
{
    return fma(x, x, y * y) <= 1;
}

/* 53 bits from two draws, the middle of each of 2^53 steps. */
static double unit_double(struct xorwow *state)
{
    uint64_t low = xorwow_next(state), high = xorwow_next(state);
    return (double)(low ^ high << 21) * 0x1p-53 + 0x1p-54;
}

static bool is_hit(struct xorwow *state)
{
    double x = 2 * unit_double(state) - 1;
    double y = 2 * unit_double(state) - 1;
    return is_inside(x, y);
}

/* The first `threads` sequences, `points` points of each. */
static uint64_t count_sequences(uint64_t seed, long threads, long points, point_function *draw)
{
    struct xorwow start = xorwow_start(seed);
    uint64_t hits = 0;
    for (long t = 0; t < threads; t++) {
        struct xorwow state = start;
        for (long i = 0; i < points; i++)
            hits += draw(&state);
        start.mixed = matrix_apply(sequence_jump(), start.mixed);
    }
    return hits;
}

static uint64_t count_double(const struct lab_run *run)
{
    return count_sequences(run->seed, all_threads(run), run->size[POINTS], is_hit);
}

/* ------------------------------------------------------------------------------------------- Philox4x32-10
 * (Salmon and others 2011.) Output block p is p, enciphered: ten rounds of two multiplications. There is no state. */

struct block {
    uint32_t word[4];
};

static struct block philox_round(struct block c, uint32_t key0, uint32_t key1)
{
    uint64_t a = 0xd2511f53ull * c.word[0], b = 0xcd9e8d57ull * c.word[2];
    return (struct block){{(uint32_t)(b >> 32) ^ c.word[1] ^ key0, (uint32_t)b,
                           (uint32_t)(a >> 32) ^ c.word[3] ^ key1, (uint32_t)a}};
}

static struct block philox(struct block c, uint64_t seed)
{
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        c = philox_round(c, key0, key1);
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return c;
}

/* ------------------------------------------------------------------------------------------- points of Philox */

typedef bool word_function(uint32_t word);

static bool is_float_inside(float x, float y)
{
    return fmaf(x, x, y * y) <= 1;
}

/* The middle of one of 2^16 steps, exactly. */
static float unit_middle(uint32_t half)
{
    return ((float)half + 0.5f) / 65536;
}

/* A word is a point: the middle of a cell in a grid of 2^16 by 2^16. */
static bool is_word_hit(uint32_t word)
{
    return is_float_inside(unit_middle(word >> 16), unit_middle(word & 0xffff));
}

static struct block output_block(uint64_t seed, uint64_t q)
{
    return philox((struct block){{(uint32_t)q, (uint32_t)(q >> 32), 0, 0}}, seed);
}

/* Word j of block q is point 4q + j. */
static uint64_t count_words(uint64_t seed, uint64_t points, word_function *is_in)
{
    uint64_t hits = 0;
    for (uint64_t q = 0; 4 * q < points; q++) {
        struct block block = output_block(seed, q);
        for (uint64_t j = 0; j < 4 && 4 * q + j < points; j++)
            hits += is_in(block.word[j]);
    }
    return hits;
}

static uint64_t count_float(const struct lab_run *run)
{
    return count_words(run->seed, all_points(run), is_word_hit);
}

static bool is_fast(const struct lab_run *run)
{
    return !strcmp(run->stage->id, "fast");
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    (void)index;
    *(uint64_t *)expected = is_fast(run) ? count_float(run) : count_double(run);
}

/* ------------------------------------------------------------------------------------------- known mistakes
 * Each is a count that the mistake would give, computed like the right one. */

static uint64_t same_sequence(const struct lab_run *run)
{
    return (uint64_t)all_threads(run) * count_sequences(run->seed, 1, run->size[POINTS], is_hit);
}

static uint64_t first_block(const struct lab_run *run)
{
    return count_sequences(run->seed, run->size[THREADS], run->size[POINTS], is_hit);
}

static uint64_t same_in_blocks(const struct lab_run *run)
{
    return (uint64_t)run->size[BLOCKS] * first_block(run);
}

static uint64_t first_thread(const struct lab_run *run)
{
    return count_sequences(run->seed, 1, run->size[POINTS], is_hit);
}

/* The sum of a block, added by each of its threads. */
static uint64_t every_sum(const struct lab_run *run)
{
    return (uint64_t)run->size[THREADS] * count_double(run);
}

/* Thread 0 of every block alone. */
static uint64_t first_threads(const struct lab_run *run)
{
    struct xorwow start = xorwow_start(run->seed);
    uint64_t hits = 0;
    for (long t = 0; t < all_threads(run); t++) {
        struct xorwow state = start;
        for (long i = 0; i < run->size[POINTS] && t % run->size[THREADS] == 0; i++)
            hits += is_hit(&state);
        start.mixed = matrix_apply(sequence_jump(), start.mixed);
    }
    return hits;
}

static uint64_t other_seeds(const struct lab_run *run)
{
    uint64_t hits = 0;
    for (long t = 0; t < all_threads(run); t++)
        hits += count_sequences(run->seed + (uint64_t)t, 1, run->size[POINTS], is_hit);
    return hits;
}

static uint64_t first_half(const struct lab_run *run)
{
    return count_sequences(run->seed, all_threads(run), run->size[POINTS] / 2, is_hit);
}

static uint64_t half_twice(const struct lab_run *run)
{
    return 2 * first_half(run);
}

static bool is_quarter_hit(struct xorwow *state)
{
    double x = unit_double(state), y = unit_double(state);
    return is_inside(x, y);
}

static uint64_t quarter(const struct lab_run *run)
{
    return count_sequences(run->seed, all_threads(run), run->size[POINTS], is_quarter_hit);
}

/* 24 bits at most, never 0. */
static float unit_float(uint32_t word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

static bool is_float_hit(struct xorwow *state)
{
    float x = 2 * unit_float(xorwow_next(state)) - 1;
    float y = 2 * unit_float(xorwow_next(state)) - 1;
    return is_float_inside(x, y);
}

static uint64_t single_draws(const struct lab_run *run)
{
    return count_sequences(run->seed, all_threads(run), run->size[POINTS], is_float_hit);
}

static uint64_t without_rest(const struct lab_run *run)
{
    return count_words(run->seed, all_points(run) / 4 * 4, is_word_hit);
}

static uint64_t whole_blocks(const struct lab_run *run)
{
    return count_words(run->seed, (all_points(run) + 3) / 4 * 4, is_word_hit);
}

static bool is_corner_hit(uint32_t word)
{
    return is_float_inside((float)(word >> 16) / 65536, (float)(word & 0xffff) / 65536);
}

static uint64_t corners(const struct lab_run *run)
{
    return count_words(run->seed, all_points(run), is_corner_hit);
}

static bool is_whole_circle_hit(uint32_t word)
{
    return is_float_inside(2 * unit_middle(word >> 16) - 1, 2 * unit_middle(word & 0xffff) - 1);
}

static uint64_t whole_circle(const struct lab_run *run)
{
    return count_words(run->seed, all_points(run), is_whole_circle_hit);
}

/* Two points of a block, a word for each coordinate. */
static uint64_t word_pairs(const struct lab_run *run)
{
    uint64_t hits = 0;
    for (uint64_t i = 0; i < all_points(run); i++) {
        struct block block = output_block(run->seed, i / 2);
        hits += is_float_inside(unit_float(block.word[i % 2 * 2]), unit_float(block.word[i % 2 * 2 + 1]));
    }
    return hits;
}

static const struct mistake {
    bool is_fast;
    uint64_t (*count)(const struct lab_run *run);
    const char *text;
} mistakes[] = {
    {false, same_sequence,
     "every thread drew the same points: pass the thread's number in the whole grid to curand_init as the "
     "sequence"},
    {false, same_in_blocks,
     "every block drew the same points: the sequence has to be the thread's number in the whole grid, not in "
     "its block"},
    {false, every_sum,
     "the count is `threads` times too large: every thread added the block's sum, where one of them should"},
    {false, first_block, "this is the count of the first block alone: the others' sums are lost"},
    {false, first_threads,
     "this is the count of thread 0 of each block: the other threads' counts are missing"},
    {false, first_thread, "this is the count of the first thread alone"},
    {false, half_twice,
     "this is twice the first half: the second batch drew the same points again, so its states were not "
     "saved"},
    {false, first_half, "this is the first half of the points alone: the second batch is missing"},
    {false, other_seeds,
     "every thread used a seed of its own: keep the seed, and pass the thread's number as the sequence "
     "(second argument)"},
    {false, single_draws,
     "the coordinates are floats (curand_uniform): this stage wants doubles, curand_uniform_double"},
    {false, quarter, "the coordinates lie in (0, 1]: this stage wants [-1, 1], so 2 * u - 1"},
    {true, without_rest,
     "the last points are missing: a number that four does not divide leaves one to three over"},
    {true, whole_blocks, "all four points of the last block were counted: some of them lie behind the end"},
    {true, corners,
     "the points lie in the corners of their cells, not in the middle: add 0.5f to each half of the word"},
    {true, whole_circle,
     "the coordinates lie in [-1, 1]: this stage counts in a quarter of the circle, with x and y in (0, 1)"},
    {true, word_pairs,
     "each coordinate took a whole word: in this stage a word is a point, half of it x and half of it y"},
    {true, count_double, "this is the count of XORWOW in double precision: this stage wants Philox in float"},
};

/* Small cases give the same count for many reasons. */
enum { TELLING_POINTS = 500 };

static const char *recognise_count(const struct lab_run *run, uint64_t got, uint64_t want)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        if (mistakes[i].is_fast != is_fast(run))
            continue;
        uint64_t count = mistakes[i].count(run);
        if (count == got && count != want)
            return mistakes[i].text;
    }
    return NULL;
}

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    uint64_t got = *(const uint64_t *)run->buffers[index].host, want = *(const uint64_t *)expected;
    if (all_points(run) < TELLING_POINTS)
        return NULL;
    const char *text = recognise_count(run, got, want);
    if (text)
        return text;
    if (got == want - 1)
        return "one too few: if *inside is not set to 0 first, it holds -1 when the additions begin";
    if (got == 0)
        return "no hit was counted: did any thread get points to draw, and did its count arrive in *inside?";
    if (got > all_points(run))
        return "there are more hits than points: some were added more than once, or the counter still held "
               "hits of an earlier call";
    return NULL;
}

/* ------------------------------------------------------------------------------------------- the lab */

const struct lab lab = {
    .id = "lab1",
    .title = "pi from random points",
    .size_names = {"blocks", "threads", "points"},
    .size_options = {'b', 't', 'n'},
    .stages = stages,
    .nstages = sizeof stages / sizeof stages[0],
    .cases = cases,
    .ncases = sizeof cases / sizeof cases[0],
    .timed = {.size = {TIMED_BLOCKS, TIMED_THREADS, TIMED_POINTS}},
    .unit = "Gpoints/s",
    .layout = layout,
    .call = call,
    .reference = reference,
    .work = work,
    .recognise = recognise,
};
