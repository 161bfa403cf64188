/* launch.c - small things that blocks and handlers ask of their launch: faults, coordinates, output.
 * Nothing here takes a lock: a fault is kept with its block, and the grid collects it in block order. */
#include "base/list.h"
#include "core/warp.h"

enum step launch_fault(struct warp *warp, int cuda_error)
{
    if (!warp->block->state->fault)
        warp->block->state->fault = cuda_error;
    return STEP_FAULT;
}

void launch_mark_fault(struct warp *warp, int cuda_error)
{
    if (!warp->block->state->marked_fault)
        warp->block->state->marked_fault = cuda_error;
}

void thread_coordinates(const struct launch *launch, uint32_t thread, uint32_t out[3])
{
    out[0] = thread % launch->dim[0];
    out[1] = thread / launch->dim[0] % launch->dim[1];
    out[2] = thread / launch->dim[0] / launch->dim[1];
}

char *output_reserve(struct output *output, size_t more)
{
    char *text = list_reserve(output->text, &output->capacity, output->size + more, 1);
    if (!text)
        return NULL;
    output->text = text;
    return text + output->size;
}
