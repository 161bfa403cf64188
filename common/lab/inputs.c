/* inputs.c - seeded inputs.
 * An element depends on the seed, the buffer's number and the element's index alone, so that any part of an
 * input can be made anywhere: on the host here, on a device in device.cu. */
#include <string.h>

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

uint64_t lab_seed(uint64_t seed, uint64_t number)
{
    return lab_hash(seed, number) >> 33;
}

uint64_t lab_sample_seed(uint64_t seed)
{
    return lab_hash(seed, LAB_TIMED) | 1;
}

uint64_t lab_garbage(uint64_t seed)
{
    return lab_hash(seed, 0) | 1;
}

/* Bits of element i of an input. */
static uint64_t draw(const struct lab_run *run, int index, uint64_t seed, size_t i)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    return buffer->make ? (uint64_t)buffer->make(run, seed, i)
                        : element_draw(buffer->type, element_hash(seed, i), buffer->low, buffer->high);
}

/* A loop for each type: inlined with a type that is known, it draws several elements at a time. */
__attribute__((always_inline)) static inline void draw_all(const struct lab_buffer *buffer,
                                                           enum lab_type type, uint64_t seed, size_t first,
                                                           size_t count, void *host)
{
    const double low = buffer->low, high = buffer->high;
    const uint64_t span = element_span(low, high), begin = (uint64_t)(int64_t)low;
    if (!element_is_real(type) && span && span <= UINT32_MAX)
        for (size_t i = 0; i < count; i++)
            element_store(type, host, i, begin + ((element_hash(seed, first + i) >> 32) * span >> 32));
    else
        for (size_t i = 0; i < count; i++)
            element_store(type, host, i, element_draw(type, element_hash(seed, first + i), low, high));
}

static void draw_part(const struct lab_buffer *buffer, uint64_t seed, size_t first, size_t count, void *host)
{
    if (buffer->type == LAB_FLOAT)
        draw_all(buffer, LAB_FLOAT, seed, first, count, host);
    else if (buffer->type == LAB_DOUBLE)
        draw_all(buffer, LAB_DOUBLE, seed, first, count, host);
    else if (element_bytes(buffer->type) == 4)
        draw_all(buffer, LAB_UINT, seed, first, count, host);
    else if (element_bytes(buffer->type) == 8)
        draw_all(buffer, LAB_UINT64, seed, first, count, host);
    else
        draw_all(buffer, LAB_BYTE, seed, first, count, host);
}

void lab_fill_part(const struct lab_run *run, int index, size_t first, size_t count, void *host)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const uint64_t seed = lab_hash(run->seed, (uint64_t)index);
    if (buffer->is_said)
        memset(host, LAB_POISON, count * element_bytes(buffer->type));
    else if (!buffer->make)
        draw_part(buffer, seed, first, count, host);
    else
        for (size_t i = 0; i < count; i++)
            element_store(buffer->type, host, i, draw(run, index, seed, first + i));
}

void lab_fill(const struct lab_run *run, int index, void *host)
{
    lab_fill_part(run, index, 0, run->buffers[index].count, host);
}

bool lab_is_left(const struct lab_run *run, int index, size_t i, uint64_t bits)
{
    uint64_t own = 0;
    lab_fill_part(run, index, i, 1, &own);
    return bits == element_load(run->buffers[index].type, &own, 0);
}

double lab_at(const struct lab_run *run, int index, size_t i)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const uint64_t bits = buffer->host ? element_load(buffer->type, buffer->host, i)
                                       : draw(run, index, lab_hash(run->seed, (uint64_t)index), i);
    return element_value(buffer->type, bits);
}

void lab_read(const struct lab_run *run, int index, size_t first, size_t count, double *out)
{
    enum { PIECE = 256 };
    const struct lab_buffer *buffer = &run->buffers[index];
    uint64_t piece[PIECE];
    for (size_t at = 0; at < count; at += PIECE) {
        const size_t length = count - at < PIECE ? count - at : PIECE;
        if (!buffer->host)
            lab_fill_part(run, index, first + at, length, piece);
        for (size_t i = 0; i < length; i++)
            out[at + i] = element_value(
                buffer->type, buffer->host ? element_load(buffer->type, buffer->host, first + at + i)
                                           : element_load(buffer->type, piece, i));
    }
}
