/* timeline.c - see timeline.h. */
#include "model/timeline.h"

#include <stdlib.h>

#include "base/number.h"

struct timeline *timeline_new(uint32_t warps, uint32_t warps_per_block, uint64_t clock)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline)
        return NULL;
    timeline->warps = warps;
    timeline->warps_per_block = warps_per_block;
    timeline->clock = timeline->width = clock;
    timeline->bins = calloc((size_t)warps * TIMELINE_BINS, sizeof *timeline->bins);
    if (timeline->bins)
        return timeline;
    free(timeline);
    return NULL;
}

void timeline_free(struct timeline *timeline)
{
    if (timeline)
        free(timeline->bins);
    free(timeline);
}

static float *bin_of(const struct timeline *timeline, uint32_t warp, uint32_t bin)
{
    return timeline->bins[(size_t)warp * TIMELINE_BINS + bin];
}

/* Each two bins become one, and the second half is empty. */
static void widen(struct timeline *timeline)
{
    for (uint32_t warp = 0; warp < timeline->warps; warp++)
        for (uint32_t bin = 0; bin < TIMELINE_BINS; bin++)
            for (int kind = 0; kind < TIMELINE_KINDS; kind++)
                bin_of(timeline, warp, bin)[kind] =
                    2 * bin >= TIMELINE_BINS
                        ? 0
                        : bin_of(timeline, warp, 2 * bin)[kind] + bin_of(timeline, warp, 2 * bin + 1)[kind];
    timeline->width *= 2;
}

void timeline_note(struct timeline *timeline, uint32_t warp, uint8_t kind, uint64_t from, uint64_t length)
{
    const uint64_t to = from + length;
    while (to > timeline->width * TIMELINE_BINS)
        widen(timeline);
    for (uint64_t at = from; at < to;) {
        const uint64_t bin = at / timeline->width;
        const uint64_t end = smaller_of(to, (bin + 1) * timeline->width);
        bin_of(timeline, warp, (uint32_t)bin)[kind] += (float)(end - at);
        at = end;
    }
}

void timeline_start(struct timeline *timeline, uint32_t place, uint32_t number, uint64_t at)
{
    if (timeline->nstays < TIMELINE_STAYS)
        timeline->stays[timeline->nstays++] = (struct timeline_stay){place, number, at, UINT64_MAX};
}

void timeline_end(struct timeline *timeline, uint32_t place, uint64_t at)
{
    for (uint32_t i = timeline->nstays; i-- > 0;)
        if (timeline->stays[i].place == place && timeline->stays[i].to == UINT64_MAX) {
            timeline->stays[i].to = at;
            return;
        }
}

int timeline_most(const struct timeline *timeline, uint32_t warp, uint32_t bin)
{
    const float *parts = bin_of(timeline, warp, bin);
    int most = -1;
    for (int kind = 0; kind < TIMELINE_KINDS; kind++)
        if (parts[kind] > 0 && (most < 0 || parts[kind] > parts[most]))
            most = kind;
    return most;
}
