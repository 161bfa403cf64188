/* real_time.h - the machine's own time, whatever clock_gettime() has been made to say (runtime/host_clock.c). */
#ifndef BASE_REAL_TIME_H
#define BASE_REAL_TIME_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t real_ns(void)
{
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
