/* words.c - the profiles of jobs, and how a job ended, in words. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "grader/sandbox/parts.h"

const struct sandbox_profile sandbox_compiler = {.name = "the compiler",
                                                 .is_isolated = true,
                                                 .sleep_s = 100,
                                                 .cpu_s = 60,
                                                 .processes = 128,
                                                 .output_bytes = MIB,
                                                 .file_bytes = 64 * MIB,
                                                 .room_bytes = 1024 * MIB,
                                                 .data_bytes = 4096 * MIB,
                                                 .memory_bytes = 6144 * MIB};
const struct sandbox_profile sandbox_scout = {.name = "the program",
                                              .is_isolated = true,
                                              .sleep_s = 10,
                                              .cpu_s = 8,
                                              .processes = 128,
                                              .output_bytes = MIB,
                                              .file_bytes = 64 * MIB,
                                              .room_bytes = 128 * MIB,
                                              .data_bytes = 2048 * MIB,
                                              .memory_bytes = 3072 * MIB};
const struct sandbox_profile sandbox_linker = {.name = "the linker",
                                               .is_isolated = true,
                                               .sleep_s = 60,
                                               .cpu_s = 30,
                                               .processes = 64,
                                               .output_bytes = MIB,
                                               .file_bytes = 256 * MIB,
                                               .room_bytes = 512 * MIB,
                                               .data_bytes = 4096 * MIB,
                                               .memory_bytes = 4096 * MIB};
/* The virtual GPU counts instructions, and those decide; its CPU time is only the last resort. */
const struct sandbox_profile sandbox_judge = {.name = "the judge",
                                              .is_isolated = true,
                                              .is_dark = true,
                                              .sleep_s = 120,
                                              .cpu_s = 600,
                                              .processes = 1024,
                                              .output_bytes = 16 * MIB,
                                              .file_bytes = 64 * MIB,
                                              .room_bytes = MIB,
                                              .data_bytes = 4096 * MIB,
                                              .memory_bytes = 8192 * MIB};
const struct sandbox_profile sandbox_gpu = {.name = "the judge on the GPU",
                                            .is_isolated = true,
                                            .has_gpu = true,
                                            .sleep_s = 180,
                                            .cpu_s = 150,
                                            .processes = 1024,
                                            .output_bytes = 16 * MIB,
                                            .file_bytes = 64 * MIB,
                                            .room_bytes = 64 * MIB};
const struct sandbox_profile sandbox_bare_gpu = {.name = "the judge on the GPU",
                                                 .sleep_s = 180,
                                                 .cpu_s = 150,
                                                 .output_bytes = 16 * MIB,
                                                 .file_bytes = 64 * MIB};
const struct sandbox_profile sandbox_make = {.name = "make",
                                             .sleep_s = 1800,
                                             .cpu_s = 1200,
                                             .output_bytes = MIB,
                                             .file_bytes = 1024 * MIB,
                                             .data_bytes = 8192 * MIB};

static const struct {
    int number;
    const char *words;
} signals[] = {
    {SIGSEGV, "it used a pointer that points nowhere (segmentation fault)"},
    {SIGBUS, "it used an address that cannot be used (bus error)"},
    {SIGABRT, "it gave up (abort: a failed assert, an exception that nobody caught, or memory freed twice)"},
    {SIGFPE, "it divided an integer by zero (arithmetic error)"},
    {SIGILL, "it ran into something that is no instruction; did a function end without return?"},
    {SIGTRAP, "it ran into a breakpoint; did a function end without return?"},
    {SIGKILL, "it was killed from outside; perhaps memory ran out"},
    {SIGXFSZ, "it wrote a file that is too large"},
    {SIGSYS, "it made a system call that is not allowed"},
    {SIGPIPE, "it wrote to a pipe that nobody reads"},
    {SIGTERM, "it was asked to end"},
};

static void describe_signal(int number, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (signals[i].number == number) {
            snprintf(out, size, "crashed: %s", signals[i].words);
            return;
        }
    }
    snprintf(out, size, "was ended by signal %d (%s)", number, strsignal(number));
}

void sandbox_describe(const struct sandbox_result *result, const struct sandbox_profile *profile, char *out,
                      size_t size)
{
    if (result->end == SANDBOX_EXITED)
        snprintf(out, size, "ended with status %d", result->status);
    else if (result->end == SANDBOX_SIGNAL)
        describe_signal(result->status, out, size);
    else if (result->end == SANDBOX_ASLEEP)
        snprintf(out, size, "was stopped: it had waited for %d s without an end", profile->sleep_s);
    else if (result->end == SANDBOX_CPU)
        snprintf(out, size, "was stopped: it had computed for %d s without an end", profile->cpu_s);
    else if (result->end == SANDBOX_MEMORY)
        snprintf(out, size, "was stopped: all of it together used more than %zu MB of memory",
                 profile->memory_bytes >> 20);
    else if (result->end == SANDBOX_FLOOD)
        snprintf(out, size, "was stopped: it printed more than %zu KB", profile->output_bytes >> 10);
    else if (result->end == SANDBOX_FAILED)
        snprintf(out, size, "did not run: %s", result->failure);
    else
        snprintf(out, size, "was interrupted");
}
