/* sample.c - see sample.h. Decides nothing about points: what is doubtful is for the caller to execute as a whole. */
#define _GNU_SOURCE
#include "grader/judge/sample.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/judge/sums.h"
#include "lab/buffers.h"
#include "lab/element.h"

const double sample_enough_written = 0.96;

/* ------------------------------------------------------------------------------------------- what was touched */

static void collect(struct pass *out, const struct lab_run *run)
{
    touched_collect(run, out->touched);
    for (int i = 0; i < run->nbuffers; i++) {
        const uint64_t address = (uint64_t)(uintptr_t)run->buffers[i].device;
        out->used[i].sectors = vgpu_sectors_used(address);
        out->used[i].bytes =
            run->buffers[i].role == LAB_OUT ? vgpu_bytes_stored(address) : vgpu_bytes_used(address);
    }
}

static bool has_host_side(const struct trace_segment *segment, const struct trace_op *op)
{
    return (op->from.space == TRACE_GIVEN && segment->given[op->from.index].is_host) ||
           (op->to.space == TRACE_GIVEN && segment->given[op->to.index].is_host);
}

enum { SMALL = 4096 }; /* bytes of a copy that do not matter */

static bool is_given(const struct trace_place *place, int index)
{
    return place->space == TRACE_GIVEN && place->index == (uint32_t)index;
}

static bool is_copy_to(const struct trace_op *op, int index)
{
    return op->kind == TRACE_COPY && is_given(&op->to, index) &&
           (op->from.space == TRACE_OWN || op->from.space == TRACE_GIVEN);
}

static bool is_output(const struct trace_place *place, const struct lab_run *run)
{
    return place->space == TRACE_GIVEN && place->index < LAB_BUFFERS &&
           run->buffers[place->index].role == LAB_OUT;
}

/* What a large copy makes of an output is looked at if blocks have left it in memory of their own (compare_carried()), and else is
 * not what a sample can tell. */
static void add_copy(struct pass *out, const struct lab_run *run, const struct trace_op *op)
{
    if (is_output(&op->to, run) && !(op->kind == TRACE_COPY && op->from.space == TRACE_OWN))
        snprintf(out->doubt, sizeof out->doubt, "results are copied, not computed by a kernel");
}

/* Copies and settings count as well. */
static void add_copies(struct pass *out, const struct lab_run *run, const struct trace_segment *segment)
{
    for (uint32_t k = 0; k < segment->nops; k++) {
        const struct trace_op *op = &segment->ops[k];
        const struct trace_place *const places[] = {&op->to, &op->from};
        const double bytes = (double)op->width * (double)op->height;
        if (op->kind == TRACE_LAUNCH || op->kind == TRACE_TEXTURE)
            continue;
        for (int p = 0; p < 2; p++)
            if (places[p]->space == TRACE_GIVEN && places[p]->index < LAB_BUFFERS) {
                out->used[places[p]->index].sectors += ceil(bytes / 32);
                out->used[places[p]->index].bytes += bytes;
            }
        if (bytes > SMALL && !has_host_side(segment, op))
            add_copy(out, run, op);
    }
}

/* Of 64 stripes that a buffer is cut into, a bit for each that has some of these bytes. */
static uint64_t stripes_of(const struct lab_buffer *buffer, uint64_t offset, uint64_t bytes)
{
    const uint64_t each = lab_buffer_bytes(buffer) / 64 + 1, last = (offset + bytes - 1) / each;
    uint64_t seen = 0;
    for (uint64_t at = offset / each; at <= last; at++)
        seen |= (uint64_t)1 << at;
    return seen;
}

/* Of a copy, those on this side of it. */
static uint64_t stripes_of_copy(const struct lab_buffer *buffer, const struct trace_op *op,
                                const struct trace_place *place, uint64_t pitch)
{
    uint64_t seen = 0;
    for (uint64_t row = 0; op->width && row < op->height; row++)
        seen |= stripes_of(buffer, place->offset + row * pitch, op->width);
    return seen;
}

