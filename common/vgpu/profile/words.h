/* words.h - what the names of limits and waits mean: words.c. */
#ifndef VGPU_PROFILE_WORDS_H
#define VGPU_PROFILE_WORDS_H

#include "vgpu.h"

struct limit_words {
    const char *name; /* the limiter's */
    const char *what; /* what follows "Limited by " */
};

/* Of a limiter; never NULL. */
const struct limit_words *words_of_limit(const char *limiter);
/* "waiting for shared memory", of what warps spend their time on. */
const char *words_of_spent(enum vgpu_spent spent);

/* That times and counters come from a sample of the blocks; false: all were executed. */
bool words_of_sample(const struct vgpu_launch *launch, char *out, size_t size);

/* Nsight Compute's name of what a counter counts; NULL: it has none. */
const char *metric_of_counter(const char *counter);

#endif
