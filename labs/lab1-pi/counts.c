/* counts.c - how many points lie in the circle, counted on the CPU as each stage should, and as typical mistakes would.
 * A mistake is told by its count: so each is computed like the right one. */
#include "counts.h"

#include <math.h>
#include <string.h>

#include "generators.h"

long all_threads(const struct lab_run *run)
{
    return run->size[BLOCKS] * run->size[THREADS];
}

uint64_t all_points(const struct lab_run *run)
{
    return (uint64_t)all_threads(run) * (uint64_t)run->size[POINTS];
}

/* ------------------------------------------------------------------------------------------- points of XORWOW */

typedef bool point_fn(struct xorwow *state);

/* What is rounded twice is off by less than 1e-15: only near the rim does it matter, and fma() takes long where there is no such
 * instruction. */
static bool is_inside(double x, double y)
{
    const double about = x * x + y * y, rim = 1e-14;
    return fabs(about - 1) > rim ? about < 1 : fma(x, x, y * y) <= 1;
}

static bool is_float_inside(float x, float y)
{
    return fmaf(x, x, y * y) <= 1;
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

/* Of the first `threads` sequences every `step`-th, `points` points of each. */
static uint64_t count_every(uint64_t seed, long threads, long step, long points, point_fn *draw)
{
    struct xorwow start = xorwow_start(seed);
    uint64_t hits = 0;
    for (long t = 0; t < threads; t++) {
        struct xorwow state = start;
        for (long i = 0; i < points && t % step == 0; i++)
            hits += draw(&state);
        xorwow_next_sequence(&start);
    }
    return hits;
}

static uint64_t count_sequences(const struct lab_run *run, long threads, long points)
{
    return count_every(run->seed, threads, 1, points, is_hit);
}

static uint64_t count_double(const struct lab_run *run)
{
    return count_sequences(run, all_threads(run), run->size[POINTS]);
}

void count_right(const struct lab_run *run, int index, void *expected)
{
    (void)index;
    *(uint64_t *)expected = count_double(run);
}

/* Hits of sequences [begin, end). */
static uint64_t count_range(const struct lab_run *run, uint64_t begin, uint64_t end)
{
    struct xorwow start = xorwow_sequence(run->seed, begin);
    uint64_t hits = 0;
    for (uint64_t t = begin; t < end; t++) {
        struct xorwow state = start;
        for (long i = 0; i < run->size[POINTS]; i++)
            hits += is_hit(&state);
        xorwow_next_sequence(&start);
    }
    return hits;
}

/* The sequences are those of the grid's threads; of a grid that is smaller, each thread draws several. */
bool is_count_of_part(const struct lab_run *run, const struct lab_part *part, double got)
{
    const uint64_t all = (uint64_t)all_threads(run), workers = part->of * part->threads;
    uint64_t hits = 0;
    for (uint64_t round = 0; round < all; round += workers) {
        const uint64_t begin = round + part->first * part->threads, end = begin + part->count * part->threads;
        hits += count_range(run, begin < all ? begin : all, end < all ? end : all);
    }
    return (double)hits == got;
}

/* ------------------------------------------------------------------------------------------- points of Philox */

typedef bool word_fn(uint32_t word);

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

/* Word j of block q is point 4q + j. Of the last blocks not all may be there. */
static uint64_t count_rest(uint64_t seed, uint64_t q, uint64_t points, word_fn *is_in)
{
    uint64_t hits = 0;
    for (; 4 * q < points; q++) {
        struct philox_block block = philox_output(seed, q);
        for (uint64_t j = 0; j < 4 && 4 * q + j < points; j++)
            hits += is_in(block.word[j]);
    }
    return hits;
}

/* Of some billions of points those of blocks from q on: in place for each is_in, so that its test becomes one of vectors. */
__attribute__((always_inline)) static inline uint64_t count_from(uint64_t seed, uint64_t q, uint64_t points,
                                                                 word_fn *is_in)
{
    struct philox_lanes lanes;
    uint64_t hits = 0;
    for (; 4 * (q + PHILOX_LANES) <= points; q += PHILOX_LANES) {
        uint32_t some = 0;
        philox_outputs(seed, q, &lanes);
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < PHILOX_LANES; i++)
                some += is_in(lanes.word[j][i]);
        hits += some;
    }
    return hits + count_rest(seed, q, points, is_in);
}

__attribute__((always_inline)) static inline uint64_t count_words(uint64_t seed, uint64_t points,
                                                                  word_fn *is_in)
{
    return count_from(seed, 0, points, is_in);
}

