/* array.c - CUDA arrays: allocation, levels, and what can be asked of them.
 * An array's rows are padded to 64 bytes and, with two dimensions or more, to 8 rows, as the hardware's blocks are.
 * Copies are in copy3d.c, textures in texture.c. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "runtime/allocation.h"
#include "runtime/array.h"
#include "runtime/watch.h"

static struct cudaArray *arrays; /* under runtime_lock() */
static struct cudaMipmappedArray *mipmaps;

/* ------------------------------------------------------------------------------------------- formats */

static bool normalized_kind(const struct cudaChannelFormatDesc *desc, struct texel_format *format)
{
    const int row = (int)desc->f - (int)cudaChannelFormatKindUnsignedNormalized8X1;
    static const uint8_t channels[] = {1, 2, 4};
    if (row < 0 || row >= 12)
        return false;
    *format = (struct texel_format){channels[row % 3], row / 3 % 2 ? 16 : 8,
                                    row < 6 ? TEXEL_UNSIGNED : TEXEL_SIGNED};
    return true;
}

bool array_format(const struct cudaChannelFormatDesc *desc, struct texel_format *format, bool *is_normalized)
{
    const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
    int channels = 0;
    *is_normalized = normalized_kind(desc, format);
    if (*is_normalized)
        return true;
    while (channels < 4 && bits[channels] > 0)
        channels++;
    for (int c = 0; c < 4; c++)
        if (c < channels ? bits[c] != bits[0] : bits[c] != 0)
            return false;
    const bool is_size = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    if (channels == 0 || channels == 3 || !is_size || (int)desc->f < 0 ||
        desc->f > cudaChannelFormatKindFloat || (desc->f == cudaChannelFormatKindFloat && bits[0] == 8))
        return false;
    static const uint8_t kinds[] = {TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT};
    *format = (struct texel_format){(uint8_t)channels, (uint8_t)bits[0], kinds[desc->f]};
    return true;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ------------------------------------------------------------------------------------------- handles */

static bool is_level_of(const struct cudaMipmappedArray *mipmap, const struct cudaArray *array)
{
    for (unsigned i = 0; i < mipmap->nlevels; i++)
        if (&mipmap->levels[i] == array)
            return true;
    return false;
}

struct cudaArray *array_find(cudaArray_const_t handle)
{
    struct cudaArray *found = NULL;
    runtime_lock();
    for (struct cudaArray *array = arrays; array && !found; array = array->next)
        found = array == handle ? array : NULL;
    for (struct cudaMipmappedArray *mipmap = mipmaps; mipmap && !found; mipmap = mipmap->next)
        found = is_level_of(mipmap, handle) ? (struct cudaArray *)(uintptr_t)handle : NULL;
    runtime_unlock();
    return found;
}

struct cudaMipmappedArray *mipmap_find(cudaMipmappedArray_const_t handle)
{
    runtime_lock();
    struct cudaMipmappedArray *mipmap = mipmaps;
    while (mipmap && mipmap != handle)
        mipmap = mipmap->next;
    runtime_unlock();
    return mipmap;
}

/* ------------------------------------------------------------------------------------------- allocation */

/* The largest extents of one, two and three dimensions, and of layers: figures of compute capability 7.5 and later. */
static bool extent_fits(struct cudaExtent extent, unsigned flags)
{
    const bool is_layered = flags & (cudaArrayLayered | cudaArrayCubemap);
    if (extent.width == 0 || (extent.height == 0 && extent.depth != 0 && !is_layered))
        return false;
    if (is_layered && extent.depth == 0)
        return false;
    if ((flags & cudaArrayCubemap) && (extent.width != extent.height || extent.depth % 6 != 0))
        return false;
    if (is_layered)
        return extent.width <= 32768 && extent.height <= 32768 && extent.depth <= 2048;
    if (extent.depth)
        return extent.width <= 16384 && extent.height <= 16384 && extent.depth <= 16384;
    return extent.width <= 131072 && extent.height <= 65536;
}

static void image_layout(struct texture_image *image, struct texel_format format, struct cudaExtent extent,
                         unsigned flags)
{
    const bool is_layered = flags & (cudaArrayLayered | cudaArrayCubemap);
    const size_t rows = extent.height ? extent.height : 1, slices = extent.depth ? extent.depth : 1;
    image->format = format;
    image->width = (uint32_t)extent.width;
    image->height = (uint32_t)rows;
    image->depth = is_layered ? 1 : (uint32_t)slices;
    image->layers = is_layered ? (uint32_t)slices : 1;
    image->is_blocked = extent.height > 0;
    image->pitch = round_up(extent.width * texel_bytes(format), 64);
    image->slice = image->pitch * (image->is_blocked ? round_up(rows, 8) : 1);
    image->bytes = image->slice * slices;
}

static cudaError_t array_init(struct cudaArray *array, const struct cudaChannelFormatDesc *desc,
                              struct texel_format format, struct cudaExtent extent, unsigned flags)
{
    memset(array, 0, sizeof *array);
    image_layout(&array->image, format, extent, flags);
    array->desc = *desc;
    array->extent = extent;
    array->flags = flags;
    array->allocation = allocation_new(array->image.bytes, ALLOC_ARRAY);
    if (!array->allocation)
        return cudaErrorMemoryAllocation;
    array->image.address = array->allocation->base;
    return cudaSuccess;
}

/* The allocation may be gone already: a device reset takes every allocation with it. */
static void array_drop(struct cudaArray *array)
{
    if (array->allocation && memory_find(runtime_memory(), array->image.address) == array->allocation)
        allocation_free(array->allocation);
    array->allocation = NULL;
}

static cudaError_t check_request(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                 unsigned flags, struct texel_format *format)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                           cudaArrayTextureGather | cudaArrayColorAttachment;
    bool is_normalized;
    if (!desc || (flags & ~known))
        return cudaErrorInvalidValue;
    if (!array_format(desc, format, &is_normalized))
        return cudaErrorInvalidChannelDescriptor;
    return extent_fits(extent, flags) ? cudaSuccess : cudaErrorInvalidValue;
}

