/* texture.c - texture and surface objects: from CUDA's descriptors to what kernels sample, and back.
 * An object keeps the descriptors it was made from; everything a fetch needs is worked out once, here.
 * The memory behind an object belongs to the program: a fetch looks for it each time. */
#include <stdlib.h>
#include <string.h>

#include "runtime/array.h"
#include "runtime/handles.h"
#include "runtime/watch.h"

/* The first member is what handles stand for in kernels. */
struct texture_object {
    struct texture texture;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc desc;
    struct cudaResourceViewDesc view;
    bool has_view;
};

struct surface_object {
    struct surface surface;
    struct cudaResourceDesc resource;
};

enum { PITCH_ALIGN = 32, POINTER_ALIGN = 512 }; /* cudaDeviceProp: texturePitchAlignment, textureAlignment */
static const uint64_t MAX_LINEAR_TEXELS = (uint64_t)1 << 28; /* cudaDeviceProp.maxTexture1DLinear */

static cudaError_t complain(cudaError_t error, const char *cause, const char *what)
{
    return runtime_config()->check == CHECK_OFF
               ? runtime_error(error)
               : runtime_complain_because(error, VGPU_TEXTURE_REFUSED, cause, what);
}

/* ------------------------------------------------------------------------------------------- resources */

static bool is_device_memory(const void *pointer)
{
    const struct allocation *allocation = memory_find(runtime_memory(), (uintptr_t)pointer);
    return allocation && allocation->kind != ALLOC_ARRAY;
}

static cudaError_t linear_image(const struct cudaResourceDesc *resource, struct texture *texture,
                                bool *is_normalized)
{
    struct texture_image *image = &texture->levels[0];
    if (!array_format(&resource->res.linear.desc, &image->format, is_normalized))
        return cudaErrorInvalidChannelDescriptor;
    if (!is_device_memory(resource->res.linear.devPtr))
        return complain(cudaErrorInvalidValue, "a host pointer, or memory that was freed.",
                        "the resource's devPtr is not device memory");
    const uint64_t texels = resource->res.linear.sizeInBytes / texel_bytes(image->format);
    if ((uintptr_t)resource->res.linear.devPtr % POINTER_ALIGN != 0)
        return complain(cudaErrorInvalidValue, "the pointer was advanced into an allocation.",
                        "the resource's devPtr is not a multiple of 512 (cudaDeviceProp.textureAlignment)");
    if (texels == 0 || texels > MAX_LINEAR_TEXELS)
        return complain(cudaErrorInvalidValue, "sizeInBytes counts bytes, not elements.",
                        "the resource's sizeInBytes gives no texel, or more than 2^28");
    image->address = (uintptr_t)resource->res.linear.devPtr;
    image->width = (uint32_t)texels;
    image->bytes = image->pitch = image->slice = texels * texel_bytes(image->format);
    texture->resource = TEXTURE_LINEAR;
    return cudaSuccess;
}

static cudaError_t pitched_image(const struct cudaResourceDesc *resource, struct texture *texture,
                                 bool *is_normalized)
{
    struct texture_image *image = &texture->levels[0];
    const size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
    const size_t pitch = resource->res.pitch2D.pitchInBytes;
    if (!array_format(&resource->res.pitch2D.desc, &image->format, is_normalized))
        return cudaErrorInvalidChannelDescriptor;
    if (!is_device_memory(resource->res.pitch2D.devPtr))
        return complain(cudaErrorInvalidValue, "a host pointer, or memory that was freed.",
                        "the resource's devPtr is not device memory");
    if (width == 0 || height == 0 || width > 131072 || height > 65000)
        return complain(cudaErrorInvalidValue, "",
                        "width or height of the resource is 0 or too large (131072 x 65000)");
    if (pitch % PITCH_ALIGN != 0 || pitch < width * texel_bytes(image->format) || pitch > 2097120 ||
        (uintptr_t)resource->res.pitch2D.devPtr % POINTER_ALIGN != 0)
        return complain(
            cudaErrorInvalidValue,
            "the pitch counts bytes, and rows allocated by cudaMallocPitch have a fit one.",
            "pitchInBytes is smaller than a row or no multiple of 32, or devPtr is no multiple of 512");
    image->address = (uintptr_t)resource->res.pitch2D.devPtr;
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    image->pitch = pitch;
    image->slice = pitch * height;
    image->bytes = pitch * (height - 1) + width * texel_bytes(image->format);
    texture->resource = TEXTURE_PITCH2D;
    return cudaSuccess;
}

