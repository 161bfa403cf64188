/* array.h - CUDA arrays as the runtime keeps them: an image in device memory that only textures, surfaces and copies reach.
 * Handles that programs pass are looked up in a list of living arrays before they are followed.
 * How they are sampled is in exec/texture.h. */
#ifndef VGPU_ARRAY_H
#define VGPU_ARRAY_H

#include "exec/texture.h"
#include "runtime/runtime.h"

struct cudaArray {
    struct texture_image image;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program gave it: 0 for a missing dimension */
    unsigned flags;
    uint64_t number; /* in operations; 0: those cannot tell of it */
    struct allocation *allocation;
    struct cudaMipmappedArray *mipmap; /* NULL unless it is a level of one */
    struct cudaArray *next;
};

struct cudaMipmappedArray {
    struct cudaArray levels[TEXTURE_LEVELS];
    unsigned nlevels;
    struct cudaMipmappedArray *next;
};

/* False: a format that no image can have. *is_normalized: integers that always read as fractions. */
bool array_format(const struct cudaChannelFormatDesc *desc, struct texel_format *format, bool *is_normalized);

/* The array behind a handle; NULL: none. */
struct cudaArray *array_find(cudaArray_const_t handle);
struct cudaMipmappedArray *mipmap_find(cudaMipmappedArray_const_t handle);

#endif
