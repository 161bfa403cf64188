/* references.c - see references.h. The CPU's time is that of the reference that results are compared with: not tuned. CUB's call is
 * bench/lab10.cu's. */
#include "references.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lab/library.h"

#pragma weak library_call
#pragma weak library_name

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void print_line(const char *name, double us)
{
    printf("  %-34s %12.2f us\n", name, us);
}

static void time_on_cpu(const struct lab_run *run)
{
    void *expected = malloc(lab_buffer_bytes(&run->buffers[0]));
    if (!expected)
        return;
    lab_reference(run, 0, expected); /* pages are there before the clock runs */
    const double begin = now_us();
    lab_reference(run, 0, expected);
    print_line("CPU, one core, the kit's check", now_us() - begin);
    free(expected);
}

static void call_library(void *context)
{
    library_call(context);
}

static void call_stage(void *context)
{
    const struct lab_run *run = context;
    run->lab->call(run);
}

void references_print(const struct lab_run *run, lab_timer_fn *timer)
{
    struct lab_run own = *run;
    time_on_cpu(run);
    if (!timer)
        printf("  CUB is measured on a GPU only\n");
    else if (!library_call)
        printf("  CUB is measured with the instructor's kit only\n");
    else if (!library_call(run))
        printf("  CUB does not have this task\n");
    else {
        const double library = timer(call_library, &own), stage = timer(call_stage, &own);
        if (library <= 0 || stage <= 0)
            return;
        print_line("GPU, CUB", library);
        printf("  %s has %.0f %% of CUB's speed\n", run->stage->id, 100 * library / stage);
    }
}
