/* counts.c - see counts.h. */
#include "grader/judge/counts.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "grader/judge/floor.h"
#include "lab/scale.h"

double counts_value(const struct pass *sample, const char *name)
{
    const struct findings_launches *launches = &sample->findings.launches;
    for (size_t i = 0; i < launches->ncounters; i++)
        if (!strcmp(launches->names[i], name))
            return launches->values[i];
    return 0;
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
double counts_blocks(const struct trace_segment *segment)
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
    verdict_add_counter(judge->verdict, "blocks", counts_blocks(timed));
    verdict_add_counter(judge->verdict, "blocks_on_half", counts_blocks(half));
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
void counts_add(struct judge *judge, const struct pass *student)
{
    const struct lab_run *run = &student->run;
    const struct findings_launches *launches = &student->findings.launches;
    const struct {
        const char *name;
        double value;
    } further[] = {{"allocations", calls(judge, TRACE_ALLOC)},
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
                   {"requests_in", counts_value(student, "global_load_requests") +
                                       counts_value(student, "global_atomic_requests") +
                                       counts_value(student, "texture_requests")},
                   {"sectors_in", counts_value(student, "global_load_sectors") +
                                      counts_value(student, "global_atomic_sectors") +
                                      counts_value(student, "texture_sectors")},
                   {"sectors_out", counts_value(student, "global_store_sectors") +
                                       counts_value(student, "global_atomic_sectors")},
                   {"shared_requests_in", counts_value(student, "shared_load_requests") +
                                              counts_value(student, "shared_atomic_requests")},
                   {"shared_in", counts_value(student, "shared_load_wavefronts") +
                                     counts_value(student, "shared_atomic_wavefronts")},
                   {"shared_out", counts_value(student, "shared_store_wavefronts") +
                                      counts_value(student, "shared_atomic_wavefronts")}};
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
void counts_add_time(struct judge *judge, double baseline_us, const struct pass *student)
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
