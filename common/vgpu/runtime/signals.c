/* signals.c - host code that follows a device pointer: the fault is recognised and explained.
 * Device addresses lie in a reserved range without access, so such code faults at once; any other fault is none of our
 * business and goes to whoever handled it before.
 * The handler runs on a stack of its own, since the fault may have been met anywhere. */
#define _GNU_SOURCE /* the names of registers in a signal's context */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "report/names.h"
#include "report/report.h"
#include "runtime/signals.h"

enum { HANDLER_STACK = 256 << 10, MAX_CHAIN = 32 };

static struct memory *const *device_memory;
static struct sigaction previous[2];
static const int signals[2] = {SIGSEGV, SIGBUS};

/* Where the fault happened; NULL where we do not know how a context is laid out. */
static void *fault_place(const void *context)
{
    const ucontext_t *user = context;
#if defined(__aarch64__)
    return (void *)(uintptr_t)user->uc_mcontext.pc;
#elif defined(__x86_64__)
    return (void *)(uintptr_t)user->uc_mcontext.gregs[REG_RIP];
#else
    (void)user;
    return NULL;
#endif
}

/* The chain of callers from the fault outwards. Frames are return addresses, hence one past the faulting place. */
static size_t fault_frames(void **frames, size_t count, const void *context)
{
    void *chain[MAX_CHAIN], *place = fault_place(context);
    int length = backtrace(chain, MAX_CHAIN), start = 0;
    while (start < length && place && chain[start] != place)
        start++;
    size_t used = 0;
    if (place)
        frames[used++] = (char *)place + 1;
    for (int i = start < length ? start + (place != NULL) : 2; i < length && used < count; i++)
        frames[used++] = chain[i];
    return used;
}

static void explain(uint64_t address, const void *context)
{
    void *frames[ALLOC_FRAMES] = {NULL};
    size_t count = fault_frames(frames, ALLOC_FRAMES, context);
    const struct allocation *near = memory_nearest(*device_memory, address);
    char made[300] = "", where[500] = "";
    if (near && address - near->base < near->size) {
        bool is_known = host_line(near->frames, ALLOC_FRAMES, made, sizeof made);
        snprintf(where, sizeof where, ", %llu bytes into an allocation of %llu bytes%s%s%s",
                 (unsigned long long)(address - near->base), (unsigned long long)near->size,
                 near->is_freed ? " that has been freed" : "", is_known ? " made at " : "",
                 is_known ? made : "");
    }
    report_host(VGPU_DEVICE_POINTER_ON_HOST, frames, count, NULL,
                "host code reads or writes the device address 0x%llx%s", (unsigned long long)address, where);
}

static int index_of(int number)
{
    return number == SIGBUS;
}

/* Returning repeats the access, which then meets the handler that was there before, or ends the program. */
static void handle(int number, siginfo_t *info, void *context)
{
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    struct sigaction fallback = previous[index_of(number)];
    if (info->si_code > 0 && memory_is_device_address(*device_memory, address)) {
        explain(address, context);
        memset(&fallback, 0, sizeof fallback);
        fallback.sa_handler = SIG_DFL;
    }
    sigaction(number, &fallback, NULL);
    if (info->si_code <= 0)
        raise(number); /* it was sent, not met: it would not come again by itself */
}

static void give_stack(void)
{
    stack_t stack, current;
    if (sigaltstack(NULL, &current) == 0 && !(current.ss_flags & SS_DISABLE))
        return;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = malloc(HANDLER_STACK);
    stack.ss_size = HANDLER_STACK;
    if (stack.ss_sp && sigaltstack(&stack, NULL) != 0)
        free(stack.ss_sp);
}

void signals_install(struct memory *const *memory)
{
    struct sigaction action;
    void *warm[2];
    backtrace(warm, 2); /* loads the unwinder now: in a handler it might have to allocate */
    give_stack();
    device_memory = memory;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &action, &previous[i]);
}
