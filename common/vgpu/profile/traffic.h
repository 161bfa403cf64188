/* traffic.h - what a launch moved between its threads, L1, L2 and DRAM, for a chart: traffic.c. */
#ifndef VGPU_PROFILE_TRAFFIC_H
#define VGPU_PROFILE_TRAFFIC_H

#include "base/json.h"
#include "profile/profile.h"

/* As the member "traffic": in sectors of 32 bytes, what counters do not have. Hits and misses add up to what was asked for. */
void traffic_put(struct json *json, const struct launch *launch, const struct estimate *estimate);

#endif
