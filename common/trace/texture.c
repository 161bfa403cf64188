/* texture.c - see texture.h. Nothing here looks at a place: only numbers are held against what CUDA allows. */
#include "trace/texture.h"

#include <string.h>

/* Values of CUDA's enums: the last ones that a trace may hold. */
enum { LAST_KIND = 2 /* float */, LAST_ADDRESS = 3, LAST_FILTER = 1, LAST_READ = 1 };
enum { GATHER = 8 }; /* the one flag that an array may have: cudaArrayTextureGather */
enum { MAX_WIDTH = 131072, MAX_HEIGHT = 65536 }; /* of an array, in texels */

uint32_t trace_texel_bytes(const struct trace_texture *texture)
{
    const uint32_t bits = texture->bits[0];
    uint32_t channels = 0;
    while (channels < 4 && texture->bits[channels])
        channels++;
    for (uint32_t i = 0; i < 4; i++)
        if (texture->bits[i] != (i < channels ? bits : 0))
            return 0;
    const bool is_size = (bits == 8 && texture->kind != LAST_KIND) || bits == 16 || bits == 32;
    return is_size && channels != 3 && texture->kind <= LAST_KIND ? channels * bits / 8 : 0;
}

bool trace_image_of(const struct trace_op *op, struct trace_image *image)
{
    const uint32_t texel = trace_texel_bytes(&op->texture);
    *image = (struct trace_image){op->width, op->height ? op->height : 1, texel};
    return texel && op->width && op->width % texel == 0 && op->width / texel <= MAX_WIDTH &&
           op->height <= MAX_HEIGHT && (op->value & ~(uint32_t)GATHER) == 0;
}

bool trace_is_in_image(const struct trace_image *image, const struct trace_op *op, uint64_t offset)
{
    const uint64_t x = offset % image->row, y = offset / image->row;
    return op->width && op->height && op->width <= image->row - x && y < image->rows &&
           op->height <= image->rows - y && x % image->texel == 0 && op->width % image->texel == 0;
}

bool trace_is_sampling(const struct trace_texture *texture)
{
    for (int i = 0; i < 3; i++)
        if (texture->address[i] > LAST_ADDRESS)
            return false;
    return texture->filter <= LAST_FILTER && texture->read <= LAST_READ && texture->is_normalized <= 1 &&
           texture->is_srgb <= 1;
}

bool trace_is_no_texture(const struct trace_texture *texture)
{
    static const struct trace_texture none;
    return !memcmp(texture, &none, sizeof none);
}
