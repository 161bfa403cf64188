/* model.c - judge-virtual: correctness by check.c, times and counters from the virtual GPU's model.
 * A timed case runs for the baseline and for the submission, from a sample of its blocks: the model's clock is exact, so there
 * is no spread. What is timed must be what was verified: a middle-sized case is executed as a whole first, the sample's own
 * results are compared, and where there is any doubt the timed case itself is executed as a whole. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/judge/ahead.h"
#include "grader/judge/check.h"
#include "grader/judge/floor.h"
#include "grader/judge/kits.h"
#include "grader/judge/pipeline.h"
#include "grader/judge/sample.h"
#include "grader/judge/sums.h"
#include "grader/judge/told.h"
#include "lab/scale.h"

/* Warp instructions of a whole timed case that are executed: seconds where smaller cases only lack some of its code, minutes
 * where there is doubt. */
static const double most_unseen = 200e6, most_doubtful = 10e9, most_checked = 500e6;

/* ------------------------------------------------------------------------------------------- while a side is replayed */

/* Of what is replayed; NULL: nobody wants to know. */
static struct pipeline *pipeline;

static bool is_on_host(const struct trace_segment *segment, const struct trace_place *place)
{
    return place->space == TRACE_GIVEN && segment->given[place->index].is_host;
}

/* Pins hold from the start to the end of a replay. */
static bool is_pinned(const struct trace_segment *segment, const struct trace_place *place)
{
    for (uint32_t i = 0; i < segment->nops; i++) {
        const struct trace_op *op = &segment->ops[i];
        if (op->kind == TRACE_PIN && op->to.index == place->index && op->to.offset <= place->offset &&
            place->offset < op->to.offset + op->width)
            return true;
    }
    return false;
}

static void step_pipeline(const struct trace_segment *segment, const struct trace_op *op)
{
    static const enum pipeline_part parts[TRACE_KINDS] = {
        [TRACE_WRITE] = PIPELINE_TO_DEVICE,  [TRACE_ARRAY_WRITE] = PIPELINE_TO_DEVICE,
        [TRACE_READ] = PIPELINE_TO_HOST,     [TRACE_SYNC] = PIPELINE_WAITS,
        [TRACE_EVENT_SYNC] = PIPELINE_WAITS, [TRACE_HOST] = PIPELINE_STEPS};
    const bool is_copy = op->kind == TRACE_COPY || op->kind == TRACE_ARRAY_COPY;
    const bool is_in = is_copy && is_on_host(segment, &op->from),
               is_out = is_copy && is_on_host(segment, &op->to);
    const enum pipeline_part part = is_in ? PIPELINE_TO_DEVICE : is_out ? PIPELINE_TO_HOST : parts[op->kind];
    const double bytes =
        part == PIPELINE_TO_DEVICE || part == PIPELINE_TO_HOST ? (double)op->width * (double)op->height : 0;
    pipeline_step(pipeline, part, bytes,
                  (is_in && is_pinned(segment, &op->from)) || (is_out && is_pinned(segment, &op->to)),
                  vgpu_time_us());
}

/* Calls are the submission's: messages name its lines. */
static void name_caller(const struct judge_side *side, const struct trace_op *op)
{
    char place[200];
    sums_look(side);
    told_look(side, op);
    if (pipeline)
        step_pipeline(side->segment, op);
    snprintf(place, sizeof place, "%.150s:%u", side->code->shown ? side->code->shown : "", op->line);
    vgpu_set_caller(side->code->shown && op->line ? place : "");
    if (op->kind != TRACE_HOST)
        return;
    vgpu_host_reads(player_address(side->player, &op->from), op->height,
                    "the host, in this step of its own,");
    vgpu_host_writes(player_address(side->player, &op->to), op->width, "the host, in this step of its own,");
}

/* The place of what comes behind the entry point's calls: that of the last one. */
static void name_end(const struct judge_side *side)
{
    char place[200] = "";
    uint32_t line = 0;
    for (uint32_t i = 0; i < side->segment->nops; i++)
        line = side->segment->ops[i].line ? side->segment->ops[i].line : line;
    if (side->code->shown && line)
        snprintf(place, sizeof place, "%.150s:%u", side->code->shown, line);
    vgpu_set_caller(*place ? place : side->code->shown ? side->code->shown : "");
}

/* Whoever called the entry point reads its results at once. */
static void read_results(const struct judge_side *side, bool is_done)
{
    if (pipeline)
        (is_done ? pipeline_end : pipeline_begin)(pipeline, vgpu_time_us());
    name_end(side);
    for (int i = 0; is_done && i < side->run.nbuffers; i++) {
        const struct lab_buffer *buffer = &side->run.buffers[i];
        if (buffer->is_host && buffer->role == LAB_OUT && !buffer->is_said)
            vgpu_host_reads(buffer->device, lab_buffer_bytes(buffer),
                            "the host, which reads the result when the entry point returns,");
    }
    vgpu_set_caller(NULL);
    sums_look(side);
}

