/* limits.c - what lies in memory in the stages of lab 6, and what is right.
 * Right values are computed in double precision where rounding matters, with the functions of work.h where it does not. */
#include "limits.h"

#include <string.h>

#include "lab/answer.h"
#include "work.h"

/* ------------------------------------------------------------------------------------------- buffers by their names */

struct task task_of(const struct lab_run *run)
{
    return (struct task){
        .out = lab_device(run, "out"),
        .in = lab_device(run, "in"),
        .table = lab_device(run, "table"),
        .answers = lab_device(run, "answers"),
        .sheet = lab_device(run, "sheet"),
        .n = (int)run->size[0],
        .m = (int)run->size[1],
    };
}

static float at(const struct lab_run *run, const char *name, long i)
{
    return (float)lab_at(run, lab_index(run, name), (size_t)i);
}

static struct lab_buffer *add_floats(struct lab_run *run, enum lab_role role, const char *name, long count)
{
    return lab_add(run, role, LAB_FLOAT, name, count);
}

/* Outputs come first. operations: roundings that reach an element. */
static void add_line(struct lab_run *run, int operations)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->operations = operations;
    add_floats(run, LAB_IN, "in", run->size[0]);
}

/* ------------------------------------------------------------------------------------------- block_size */

void line_layout(struct lab_run *run)
{
    add_line(run, 2);
}

bool line_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = 2.5 * at(run, "in", (long)i) + 1.0;
    return true;
}

/* Answers, and where they come from, are in handouts/answers.md. */
void blocks_layout(struct lab_run *run)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->operations = 2;
    lab_add_answers(run, ABOUT_BLOCKS);
    add_floats(run, LAB_IN, "in", run->size[0]);
    lab_add_sheet(run, ABOUT_BLOCKS);
}

bool blocks_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digests[ABOUT_BLOCKS] = {0x30590e6c, 0x4f10be48};
    if (index != lab_index(run, "out"))
        return lab_right_answer(run, "lab6 block_size", i, digests, value);
    return line_element(run, index, i, value);
}

/* ------------------------------------------------------------------------------------------- waves, ilp */

/* Interest of at most 0.05 % in a period, so that sums stay within a few thousand. Each period rounds once, and the roundings
 * grow with the interest. */
static void add_savings(struct lab_run *run, int periods)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->operations = periods;
    struct lab_buffer *in = add_floats(run, LAB_IN, "in", run->size[0]);
    in->low = -0.0005;
    in->high = 0.0005;
}

void tiles_layout(struct lab_run *run)
{
    add_savings(run, LONG);
}

void savings_layout(struct lab_run *run)
{
    add_savings(run, PERIODS);
}

bool tiles_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const double rate = rate_of(at(run, "in", (long)i), ACCOUNTS - 1);
    double balance = 0;
    (void)index;
    for (int k = 0; k < LONG; k++)
        balance = balance * rate + 0.5;
    *value = balance;
    return true;
}

/* All accounts period by period: a CPU has use for independent instructions, too. */
bool savings_element(const struct lab_run *run, int index, size_t i, double *value)
{
    double balance[ACCOUNTS] = {0}, rate[ACCOUNTS], sum = 0;
    (void)index;
    for (int a = 0; a < ACCOUNTS; a++)
        rate[a] = rate_of(at(run, "in", (long)i), a);
    for (int k = 0; k < PERIODS; k++)
        for (int a = 0; a < ACCOUNTS; a++)
            balance[a] = balance[a] * rate[a] + 0.5;
    for (int a = 0; a < ACCOUNTS; a++)
        sum += balance[a];
    *value = sum;
    return true;
}

/* ------------------------------------------------------------------------------------------- registers */

void sums_layout(struct lab_run *run)
{
    add_line(run, 2 * TERMS);
}

bool sums_element(const struct lab_run *run, int index, size_t i, double *value)
{
    double sum[TERMS] = {0}, total = 0;
    (void)index;
    for (int round = 0; round < ROUNDS; round++) {
        const long from = (long)i + round * ROUND_STEP;
        const double x = at(run, "in", from < run->size[0] ? from : (long)i);
        double power = 1;
        for (int t = 0; t < TERMS; t++) {
            power *= x;
            sum[t] = sum[t] * 0.5 + power;
        }
    }
    for (int t = 0; t < TERMS; t++)
        total += sum[t] / (t + 1);
    *value = total;
    return true;
}

/* ------------------------------------------------------------------------------------------- mlp */

void columns_layout(struct lab_run *run)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->operations = (int)run->size[1];
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", run->size[0], run->size[1]);
}

static double sum_of(const struct lab_run *run, long first, long step)
{
    const int in = lab_index(run, "in");
    double sum = 0;
    for (long k = 0; k < run->size[1]; k++)
        sum += lab_at(run, in, (size_t)(first + k * step));
    return sum;
}

bool columns_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = sum_of(run, (long)i, run->size[0]);
    return true;
}

/* ------------------------------------------------------------------------------------------- static_order, dynamic_order */