/* Whoever watches is told of images of at most two dimensions that kernels only read. */
static void tell_of(const char *call, struct cudaArray *array)
{
    static uint64_t numbers;
    const bool is_only_read = (array->flags & ~(unsigned)cudaArrayTextureGather) == 0;
    if (array->extent.depth || !is_only_read || array->desc.f > cudaChannelFormatKindFloat) {
        watch_other(call);
        return;
    }
    const struct vgpu_texture format = {.bits = {(uint32_t)array->desc.x, (uint32_t)array->desc.y,
                                                 (uint32_t)array->desc.z, (uint32_t)array->desc.w},
                                        .kind = (uint32_t)array->desc.f};
    array->number = ++numbers;
    watch_operation(
        &(struct vgpu_operation){.kind = VGPU_ARRAY_ALLOC,
                                 .call = call,
                                 .to_array = array->number,
                                 .width = (uint64_t)array->image.width * texel_bytes(array->image.format),
                                 .height = array->extent.height,
                                 .value = array->flags,
                                 .texture = &format});
}

static cudaError_t make_array(const char *call, cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags)
{
    struct texel_format format;
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    error = out ? check_request(desc, extent, flags, &format) : cudaErrorInvalidValue;
    struct cudaArray *array = error ? NULL : calloc(1, sizeof *array);
    if (!error)
        error = array ? array_init(array, desc, format, extent, flags) : cudaErrorMemoryAllocation;
    if (error) {
        free(array);
        return runtime_error(error);
    }
    runtime_lock();
    array->next = arrays;
    arrays = array;
    tell_of(call, array);
    runtime_unlock();
    *out = array;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                            size_t height, unsigned int flags)
{
    return make_array("cudaMallocArray", array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    return make_array("cudaMalloc3DArray", array, desc, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t handle)
{
    cudaError_t error = runtime_begin_sync();
    if (error || !handle)
        return error;
    runtime_lock();
    struct cudaArray **link = &arrays, *array;
    while (*link && *link != handle)
        link = &(*link)->next;
    array = *link;
    if (array)
        *link = array->next;
    runtime_unlock();
    if (!array)
        return runtime_complain(cudaErrorInvalidResourceHandle, VGPU_FREE_NO_ARRAY,
                                "cudaFreeArray gets %p, which is no living array", (void *)handle);
    if (array->number)
        watch_operation(&(struct vgpu_operation){
            .kind = VGPU_ARRAY_FREE, .call = "cudaFreeArray", .to_array = array->number});
    array_drop(array);
    free(array);
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- mipmapped arrays */

static size_t level_extent(size_t base, unsigned level)
{
    return base == 0 ? 0 : base >> level ? base >> level : 1;
}

static void drop_mipmap(struct cudaMipmappedArray *mipmap)
{
    for (unsigned i = 0; i < mipmap->nlevels; i++)
        array_drop(&mipmap->levels[i]);
    free(mipmap);
}

static unsigned most_levels(struct cudaExtent extent, bool is_layered)
{
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    unsigned levels = 1;
    if (!is_layered && extent.depth > longest)
        longest = extent.depth;
    for (; longest > 1 && levels < TEXTURE_LEVELS; longest >>= 1)
        levels++;
    return levels;
}

static cudaError_t fill_mipmap(struct cudaMipmappedArray *mipmap, const struct cudaChannelFormatDesc *desc,
                               struct texel_format format, struct cudaExtent extent, unsigned flags,
                               unsigned levels)
{
    const bool is_layered = flags & (cudaArrayLayered | cudaArrayCubemap);
    for (unsigned i = 0; i < levels; i++) {
        const struct cudaExtent size = {level_extent(extent.width, i), level_extent(extent.height, i),
                                        is_layered ? extent.depth : level_extent(extent.depth, i)};
        mipmap->nlevels = i + 1;
        const cudaError_t error = array_init(&mipmap->levels[i], desc, format, size, flags);
        if (error)
            return error;
        mipmap->levels[i].mipmap = mipmap;
    }
    return cudaSuccess;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
    struct texel_format format;
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    error = out ? check_request(desc, extent, flags, &format) : cudaErrorInvalidValue;
    if (error)
        return runtime_error(error);
    const unsigned most = most_levels(extent, flags & (cudaArrayLayered | cudaArrayCubemap));
    watch_other("cudaMallocMipmappedArray");
    struct cudaMipmappedArray *mipmap = calloc(1, sizeof *mipmap);
    if (!mipmap)
        return runtime_error(cudaErrorMemoryAllocation);
    error = fill_mipmap(mipmap, desc, format, extent, flags, levels < 1 ? 1 : levels > most ? most : levels);
    if (error) {
        drop_mipmap(mipmap);
        return runtime_error(error);
    }
    runtime_lock();
    mipmap->next = mipmaps;
    mipmaps = mipmap;
    runtime_unlock();
    *out = mipmap;
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level_array, cudaMipmappedArray_const_t handle,
                                       unsigned int level)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    struct cudaMipmappedArray *mipmap = mipmap_find(handle);
    if (!mipmap)
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (!level_array || level >= mipmap->nlevels)
        return runtime_error(cudaErrorInvalidValue);
    *level_array = &mipmap->levels[level];
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t handle)
{
    const cudaError_t error = runtime_begin_sync();
    if (error || !handle)
        return error;
    runtime_lock();
    struct cudaMipmappedArray **link = &mipmaps, *mipmap;
    while (*link && *link != handle)
        link = &(*link)->next;
    mipmap = *link;
    if (mipmap)
        *link = mipmap->next;
    runtime_unlock();
    if (!mipmap)
        return runtime_complain(cudaErrorInvalidResourceHandle, VGPU_FREE_NO_MIPMAP,
                                "cudaFreeMipmappedArray gets %p, which is no living mipmapped array",
                                (void *)handle);
    drop_mipmap(mipmap);
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- questions */

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t handle)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    const struct cudaArray *array = array_find(handle);
    if (!array)
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t handle)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    const struct cudaArray *array = array_find(handle);
    if (!array)
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (!desc)
        return runtime_error(cudaErrorInvalidValue);
    *desc = array->desc;
    return cudaSuccess;
}

