/* volume.c - bytes read and written at the timed size, from counters and from the recording.
 * Errs on the side of the submission: sectors count as a whole, repeated reads count again, and half is enough.
 * Pure: no CUDA, no output. */
#include "grader/judge/volume.h"

#include <math.h>
#include <string.h>

static const double enough = 0.5;

/* Counters that move bytes, and how many each unit stands for. */
static const struct mover {
    const char *counter;
    double read, written;
} movers[] = {{"global_load_sectors", 32, 0},
              {"texture_sectors", 32, 0},
              {"const_words", 4, 0},
              {"global_store_sectors", 0, 32},
              {"global_atomic_sectors", 32, 32}};

static double counter(const struct findings_launches *launches, const char *name)
{
    for (size_t i = 0; i < launches->ncounters; i++)
        if (!strcmp(launches->names[i], name))
            return launches->values[i];
    return 0;
}

struct volume volume_of(const struct trace_segment *segment, const struct findings_launches *launches)
{
    struct volume volume = {0};
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        const double units = counter(launches, movers[i].counter);
        volume.read += units * movers[i].read;
        volume.written += units * movers[i].written;
    }
    for (uint32_t i = 0; i < segment->nops; i++) {
        const struct trace_op *op = &segment->ops[i];
        const double bytes = (double)op->width * (double)op->height;
        if (op->kind != TRACE_LAUNCH && op->from.space == TRACE_GIVEN)
            volume.read += bytes;
        if (op->kind != TRACE_LAUNCH && op->to.space == TRACE_GIVEN)
            volume.written += bytes;
    }
    return volume;
}

struct volume volume_needed(const struct lab_run *run, const struct volume *reference)
{
    struct volume needed = {0};
    for (int i = 0; i < run->nbuffers; i++) {
        const double bytes = (double)lab_buffer_bytes(&run->buffers[i]);
        needed.read += run->buffers[i].role == LAB_IN ? bytes : 0;
        needed.written += run->buffers[i].role == LAB_OUT ? bytes : 0;
    }
    return (struct volume){fmin(needed.read, reference->read), fmin(needed.written, reference->written)};
}

static bool judge_part(double found, double needed, enum lab_symptom symptom, const char *what,
                       struct verdict_case *one)
{
    if (found >= enough * needed)
        return true;
    one->is_right = false;
    one->symptom = symptom;
    snprintf(one->text, sizeof one->text,
             "At the size that is timed, the kernels %s only %.0f of at least %.0f bytes.", what, found,
             needed);
    return false;
}

bool volume_is_enough(const struct volume *found, const struct volume *needed, struct verdict_case *one)
{
    return judge_part(found->written, needed->written, LAB_PARTLY, "write", one) &&
           judge_part(found->read, needed->read, LAB_WRONG, "read", one);
}
