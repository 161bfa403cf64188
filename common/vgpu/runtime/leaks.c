/* leaks.c - memory and handles that are still there at the end, told by the lines that made them.
 * Under full checking only; device variables and the device's heap do not count. A program that ends because a call was refused
 * gave nothing back for that reason: of it nothing is told. */
#define _GNU_SOURCE
#include "runtime/leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "runtime/handles.h"
#include "runtime/runtime.h"

static int exit_status;

static void keep_status(int status, void *context)
{
    (void)context;
    exit_status = status;
}

__attribute__((constructor)) static void begin(void)
{
    on_exit(keep_status, NULL);
}

struct leak {
    const struct allocation *first;
    uint64_t count, bytes;
};
enum { MAX_LEAKS = 64 };
struct leaks {
    struct leak places[MAX_LEAKS];
    size_t count;
};

static bool is_leakable(const struct allocation *allocation)
{
    return !allocation->name && !allocation->is_registered && allocation->kind != ALLOC_SYMBOL &&
           allocation->kind != ALLOC_CONST && allocation->kind != ALLOC_HEAP;
}

static void add_leak(struct allocation *allocation, void *context)
{
    struct leaks *leaks = context;
    size_t i = 0;
    if (!is_leakable(allocation))
        return;
    while (i < leaks->count &&
           memcmp(leaks->places[i].first->frames, allocation->frames, sizeof allocation->frames))
        i++;
    if (i == MAX_LEAKS)
        return;
    if (i == leaks->count)
        leaks->places[leaks->count++] = (struct leak){.first = allocation};
    leaks->places[i].count++;
    leaks->places[i].bytes += allocation->size;
}

/* Handles that one line made. */
struct lost {
    struct handle first; /* a copy */
    uint64_t count;
};
struct losts {
    struct lost places[MAX_LEAKS];
    size_t count;
};

static void add_lost(const struct handle *handle, void *context)
{
    struct losts *losts = context;
    size_t i = 0;
    while (i < losts->count && memcmp(losts->places[i].first.frames, handle->frames, sizeof handle->frames))
        i++;
    if (i == MAX_LEAKS)
        return;
    if (i == losts->count)
        losts->places[losts->count++].first = *handle;
    losts->places[i].count++;
}

static void report_losts(void)
{
    struct losts losts = {.count = 0};
    handles_each(0, add_lost, &losts);
    for (size_t i = 0; i < losts.count; i++) {
        const struct lost *lost = &losts.places[i];
        char cause[80], more[60] = "";
        snprintf(cause, sizeof cause, "a %s is missing", handle_call(lost->first.kind));
        if (lost->count > 1)
            snprintf(more, sizeof more, " and %llu more", (unsigned long long)(lost->count - 1));
        report_host(VGPU_HANDLE_LEAK, lost->first.frames, ALLOC_FRAMES, cause,
                    "%s here%s, and never given back", handle_word(lost->first.kind), more);
    }
}

void leaks_report(void)
{
    struct leaks leaks = {.count = 0};
    if (runtime_has_fault() || runtime_has_refused() || exit_status)
        return; /* a program that stops at an error has other worries */
    memory_each(runtime_memory(), add_leak, &leaks);
    for (size_t i = 0; i < leaks.count; i++) {
        const struct leak *leak = &leaks.places[i];
        report_host(VGPU_LEAK, leak->first->frames, ALLOC_FRAMES,
                    leak->first->kind == ALLOC_PINNED  ? "a cudaFreeHost is missing"
                    : leak->first->kind == ALLOC_ARRAY ? "a cudaFreeArray is missing"
                                                       : "a cudaFree is missing",
                    "%llu allocation%s made here, %llu bytes in all, still live at the end",
                    (unsigned long long)leak->count, leak->count == 1 ? "" : "s",
                    (unsigned long long)leak->bytes);
    }
    report_losts();
}

__attribute__((destructor)) static void finish(void)
{
    if (runtime_memory() && runtime_config()->check == CHECK_FULL)
        leaks_report();
}
