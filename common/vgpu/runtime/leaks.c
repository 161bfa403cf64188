/* leaks.c - memory that is still there at the end, told by the lines that allocated it.
 * Under full checking only; device variables, registered memory and the device's heap do not count. */
#include "runtime/leaks.h"

#include <string.h>

#include "report/report.h"
#include "runtime/runtime.h"

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

void leaks_report(void)
{
    struct leaks leaks = {.count = 0};
    if (runtime_has_fault())
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
}

__attribute__((destructor)) static void finish(void)
{
    if (runtime_memory() && runtime_config()->check == CHECK_FULL)
        leaks_report();
}
