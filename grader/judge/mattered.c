/* mattered.c - see mattered.h. */
#include "grader/judge/mattered.h"

#include <stdio.h>
#include <string.h>

static const char used[] = "used_", idle[] = "idle_", own[] = "own.";

static bool begins(const char *name, const char *word)
{
    return name && strncmp(name, word, strlen(word)) == 0;
}

static bool is_asked(const char *name)
{
    return name && (begins(name, used) || begins(name, idle) || strchr(name, '.'));
}

/* Whose bounds ask. A given stage has none: it is counted as the next one, which is compared with it. */
static const struct lab_stage *asking_stage(const struct judge *judge)
{
    const struct lab_stage *stage = judge->stage, *end = judge->lab->stages + judge->lab->nstages;
    return stage->is_given && stage + 1 < end ? stage + 1 : stage;
}

static bool is_followed(const struct lab_stage *stage)
{
    for (int i = 0; i < LAB_BOUNDS && stage->bounds[i].counter; i++)
        if (is_asked(stage->bounds[i].counter) || is_asked(stage->bounds[i].per) ||
            is_asked(stage->bounds[i].minus))
            return true;
    return false;
}

bool mattered_begin(const struct judge *judge, const struct judge_side *side, uint32_t which)
{
    if (!judge || which != LAB_TIMED || side->code != &judge->student || !is_followed(asking_stage(judge)))
        return false;
    vgpu_follow(true);
    return true;
}

/* The number of an input among those that are on the device; -1: it is none. */
static int number_of(const struct lab_run *run, int index)
{
    int number = 0;
    for (int i = 0; i < index; i++)
        number += run->buffers[i].role == LAB_IN && !run->buffers[i].is_host;
    const bool is_input = run->buffers[index].role == LAB_IN && !run->buffers[index].is_host;
    return is_input && number < VGPU_FOLLOWED_INPUTS ? number : -1;
}

void mattered_end(const struct judge_side *side, struct vgpu_mattered *out)
{
    uint64_t outputs[LAB_BUFFERS], inputs[LAB_BUFFERS];
    struct vgpu_wanted wanted = {.outputs = outputs, .inputs = inputs};
    for (int i = 0; i < side->run.nbuffers; i++) {
        const struct lab_buffer *buffer = &side->run.buffers[i];
        const uint64_t address = (uint64_t)(uintptr_t)buffer->device;
        if (buffer->role == LAB_OUT && (buffer->is_host || buffer->is_said))
            wanted.host_reads = true;
        else if (buffer->role == LAB_OUT)
            outputs[wanted.noutputs++] = address;
        if (number_of(&side->run, i) >= 0)
            inputs[wanted.ninputs++] = address;
    }
    vgpu_mattered(&wanted, out);
}

/* ------------------------------------------------------------------------------------------- by name */

static double value(const struct vgpu_mattered *mattered, const double *values, const char *name)
{
    static const struct {
        const char *name, *parts[3];
    } sums[] = {
        {"requests_in", {"global_load_requests", "global_atomic_requests", "texture_requests"}},
        {"sectors_in", {"global_load_sectors", "global_atomic_sectors", "texture_sectors"}},
        {"sectors_out", {"global_store_sectors", "global_atomic_sectors"}},
        {"shared_requests_in", {"shared_load_requests", "shared_atomic_requests"}},
        {"shared_in", {"shared_load_wavefronts", "shared_atomic_wavefronts"}},
        {"shared_out", {"shared_store_wavefronts", "shared_atomic_wavefronts"}},
    };
    double sum = 0;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        for (int k = 0; k < 3 && !strcmp(sums[i].name, name); k++)
            sum += sums[i].parts[k] ? value(mattered, values, sums[i].parts[k]) : 0;
    for (size_t i = 0; i < mattered->ncounters; i++)
        if (!strcmp(mattered->names[i], name))
            return values[i];
    return sum;
}

/* Of the source that the name begins with; NULL: there is no such input. */
static const double *of_source(const struct lab_run *run, const struct vgpu_mattered *mattered,
                               const char *name)
{
    const size_t length = strcspn(name, ".");
    if (begins(name, own))
        return mattered->own;
    for (int i = 0; i < run->nbuffers; i++)
        if (strlen(run->buffers[i].name) == length && !strncmp(run->buffers[i].name, name, length) &&
            number_of(run, i) >= 0)
            return mattered->of[number_of(run, i)];
    return NULL;
}

static void add(struct judge *judge, const struct lab_run *run, const struct vgpu_mattered *mattered,
                const struct mattered_source *source, const char *name)
{
    const char *dot = name ? strchr(name, '.') : NULL;
    if (!is_asked(name) || verdict_counter(judge->verdict, name))
        return;
    if (!strcmp(name, "idle_launches") || !strcmp(name, "idle_us"))
        verdict_add_counter(judge->verdict, name,
                            name[strlen("idle_")] == 'u' ? mattered->idle_us : mattered->idle_launches);
    else if (!strcmp(name, "used_us"))
        verdict_add_counter(judge->verdict, name,
                            source->count(source->context, "time_us") - mattered->idle_us);
    else if (!strcmp(name, "idle_lanes"))
        verdict_add_counter(judge->verdict, name,
                            mattered->is_known ? mattered->idle_lanes
                                               : 32 * source->count(source->context, "warp_instructions") -
                                                     source->count(source->context, "thread_instructions"));
    else if (!mattered->is_known)
        verdict_add_counter(judge->verdict, name,
                            source->count(source->context, dot ? dot + 1 : name + strlen(used)));
    else if (!dot)
        verdict_add_counter(judge->verdict, name, value(mattered, mattered->all, name + strlen(used)));
    else if (of_source(run, mattered, name))
        verdict_add_counter(judge->verdict, name, value(mattered, of_source(run, mattered, name), dot + 1));
}

void mattered_add(struct judge *judge, const struct lab_run *run, const struct vgpu_mattered *mattered,
                  const struct mattered_source *source)
{
    const struct lab_stage *stage = asking_stage(judge);
    for (int i = 0; i < LAB_BOUNDS && stage->bounds[i].counter; i++) {
        add(judge, run, mattered, source, stage->bounds[i].counter);
        add(judge, run, mattered, source, stage->bounds[i].per);
        add(judge, run, mattered, source, stage->bounds[i].minus);
    }
}