static void count_stripes(struct pass *out, const struct lab_run *run, const struct trace_segment *segment)
{
    for (int i = 0; i < run->nbuffers; i++) {
        const struct lab_buffer *buffer = &run->buffers[i];
        const struct touched *touched = &out->touched[i];
        uint64_t seen = 0;
        for (size_t k = 0; k < touched->count; k++)
            seen |= stripes_of(buffer, touched->runs[k].offset, touched->runs[k].bytes);
        for (uint32_t k = 0; k < segment->nops; k++) {
            const struct trace_op *op = &segment->ops[k];
            if (is_copy_to(op, i))
                seen |= stripes_of_copy(buffer, op, &op->to, op->to_pitch);
            else if ((op->kind == TRACE_COPY || op->kind == TRACE_ARRAY_COPY) && is_given(&op->from, i))
                seen |= stripes_of_copy(buffer, op, &op->from, op->from_pitch);
        }
        out->used[i].stripes = __builtin_popcountll(seen);
    }
}

static void compare(struct judge *judge, struct pass *out, const struct lab_run *replayed)
{
    char wrong[sizeof out->doubt];
    struct lab_run run = *replayed;
    if (out->doubt[0])
        return;
    run.is_one_launch = out->findings.launches.count == 1;
    if (!touched_compare(&run, out->touched, wrong, sizeof wrong))
        judge_fail(judge, "Results of the timed case could not be fetched from the virtual GPU.");
    memcpy(out->doubt, wrong, sizeof wrong);
}

/* ------------------------------------------------------------------------------------------- what was carried */

enum { GROUP = 256 }; /* bytes whose words share a number of vgpu_words_stored() */

/* One row of a copy to output `index`: what blocks of the sample have stored in its source is looked at. */
static size_t compare_row(struct pass *out, const struct lab_run *run, int index, uint64_t offset,
                          uint64_t bytes, const uint64_t *words, uint64_t source)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const void *results = buffer->is_host ? buffer->device : vgpu_peek((uint64_t)(uintptr_t)buffer->device);
    const size_t each = lab_type_bytes(buffer->type);
    size_t used = 0;
    if (!words)
        vgpu_bring((const uint8_t *)buffer->device + offset, bytes);
    for (uint64_t at = 0; at + each <= bytes && !out->doubt[0]; at += each) {
        const uint64_t group = (source + at) / GROUP, word = (source + at) / 4;
        if (words && !words[group])
            at = ((group + 1) * GROUP - source + each - 1) / each * each - each;
        if (words && !(words[group] >> word % 64 & 1))
            continue;
        const uint64_t i = (offset + at) / each;
        used++;
        touched_compare_element(run, index, i, element_load(buffer->type, results, i), out->doubt,
                                sizeof out->doubt);
    }
    return used;
}

/* Bytes that copies to output `index` take from an allocation; not more than it has. */
static double bytes_taken(const struct judge_side *side, int index, const struct trace_place *from,
                          uint64_t address)
{
    struct vgpu_place found;
    double bytes = 0;
    for (uint32_t k = 0; k < side->segment->nops; k++) {
        const struct trace_op *op = &side->segment->ops[k];
        if (is_copy_to(op, index) && op->from.space == from->space && op->from.index == from->index)
            bytes += (double)op->width * (double)op->height;
    }
    return vgpu_locate(address, &found) ? fmin(bytes, (double)found.size) : bytes;
}

static void compare_copy(struct pass *out, const struct judge_side *side, const struct trace_op *op)
{
    const struct trace_place begin = {op->from.space, op->from.index, 0};
    const uint64_t address = (uint64_t)(uintptr_t)player_address(side->player, &begin);
    const uint64_t *words = vgpu_words_stored(address);
    size_t used = 0;
    if (vgpu_bytes_stored(address) <
        sample_enough_written * bytes_taken(side, (int)op->to.index, &op->from, address))
        snprintf(out->doubt, sizeof out->doubt, "copies bring more than kernels have written");
    for (uint64_t row = 0; row < op->height && !out->doubt[0]; row++)
        used += compare_row(out, &side->run, (int)op->to.index, op->to.offset + row * op->to_pitch, op->width,
                            words, op->from.offset + row * op->from_pitch);
    if (!used && !out->doubt[0])
        snprintf(out->doubt, sizeof out->doubt, "a copy brings what no kernel has written");
}

