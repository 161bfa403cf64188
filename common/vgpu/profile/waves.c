/* waves.c - see waves.h. The model's limiter is that of an SM that is full; a last wave of a few blocks is short of everything,
 * and looks like latency there. */
#include "profile/waves.h"

#include <math.h>
#include <string.h>

enum { MOST_WAVES = 4 }; /* of more, the last one costs little */

static double counter(const struct vgpu_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->ncounters; i++)
        if (!strcmp(launch->names[i], name))
            return launch->values[i];
    return 0;
}

/* Limits that say no more than that warps wait. */
static bool is_wait(const char *limiter)
{
    static const char *const waits[] = {"latency", "barrier", "tail"};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (!strcmp(limiter, waits[i]))
            return true;
    return false;
}

bool waves_end_poorly(const struct vgpu_launch *launch, struct waves *out)
{
    const double few = 0.25;
    const unsigned *grid = launch->grid;
    *out = (struct waves){.blocks = (double)grid[0] * grid[1] * grid[2]};
    out->at_once = launch->profile ? counter(launch, "blocks_per_sm") * launch->profile->sms : 0;
    if (!is_wait(launch->limiter) || !(out->at_once >= 1) || out->blocks <= out->at_once ||
        out->blocks > MOST_WAVES * out->at_once)
        return false;
    out->count = (unsigned)ceil(out->blocks / out->at_once);
    out->last = out->blocks - (out->count - 1) * out->at_once;
    out->is_idle = out->last < 0.5 * launch->profile->sms;
    return out->last <= few * out->at_once;
}

const char *waves_limiter(const struct vgpu_launch *launch)
{
    struct waves waves;
    return waves_end_poorly(launch, &waves) && waves.is_idle ? "tail" : launch->limiter;
}
