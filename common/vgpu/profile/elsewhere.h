/* elsewhere.h - one launch as if on every other GPU: the same blocks and the same traffic, with another GPU's units, clocks and
 * sizes. What its caches would keep is not known: for that it must run there. elsewhere.c. */
#ifndef VGPU_PROFILE_ELSEWHERE_H
#define VGPU_PROFILE_ELSEWHERE_H

#include "base/json.h"
#include "profile/profile.h"

/* The estimates are made in threads, while the caller goes on; the profile and its launch stay as they are meanwhile. */
struct elsewhere;
struct elsewhere *elsewhere_begin(const struct profile *profile); /* NULL: no memory */
/* Waits for them and writes all: the GPU that it is on, then those that have room for a block. Frees it; NULL: writes nothing. */
void elsewhere_put(struct json *json, struct elsewhere *elsewhere);

#endif