static void prepare(const char *gpu, const char *source)
{
    judge_set_hooks(
        &(struct judge_hooks){.before = name_caller, .spend = vgpu_host_spend, .returned = read_results});
    /* Instructions of one warp, and of all: seconds under full checking, and ten times what honest kernels need. */
    setenv("VGPU_BUDGET", "200000000", 1);
    setenv("VGPU_WORK", "1000000000", 1);
    setenv("VGPU_CHECK", "full",
           1); /* from the start: memory allocated under less is not known to be unwritten */
    if (gpu)
        setenv("VGPU_GPU", gpu, 1);
    vgpu_set_source(source ? source : "", source ? basename(source) : "");
}

/* ------------------------------------------------------------------------------------------- the kit's sides */

/* What a block of a sample may cost before it is known to take long, in simple instructions. */
static const uint64_t patience = 1 << 26;

static void begin_sampling(void)
{
    vgpu_set_patience(0);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_check(VGPU_CHECK_BOUNDS);
    vgpu_set_use(true);
    vgpu_set_timed(true);
}

static bool draw_sample(struct judge *judge, struct pass *out)
{
    begin_sampling();
    vgpu_set_patience(judge->is_audit ? 0 : patience);
    judge_enter(judge, LAB_TIMED, false);
    const bool is_done = sample_student(judge, out);
    vgpu_set_patience(0);
    return is_done;
}

static bool know_sample(struct judge *judge, struct pass *out)
{
    begin_sampling();
    vgpu_set_patience(patience);
    const bool is_done = sample_as_kits(judge, out);
    vgpu_set_patience(0);
    return is_done;
}

static double bytes_of_timed(const struct judge *judge)
{
    struct lab_run run;
    double bytes = 0;
    lab_begin_run(&run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), 0);
    for (int i = 0; i < run.nbuffers; i++)
        bytes += (double)lab_buffer_bytes(&run.buffers[i]);
    return bytes;
}

/* So little that all of it is checked in full, if it is executed as a whole: then a sample tells nothing more. */
static bool is_small(const struct judge *judge)
{
    const double most = 16e6;
    return !sample_is_comparable(judge) && (judge->stage->is_whole || bytes_of_timed(judge) < most);
}

/* A stage that is executed as a whole tells its time itself, and may need no sample at all; an audit does not believe them. */
static void look_ahead(struct judge *judge)
{
    ahead_work *const work[AHEAD_SAMPLES] = {
        [AHEAD_DRAWN] = draw_sample, [AHEAD_KNOWN] = sample_is_comparable(judge) ? know_sample : NULL};
    if (!is_small(judge) && !judge->is_audit)
        ahead_begin(judge, work);
}

static bool model_kits(struct judge *judge, enum scout_role role, struct pass *out)
{
    char name[64];
    scout_segment(judge->stage, role, name, sizeof name);
    judge_enter(judge, LAB_TIMED, true);
    *out = (struct pass){.is_stable = true};
    const bool is_done = kits_find(judge, name, out) || sample_kits(judge, name, out);
    if (!is_done)
        judge_fail(judge, "%s() of the kit cannot be timed: %s", scout_entry(judge->lab, judge->stage, role),
                   out->one.text);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the verdict's figures */

static double counter(const struct pass *sample, const char *name)
{
    const struct findings_launches *launches = &sample->findings.launches;
    for (size_t i = 0; i < launches->ncounters; i++)
        if (!strcmp(launches->names[i], name))
            return launches->values[i];
    return 0;
}

static double size_in_sectors(const struct lab_buffer *buffer)
{
    return (double)((lab_buffer_bytes(buffer) + 31) / 32);
}

/* Bytes of all buffers of a role, in units of `unit`, each buffer rounded up. */
static double size_in(const struct lab_run *run, enum lab_role role, size_t unit)
{
    size_t units = 0;
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == role)
            units += (lab_buffer_bytes(&run->buffers[i]) + unit - 1) / unit;
    return (double)units;
}

/* Bytes that cross the bus. What a graph copies counts each time that it is launched. */
static double bus_bytes(const struct trace_segment *segment, const struct trace_op *op)
{
    const bool is_to_host = op->to.space == TRACE_GIVEN && segment->given[op->to.index].is_host;
    const bool is_from_host = op->from.space == TRACE_GIVEN && segment->given[op->from.index].is_host;
    const bool is_copy = op->kind == TRACE_COPY || op->kind == TRACE_ARRAY_COPY;
    const bool is_crossing = op->kind == TRACE_WRITE || op->kind == TRACE_READ ||
                             op->kind == TRACE_ARRAY_WRITE || (is_copy && is_to_host != is_from_host);
    return is_crossing ? (double)op->width * (double)op->height : 0;
}