void kinds_layout(struct lab_run *run)
{
    add_line(run, 3 * TURNS);
}

bool kinds_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = treat((int)(i % KINDS), at(run, "in", (long)i));
    return true;
}

void data_layout(struct lab_run *run)
{
    add_line(run, 3 * TURNS);
    lab_add(run, LAB_IN, LAB_INT, "table", run->size[0])->high = KINDS - 1;
}

bool data_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = treat((int)at(run, "table", (long)i), at(run, "in", (long)i));
    return true;
}

/* ------------------------------------------------------------------------------------------- tree_lookup */

/* At most 30 parts, each of a few roundings more than its polynomial has. */
void tree_layout(struct lab_run *run)
{
    struct lab_buffer *out = add_floats(run, LAB_OUT, "out", run->size[0]);
    out->operations = 2 * BUMP;
    out->scale = 1;
    add_floats(run, LAB_IN, "in", run->size[0]);
    lab_add(run, LAB_IN, LAB_INT, "table", run->size[1])->high = (1 << 20) - 1;
}

bool tree_element(const struct lab_run *run, int index, size_t i, double *value)
{
    float x = at(run, "in", (long)i);
    int node = 0, entry = (int)at(run, "table", 0);
    double sum = part_of(entry, x);
    (void)index;
    while (!is_leaf(node, entry, (int)run->size[1])) {
        node = descend(node, &x);
        entry = (int)at(run, "table", node);
        sum += part_of(entry, x);
    }
    *value = sum;
    return true;
}

/* ------------------------------------------------------------------------------------------- barriers */

void rings_layout(struct lab_run *run)
{
    lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", RING, run->size[0])->operations = 3 * SMOOTHINGS;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", RING, run->size[0]);
}

/* Element by element would smooth each ring 32 times: the ring of the last one is kept. */
bool rings_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static _Thread_local float x[2][RING];
    static _Thread_local const struct lab_run *kept_run;
    static _Thread_local uint64_t kept_seed;
    static _Thread_local size_t kept_ring;
    (void)index;
    if (kept_run != run || kept_seed != run->seed || kept_ring != i / RING) {
        for (int t = 0; t < RING; t++)
            x[0][t] = at(run, "in", (long)(i / RING * RING) + t);
        for (int k = 0; k < SMOOTHINGS; k++)
            for (int t = 0; t < RING; t++) {
                const float *now = x[k % 2];
                x[(k + 1) % 2][t] = smooth(now[(t + RING - 1) % RING], now[t], now[(t + 1) % RING]);
            }
        kept_run = run;
        kept_seed = run->seed;
        kept_ring = i / RING;
    }
    *value = x[SMOOTHINGS % 2][i % RING];
    return true;
}

/* ------------------------------------------------------------------------------------------- roofline */

void roof_layout(struct lab_run *run)
{
    add_line(run, 8);
}

bool roof_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = polynomial(at(run, "in", (long)i) * 0.5f);
    return true;
}

void moved_layout(struct lab_run *run)
{
    add_line(run, 1);
}

bool moved_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = at(run, "in", (long)i) * 0.5f;
    return true;
}

/* The input is for the baseline, which reads it. */
void computed_layout(struct lab_run *run)
{
    add_line(run, 8);
}

bool computed_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)run;
    (void)index;
    *value = polynomial(made_up((int)i) * 0.5f);
    return i % KEPT_EVERY == 0;
}

/* Answers, and where they come from, are in handouts/answers.md. */
void verdict_layout(struct lab_run *run)
{
    lab_add_answers(run, QUESTIONS);
    lab_add_sheet(run, QUESTIONS);
}

bool verdict_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digests[QUESTIONS] = {0xe4fa0077, 0x43e0e622, 0x04cb61c8, 0x69b250e5};
    (void)index;
    return lab_right_answer(run, "lab6 roofline", i, digests, value);
}

/* ------------------------------------------------------------------------------------------- what_if */

void records_layout(struct lab_run *run)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->operations = (int)run->size[1];
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", run->size[1], run->size[0]);
}

bool records_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = sum_of(run, (long)i * run->size[1], 1);
    return true;
}

void crippled_layout(struct lab_run *run)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->operations = (int)run->size[1];
    lab_add_answers(run, 1);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", run->size[1], run->size[0]);
    lab_add_sheet(run, 1);
}

bool crippled_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digest = 0x956a0d13;
    if (index != lab_index(run, "out"))
        return lab_right_answer(run, "lab6 what_if", i, &digest, value);
    *value = sum_of(run, (long)i, run->size[0]);
    return true;
}

/* ------------------------------------------------------------------------------------------- knees */

void knees_layout(struct lab_run *run)
{
    lab_add_answers(run, KNEES);
    lab_add_sheet(run, KNEES);
}

bool knees_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digests[KNEES] = {0xc858cf15, 0x3ea076c8};
    (void)index;
    return lab_right_answer(run, "lab6 knees", i, digests, value);
}