void count_fast_right(const struct lab_run *run, int index, void *expected)
{
    (void)index;
    *(uint64_t *)expected = count_words(run->seed, all_points(run), is_word_hit);
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Hits of points [begin, end): those before the end without those before the begin's own block. */
static uint64_t count_points(const struct lab_run *run, uint64_t begin, uint64_t end)
{
    const uint64_t q = begin / 4, to = smaller_of(end, all_points(run));
    return begin < to
               ? count_from(run->seed, q, to, is_word_hit) - count_rest(run->seed, q, begin, is_word_hit)
               : 0;
}

/* Blocks of the grid take so many points one after the other, and then again, until there are none left. */
static uint64_t count_in_turns(const struct lab_run *run, const struct lab_part *part, uint64_t each)
{
    uint64_t hits = 0;
    for (uint64_t begin = part->first * each; begin < all_points(run); begin += each * part->of)
        hits += count_points(run, begin, begin + part->count * each);
    return hits;
}

/* Shares that differ by one `unit` at most: the first workers have those that are larger, or they lie between the others. */
static uint64_t count_of_even_shares(const struct lab_run *run, const struct lab_part *part, uint64_t unit,
                                     uint64_t workers, bool is_mixed)
{
    const uint64_t units = all_points(run) / unit, each = units / workers, rest = units % workers;
    const uint64_t from = part->first * (workers / part->of), to = from + part->count * (workers / part->of);
    if (is_mixed)
        return count_points(run, unit * (uint64_t)((unsigned __int128)from * units / workers),
                            unit * (uint64_t)((unsigned __int128)to * units / workers));
    return count_points(run, unit * (from * each + smaller_of(from, rest)),
                        unit * (to * each + smaller_of(to, rest)));
}

/* Everybody may divide the points as he likes. Most give threads, warps or blocks a range of points or of Philox's blocks, rounded
 * up or even, or let them take turns. */
bool is_fast_count_of_part(const struct lab_run *run, const struct lab_part *part, double got)
{
    enum { MOST_AT_A_TIME = 16, WARP = 32, BLOCK_OF_PHILOX = 4 };
    const uint64_t in_block[] = {part->threads, (part->threads + WARP - 1) / WARP, 1};
    const uint64_t points = all_points(run), most = 1 << 28;
    bool is_right = false;
    if (points / part->of * part->count >
        most) /* of a few blocks, each of these counts takes half a minute: the whole tells */
        return false;
    for (int i = 0; !is_right && i < LAB_COUNT(in_block); i++)
        for (uint64_t unit = BLOCK_OF_PHILOX; !is_right && unit > 0; unit /= BLOCK_OF_PHILOX) {
            const uint64_t workers = in_block[i] * part->of, all = unit * workers;
            is_right =
                (double)count_in_turns(run, part, (points + all - 1) / all * unit * in_block[i]) == got ||
                (double)count_of_even_shares(run, part, unit, workers, false) == got ||
                (double)count_of_even_shares(run, part, unit, workers, true) == got;
        }
    for (uint64_t each = 1; !is_right && each <= MOST_AT_A_TIME; each *= 2)
        is_right = (double)count_in_turns(run, part, BLOCK_OF_PHILOX * each * part->threads) == got;
    return is_right;
}

/* ------------------------------------------------------------------------------------------- known mistakes
 * Each is a count that the mistake would give, computed like the right one. */

static uint64_t first_thread(const struct lab_run *run)
{
    return count_sequences(run, 1, run->size[POINTS]);
}

static uint64_t same_sequence(const struct lab_run *run)
{
    return (uint64_t)all_threads(run) * first_thread(run);
}

static uint64_t first_block(const struct lab_run *run)
{
    return count_sequences(run, run->size[THREADS], run->size[POINTS]);
}

static uint64_t same_in_blocks(const struct lab_run *run)
{
    return (uint64_t)run->size[BLOCKS] * first_block(run);
}

/* The sum of a block, added by each of its threads. */
static uint64_t every_sum(const struct lab_run *run)
{
    return (uint64_t)run->size[THREADS] * count_double(run);
}

static uint64_t first_threads(const struct lab_run *run)
{
    return count_every(run->seed, all_threads(run), run->size[THREADS], run->size[POINTS], is_hit);
}

static uint64_t other_seeds(const struct lab_run *run)
{
    uint64_t hits = 0;
    for (long t = 0; t < all_threads(run); t++)
        hits += count_every(run->seed + (uint64_t)t, 1, 1, run->size[POINTS], is_hit);
    return hits;
}

static uint64_t first_half(const struct lab_run *run)
{
    return count_sequences(run, all_threads(run), run->size[POINTS] / 2);
}

static uint64_t half_twice(const struct lab_run *run)
{
    return 2 * first_half(run);
}

static uint64_t all_twice(const struct lab_run *run)
{
    return count_sequences(run, all_threads(run), 2 * run->size[POINTS]);
}

static bool is_quarter_hit(struct xorwow *state)
{
    double x = unit_double(state), y = unit_double(state);
    return is_inside(x, y);
}

static uint64_t quarter(const struct lab_run *run)
{
    return count_every(run->seed, all_threads(run), 1, run->size[POINTS], is_quarter_hit);
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
    return count_every(run->seed, all_threads(run), 1, run->size[POINTS], is_float_hit);
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

/* Points on the rim are rounded otherwise. */
static bool is_double_hit(uint32_t word)
{
    return is_inside((double)unit_middle(word >> 16), (double)unit_middle(word & 0xffff));
}

static uint64_t in_double(const struct lab_run *run)
{
    return count_words(run->seed, all_points(run), is_double_hit);
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
        struct philox_block block = philox_output(run->seed, i / 2);
        hits += is_float_inside(unit_float(block.word[i % 2 * 2]), unit_float(block.word[i % 2 * 2 + 1]));
    }
    return hits;
}

struct mistake {
    uint64_t (*count)(const struct lab_run *run);
    const char *text;
};

static const struct mistake mistakes[] = {
    {same_sequence, "every thread drew the same points: pass the thread's number in the whole grid to "
                    "curand_init as the sequence"},
    {same_in_blocks, "every block drew the same points: the sequence has to be the thread's number in the "
                     "whole grid, not in its block"},
    {every_sum,
     "the count is `threads` times too large: every thread added the block's sum, where one of them should"},
    {first_block, "this is the count of the first block alone: the others' sums are lost"},
    {first_threads, "this is the count of thread 0 of each block: the other threads' counts are missing"},
    {first_thread, "this is the count of the first thread alone"},
    {half_twice, "this is twice the first half: the second batch drew the same points again, so its states "
                 "were not saved"},
    {first_half, "this is the first half of the points alone: the second batch is missing"},
    {all_twice, "twice as many points were drawn as asked for: each of two batches takes points / 2"},
    {other_seeds, "every thread used a seed of its own: keep the seed, and pass the thread's number as the "
                  "sequence (second argument)"},
    {single_draws,
     "the coordinates are floats (curand_uniform): this stage wants doubles, curand_uniform_double"},
    {quarter, "the coordinates lie in (0, 1]: this stage wants [-1, 1], so 2 * u - 1"},
};

static const struct mistake fast_mistakes[] = {
    {in_double,
     "the points are right, but the test is in double precision, which rounds differently: a literal "
     "such as 0.5 is a double; write 0.5f"},
    {without_rest,
     "the last points are missing: if 4 does not divide the number of points, one to three are left over"},
    {whole_blocks, "all four points of the last block were counted: some of them are past the end"},
    {corners,
     "the points lie in the corners of their cells, not in the middle: add 0.5f to each half of the word"},
    {whole_circle,
     "the coordinates lie in [-1, 1]: this stage counts in a quarter of the circle, with x and y in (0, 1)"},
    {word_pairs,
     "each coordinate took a whole word: in this stage a word is a point, half of it x and half of it y"},
    {count_double, "this is the count of XORWOW in double precision: this stage wants Philox in float"},
};

/* Only one stage draws in two batches: elsewhere such a count is chance. */
static bool is_possible(const struct mistake *mistake, const struct lab_run *run)
{
    const bool is_of_batches =
        mistake->count == half_twice || mistake->count == first_half || mistake->count == all_twice;
    return !is_of_batches || strcmp(run->stage->id, "saved") == 0;
}

/* Small cases give the same count for many reasons. */
enum { TELLING_POINTS = 500 };

static const char *recognise_by(const struct mistake *rows, int nrows, const struct lab_run *run,
                                uint64_t got, uint64_t want)
{
    for (int i = 0; all_points(run) >= TELLING_POINTS && i < nrows; i++) {
        if (!is_possible(&rows[i], run))
            continue;
        uint64_t count = rows[i].count(run);
        if (count == got && count != want)
            return rows[i].text;
    }
    if (all_points(run) < TELLING_POINTS)
        return NULL;
    if (got == 0)
        return "no hit was counted: did any thread get points to draw, and did its count arrive in *inside?";
    if (got > all_points(run))
        return "there are more hits than points: some were added more than once, the counter still held "
               "hits of an earlier call, or only half of the 8 bytes of *inside was written";
    return NULL;
}

const char *recognise_count(const struct lab_run *run, int index, const void *expected)
{
    return recognise_by(mistakes, LAB_COUNT(mistakes), run, *(const uint64_t *)run->buffers[index].host,
                        *(const uint64_t *)expected);
}

const char *recognise_fast_count(const struct lab_run *run, int index, const void *expected)
{
    return recognise_by(fast_mistakes, LAB_COUNT(fast_mistakes), run,
                        *(const uint64_t *)run->buffers[index].host, *(const uint64_t *)expected);
}