/* What host code asked for in the timed case. A graph is one call, whatever it holds. */
static void add_calls(struct judge *judge)
{
    static const bool is_call[TRACE_KINDS] = {
        [TRACE_LAUNCH] = true,     [TRACE_COPY] = true,       [TRACE_WRITE] = true,
        [TRACE_READ] = true,       [TRACE_SET] = true,        [TRACE_GRAPH_LAUNCH] = true,
        [TRACE_ARRAY_COPY] = true, [TRACE_ARRAY_WRITE] = true};
    const struct trace_segment *segment = trace_find(judge->student.trace, judge->slot, TRACE_TIMED);
    double count = 0, bytes = 0, graph_bytes[TRACE_MAX_GRAPHS] = {0}, made_bytes[TRACE_MAX_GRAPHS] = {0};
    uint32_t ngraphs = 0, nmade = 0;
    bool is_captured = false;
    for (uint32_t i = 0; segment && i < segment->nops; i++) {
        const struct trace_op *op = &segment->ops[i];
        is_captured = op->kind == TRACE_CAPTURE || (is_captured && op->kind != TRACE_CAPTURE_END);
        if (op->kind == TRACE_CAPTURE_END)
            ngraphs++;
        if (op->kind == TRACE_GRAPH_MAKE)
            made_bytes[nmade++] = graph_bytes[op->value];
        if (op->kind == TRACE_GRAPH_LAUNCH)
            bytes += made_bytes[op->value];
        *(is_captured ? &graph_bytes[ngraphs] : &bytes) += bus_bytes(segment, op);
        count += !is_captured && is_call[op->kind];
    }
    verdict_add_counter(judge->verdict, "calls", count);
    verdict_add_counter(judge->verdict, "bus_bytes", bytes);
}

/* How often the submission's host code asked for it in the timed case. */
static double calls(const struct judge *judge, enum trace_kind kind)
{
    const struct trace_segment *segment = trace_find(judge->student.trace, judge->slot, TRACE_TIMED);
    uint32_t count = 0;
    for (uint32_t i = 0; segment && i < segment->nops; i++)
        count += segment->ops[i].kind == kind;
    return count;
}

/* Blocks that host code asked for. */
static double blocks_of(const struct trace_segment *segment)
{
    double blocks = 0;
    for (uint32_t i = 0; i < segment->nops; i++)
        if (segment->ops[i].kind == TRACE_LAUNCH)
            blocks += (double)segment->ops[i].grid[0] * segment->ops[i].grid[1] * segment->ops[i].grid[2];
    return blocks;
}

/* On this GPU and on one with half as many SMs. */
static void add_blocks(struct judge *judge)
{
    const struct trace_segment *timed = trace_find(judge->student.trace, judge->slot, TRACE_TIMED);
    const struct trace_segment *half = trace_find(judge->student.trace, judge->slot, LAB_ON_HALF);
    if (!timed || !half)
        return;
    verdict_add_counter(judge->verdict, "blocks", blocks_of(timed));
    verdict_add_counter(judge->verdict, "blocks_on_half", blocks_of(half));
}

/* Where the stage has a bound on it. */
static void add_serial(struct judge *judge, const struct findings_launches *launches)
{
    const struct lab_stage *stage = judge->stage;
    bool is_bound = false;
    for (int i = 0; i < LAB_BOUNDS && stage->bounds[i].counter; i++)
        is_bound |= !strcmp(stage->bounds[i].counter, "serial_us");
    if (!is_bound)
        return;
    verdict_add_counter(judge->verdict, "serial_us", launches->serial_us);
}

static double plain_counter(const void *verdict, const char *name)
{
    const double *value = verdict_counter(verdict, name);
    return value ? *value : 0;
}

/* What host code asked for and what the launches did, and what it may be compared with: the sizes of what they had to do
 * it to. */
static void add_counters(struct judge *judge, const struct pass *student)
{
    const struct lab_run *run = &student->run;
    const struct findings_launches *launches = &student->findings.launches;
    const struct {
        const char *name;
        double value;
    } further[] = {
        {"allocations", calls(judge, TRACE_ALLOC)},
        {"frees", calls(judge, TRACE_FREE)},
        {"host_writes", calls(judge, TRACE_WRITE)},
        {"host_reads", calls(judge, TRACE_READ)},
        {"results_read", student->results_read},
        {"host_steps", calls(judge, TRACE_HOST)},
        {"graph_launches", calls(judge, TRACE_GRAPH_LAUNCH)},
        {"graphs_made", calls(judge, TRACE_GRAPH_MAKE)},
        {"launches", launches->count},
        {"largest_launch", launches->largest},
        {"shared_bytes", launches->shared_bytes},
        {"input_bytes", size_in(run, LAB_IN, 1)},
        {"input_sectors", size_in(run, LAB_IN, 32)},
        {"input_lines", size_in(run, LAB_IN, 128)},
        {"output_sectors", size_in(run, LAB_OUT, 32)},
        {"needed_bytes", judge->needed},
        {"requests_in", counter(student, "global_load_requests") +
                            counter(student, "global_atomic_requests") +
                            counter(student, "texture_requests")},
        {"sectors_in", counter(student, "global_load_sectors") + counter(student, "global_atomic_sectors") +
                           counter(student, "texture_sectors")},
        {"sectors_out", counter(student, "global_store_sectors") + counter(student, "global_atomic_sectors")},
        {"shared_requests_in",
         counter(student, "shared_load_requests") + counter(student, "shared_atomic_requests")},
        {"shared_in",
         counter(student, "shared_load_wavefronts") + counter(student, "shared_atomic_wavefronts")},
        {"shared_out",
         counter(student, "shared_store_wavefronts") + counter(student, "shared_atomic_wavefronts")}};
    for (size_t i = 0; i < launches->ncounters; i++)
        verdict_add_counter(judge->verdict, launches->names[i], launches->values[i]);
    for (size_t i = 0; i < sizeof further / sizeof further[0]; i++)
        verdict_add_counter(judge->verdict, further[i].name, further[i].value);
    add_calls(judge);
    add_blocks(judge);
    add_serial(judge, launches);
    mattered_add(judge, run, &student->mattered, &(struct mattered_source){judge->verdict, plain_counter});
    /* as many as the other: one after the other without a gap; more: copies and kernels at the same time */
    verdict_add_counter(judge->verdict, "work_us", student->work_us);
    verdict_add_counter(judge->verdict, "elapsed_us", student->time_us);
}

