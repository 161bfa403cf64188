/* occupancy.c - see occupancy.h. How many blocks fit is core/gpu.c's business; changes are found by asking it. */
#include "profile/occupancy.h"

#include "base/number.h"

enum { WARP_THREADS = 32, LARGEST_BLOCK = 1024 };

static struct occupancy occupancy_of(const struct gpu *gpu, const struct occupancy_ask *ask)
{
    struct occupancy occupancy;
    gpu_occupancy(gpu, ask->registers, ask->shared_bytes, ask->threads, &occupancy);
    return occupancy;
}

/* ------------------------------------------------------------------------------------------- what would change it */

static bool holds_more(const struct gpu *gpu, const struct occupancy_ask *changed, uint32_t warps)
{
    return occupancy_of(gpu, changed).warps_per_sm > warps;
}

/* Of two block sizes equally far away the smaller: it is the one that fits more evenly. */
static bool find_threads(const struct gpu *gpu, const struct occupancy_ask *ask, uint32_t warps,
                         struct occupancy_ask *changed)
{
    const uint32_t own = (uint32_t)round_up(ask->threads, WARP_THREADS);
    for (uint32_t far = WARP_THREADS; far < LARGEST_BLOCK; far += WARP_THREADS)
        for (int side = 0; side < 2; side++) {
            const uint32_t threads = side ? own + far : own > far ? own - far : 0;
            *changed = *ask;
            changed->threads = threads;
            if (threads && threads <= LARGEST_BLOCK && holds_more(gpu, changed, warps))
                return true;
        }
    return false;
}

static bool find_registers(const struct gpu *gpu, const struct occupancy_ask *ask, uint32_t warps,
                           struct occupancy_ask *changed)
{
    *changed = *ask;
    while (changed->registers > 1) {
        changed->registers--;
        if (holds_more(gpu, changed, warps))
            return true;
    }
    return false;
}

/* Only where the allocation becomes smaller can anything change. */
static bool find_shared(const struct gpu *gpu, const struct occupancy_ask *ask, uint32_t warps,
                        struct occupancy_ask *changed)
{
    const uint32_t granule = gpu->shared_granule;
    uint32_t allocated = (uint32_t)round_up(ask->shared_bytes + gpu->shared_reserved, granule);
    *changed = *ask;
    while (allocated >= granule + gpu->shared_reserved) {
        allocated -= granule;
        changed->shared_bytes = allocated - gpu->shared_reserved;
        if (holds_more(gpu, changed, warps))
            return true;
    }
    return false;
}

bool occupancy_change(const struct gpu *gpu, const struct occupancy_ask *ask, enum occupancy_change change,
                      struct occupancy_ask *changed)
{
    static bool (*const find[OCCUPANCY_CHANGES])(const struct gpu *, const struct occupancy_ask *, uint32_t,
                                                 struct occupancy_ask *) = {
        [CHANGE_THREADS] = find_threads,
        [CHANGE_REGISTERS] = find_registers,
        [CHANGE_SHARED] = find_shared,
    };
    return find[change](gpu, ask, occupancy_of(gpu, ask).warps_per_sm, changed);
}

/* ------------------------------------------------------------------------------------------- JSON */

static void put_limit(struct json *json, const struct occupancy_limit *limit)
{
    json_object(json, NULL);
    json_text(json, "name", limit->name);
    json_text(json, "unit", limit->unit);
    json_count(json, "needs", limit->needs);
    json_count(json, "has", limit->has);
    if (limit->blocks == UINT32_MAX)
        json_null(json, "blocks");
    else
        json_count(json, "blocks", limit->blocks);
    json_end_object(json);
}

static void put_changes(struct json *json, const struct gpu *gpu, const struct occupancy_ask *ask)
{
    json_list(json, "changes");
    for (int change = 0; change < OCCUPANCY_CHANGES; change++) {
        struct occupancy_ask changed;
        if (!occupancy_change(gpu, ask, (enum occupancy_change)change, &changed))
            continue;
        const struct occupancy occupancy = occupancy_of(gpu, &changed);
        json_object(json, NULL);
        json_count(json, "threads", changed.threads);
        json_count(json, "registers", changed.registers);
        json_count(json, "shared_bytes", changed.shared_bytes);
        json_count(json, "blocks", occupancy.blocks_per_sm);
        json_count(json, "warps", occupancy.warps_per_sm);
        json_end_object(json);
    }
    json_end_list(json);
}

void occupancy_put(struct json *json, const struct profile *profile)
{
    const struct launch *launch = profile->launch;
    const struct gpu *gpu = launch->gpu;
    const struct occupancy_ask ask = {.registers = launch->kernel->registers,
                                      .shared_bytes = launch->kernel->shared_bytes + launch->dynamic_shared,
                                      .threads = launch->dim[0] * launch->dim[1] * launch->dim[2]};
    const struct occupancy occupancy = occupancy_of(gpu, &ask);
    json_object(json, "occupancy");
    json_count(json, "threads", ask.threads);
    json_count(json, "registers", ask.registers);
    json_count(json, "shared_bytes", ask.shared_bytes);
    json_count(json, "blocks", occupancy.blocks_per_sm);
    json_count(json, "warps", occupancy.warps_per_sm);
    json_count(json, "max_warps", gpu->max_warps);
    json_fixed(json, "active_warps", profile->estimate->active_warps, 2);
    json_text(json, "limiter", occupancy.limiter);
    json_list(json, "limits");
    for (size_t i = 0; i < OCCUPANCY_LIMITS; i++)
        put_limit(json, &occupancy.limits[i]);
    json_end_list(json);
    put_changes(json, gpu, &ask);
    json_end_object(json);
}
