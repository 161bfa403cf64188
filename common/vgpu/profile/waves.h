/* waves.h - blocks that do not fit on the GPU at once run in waves: waves.c finds a last one that is nearly empty. */
#ifndef VGPU_PROFILE_WAVES_H
#define VGPU_PROFILE_WAVES_H

#include "vgpu.h"

struct waves {
    double blocks, at_once; /* of the grid; that fit on the GPU */
    double last;            /* blocks of the last wave */
    unsigned count;
};

/* True if a launch that only waits has few waves, the last of which leaves most SMs idle. */
bool waves_end_poorly(const struct vgpu_launch *launch, struct waves *out);
/* The launch's limiter; "tail" where such a wave is why units are not busy. */
const char *waves_limiter(const struct vgpu_launch *launch);

#endif