/* Without a baseline there is nothing to compare with. */
static void add_time(struct judge *judge, double baseline_us, const struct pass *student)
{
    const double student_us = student->time_us;
    struct verdict_time *time = &judge->verdict->time;
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || !(baseline_us > 0) || !(student_us > 0))
        return;
    *time = (struct verdict_time){.is_known = true,
                                  .backend = "virtual",
                                  .baseline_us = baseline_us,
                                  .student_us = student_us,
                                  .speedup = baseline_us / student_us,
                                  .samples = student->findings.launches.is_partial ? 0 : 1,
                                  .ceiling = 2e-3 * (double)LAB_COPY_BYTES / vgpu_copy_us(LAB_COPY_BYTES),
                                  .peak = floor_peak()};
    time->low = time->high = time->speedup;
    snprintf(time->gpu, sizeof time->gpu, "%.63s", properties.name);
    snprintf(time->limiter, sizeof time->limiter, "%s", student->findings.launches.limiter);
}

/* ------------------------------------------------------------------------------------------- is it what was verified? */

/* Sectors of a buffer that the result depends on: as many as the kit's own kernel uses. A few of an output may be left to a
 * block that is not in the sample. */
static double needed_sectors(const struct pass *answer, int index)
{
    enum { FEW = 128 };
    const struct lab_buffer *buffer = &answer->run.buffers[index];
    const double all = size_in_sectors(buffer);
    if (buffer->role == LAB_SCRATCH || (buffer->role == LAB_OUT && all <= FEW))
        return 0;
    return fmin(all, answer->used[index].sectors);
}

static double needed_bytes(const struct pass *answer)
{
    double sectors = 0;
    for (int i = 0; i < answer->run.nbuffers; i++)
        sectors += needed_sectors(answer, i);
    return 32 * sectors;
}

/* Blocks from everywhere in the grid use places from everywhere in a buffer, if those of the kit's own kernel do; as many as there
 * are runs of neighbours in the sample. (Many blocks that share a few places would find them in L2, where a small buffer lies
 * anyway.) */
static bool is_spread(const struct pass *student, const struct pass *answer, int index)
{
    enum { FEW = 1024 };
    const double enough = 0.5, neighbours = 8;
    if (size_in_sectors(&answer->run.buffers[index]) <= FEW)
        return true;
    const double runs = (double)student->findings.launches.part.count / neighbours;
    return student->used[index].stripes >= enough * fmin(runs, answer->used[index].stripes);
}

/* Of an output, no more may be missing than samples of two grids differ by. */
static const double enough_written = 0.96;

/* Whoever computes from all inputs reads them, and whoever fills an output writes it. answer: NULL where the kit has none. */
static bool is_all_used(const struct pass *student, const struct pass *answer)
{
    for (int i = 0; answer && i < student->run.nbuffers; i++) {
        const double enough = student->run.buffers[i].role == LAB_OUT ? enough_written : 0.9;
        const double sectors = needed_sectors(answer, i);
        if (student->used[i].sectors < enough * sectors ||
            (sectors > 0 &&
             (student->used[i].bytes < enough * answer->used[i].bytes || !is_spread(student, answer, i))))
            return false;
    }
    return true;
}

static double work_of(const struct judge *judge, uint32_t which)
{
    struct lab_case sizes;
    struct lab_run run;
    if (!lab_find_case(judge->lab, judge->stage, which, judge->draw, &sizes))
        return 0;
    lab_begin_run(&run, judge->lab, judge->stage, &sizes, 0);
    return lab_work(&run);
}

/* For each unit of work as many instructions as where all of it was seen. Whoever takes no longer than memory does for the
 * bytes that it uses has gained nothing by doing less. */
static bool is_all_done(const struct judge *judge, const struct pass *student, const struct effort *middle)
{
    const double enough = 0.8, near = 1.5;
    const double small = work_of(judge, LAB_MIDDLE), large = work_of(judge, LAB_TIMED);
    if (!(small > 0) || student->time_us < near * floor_us(judge, &student->run))
        return true;
    return student->findings.covered.effort.instructions / large >= enough * middle->instructions / small;
}

/* The largest launch does the same part of all. (Where there are inputs, whoever does a part of the work twice leaves some of
 * them unread.) */
static bool is_divided_alike(const struct coverage *a, const struct coverage *b)
{
    const double alike = 0.7, all = a->effort.instructions;
    const double ratio = a->largest * b->effort.instructions / (all * b->largest);
    return !(all > 0) || !(b->largest > 0) || (ratio > alike && ratio < 1 / alike);
}

/* True if a case that was executed as a whole has shown the same. If its results are wrong, they are told; if they are right all
 * the same, the finding costs its points, and is no reason to doubt the results of the sample. */
