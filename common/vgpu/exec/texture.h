/* texture.h - textures and surfaces: what an object's handle stands for, and how a texture is sampled.
 * Images hold their texels row by row, whatever their dimension; a missing dimension has the extent 1.
 * The CUDA side (descriptors, arrays, copies) is runtime/'s, the PTX side is exec/tex.c's. */
#ifndef VGPU_TEXTURE_H
#define VGPU_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum texture_resource { TEXTURE_LINEAR, TEXTURE_PITCH2D, TEXTURE_ARRAY };
/* Values as in CUDA's enums. */
enum texture_address { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

struct texel_format {
    uint8_t channels; /* 1, 2, 4 */
    uint8_t bits;     /* of one channel: 8, 16, 32 */
    uint8_t kind;     /* enum texel_kind */
};

struct texture_image {
    uint64_t address; /* on the device; the bytes behind it are looked up at each use, for they may be gone */
    uint32_t width, height, depth, layers; /* in texels, each at least 1; a cubemap has 6 layers per cube */
    uint64_t pitch, slice;                 /* bytes from row to row, and from depth (or layer) to the next */
    uint64_t bytes;                        /* readable from address */
    bool is_blocked; /* an array of two or three dimensions: a 32-byte sector holds 16 bytes of 2 rows */
    struct texel_format format;
};

enum { TEXTURE_LEVELS = 16 };

struct texture {
    enum texture_resource resource;
    struct texture_image levels[TEXTURE_LEVELS];
    uint32_t nlevels;
    uint8_t address[3]; /* enum texture_address */
    bool is_linear_filter, is_linear_mip;
    bool reads_normalized; /* integers become [0, 1] or [-1, 1] */
    bool has_normalized_coords;
    bool is_srgb;
    float border[4];
    float level_bias, level_min, level_max;
};

struct surface {
    struct texture_image image;
};

/* ------------------------------------------------------------------------------------------- objects */

enum object_kind { OBJECT_TEXTURE, OBJECT_SURFACE };

/* Gives object a handle that was not in use lately; 0: no room. The table does not own the object. */
uint64_t texture_table_add(enum object_kind kind, void *object);
/* NULL: there is no such object, or no longer, or it is of the other kind. Safe while kernels run. */
void *texture_table_find(enum object_kind kind, uint64_t handle);
/* True for every handle that was ever given out. */
bool texture_table_is_handle(uint64_t word);
/* Forgets the handle and gives the object back; NULL: there was none. */
void *texture_table_remove(enum object_kind kind, uint64_t handle);

/* ------------------------------------------------------------------------------------------- sampling */

enum texture_shape { SHAPE_1D, SHAPE_2D, SHAPE_3D, SHAPE_A1D, SHAPE_A2D, SHAPE_CUBE, SHAPE_ACUBE, SHAPES };

/* One lane's fetch. */
struct texture_query {
    enum texture_shape shape;
    bool is_integer; /* texel coordinates in index[]: no filter, no normalisation */
    float coord[3];
    int32_t index[3];
    int32_t offset[3]; /* in texels */
    int32_t layer;
    bool has_level; /* else the base level */
    float level;
    int gather; /* -1: no; else the channel that tld4 collects */
};

/* What a warp's fetches touched. */
enum { TEXEL_LOG_SECTORS = 32 * 16, TEXEL_CORNERS = 4 };
struct texel_log {
    uint64_t sectors[TEXEL_LOG_SECTORS]; /* distinct: device address / 32 */
    uint32_t count;
    /* of one lane's fetch: the addresses of the texels, as far as there is room; levels and depth have more */
    uint64_t corners[TEXEL_CORNERS];
    uint32_t ncorners;
    bool is_bad; /* a texel lies outside the memory behind the texture, at address bad */
    uint64_t bad;
};

/* Where the bytes of an image are right now. */
struct image_view {
    const uint8_t *host;
    uint64_t limit; /* bytes that may be read */
};

struct texture_view {
    const struct texture *texture;
    struct image_view levels[TEXTURE_LEVELS];
    struct texel_log *log;
};

/* Four channels as they arrive in registers: the bits of floats, or integers extended to 32 bits. */
void texture_sample(const struct texture_view *view, const struct texture_query *query, uint32_t out[4]);

/* The level of detail of a fetch with gradients, before bias and clamp. */
float texture_gradient_level(const struct texture *texture, int dimensions, const float *ddx,
                             const float *ddy);

/* Face and coordinates of a cubemap direction; out in [0, 1]. */
int texture_cube_face(const float direction[3], float out[2]);

/* Offset of a texel's bytes from the image's address, and the sector that holds them. */
uint64_t image_offset(const struct texture_image *image, uint64_t x_bytes, uint32_t y, uint32_t z);
uint64_t image_sector(const struct texture_image *image, uint64_t x_bytes, uint32_t y, uint32_t z);
void texel_log_add(struct texel_log *log, uint64_t sector);
uint32_t texel_bytes(struct texel_format format);

/* Converts between a texel's bytes and registers, for formatted surface stores. */
void texel_store(struct texel_format format, const uint32_t *values, uint8_t *bytes);

#endif