static cudaError_t array_images(const struct cudaResourceDesc *resource, struct texture *texture,
                                bool *is_normalized)
{
    texture->resource = TEXTURE_ARRAY;
    if (resource->resType == cudaResourceTypeArray) {
        const struct cudaArray *array = array_find(resource->res.array.array);
        if (!array)
            return complain(cudaErrorInvalidResourceHandle, "the array was freed, or never made.",
                            "the resource's array does not exist");
        texture->levels[0] = array->image;
        array_format(&array->desc, &texture->levels[0].format, is_normalized);
        return cudaSuccess;
    }
    const struct cudaMipmappedArray *mipmap = mipmap_find(resource->res.mipmap.mipmap);
    if (!mipmap)
        return complain(cudaErrorInvalidResourceHandle, "the array was freed, or never made.",
                        "the resource's mipmapped array does not exist");
    array_format(&mipmap->levels[0].desc, &texture->levels[0].format, is_normalized);
    texture->nlevels = mipmap->nlevels;
    for (unsigned i = 0; i < mipmap->nlevels; i++)
        texture->levels[i] = mipmap->levels[i].image;
    return cudaSuccess;
}

static cudaError_t read_resource(const struct cudaResourceDesc *resource, struct texture *texture,
                                 bool *is_normalized)
{
    texture->nlevels = 1;
    texture->levels[0] = (struct texture_image){.width = 1, .height = 1, .depth = 1, .layers = 1};
    switch (resource->resType) {
    case cudaResourceTypeLinear:
        return linear_image(resource, texture, is_normalized);
    case cudaResourceTypePitch2D:
        return pitched_image(resource, texture, is_normalized);
    case cudaResourceTypeArray:
    case cudaResourceTypeMipmappedArray:
        return array_images(resource, texture, is_normalized);
    default:
        return complain(cudaErrorInvalidValue,
                        "the cudaResourceDesc was not set to {} before its fields were filled in",
                        "resType of the cudaResourceDesc has no value of its kind");
    }
}

/* ------------------------------------------------------------------------------------------- views */

/* Formats of views come in rows of three: one, two and four channels. */
static bool view_format(enum cudaResourceViewFormat view, struct texel_format *format)
{
    static const struct texel_format rows[] = {
        {0, 8, TEXEL_UNSIGNED},  {0, 8, TEXEL_SIGNED},  {0, 16, TEXEL_UNSIGNED}, {0, 16, TEXEL_SIGNED},
        {0, 32, TEXEL_UNSIGNED}, {0, 32, TEXEL_SIGNED}, {0, 16, TEXEL_FLOAT},    {0, 32, TEXEL_FLOAT}};
    static const uint8_t channels[] = {1, 2, 4};
    const int index = (int)view - (int)cudaResViewFormatUnsignedChar1;
    if (index < 0 || index >= 24)
        return false;
    *format = rows[index / 3];
    format->channels = channels[index % 3];
    return true;
}

static void narrow_levels(struct texture *texture, const struct cudaResourceViewDesc *view)
{
    const unsigned count = view->lastMipmapLevel - view->firstMipmapLevel + 1;
    memmove(texture->levels, texture->levels + view->firstMipmapLevel, count * sizeof *texture->levels);
    texture->nlevels = count;
    for (unsigned i = 0; i < count; i++) {
        struct texture_image *image = &texture->levels[i];
        if (view->lastLayer >= image->layers || view->lastLayer < view->firstLayer || image->layers == 1)
            continue;
        image->address += view->firstLayer * image->slice;
        image->layers = view->lastLayer - view->firstLayer + 1;
        image->bytes = image->slice * image->layers;
    }
}

static cudaError_t apply_view(struct texture *texture, const struct cudaResourceViewDesc *view)
{
    struct texel_format format = texture->levels[0].format;
    if (texture->resource != TEXTURE_ARRAY || view->lastMipmapLevel < view->firstMipmapLevel ||
        view->lastMipmapLevel >= texture->nlevels)
        return cudaErrorInvalidValue;
    if (view->format != cudaResViewFormatNone && !view_format(view->format, &format))
        return runtime_unsupported("cudaCreateTextureObject", "block-compressed formats cannot be read");
    if (texel_bytes(format) != texel_bytes(texture->levels[0].format))
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < texture->nlevels; i++)
        texture->levels[i].format = format;
    narrow_levels(texture, view);
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- sampling state */