static bool is_known(struct judge *judge, enum lab_symptom symptom)
{
    bool is_found = false;
    pthread_mutex_lock(&judge->lock);
    for (uint32_t i = 0; i < judge->verdict->nmessages; i++) {
        const struct verdict_message *one = &judge->verdict->messages[i];
        is_found =
            is_found || (one->which != LAB_TIMED && one->symptom == symptom && verdict_is_finding(one));
    }
    pthread_mutex_unlock(&judge->lock);
    return is_found;
}

/* What makes it doubtful that the sample stands for the whole; NULL: nothing. */
static const char *find_doubt(struct judge *judge, const struct pass *student, const struct pass *answer,
                              const struct coverage *middle)
{
    const enum lab_symptom symptom = student->findings.told.symptom;
    if (symptom != LAB_NO_SYMPTOM && symptom != LAB_STREAMS && !is_known(judge, symptom))
        return student->findings.told.text;
    if (!student->is_stable)
        return "what its blocks read is never the same";
    if (student->doubt[0])
        return student->doubt;
    if (!is_all_used(student, answer))
        return "its blocks use less of the inputs and outputs than they need";
    if (!is_all_done(judge, student, &middle->effort))
        return "its kernels do less for each element than at smaller sizes";
    struct effort timed = student->findings.covered.effort;
    timed.measures[MEASURE_WORK] = work_of(judge, LAB_TIMED);
    const struct effort none = {.instructions = 0};
    const char *lack = effort_lacks(&timed, &middle->effort, judge->largest ? judge->largest : &none);
    if (lack)
        return lack;
    if (!lab_has_inputs(&student->run) && !is_divided_alike(&student->findings.covered, middle))
        return "its work is divided among launches otherwise than at smaller sizes";
    return NULL;
}

/* True if blocks that are not in the sample do more than those that are. */
static bool is_more_done(const struct pass *student, const struct coverage *whole)
{
    const double alike = 1.05;
    return whole->effort.instructions > alike * student->findings.covered.effort.instructions;
}

/* Of a race, the whole tells whether it is one: the sample lacks what other blocks write. Of streams, it tells again. */
static enum vgpu_check check_for(const struct pass *student, double count)
{
    const enum lab_symptom symptom = student->findings.told.symptom;
    const bool is_order = symptom == LAB_RACE || symptom == LAB_STREAMS;
    return is_order && count <= most_checked ? VGPU_CHECK_FULL : VGPU_CHECK_BOUNDS;
}

/* So much that few of them fit into a machine at a time. */
static bool is_large(const struct judge *judge)
{
    const double most = 300e6;
    return bytes_of_timed(judge) > most;
}

/* The timed case, executed as a whole; or the end of this process, where that is left to another one. (Stages that are always
 * executed as a whole have small ones.) */
static bool check_timed(struct judge *judge, enum vgpu_check check, struct pass *whole)
{
    if (judge->leaves_large && !judge->stage->is_whole && is_large(judge)) {
        ahead_end();
        judge->verdict->is_large = true;
        judge_write(judge);
        fflush(NULL);
        _exit(0);
    }
    return judge_check_whole(judge, LAB_TIMED, check, pass_most_timed, whole);
}

static void replace(struct pass *old, const struct pass *new)
{
    pass_free(old);
    *old = *new;
}

/* The timed case as a whole: right, wrong, or too long to be told here. doubt NULL: only code that smaller cases do not have.
 * What the sample said is not true of the whole, which speaks for itself; and for the time, unless the sample tells it as well. */
static bool verify_whole(struct judge *judge, struct pass *student, const char *doubt, uint32_t nmessages)
{
    const double count = counter(student, "warp_instructions");
    const bool is_needed = judge->is_audit || !sample_is_comparable(judge);
    if (is_needed || count <= (doubt ? most_doubtful : most_unseen)) {
        struct pass whole;
        judge_drop_messages(judge, nmessages);
        const bool is_right = check_timed(judge, check_for(student, count), &whole);
        if (!is_right || doubt || is_needed || is_more_done(student, &whole.findings.covered))
            replace(student, &whole);
        else
            pass_free(&whole);
        return is_right;
    }
    if (!doubt)
        return true;
    struct lab_outcome one = {.which = LAB_TIMED, .symptom = LAB_WRONG};
    snprintf(one.text, sizeof one.text,
             "At the size that is timed, %s. To execute all of it takes long: ./grade --audit does it.",
             doubt);
    student->one = one;
    return false;
}

/* ------------------------------------------------------------------------------------------- the student's side */

static bool is_verified(struct judge *judge, struct pass *student, const struct pass *answer,
                        const struct coverage *middle, uint32_t nmessages)
{
    const char *doubt = sample_is_comparable(judge) ? find_doubt(judge, student, answer, middle)
                                                    : "what its blocks leave cannot be compared";
    const bool is_known = !judge->verified || coverage_is_within(&student->findings.covered, judge->verified);
    if (!doubt && !judge->is_audit && is_known)
        return true;
    return verify_whole(judge, student, doubt, nmessages);
}

/* One block has gone on for so long that nothing of what the others do can make it a step. */
static bool is_hopeless(const struct pass *student, const struct pass *baseline)
{
    const double much = 4;
    return student->findings.launches.is_partial && baseline && student->time_us > much * baseline->time_us;
}

