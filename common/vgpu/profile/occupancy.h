/* occupancy.h - how many blocks an SM holds, what keeps it from holding more, and what would change that: occupancy.c. */
#ifndef VGPU_PROFILE_OCCUPANCY_H
#define VGPU_PROFILE_OCCUPANCY_H

#include "base/json.h"
#include "core/gpu.h"
#include "profile/profile.h"

/* What a launch asks of an SM. */
struct occupancy_ask {
    uint32_t registers, shared_bytes, threads; /* of a thread; of a block */
};

/* One of these changed, so that more warps fit. */
enum occupancy_change { CHANGE_THREADS, CHANGE_REGISTERS, CHANGE_SHARED, OCCUPANCY_CHANGES };

/* The smallest change of one figure, the others as they are, with which an SM holds more warps: fewer registers, fewer bytes, or
 * another number of threads. False: there is none. */
bool occupancy_change(const struct gpu *gpu, const struct occupancy_ask *ask, enum occupancy_change change,
                      struct occupancy_ask *changed);

/* As the member "occupancy". */
void occupancy_put(struct json *json, const struct profile *profile);

#endif