static cudaError_t check_sampling(const struct texture *texture, const struct cudaTextureDesc *desc)
{
    const struct texel_format format = texture->levels[0].format;
    const char *const forgotten = "the cudaTextureDesc was not set to {} before its fields were filled in";
    if ((unsigned)desc->filterMode > cudaFilterModeLinear ||
        (unsigned)desc->readMode > cudaReadModeNormalizedFloat)
        return complain(cudaErrorInvalidValue, forgotten,
                        "filterMode or readMode of the cudaTextureDesc has no value of its kind");
    for (int d = 0; d < 3; d++)
        if ((unsigned)desc->addressMode[d] > cudaAddressModeBorder)
            return complain(cudaErrorInvalidValue, forgotten,
                            "an addressMode of the cudaTextureDesc has no value of its kind");
    if (desc->readMode == cudaReadModeNormalizedFloat && format.kind != TEXEL_FLOAT && format.bits == 32)
        return complain(cudaErrorInvalidNormSetting, "use cudaReadModeElementType for 32-bit integers.",
                        "32-bit integers cannot be read as normalised floats");
    const bool is_float = format.kind == TEXEL_FLOAT || texture->reads_normalized;
    if (desc->filterMode == cudaFilterModeLinear && !is_float && texture->resource != TEXTURE_LINEAR)
        return complain(cudaErrorInvalidFilterSetting,
                        "use cudaReadModeNormalizedFloat, or cudaFilterModePoint.",
                        "integers cannot be filtered linearly");
    return cudaSuccess;
}

static void read_sampling(struct texture *texture, const struct cudaTextureDesc *desc, bool is_normalized)
{
    for (int d = 0; d < 3; d++)
        texture->address[d] = (uint8_t)desc->addressMode[d];
    /* linear memory has neither filter nor normalised coordinates */
    const bool is_sampled = texture->resource != TEXTURE_LINEAR;
    texture->is_linear_filter = is_sampled && desc->filterMode == cudaFilterModeLinear;
    texture->has_normalized_coords = is_sampled && desc->normalizedCoords != 0;
    texture->is_linear_mip = texture->nlevels > 1 && desc->mipmapFilterMode == cudaFilterModeLinear;
    texture->reads_normalized = desc->readMode == cudaReadModeNormalizedFloat || is_normalized;
    texture->is_srgb = desc->sRGB != 0;
    memcpy(texture->border, desc->borderColor, sizeof texture->border);
    texture->level_bias = desc->mipmapLevelBias;
    texture->level_min = desc->minMipmapLevelClamp;
    texture->level_max = desc->maxMipmapLevelClamp;
}

static cudaError_t make_texture(struct texture_object *object)
{
    struct texture *texture = &object->texture;
    bool is_normalized = false;
    cudaError_t error = read_resource(&object->resource, texture, &is_normalized);
    if (!error && object->has_view)
        error = apply_view(texture, &object->view);
    if (error)
        return error;
    read_sampling(texture, &object->desc, is_normalized);
    return check_sampling(texture, &object->desc);
}

static bool is_told(const struct texture_object *object, const struct cudaArray *array)
{
    if (object->has_view || object->resource.resType == cudaResourceTypeMipmappedArray)
        return false;
    return array ? array->number != 0 : object->resource.res.linear.desc.f <= cudaChannelFormatKindFloat;
}

static void tell_format(struct vgpu_texture *told, const struct cudaChannelFormatDesc *desc)
{
    const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
    for (int i = 0; i < 4; i++)
        told->bits[i] = (uint32_t)bits[i];
    told->kind = (uint32_t)desc->f;
}

static void tell_sampling(struct vgpu_texture *told, const struct cudaTextureDesc *desc)
{
    for (int i = 0; i < 3; i++)
        told->address[i] = (uint32_t)desc->addressMode[i];
    told->filter = (uint32_t)desc->filterMode;
    told->read = (uint32_t)desc->readMode;
    told->is_normalized = desc->normalizedCoords != 0;
    told->is_srgb = desc->sRGB != 0;
    memcpy(told->border, desc->borderColor, sizeof told->border);
}