/* What stops in a sample may only wait for blocks that are not in it. */
static bool verify_sample(struct judge *judge, struct pass *student, const struct pass *baseline,
                          const struct pass *answer, const struct coverage *middle)
{
    const uint32_t nmessages = judge->verdict->nmessages;
    bool is_done = ahead_take(judge, AHEAD_DRAWN, draw_sample, student);
    if (is_done && !judge_has_failed(judge) && is_hopeless(student, baseline)) {
        judge_drop_messages(judge, nmessages);
        return true;
    }
    if (student->findings.launches.is_partial && !judge_has_failed(judge)) {
        judge_drop_messages(judge, nmessages);
        pass_free(student);
        is_done = sample_student(judge, student);
    }
    if (is_done && !judge_has_failed(judge))
        return is_verified(judge, student, answer, middle, nmessages);
    if (judge_has_failed(judge) || !student->findings.launches.count)
        return is_done;
    struct pass whole;
    const bool is_right = check_timed(judge, VGPU_CHECK_BOUNDS, &whole);
    replace(student, &whole);
    if (is_right)
        judge_drop_messages(judge, nmessages);
    return is_right;
}

/* True if nothing that is counted was done less often than in the sample that nobody could foresee, and in no less time: what
 * counters do not tell, the order of instructions and places in caches, a submission could change in blocks that it knows. */
static bool does_as_much(const struct pass *known, const struct pass *drawn)
{
    const double enough = 0.9;
    const struct findings_launches *launches = &drawn->findings.launches;
    for (size_t i = 0; i < launches->ncounters; i++)
        if (counter(known, launches->names[i]) < enough * launches->values[i])
            return false;
    for (int i = 0; i < drawn->run.nbuffers; i++)
        if (drawn->run.buffers[i].role == LAB_OUT &&
            known->used[i].bytes < enough_written * drawn->used[i].bytes)
            return false;
    return known->time_us >= enough * drawn->time_us;
}

/* Blocks that everybody knows, on inputs that everybody knows: whoever does less there is timed by those that were drawn. */
static void time_as_kits(struct judge *judge, struct pass *student)
{
    struct pass known = {.is_stable = false};
    const uint32_t nmessages = judge->verdict->nmessages;
    const bool is_known = ahead_take(judge, AHEAD_KNOWN, know_sample, &known) && known.is_stable &&
                          !known.doubt[0] && known.findings.told.symptom == LAB_NO_SYMPTOM &&
                          does_as_much(&known, student) &&
                          (!judge->verified || coverage_is_within(&known.findings.covered, judge->verified));
    struct pass *left = is_known ? student : &known;
    pass_free(left);
    if (is_known)
        *student = known;
    judge_drop_messages(judge, nmessages);
}

/* The whole of it was too much for the virtual GPU. Whether it is for a GPU, a part of it tells. */
static bool is_only_slow(struct judge *judge, struct pass *student, const struct pass *baseline,
                         uint32_t nmessages)
{
    struct pass part;
    if (student->one.symptom != LAB_LIMIT || judge_has_failed(judge) || judge->is_audit)
        return false;
    begin_sampling();
    vgpu_set_patience(patience);
    const bool is_slow = sample_unseen(judge, &part) && part.findings.told.symptom == LAB_NO_SYMPTOM &&
                         is_hopeless(&part, baseline);
    vgpu_set_patience(0);
    if (!is_slow) {
        pass_free(&part);
        return false;
    }
    replace(student, &part);
    judge_drop_messages(judge, nmessages);
    return true;
}

/* From a sample of blocks, or as a whole where that is in doubt. Of a grid whose blocks wait for each other, or of which a few do most of
 * the work, a sample tells no time. */
static bool verify_and_time(struct judge *judge, const struct pass *baseline, const struct pass *answer,
                            const struct coverage *middle, struct pass *student)
{
    const uint32_t nmessages = judge->verdict->nmessages;
    if (is_small(judge))
        return check_timed(judge, VGPU_CHECK_FULL, student);
    if (!verify_sample(judge, student, baseline, answer, middle))
        return is_only_slow(judge, student, baseline, nmessages);
    if (!student->is_whole && !student->findings.launches.is_partial)
        time_as_kits(judge, student);
    return true;
}

/* A whole in which something was found tells no time; but for races, which are looked for there and harm no time. */
static bool tells_time(const struct pass *student)
{
    const enum lab_symptom symptom = student->findings.told.symptom;
    return !student->is_whole || symptom == LAB_NO_SYMPTOM || symptom == LAB_RACE;
}

/* baseline and answer: NULL where the stage has none. */
static void model_student(struct judge *judge, const struct pass *baseline, const struct pass *answer,
                          const struct coverage *middle)
{
    struct pass student = {.is_stable = false};
    judge->needed = answer ? needed_bytes(answer) : 0;
    bool is_right = verify_and_time(judge, baseline, answer, middle, &student);
    const bool is_partial = student.findings.launches.is_partial;
    is_right = is_right && tells_time(&student);
    if (is_right && !is_partial)
        is_right = floor_holds(judge, &student.run, student.time_us, &student.one);
    if (is_right) {
        pthread_mutex_lock(&judge->lock);
        if (!is_partial)
            add_counters(judge, &student);
        add_time(judge, baseline ? baseline->time_us : 0, &student);
        pthread_mutex_unlock(&judge->lock);
    } else if (!judge_has_failed(judge)) {
        judge_add_case(judge, &student.one);
    }
    pass_free(&student);
}