static cudaError_t memory_requirements(struct cudaArrayMemoryRequirements *out, uint64_t bytes)
{
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    memset(out, 0, sizeof *out);
    out->size = round_up(bytes, 65536);
    out->alignment = 65536;
    return cudaSuccess;
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t handle,
                                           int device)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    const struct cudaArray *array = array_find(handle);
    if (!array || device != 0)
        return runtime_error(array ? cudaErrorInvalidDevice : cudaErrorInvalidResourceHandle);
    return memory_requirements(out, array->image.bytes);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out,
                                                    cudaMipmappedArray_t handle, int device)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    const struct cudaMipmappedArray *mipmap = mipmap_find(handle);
    uint64_t bytes = 0;
    if (!mipmap || device != 0)
        return runtime_error(mipmap ? cudaErrorInvalidDevice : cudaErrorInvalidResourceHandle);
    for (unsigned i = 0; i < mipmap->nlevels; i++)
        bytes += mipmap->levels[i].image.bytes;
    return memory_requirements(out, bytes);
}

cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t handle, unsigned int index)
{
    (void)plane, (void)handle, (void)index;
    return runtime_unsupported("cudaArrayGetPlane", "arrays of several planes cannot be made");
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties, cudaArray_t handle)
{
    (void)properties, (void)handle;
    return runtime_unsupported("cudaArrayGetSparseProperties", "sparse arrays cannot be made");
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                                  cudaMipmappedArray_t handle)
{
    (void)properties, (void)handle;
    return runtime_unsupported("cudaMipmappedArrayGetSparseProperties", "sparse arrays cannot be made");
}
