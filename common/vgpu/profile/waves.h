/* waves.h - blocks that do not fit on the GPU at once run in waves: waves.c finds a last one that is nearly empty. */
#ifndef VGPU_PROFILE_WAVES_H
#define VGPU_PROFILE_WAVES_H

#include "vgpu.h"

struct waves {
    double blocks, at_once; /* of the grid; that fit on the GPU */
    double last;            /* blocks of the last wave */
    unsigned count;
    bool is_idle; /* most SMs have no block in the last wave */
};

/* True if a launch that only waits has few waves, the last of which has few blocks. */
bool waves_end_poorly(const struct vgpu_launch *launch, struct waves *out);
/* The launch's limiter; "tail" where such a wave leaves most SMs idle. */
const char *waves_limiter(const struct vgpu_launch *launch);

#endif