static bool model_both_kits(struct judge *judge, struct pass *baseline, struct pass *reference,
                            const struct pass **answer)
{
    const char *compared = lab_baseline(judge->lab, judge->stage);
    if (!compared)
        return true;
    *answer = baseline;
    if (!model_kits(judge, SCOUT_BASELINE, baseline))
        return false;
    if (strcmp(lab_answer(judge->lab, judge->stage), compared) == 0)
        return true;
    *answer = reference;
    return model_kits(judge, SCOUT_ANSWER, reference);
}

static void check(struct judge *judge)
{
    static struct coverage verified;
    static struct effort largest;
    judge->verified = &verified;
    judge->largest = &largest;
    judge_check(judge);
}

static bool has_middle(const struct judge *judge)
{
    struct lab_case sizes;
    return lab_find_case(judge->lab, judge->stage, LAB_MIDDLE, judge->draw, &sizes);
}

/* The middle case takes so much that nobody would wait for it: if a sample of the timed one is hopeless as well, that is told
 * instead. */
static bool time_hopeless(struct judge *judge, const struct pass *baseline)
{
    struct pass student;
    const bool is_slow =
        ahead_take(judge, AHEAD_DRAWN, draw_sample, &student) && is_hopeless(&student, baseline);
    if (is_slow) {
        const struct trace_segment *timed = trace_find(judge->student.trace, judge->slot, TRACE_TIMED);
        pthread_mutex_lock(&judge->lock);
        add_time(judge, baseline->time_us, &student);
        if (timed) /* one block alone would have come to the middle case's end */
            verdict_add_counter(judge->verdict, "blocks", blocks_of(timed));
        pthread_mutex_unlock(&judge->lock);
    }
    pass_free(&student);
    return is_slow;
}

/* Honest kernels come to the end of the middle case with a tenth of this. */
static bool check_middle(struct judge *judge, struct pass *middle, bool *is_timed)
{
    const uint64_t quick = 200000000;
    const uint32_t nmessages = judge->verdict->nmessages;
    struct pass baseline = {.is_stable = false}, reference = {.is_stable = false};
    const struct pass *answer = NULL;
    bool is_right = judge_check_whole(judge, LAB_MIDDLE, VGPU_CHECK_BOUNDS, quick, middle);
    *is_timed = false;
    if (middle->one.symptom != LAB_LIMIT || judge_has_failed(judge))
        return is_right;
    judge_drop_messages(judge, nmessages);
    begin_sampling();
    if (!judge->is_audit && !judge->stage->is_whole &&
        model_both_kits(judge, &baseline, &reference, &answer) && answer)
        *is_timed = time_hopeless(judge, &baseline);
    pass_free(&baseline);
    pass_free(&reference);
    judge_drop_messages(judge, nmessages);
    if (*is_timed || judge_has_failed(judge))
        return false;
    pass_free(middle);
    return judge_check_whole(judge, LAB_MIDDLE, VGPU_CHECK_BOUNDS, pass_most_middle, middle);
}

static void time_both(struct judge *judge)
{
    struct pass baseline = {.is_stable = false}, reference = {.is_stable = false};
    const struct pass *answer = NULL;
    struct pass middle;
    bool is_timed;
    const bool is_right = check_middle(judge, &middle, &is_timed);
    if (has_middle(judge) && !is_timed)
        judge_add_case(judge, &middle.one);
    if (is_right) {
        if (judge->verified)
            coverage_join(judge->verified, &middle.findings.covered);
        begin_sampling();
        if (model_both_kits(judge, &baseline, &reference, &answer))
            model_student(judge, answer ? &baseline : NULL, answer, &middle.findings.covered);
    }
    pass_free(&baseline);
    pass_free(&reference);
    pass_free(&middle);
}

/* ------------------------------------------------------------------------------------------- explaining */

/* A message for each kernel, with words or JSON: those that take most of the time first. */
static void add_told(struct judge *judge, const struct vgpu_told *told, const char *severity, char *text)
{
    struct verdict_message message = {.which = LAB_TIMED, .text = text};
    snprintf(message.severity, sizeof message.severity, "%s", severity);
    snprintf(message.title, sizeof message.title, "%llu launches, %.17g us", told->launches, told->total_us);
    if (text)
        verdict_add_message(judge->verdict, &message);
}

static void add_words(struct judge *judge, struct pass *student)
{
    struct vgpu_kernels *kernels = &student->findings.kernels;
    vgpu_kernels_sort(kernels);
    for (size_t i = 0; i < kernels->count; i++) {
        add_told(judge, &kernels->told[i], VERDICT_EXPLAINED, kernels->told[i].words);
        add_told(judge, &kernels->told[i], VERDICT_PROFILED, kernels->told[i].json);
    }
}

/* Before the kernels' words: what the stage's time goes to, where it is not they. */
static void add_pipeline(struct judge *judge, const struct pipeline *spent, double total_us)
{
    char text[1200] = "";
    struct verdict_message message = {
        .which = LAB_TIMED, .severity = VERDICT_PIPELINE, .title = "pipeline", .text = text};
    if (pipeline_write(spent, total_us, text, sizeof text))
        verdict_add_message(judge->verdict, &message);
}

