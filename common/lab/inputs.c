/* inputs.c - seeded inputs.
 * An element depends on the seed, the buffer's number and the element's index alone, so that any part of an
 * input can be made anywhere: on the host here, on a device in device.cu. */
#include "lab/element.h"
#include "lab/lab.h"

size_t lab_type_bytes(enum lab_type type)
{
    return element_bytes(type);
}

uint64_t lab_hash(uint64_t seed, uint64_t i)
{
    return element_hash(seed, i);
}

void lab_fill(const struct lab_run *run, int index, void *host)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    uint64_t seed = lab_hash(run->seed, (uint64_t)index);
    for (size_t i = 0; i < buffer->count; i++)
        element_store(buffer->type, host, i,
                      element_draw(buffer->type, element_hash(seed, i), buffer->low, buffer->high));
}
