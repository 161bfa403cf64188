/* words.h - what the names of limits and waits mean, and what can be done: words.c. */
#ifndef VGPU_PROFILE_WORDS_H
#define VGPU_PROFILE_WORDS_H

#include "vgpu.h"

struct limit_words {
    const char *name; /* the limiter's */
    const char *what; /* what follows "Limited by " */
    const char *advice;
    bool is_of_lanes; /* inactive lanes make it longer */
};

/* Of a limiter; never NULL. */
const struct limit_words *words_of_limit(const char *limiter);
/* What to try, for a unit that is busy for a part of the time; is_needed: nothing that it does could be left out. */
const char *words_of_advice(const char *limiter, double busy, bool is_needed);
/* "waiting for shared memory", of what warps spend their time on. */
const char *words_of_spent(enum vgpu_spent spent);

/* Nsight Compute's name of what a counter counts; NULL: it has none. */
const char *metric_of_counter(const char *counter);

#endif