/* Bits first to end - 1. */
static void set_bits(uint8_t *map, uint64_t first, uint64_t end)
{
    for (; first < end && first % 8; first++)
        map[first / 8] |= (uint8_t)(1 << first % 8);
    for (; first < end && end % 8; end--)
        map[(end - 1) / 8] |= (uint8_t)(1 << (end - 1) % 8);
    if (first < end)
        memset(map + first / 8, 0xff, (end - first) / 8);
}

/* True if copies bring all elements of output `index`. */
static bool is_covered(const struct judge_side *side, int index)
{
    const struct lab_buffer *buffer = &side->run.buffers[index];
    const size_t each = lab_type_bytes(buffer->type), count = buffer->count;
    uint8_t *map = calloc(1, count / 8 + 1);
    for (uint32_t k = 0; map && k < side->segment->nops; k++) {
        const struct trace_op *op = &side->segment->ops[k];
        for (uint64_t row = 0; is_copy_to(op, index) && row < op->height; row++) {
            const uint64_t begin = op->to.offset + row * op->to_pitch;
            set_bits(map, (begin + each - 1) / each, (begin + op->width) / each);
        }
    }
    size_t covered = 0;
    for (size_t i = 0; map && i <= count / 8; i++)
        covered += (size_t)__builtin_popcount(map[i]);
    free(map);
    return covered == count;
}

/* Outputs on the host come by copies, and others may, if they are large. */
static bool is_carried(const struct judge_side *side, int index)
{
    const struct lab_buffer *buffer = &side->run.buffers[index];
    bool is_copied = buffer->is_host;
    for (uint32_t k = 0; k < side->segment->nops; k++) {
        const struct trace_op *op = &side->segment->ops[k];
        is_copied = is_copied || (is_copy_to(op, index) && op->width * op->height > SMALL);
    }
    return buffer->role == LAB_OUT && !buffer->is_said && is_copied;
}

/* What blocks of the sample have left and copies bring. That copies do not leave out blocks is for others to see: how much was done
 * for each element. */
static void compare_carried(struct pass *out, const struct judge_side *side)
{
    const struct lab_run *run = &side->run;
    for (int i = 0; i < run->nbuffers; i++) {
        if (out->doubt[0] || !is_carried(side, i))
            continue;
        if (!lab_element(run) || !is_covered(side, i))
            snprintf(out->doubt, sizeof out->doubt, "some of `%.60s` is not copied", run->buffers[i].name);
        for (uint32_t k = 0; k < side->segment->nops && !out->doubt[0]; k++)
            if (is_copy_to(&side->segment->ops[k], i))
                compare_copy(out, side, &side->segment->ops[k]);
    }
}

/* ------------------------------------------------------------------------------------------- a share of blocks */

/* Where every block adds its share, those of the sample add exactly theirs. */
static void compare_part(struct pass *out, const struct lab_run *run)
{
    const struct lab_part *part = &out->findings.launches.part;
    const struct lab_buffer *buffer = &run->buffers[0];
    lab_part_fn *is_right = lab_part(run);
    uint64_t bytes = 0;
    if (!is_right || out->doubt[0] || !part->count)
        return;
    if (cudaMemcpy(&bytes, buffer->device, lab_type_bytes(buffer->type), cudaMemcpyDefault) != cudaSuccess)
        return;
    const double got = element_value(buffer->type, element_load(buffer->type, (const uint8_t *)&bytes, 0));
    if (!is_right(run, part, got))
        snprintf(out->doubt, sizeof out->doubt,
                 "blocks %llu to %llu add up to %.10g, which is not what their share of the work comes to",
                 (unsigned long long)part->first, (unsigned long long)(part->first + part->count - 1), got);
}

/* ------------------------------------------------------------------------------------------- one pass */

static bool is_close; /* what is replayed is checked in full */

