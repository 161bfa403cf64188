/* handles.c - streams, events, graphs, textures and registered memory that are there, with the host lines that made them.
 * Only for those who ask what was left behind: nothing here knows what a handle means. */
#include "runtime/handles.h"

#include <stdlib.h>

#include "report/report.h"
#include "runtime/runtime.h"

static const struct {
    const char *word, *call;
} kinds[HANDLE_KINDS] = {
    [HANDLE_STREAM] = {"a stream is made", "cudaStreamDestroy"},
    [HANDLE_EVENT] = {"an event is made", "cudaEventDestroy"},
    [HANDLE_GRAPH] = {"a graph is made", "cudaGraphDestroy"},
    [HANDLE_EXEC] = {"a graph is made ready to run", "cudaGraphExecDestroy"},
    [HANDLE_TEXTURE] = {"a texture object is made", "cudaDestroyTextureObject"},
    [HANDLE_SURFACE] = {"a surface object is made", "cudaDestroySurfaceObject"},
    [HANDLE_PINNED] = {"host memory is registered", "cudaHostUnregister"},
};

static struct handle *handles; /* the last one first */
static uint64_t last;

const char *handle_word(enum handle_kind kind)
{
    return kinds[kind].word;
}

const char *handle_call(enum handle_kind kind)
{
    return kinds[kind].call;
}

void handle_made(enum handle_kind kind, uint64_t value)
{
    struct handle *handle = calloc(1, sizeof *handle);
    if (!handle)
        return;
    handle->kind = kind;
    handle->value = value;
    report_frames(handle->frames, ALLOC_FRAMES);
    runtime_lock();
    handle->serial = ++last;
    handle->next = handles;
    handles = handle;
    runtime_unlock();
}

void handle_gone(enum handle_kind kind, uint64_t value)
{
    runtime_lock();
    struct handle **link = &handles, *found;
    while (*link && ((*link)->kind != kind || (*link)->value != value))
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    runtime_unlock();
    free(found);
}

void handles_forget(void)
{
    runtime_lock();
    while (handles) {
        struct handle *first = handles;
        handles = first->next;
        free(first);
    }
    runtime_unlock();
}

uint64_t handles_last(void)
{
    runtime_lock();
    const uint64_t serial = last;
    runtime_unlock();
    return serial;
}

void handles_each(uint64_t since, void (*visit)(const struct handle *handle, void *context), void *context)
{
    runtime_lock();
    for (const struct handle *handle = handles; handle && handle->serial > since; handle = handle->next)
        visit(handle, context);
    runtime_unlock();
}