static void add_spans(struct judge *judge, const struct pipeline *spent, double total_us)
{
    struct verdict_message message = {.which = LAB_TIMED, .severity = VERDICT_SPANS, .title = "operations"};
    size_t size;
    FILE *file = spent->spans ? open_memstream(&message.text, &size) : NULL;
    if (!file)
        return;
    const bool is_any = pipeline_write_spans(spent, total_us, file);
    fclose(file);
    if (is_any)
        verdict_add_message(judge->verdict, &message);
    free(message.text);
}

/* The first finding of the cases that were looked at; NULL: there is none. */
static const struct verdict_message *first_finding(const struct verdict *verdict, uint32_t from)
{
    for (uint32_t i = from; i < verdict->nmessages; i++)
        if (verdict_is_finding(&verdict->messages[i]))
            return &verdict->messages[i];
    return NULL;
}

/* Of the first few cases the one that is wrong, or in which something is found, is the last to be looked at. Returns how many
 * were. */
static uint32_t find_wrong_case(struct judge *judge, struct lab_outcome *one)
{
    enum { MOST_CASES = 8 };
    const uint32_t nmessages = judge->verdict->nmessages;
    uint32_t i = 0;
    while (i < MOST_CASES && i < (uint32_t)judge->lab->ncases && one->is_right &&
           !first_finding(judge->verdict, nmessages) && !judge_has_failed(judge)) {
        struct pass pass;
        judge_check_whole(judge, i++, VGPU_CHECK_FULL, pass_most_middle, &pass);
        *one = pass.one;
        pass_free(&pass);
    }
    return i;
}

/* The same once more, recorded: in which step something is found. */
static void find_moment(struct judge *judge, uint32_t index)
{
    struct pass pass;
    judge->wants_moment = true;
    judge_check_whole(judge, index, VGPU_CHECK_FULL, pass_most_middle, &pass);
    judge->wants_moment = false;
    pass_free(&pass);
}

/* Times of a kernel that is wrong mean little: a few small cases tell whether it is, and for a page, in which step something is
 * found. What is wrong is told by ./grade itself: here one case and one finding are enough. */
static void look_at_cases(struct judge *judge, bool wants_moment)
{
    const uint32_t nmessages = judge->verdict->nmessages;
    struct verdict_message message = {.which = LAB_TIMED, .severity = VERDICT_MOMENT};
    struct lab_outcome one = {.is_right = true};
    const uint32_t nlooked = find_wrong_case(judge, &one);
    const struct verdict_message *found = first_finding(judge->verdict, nmessages);
    if (found) {
        snprintf(message.title, sizeof message.title, "%s", found->title);
        snprintf(message.place, sizeof message.place, "%s", found->place);
        if (wants_moment)
            find_moment(judge, nlooked - 1);
    }
    judge_drop_messages(judge, nmessages);
    if (!one.is_right && !judge_has_failed(judge))
        judge_add_case(judge, &one);
    message.text = judge->moment;
    if (*message.title)
        verdict_add_message(judge->verdict, &message);
    free(judge->moment);
    judge->moment = NULL;
}

/* The blocks and the inputs that a submission is timed with. Who asks why a kernel is slow gets an answer also where it is not yet
 * right, and is told so. */
static void explain(struct judge *judge)
{
    struct pass student = {.is_stable = false}, baseline = {.is_stable = false},
                reference = {.is_stable = false};
    const struct pass *answer = NULL;
    struct pipeline spent = {.part = PIPELINE_CALLS};
    if (judge->is_profiled && !judge->is_brief)
        spent.spans = calloc(PIPELINE_SPANS, sizeof *spent.spans);
    begin_sampling();
    judge_enter(judge, LAB_TIMED, false);
    judge->pipeline = pipeline = &spent;
    const bool is_done =
        sample_is_comparable(judge) ? sample_as_kits(judge, &student) : sample_unseen(judge, &student);
    judge->pipeline = pipeline = NULL;
    const bool wants_moment = judge->is_profiled;
    judge->is_explained = judge->is_profiled = false; /* the kit's own kernels are not */
    if (!is_done && !judge_has_failed(judge))
        judge_add_case(judge, &student.one);
    if (is_done && model_both_kits(judge, &baseline, &reference, &answer)) {
        judge_drop_messages(judge, 0);
        add_pipeline(judge, &spent, student.time_us);
        add_spans(judge, &spent, student.time_us);
        add_words(judge, &student);
        add_counters(judge, &student);
        add_time(judge, answer ? baseline.time_us : 0, &student);
        if (!judge->is_brief)
            look_at_cases(judge, wants_moment);
    }
    free(spent.spans);
    pass_free(&student);
    pass_free(&baseline);
    pass_free(&reference);
}

static void tell_kits(struct judge *judge)
{
    begin_sampling();
    kits_write(judge, judge->out);
}

const struct judge_backend judge_backend = {.clock = CLOCK_PROCESS_CPUTIME_ID,
                                            .prepare = prepare,
                                            .ahead = look_ahead,
                                            .check = check,
                                            .time = time_both,
                                            .explain = explain,
                                            .tell_kits = tell_kits};