static bool replay(struct judge *judge, struct judge_side *side, struct pass *out, bool is_compared)
{
    char error[256] = "";
    findings_begin(&out->findings, judge, LAB_TIMED);
    const bool is_loaded = judge_side_load(side, error, sizeof error);
    if (is_close) /* not before memory is allocated: much of it is written by blocks that are not in the sample */
        vgpu_set_check(VGPU_CHECK_FULL);
    if (is_loaded && is_compared)
        sums_begin(side);
    const bool is_done = is_loaded && pass_run(out, side, error, sizeof error);
    sums_end(out->doubt, sizeof out->doubt);
    findings_end(&out->findings);
    if (!is_done)
        pass_explain_stop(out, is_loaded, error);
    return is_done;
}

/* Whose blocks are executed, on which inputs. */
struct sampled {
    const struct judge_code *code;
    const char *name; /* of the segment */
    uint64_t seed;    /* of the inputs */
};

static struct sampled of_student(const struct judge *judge)
{
    return (struct sampled){&judge->student, judge->slot, lab_seed(judge->seed, LAB_TIMED)};
}

/* All blocks, or some of them. */
static bool run_pass(struct judge *judge, const struct sampled *what, bool is_whole, struct pass *out)
{
    const struct judge_code *code = what->code;
    const bool is_students = code == &judge->student;
    struct judge_side side = {.code = code};
    bool is_done = false;
    out->one = (struct lab_outcome){.which = LAB_TIMED, .is_right = true};
    if (!judge_find_segment(judge, code, what->name, &out->one, &side.segment))
        return false;
    lab_begin_run(&side.run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), what->seed);
    out->run = side.run;
    vgpu_set_garbage(0); /* in memory of a gigabyte it would take longer than the kernels do */
    const char *problem = buffers_open(&side.run);
    if (!problem)
        problem = is_whole ? buffers_fill_device(&side.run) : buffers_fill_late(&side.run, true);
    vgpu_set_garbage(judge->seed | 1);
    if (problem)
        judge_fail(judge, "The buffers of the timed case could not be made: %s", problem);
    else
        is_done = replay(judge, &side, out, is_students && !is_whole);
    if (is_done && !is_close) {
        collect(out, &side.run);
        add_copies(out, &side.run, side.segment);
        count_stripes(out, &side.run, side.segment);
        if (!is_whole)
            compare(judge, out, &side.run);
        if (!is_whole && is_students)
            compare_carried(out, &side);
        if (is_students)
            compare_part(out, &side.run);
    }
    judge_side_close(&side);
    if (!is_done)
        cudaDeviceReset(); /* a fault ruins the context */
    return is_done;
}

/* ------------------------------------------------------------------------------------------- all of it */

bool sample_is_comparable(const struct judge *judge)
{
    struct lab_run run;
    lab_begin_run(&run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), 0);
    return !judge->stage->is_whole && (lab_element(&run) || lab_part(&run) || judge->lab->is_sum);
}

static bool run_whole(struct judge *judge, const struct sampled *what, struct pass *out)
{
    *out = (struct pass){.is_whole = true};
    pass_start_afresh();
    vgpu_set_use(true);
    vgpu_set_sample_seed(0);
    vgpu_set_work(pass_most_timed);
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    const bool is_done = run_pass(judge, what, true, out);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    return is_done;
}

bool sample_unseen(struct judge *judge, struct pass *out)
{
    const struct sampled what = of_student(judge);
    return run_whole(judge, &what, out);
}

/* What nobody will compare, nor ask for its time, is only looked at; unless it takes so long that it was ended. */
static bool run_sample(struct judge *judge, const struct sampled *what, struct pass *out)
{
    const bool is_looked_at = !sample_is_comparable(judge);
    *out = (struct pass){.is_whole = false};
    vgpu_set_use(!is_looked_at);
    vgpu_set_timed(!is_looked_at);
    bool is_done = run_pass(judge, what, false, out);
    vgpu_set_use(true);
    vgpu_set_timed(true);
    if (is_done && is_looked_at && out->findings.launches.is_partial) {
        pass_free(out);
        *out = (struct pass){.is_whole = false};
        is_done = run_pass(judge, what, false, out);
    }
    return is_done;
}

