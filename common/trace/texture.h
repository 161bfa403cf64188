/* texture.h - arrays and textures in a trace: numbers that those who check, record and replay it agree on. */
#ifndef TRACE_TEXTURE_H
#define TRACE_TEXTURE_H

#include "trace/trace.h"

/* What an array holds: rows of texels. A place in it is counted in bytes, row after row, as if nothing lay between them. */
struct trace_image {
    uint64_t row, rows; /* bytes of a row, and how many there are */
    uint32_t texel;     /* bytes */
};

/* Bytes of a texel; 0: there is no such format. */
uint32_t trace_texel_bytes(const struct trace_texture *texture);
/* What a TRACE_ARRAY_ALLOC makes. False: no array can be like that. */
bool trace_image_of(const struct trace_op *op, struct trace_image *image);
/* True if the operation's rows, the first of which begins at `offset`, are whole texels inside the image. */
bool trace_is_in_image(const struct trace_image *image, const struct trace_op *op, uint64_t offset);
/* True if it says only how to sample what CUDA's enums know. */
bool trace_is_sampling(const struct trace_texture *texture);
bool trace_is_no_texture(const struct trace_texture *texture); /* every number is 0 */

#endif
