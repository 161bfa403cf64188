/* late.c - see late.h. A bit per group of bytes tells whether they are there; who finds that they are not makes them under a lock, so
 * that nobody's store is overwritten by another thread that has come to the same group. */
#include "memory/late.h"

#include <pthread.h>
#include <stdlib.h>

enum { GROUP = 256, BITS = 64 };

struct late {
    vgpu_fill_fn *fill;
    void *context;
    int which;
    uint64_t there[]; /* a bit per group */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool late_begin(struct allocation *a, vgpu_fill_fn *fill, void *context, int which)
{
    const uint64_t words = a->size / GROUP / BITS + 1;
    struct late *late = calloc(1, sizeof *late + words * sizeof *late->there);
    if (!late)
        return false;
    free(a->late);
    late->fill = fill;
    late->context = context;
    late->which = which;
    a->late = late;
    return true;
}

static void look(struct allocation *a, void *context)
{
    *(bool *)context |= a->late != NULL;
}

bool late_is_used(const struct memory *memory)
{
    bool is_used = false;
    memory_each(memory, look, &is_used);
    return is_used;
}

static bool is_there(const struct late *late, uint64_t group)
{
    return __atomic_load_n(&late->there[group / BITS], __ATOMIC_ACQUIRE) >> group % BITS & 1;
}

static void make_group(const struct allocation *a, uint64_t group)
{
    struct late *late = a->late;
    const uint64_t offset = group * GROUP, left = a->size - offset;
    pthread_mutex_lock(&lock);
    if (!is_there(late, group)) {
        late->fill(late->context, late->which, offset, left < GROUP ? left : GROUP, a->host + offset);
        __atomic_fetch_or(&late->there[group / BITS], UINT64_C(1) << group % BITS, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

bool late_make(struct allocation *a, uint64_t address, uint64_t bytes)
{
    const uint64_t offset = address - a->base, last = (offset + (bytes ? bytes - 1 : 0)) / GROUP;
    bool has_made = false;
    for (uint64_t group = offset / GROUP; group <= last; group++)
        if (!is_there(a->late, group)) {
            make_group(a, group);
            has_made = true;
        }
    return has_made;
}