static bool sample_known(struct judge *judge, const struct sampled *what, struct pass *out)
{
    pass_start_afresh();
    vgpu_set_use(true);
    vgpu_set_sample_seed(lab_sample_seed(SCOUT_SEED));
    const bool is_done = run_sample(judge, what, out);
    vgpu_set_sample_seed(0);
    return is_done;
}

/* Where branches depend on the data, so does the kit's own time. Blocks are taken as those of a submission are, and as many: the
 * same kernel has the same time on both sides. */
bool sample_kits(struct judge *judge, const char *name, struct pass *out)
{
    const struct sampled what = {&judge->baseline, name, SCOUT_SEED};
    return sample_is_comparable(judge) ? sample_known(judge, &what, out) : run_whole(judge, &what, out);
}

bool sample_as_kits(struct judge *judge, struct pass *out)
{
    const struct sampled what = {&judge->student, judge->slot, SCOUT_SEED};
    return sample_known(judge, &what, out);
}

static bool has_streams(const struct judge *judge)
{
    const struct trace_segment *segment = trace_find(judge->student.trace, judge->slot, TRACE_TIMED);
    for (uint32_t k = 0; segment && k < segment->nops; k++)
        if (segment->ops[k].stream)
            return true;
    return false;
}

static const struct verdict_message *find_told(const struct judge *judge, uint32_t from,
                                               enum lab_symptom symptom)
{
    for (uint32_t i = from; i < judge->verdict->nmessages; i++)
        if (judge->verdict->messages[i].symptom == symptom &&
            verdict_is_finding(&judge->verdict->messages[i]))
            return &judge->verdict->messages[i];
    return NULL;
}

/* Of what was found since, one finding is kept. */
static void keep_told(struct judge *judge, uint32_t nmessages, const struct verdict_message *told)
{
    struct verdict_message kept = *told;
    kept.text = strdup(told->text ? told->text : "");
    judge_drop_messages(judge, nmessages);
    if (kept.text)
        verdict_add_message(judge->verdict, &kept);
    free(kept.text);
}

/* Loops that have one turn at smaller sizes may race in the next, and so may streams. Only inside blocks and between streams: what
 * blocks find in memory is not theirs alone. What streams do to the blocks of a sample they do to those of the whole. */
static void look_closer(struct judge *judge, const struct sampled *what, struct pass *out)
{
    const double *amounts = out->findings.covered.effort.amounts;
    struct pass closer = {.is_whole = false};
    const uint32_t nmessages = judge->verdict->nmessages;
    if (!(amounts[VGPU_SHARED_READ] + amounts[VGPU_SHARED_WRITTEN] > 0) && !has_streams(judge))
        return;
    vgpu_set_use(false);
    vgpu_set_timed(false);
    is_close = true;
    run_pass(judge, what, false, &closer);
    is_close = false;
    vgpu_set_check(VGPU_CHECK_BOUNDS);
    vgpu_set_timed(true);
    vgpu_set_use(true);
    const struct verdict_message *unordered = find_told(judge, nmessages, LAB_STREAMS);
    if (unordered && out->findings.told.symptom == LAB_NO_SYMPTOM) {
        out->findings.told.symptom = LAB_STREAMS;
        snprintf(out->findings.told.text, sizeof out->findings.told.text, "%s: %s", unordered->place,
                 unordered->title);
        keep_told(judge, nmessages, unordered);
    } else if (closer.findings.told.symptom == LAB_RACE && out->findings.told.symptom == LAB_NO_SYMPTOM) {
        out->findings.told.symptom = LAB_RACE;
        memcpy(out->findings.told.text, closer.findings.told.text, sizeof out->findings.told.text);
    } else {
        judge_drop_messages(judge, nmessages);
    }
    pass_free(&closer);
}

bool sample_student(struct judge *judge, struct pass *out)
{
    const struct sampled what = of_student(judge);
    pass_start_afresh();
    vgpu_set_use(true);
    vgpu_set_sample_seed(lab_sample_seed(judge->seed));
    const bool is_done = run_sample(judge, &what, out);
    if (is_done && !out->findings.launches.is_partial)
        look_closer(judge, &what, out);
    vgpu_set_sample_seed(0);
    return is_done;
}