static void tell(const struct texture_object *object, uint64_t handle)
{
    const struct cudaResourceDesc *resource = &object->resource;
    const struct cudaArray *array =
        resource->resType == cudaResourceTypeArray ? array_find(resource->res.array.array) : NULL;
    struct vgpu_texture told = {.kind = 0};
    struct vgpu_operation operation = {.kind = VGPU_TEXTURE,
                                       .call = "cudaCreateTextureObject",
                                       .object = handle,
                                       .from_array = array ? array->number : 0,
                                       .texture = &told};
    if (!is_told(object, array)) {
        watch_other("cudaCreateTextureObject with levels, layers, depth or a view");
        return;
    }
    tell_sampling(&told, &object->desc);
    if (resource->resType == cudaResourceTypeLinear) {
        tell_format(&told, &resource->res.linear.desc);
        operation.from = resource->res.linear.devPtr;
        operation.width = object->texture.levels[0].bytes;
    } else if (!array) {
        tell_format(&told, &resource->res.pitch2D.desc);
        operation.from = resource->res.pitch2D.devPtr;
        operation.from_pitch = resource->res.pitch2D.pitchInBytes;
        operation.width =
            (uint64_t)object->texture.levels[0].width * texel_bytes(object->texture.levels[0].format);
        operation.height = resource->res.pitch2D.height;
    }
    watch_operation(&operation);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *desc,
                                    const struct cudaResourceViewDesc *view)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !resource || !desc)
        return runtime_error(cudaErrorInvalidValue);
    struct texture_object *object = calloc(1, sizeof *object);
    if (!object)
        return runtime_error(cudaErrorMemoryAllocation);
    object->resource = *resource;
    object->desc = *desc;
    object->has_view = view != NULL;
    if (view)
        object->view = *view;
    error = make_texture(object);
    const uint64_t handle = error ? 0 : texture_table_add(OBJECT_TEXTURE, object);
    if (!handle) {
        free(object);
        return runtime_error(error ? error : cudaErrorMemoryAllocation);
    }
    if (watch_wants_operations())
        tell(object, handle);
    handle_made(HANDLE_TEXTURE, handle);
    *out = handle;
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
    const cudaError_t error = runtime_begin_sync();
    if (error || handle == 0)
        return error;
    void *object = texture_table_remove(OBJECT_TEXTURE, handle);
    if (!object)
        return runtime_error(cudaErrorInvalidValue);
    watch_operation(&(struct vgpu_operation){
        .kind = VGPU_TEXTURE_FREE, .call = "cudaDestroyTextureObject", .object = handle});
    handle_gone(HANDLE_TEXTURE, handle);
    free(object);
    return cudaSuccess;
}

/* The object behind a handle, for questions; NULL with *error remembered. */
static const struct texture_object *ask_texture(cudaTextureObject_t handle, const void *out,
                                                cudaError_t *error)
{
    *error = runtime_begin();
    if (*error)
        return NULL;
    const struct texture_object *object = texture_table_find(OBJECT_TEXTURE, handle);
    if (!object || !out) {
        *error = runtime_error(cudaErrorInvalidValue);
        return NULL;
    }
    return object;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t handle)
{
    cudaError_t error;
    const struct texture_object *object = ask_texture(handle, out, &error);
    if (object)
        *out = object->resource;
    return error;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t handle)
{
    cudaError_t error;
    const struct texture_object *object = ask_texture(handle, out, &error);
    if (object)
        *out = object->desc;
    return error;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t handle)
{
    cudaError_t error;
    const struct texture_object *object = ask_texture(handle, out, &error);
    if (!object)
        return error;
    if (!object->has_view)
        return runtime_error(cudaErrorInvalidValue);
    *out = object->view;
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- surfaces */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !resource)
        return runtime_error(cudaErrorInvalidValue);
    if (resource->resType != cudaResourceTypeArray)
        return runtime_error(cudaErrorInvalidChannelDescriptor);
    const struct cudaArray *array = array_find(resource->res.array.array);
    if (!array)
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (!(array->flags & cudaArraySurfaceLoadStore))
        return runtime_complain(cudaErrorInvalidValue, VGPU_SURFACE_REFUSED,
                                "the array was not made for surfaces");
    watch_other("cudaCreateSurfaceObject");
    struct surface_object *object = calloc(1, sizeof *object);
    const uint64_t handle = object ? texture_table_add(OBJECT_SURFACE, object) : 0;
    if (!handle) {
        free(object);
        return runtime_error(cudaErrorMemoryAllocation);
    }
    object->surface.image = array->image;
    object->resource = *resource;
    handle_made(HANDLE_SURFACE, handle);
    *out = handle;
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
    const cudaError_t error = runtime_begin_sync();
    if (error || handle == 0)
        return error;
    void *object = texture_table_remove(OBJECT_SURFACE, handle);
    if (!object)
        return runtime_error(cudaErrorInvalidValue);
    handle_gone(HANDLE_SURFACE, handle);
    free(object);
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t handle)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    const struct surface_object *object = texture_table_find(OBJECT_SURFACE, handle);
    if (!object || !out)
        return runtime_error(cudaErrorInvalidValue);
    *out = object->resource;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *desc,
                                                 int device)
{
    struct texel_format format;
    bool is_normalized;
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!width || !desc || !array_format(desc, &format, &is_normalized))
        return runtime_error(cudaErrorInvalidValue);
    if (device != 0)
        return runtime_error(cudaErrorInvalidDevice);
    *width = MAX_LINEAR_TEXELS;
    return cudaSuccess;
}
