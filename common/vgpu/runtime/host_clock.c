/* host_clock.c - the host's clocks as the program reads them (chrono, clock_gettime, gettimeofday, clock).
 * They run as everywhere; but what they show around a kernel is how long its emulation took. Who times kernels with them is
 * told so at the end. With VGPU_CLOCK=virtual the program's own work takes its real time, and calls of the runtime take what
 * they take on the virtual clock.
 * These are libc's functions, defined once more: libraries that the program loads find them here as well. Weak, so that a
 * program that is linked statically can still have libc's. */
#define _GNU_SOURCE
#include "runtime/host_clock.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/clock.h"

typedef int clock_gettime_fn(clockid_t which, struct timespec *out);

#define NS_PER_S 1000000000ll

static atomic_bool has_read, has_launched, has_timed;

/* ------------------------------------------------------------------------------------------- what is noted */

void host_clock_launched(void)
{
    has_launched = true;
}

static void note_read(void)
{
    if (has_launched && has_read)
        has_timed = true;
    has_launched = false;
    has_read = true;
}

__attribute__((destructor)) static void tell(void)
{
    if (!has_timed || runtime_config()->is_clock_virtual || runtime_config()->check == CHECK_OFF)
        return;
    fflush(stdout);
    fputs("vgpu: note: the program timed kernels with the host's clock, which shows how long their emulation "
          "took. With VGPU_CLOCK=virtual it shows a GPU's time, as cudaEventElapsedTime always does.\n",
          stderr);
}

/* ------------------------------------------------------------------------------------------- the clocks */

static int real_clock(clockid_t which, struct timespec *out)
{
    static clock_gettime_fn *real;
    if (!real)
        real = (clock_gettime_fn *)dlsym(RTLD_NEXT, "clock_gettime");
    return real ? real(which, out) : (int)syscall(SYS_clock_gettime, which, out);
}

/* Clocks that count seconds of the day or since the start; the others count what a process has used. */
static bool is_wall_clock(clockid_t which)
{
    static const clockid_t wall[] = {
        CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
        CLOCK_BOOTTIME, CLOCK_TAI};
    for (size_t i = 0; i < sizeof wall / sizeof wall[0]; i++)
        if (wall[i] == which)
            return true;
    return false;
}

/* What the virtual clock is ahead of the time that the emulation took. */
static int64_t ahead_ns(void)
{
    return runtime_config()->is_clock_virtual ? (int64_t)(clock_host() / 1000) - (int64_t)runtime_busy_ns()
                                              : 0;
}

static void shift(struct timespec *time, int64_t ns)
{
    const int64_t all = time->tv_sec * NS_PER_S + time->tv_nsec + ns;
    time->tv_sec = all / NS_PER_S;
    time->tv_nsec = all % NS_PER_S;
}

__attribute__((weak)) int clock_gettime(clockid_t which, struct timespec *out)
{
    const int status = real_clock(which, out);
    if (status != 0 || !is_wall_clock(which))
        return status;
    note_read();
    shift(out, ahead_ns());
    return 0;
}

__attribute__((weak)) int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec time;
    (void)zone; /* has had no meaning for decades */
    if (clock_gettime(CLOCK_REALTIME, &time) != 0)
        return -1;
    *out = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

__attribute__((weak)) int timespec_get(struct timespec *out, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

/* The process's own time; several threads emulate, so that the virtual clock may be far behind it. */
__attribute__((weak)) clock_t clock(void)
{
    struct timespec time;
    if (runtime_config()->is_clock_virtual) {
        static int64_t first_ns;
        real_clock(CLOCK_MONOTONIC, &time);
        shift(&time, ahead_ns());
        const int64_t now_ns = time.tv_sec * NS_PER_S + time.tv_nsec;
        first_ns = first_ns ? first_ns : now_ns;
        note_read();
        return (clock_t)((now_ns - first_ns) / (NS_PER_S / CLOCKS_PER_SEC));
    }
    if (real_clock(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
        return (clock_t)-1;
    note_read();
    return (clock_t)((time.tv_sec * NS_PER_S + time.tv_nsec) / (NS_PER_S / CLOCKS_PER_SEC));
}
