/* texture_sample.c - the arithmetic of texture fetches, after the texture appendix of the CUDA programming guide.
 * Filter weights have 8 fractional bits, sums are exact and rounded once; an H200 gives the same bits.
 * Knows no warp and no PTX; every texel it reads is checked against the view and noted in the log. */
#include <math.h>
#include <string.h>

#include "alu/half.h"
#include "alu/lanes.h"
#include "exec/texture.h"

/* ------------------------------------------------------------------------------------------- images */

uint32_t texel_bytes(struct texel_format format)
{
    return (uint32_t)format.channels * format.bits / 8;
}

uint64_t image_offset(const struct texture_image *image, uint64_t x_bytes, uint32_t y, uint32_t z)
{
    return z * image->slice + y * image->pitch + x_bytes;
}

/* Arrays are kept as 512-byte blocks of 64 bytes by 8 rows on the hardware; only the order of sectors matters here. */
uint64_t image_sector(const struct texture_image *image, uint64_t x_bytes, uint32_t y, uint32_t z)
{
    if (!image->is_blocked)
        return (image->address + image_offset(image, x_bytes, y, z)) / 32;
    const uint64_t block = (uint64_t)(y / 8) * (image->pitch / 64) + x_bytes / 64;
    return (image->address + z * image->slice) / 32 + block * 16 + y % 8 / 2 * 4 + x_bytes % 64 / 16;
}

void texel_log_add(struct texel_log *log, uint64_t sector)
{
    for (uint32_t i = log->count; i-- > 0;)
        if (log->sectors[i] == sector)
            return;
    if (log->count < TEXEL_LOG_SECTORS)
        log->sectors[log->count++] = sector;
}

/* ------------------------------------------------------------------------------------------- texels */

/* A texel before and after its conversion. Integers that stay integers use bits, everything else value. */
struct texel {
    double value[4];
    uint32_t bits[4];
    int32_t integer[4]; /* as stored, where it is a fraction of the largest integer */
    bool is_float, is_border;
};

static uint32_t channel_bits(const uint8_t *bytes, struct texel_format format, int channel)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    switch (format.bits) {
    case 8:
        byte = bytes[channel];
        return format.kind == TEXEL_SIGNED ? (uint32_t)(int32_t)(int8_t)byte : byte;
    case 16:
        memcpy(&half, bytes + 2 * channel, sizeof half);
        if (format.kind == TEXEL_FLOAT)
            return f32_bits(half_to_float(half));
        return format.kind == TEXEL_SIGNED ? (uint32_t)(int32_t)(int16_t)half : half;
    default:
        memcpy(&word, bytes + 4 * channel, sizeof word);
        return word;
    }
}

/* The largest value maps to 1; the most negative one, too, would lie beyond -1 and is clamped. */
static float normalized(uint32_t bits, struct texel_format format)
{
    const float scale =
        format.kind == TEXEL_SIGNED ? (float)((1 << (format.bits - 1)) - 1) : (float)((1 << format.bits) - 1);
    const float x = (format.kind == TEXEL_SIGNED ? (float)(int32_t)bits : (float)bits) / scale;
    return x < -1.0f ? -1.0f : x;
}

static float srgb_decode(float x)
{
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

static bool gives_floats(const struct texture *texture, struct texel_format format)
{
    return format.kind == TEXEL_FLOAT || (texture->reads_normalized && format.bits < 32);
}

static float channel_value(const struct texture *texture, struct texel_format format, uint32_t bits,
                           int channel)
{
    if (format.kind == TEXEL_FLOAT)
        return f32_from_bits(bits);
    const float x = normalized(bits, format);
    return texture->is_srgb && format.bits == 8 && channel < 3 ? srgb_decode(x) : x;
}

/* The colour arrives as it was given: integer fetches, too, see the bits of its floats. */
static void log_corner(struct texel_log *log, uint64_t address)
{
    if (log->ncorners < TEXEL_CORNERS)
        log->corners[log->ncorners++] = address;
}

static void border_texel(const struct texture *texture, struct texel_format format, struct texel *out)
{
    out->is_float = gives_floats(texture, format);
    out->is_border = true;
    for (int c = 0; c < 4; c++) {
        out->value[c] = c < format.channels ? texture->border[c] : 0.0f;
        out->bits[c] = f32_bits((float)out->value[c]);
    }
}

static void zero_texel(const struct texture *texture, struct texel_format format, struct texel *out)
{
    memset(out, 0, sizeof *out);
    out->is_float = gives_floats(texture, format);
}

static void read_texel(const struct texture_view *view, uint32_t level, const uint32_t at[3],
                       struct texel *out)
{
    const struct texture *texture = view->texture;
    const struct texture_image *image = &texture->levels[level];
    const struct texel_format format = image->format;
    const uint64_t x_bytes = (uint64_t)at[0] * texel_bytes(format);
    const uint64_t offset = image_offset(image, x_bytes, at[1], at[2]);
    zero_texel(texture, format, out);
    if (offset + texel_bytes(format) > view->levels[level].limit) {
        view->log->is_bad = true;
        view->log->bad = image->address + offset;
        return;
    }
    log_corner(view->log, image->address + offset);
    texel_log_add(view->log, image_sector(image, x_bytes, at[1], at[2]));
    const uint8_t *bytes = view->levels[level].host + offset;
    for (int c = 0; c < 4; c++) {
        /* channels that the texel lacks read as 0 */
        const bool is_there = c < format.channels;
        const uint32_t bits = is_there ? channel_bits(bytes, format, c) : 0;
        const float value = out->is_float && is_there ? channel_value(texture, format, bits, c) : 0.0f;
        out->value[c] = value;
        out->integer[c] = (int32_t)bits;
        out->bits[c] = out->is_float ? f32_bits(value) : bits;
    }
}

/* ------------------------------------------------------------------------------------------- addressing */

static int64_t modulo(int64_t x, int64_t n)
{
    const int64_t rest = x % n;
    return rest < 0 ? rest + n : rest;
}

/* The texel that stands for index i of n in one dimension; -1: the border. */
static int64_t address_texel(enum texture_address mode, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case ADDRESS_WRAP:
        return modulo(i, n);
    case ADDRESS_MIRROR:
        i = modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case ADDRESS_BORDER:
        return -1;
    default:
        return i < 0 ? 0 : n - 1;
    }
}

/* Repeating modes exist for normalised coordinates only. */
static enum texture_address effective_mode(const struct texture *texture, int dimension)
{
    const enum texture_address mode = (enum texture_address)texture->address[dimension];
    const bool repeats = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR;
    return repeats && !texture->has_normalized_coords ? ADDRESS_CLAMP : mode;
}

/* From a coordinate to texels; one that repeats is brought near the image before it is scaled, so that precision is
 * kept. A mirrored one stays on its side: the texels around it must keep their order. */
static double texel_coordinate(const struct texture *texture, int dimension, float x, uint32_t n,
                               bool is_normalized)
{
    if (x != x)
        return 0.0;
    if (is_normalized) {
        const enum texture_address mode = effective_mode(texture, dimension);
        if (isfinite(x) && mode == ADDRESS_WRAP)
            x -= floorf(x);
        if (isfinite(x) && mode == ADDRESS_MIRROR)
            x -= 2.0f * floorf(x / 2.0f);
        x *= (float)n;
    }
    return x < -1e9f ? -1e9 : x > 1e9f ? 1e9 : (double)x;
}

/* ------------------------------------------------------------------------------------------- filtering */

/* One level's fetch, ready to read: the first texel and the weight of its neighbour, per dimension. */
struct footprint {
    uint32_t level;
    int dimensions;
    int64_t first[3];
    int weight[3]; /* of first + 1, in 1/256; 0: only first is read */
    uint32_t extent[3];
    enum texture_address mode[3];
    uint32_t layer; /* slice of layered images and cubemaps */
    bool is_layered;
    bool is_zero_outside; /* linear memory; integer coordinates, whatever the addressing mode */
};

static void footprint_texel(const struct texture_view *view, const struct footprint *foot,
                            const int64_t at[3], struct texel *out)
{
    uint32_t place[3] = {0, 0, foot->layer};
    const struct texel_format format = view->texture->levels[foot->level].format;
    for (int d = 0; d < foot->dimensions && d < 3; d++) {
        if (foot->is_zero_outside && (at[d] < 0 || at[d] >= foot->extent[d])) {
            zero_texel(view->texture, format, out);
            return;
        }
        const int64_t i = address_texel(foot->mode[d], at[d], foot->extent[d]);
        if (i < 0) {
            border_texel(view->texture, format, out);
            return;
        }
        place[d] = (uint32_t)i;
    }
    read_texel(view, foot->level, place, out);
}

/* The weights of the texels around a point, in 1/256: the x weights are split by z, the parts by y. Each part is
 * rounded, ties towards the texel that is farther in x. */
static void corner_weights(const int weight[3], int dimensions, int out[8])
{
    for (int x = 0; x < 2; x++) {
        const int across = x ? weight[0] : 256 - weight[0];
        for (int z = 0; z < (dimensions > 2 ? 2 : 1); z++) {
            const int deep = dimensions > 2 ? across * (z ? weight[2] : 256 - weight[2]) : across * 256;
            const int whole = (deep + 127 + x) >> 8;
            const int part = dimensions > 1 ? (whole * weight[1] + 127 + x) >> 8 : 0;
            out[x | z << 2] = whole - part;
            out[x | 2 | z << 2] = part;
        }
    }
}

/* To so many fraction bits, ties away from zero. */
static float round_sum(double sum, int fraction)
{
    const uint64_t half = (uint64_t)1 << (51 - fraction);
    return isfinite(sum) ? (float)f64_from_bits((f64_bits(sum) + half) & ~(2 * half - 1)) : (float)sum;
}

/* Normalised integers are filtered as integers of 16 bits. */
static bool filters_integers(const struct texture *texture, struct texel_format format)
{
    return format.kind != TEXEL_FLOAT && !(texture->is_srgb && format.bits == 8);
}

/* From a sum of integers, each times 256ths, to a fraction of the largest integer of 16 bits. Signed bytes are
 * brought to 16 bits after they are summed, by a product with 2 / 255 that drops low bits. */
static float scale_sum(int32_t sum, struct texel_format format)
{
    if (format.kind == TEXEL_UNSIGNED)
        return (float)(((format.bits == 8 ? sum * 257LL : sum) + 128) >> 8) / 65535.0f;
    const int32_t wide = format.bits == 8 ? sum + (((sum >> 4) + (sum >> 12) + 4) >> 3) : (sum + 128) >> 8;
    return (float)(wide < -32767 ? -32767 : wide) / 32767.0f;
}

static int32_t channel_integer(struct texel_format format, const struct texel *texel, int channel)
{
    const int most = format.kind == TEXEL_SIGNED ? (1 << (format.bits - 1)) - 1 : (1 << format.bits) - 1;
    return texel->is_border ? (int32_t)floor(texel->value[channel] * most + 0.5) : texel->integer[channel];
}

static void filter_texels(const struct texture_view *view, const struct footprint *foot, struct texel *out)
{
    const struct texel_format format = view->texture->levels[foot->level].format;
    const bool is_integer = filters_integers(view->texture, format);
    double sum[4] = {0, 0, 0, 0};
    int32_t integers[4] = {0, 0, 0, 0};
    int weights[8];
    struct texel texel;
    corner_weights(foot->weight, foot->dimensions, weights);
    for (int corner = 0; corner < 1 << foot->dimensions; corner++) {
        if (weights[corner] == 0)
            continue;
        int64_t at[3] = {0, 0, 0};
        for (int d = 0; d < foot->dimensions; d++)
            at[d] = foot->first[d] + (corner >> d & 1);
        footprint_texel(view, foot, at, &texel);
        for (int c = 0; c < 4; c++) {
            sum[c] += weights[corner] / 256.0 * texel.value[c];
            if (is_integer)
                integers[c] += weights[corner] * channel_integer(format, &texel, c);
        }
    }
    for (int c = 0; c < 4; c++) {
        const int fraction = format.kind == TEXEL_FLOAT && format.bits == 16 ? 10 : 23;
        const float value = is_integer ? scale_sum(integers[c], format) : round_sum(sum[c], fraction);
        out->value[c] = value;
        out->bits[c] = f32_bits(value);
    }
    out->is_float = true;
}

/* tld4: one channel of the four texels around a point, counter-clockwise from the lower left. */
static void gather_texels(const struct texture_view *view, const struct footprint *foot, int channel,
                          struct texel *out)
{
    static const int steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int c = 0; c < 4; c++) {
        struct texel texel;
        const int64_t at[3] = {foot->first[0] + steps[c][0], foot->first[1] + steps[c][1], 0};
        footprint_texel(view, foot, at, &texel);
        out->value[c] = texel.value[channel];
        out->bits[c] = texel.bits[channel];
        out->is_float = texel.is_float;
    }
}

/* ------------------------------------------------------------------------------------------- a fetch */

static const struct {
    int dimensions;
    bool is_layered, is_cube;
} shapes[SHAPES] = {
    [SHAPE_1D] = {1, false, false},  [SHAPE_2D] = {2, false, false}, [SHAPE_3D] = {3, false, false},
    [SHAPE_A1D] = {1, true, false},  [SHAPE_A2D] = {2, true, false}, [SHAPE_CUBE] = {2, false, true},
    [SHAPE_ACUBE] = {2, true, true},
};

int texture_cube_face(const float direction[3], float out[2])
{
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    int face;
    float m, s, t;
    if (ax >= ay && ax >= az) {
        face = x >= 0.0f ? 0 : 1;
        m = ax, s = x >= 0.0f ? -z : z, t = -y;
    } else if (ay >= az) {
        face = y >= 0.0f ? 2 : 3;
        m = ay, s = x, t = y >= 0.0f ? z : -z;
    } else {
        face = z >= 0.0f ? 4 : 5;
        m = az, s = z >= 0.0f ? x : -x, t = -y;
    }
    out[0] = m > 0.0f ? (s / m + 1.0f) / 2.0f : 0.5f;
    out[1] = m > 0.0f ? (t / m + 1.0f) / 2.0f : 0.5f;
    return face;
}

static uint32_t clamp_layer(int64_t layer, uint32_t count)
{
    return layer < 0 ? 0 : layer >= count ? count - 1 : (uint32_t)layer;
}

/* A coordinate that is clamped has no neighbour: that decides how the weights of the other dimensions are rounded. */
static int clamp_weight(enum texture_address mode, int64_t first, int64_t n, int weight)
{
    return mode == ADDRESS_CLAMP && (first < 0 || first >= n - 1) ? 0 : weight;
}

/* Where along one dimension a float coordinate falls. */
static void place_coordinate(const struct texture *texture, const struct texture_query *query, int d,
                             double x, struct footprint *foot)
{
    const bool is_pair = texture->is_linear_filter || query->gather >= 0;
    if (!is_pair) {
        foot->first[d] = (int64_t)floor(x) + query->offset[d];
        return;
    }
    const int64_t fixed = (int64_t)floor((x - 0.5) * 256.0 + 0.5);
    foot->first[d] = (fixed >> 8) + query->offset[d];
    foot->weight[d] = clamp_weight(foot->mode[d], foot->first[d], foot->extent[d], (int)(fixed & 255));
}

/* The hardware filters a line as a plane of one row, at its upper edge: half of what it finds is the border, if the
 * second dimension has one. */
static bool is_line_with_border(const struct texture *texture, const struct texture_query *query)
{
    return query->shape == SHAPE_1D && texture->resource == TEXTURE_ARRAY && texture->is_linear_filter &&
           !query->is_integer && texture->address[1] == ADDRESS_BORDER;
}

static void sample_level(const struct texture_view *view, const struct texture_query *query, uint32_t level,
                         struct texel *out)
{
    const struct texture *texture = view->texture;
    const struct texture_image *image = &texture->levels[level];
    struct footprint foot = {.level = level,
                             .dimensions = shapes[query->shape].dimensions,
                             .extent = {image->width, image->height, image->depth},
                             .is_layered = shapes[query->shape].is_layered,
                             .is_zero_outside = texture->resource == TEXTURE_LINEAR || query->is_integer};
    float coord[3] = {query->coord[0], query->coord[1], query->coord[2]};
    int64_t layer = foot.is_layered ? query->layer : 0;
    if (is_line_with_border(texture, query))
        foot.dimensions = 2, coord[1] = 0.0f;
    const bool is_cube = shapes[query->shape].is_cube;
    if (is_cube)
        layer = (foot.is_layered ? (int64_t)clamp_layer(layer, image->layers / 6) * 6 : 0) +
                texture_cube_face(query->coord, coord);
    foot.layer = clamp_layer(layer, image->layers);
    for (int d = 0; d < foot.dimensions; d++) {
        foot.mode[d] = is_cube ? ADDRESS_CLAMP : effective_mode(texture, d);
        if (query->is_integer) {
            foot.first[d] = (int64_t)query->index[d] + query->offset[d];
            continue;
        }
        const bool is_normalized = texture->has_normalized_coords || is_cube;
        const double x = texel_coordinate(texture, d, coord[d], foot.extent[d],
                                          is_normalized && texture->resource != TEXTURE_LINEAR);
        place_coordinate(texture, query, d, x, &foot);
    }
    if (query->gather >= 0)
        gather_texels(view, &foot, query->gather, out);
    else if (texture->is_linear_filter && !query->is_integer && gives_floats(texture, image->format))
        filter_texels(view, &foot, out);
    else
        footprint_texel(view, &foot, foot.first, out);
}

float texture_gradient_level(const struct texture *texture, int dimensions, const float *ddx,
                             const float *ddy)
{
    const struct texture_image *image = &texture->levels[0];
    const uint32_t extent[3] = {image->width, image->height, image->depth};
    double x = 0, y = 0;
    for (int d = 0; d < dimensions && d < 3; d++) {
        const double scale = texture->has_normalized_coords ? extent[d] : 1.0;
        x += ddx[d] * scale * ddx[d] * scale;
        y += ddy[d] * scale * ddy[d] * scale;
    }
    const double longest = x > y ? x : y;
    return longest > 0 ? (float)(0.5 * log2(longest)) : -126.0f;
}

static float clamp_level(const struct texture *texture, float level)
{
    const float last = (float)(texture->nlevels - 1);
    level += texture->level_bias;
    if (!(level >= texture->level_min))
        level = texture->level_min;
    if (level > texture->level_max)
        level = texture->level_max;
    return !(level >= 0.0f) ? 0.0f : level > last ? last : level;
}

/* ------------------------------------------------------------------------------------------- the common case */

/* Where one dimension of a fetch falls: a texel, and its neighbour if that has any weight. */
struct span {
    uint32_t at[2];
    int weight; /* of the neighbour, in 1/256 */
};

/* False: it leaves the image, and what stands there must be found with more care. */
static bool find_span(const struct texture *texture, const struct texture_query *query, int d, uint32_t n,
                      struct span *out)
{
    int64_t first = query->index[d];
    out->weight = 0;
    if (!query->is_integer) {
        const bool is_normalized = texture->has_normalized_coords && texture->resource != TEXTURE_LINEAR;
        const double x = texel_coordinate(texture, d, query->coord[d], n, is_normalized);
        const int64_t fixed =
            texture->is_linear_filter ? (int64_t)floor((x - 0.5) * 256.0 + 0.5) : (int64_t)floor(x) * 256;
        first = fixed >> 8;
        out->weight = (int)(fixed & 255);
    }
    first += query->offset[d];
    out->weight = clamp_weight(effective_mode(texture, d), first, n, out->weight);
    const int64_t last = first + (out->weight != 0);
    const bool is_inside = first >= 0 && last < n;
    const bool is_zero_outside = texture->resource == TEXTURE_LINEAR || query->is_integer;
    if (!is_inside && (is_zero_outside || texture->address[d] == ADDRESS_BORDER))
        return false;
    const enum texture_address mode = is_inside ? ADDRESS_CLAMP : effective_mode(texture, d);
    out->at[0] = (uint32_t)address_texel(mode, first, n);
    out->at[1] = (uint32_t)address_texel(mode, last, n);
    return true;
}

/* The floats of a texel; NULL: they lie outside the memory behind the texture. */
static const uint8_t *find_floats(const struct texture_view *view, uint32_t x, uint32_t y, uint32_t z)
{
    const struct texture_image *image = &view->texture->levels[0];
    const uint32_t size = 4u * image->format.channels;
    const uint64_t offset = image_offset(image, (uint64_t)x * size, y, z);
    if (offset + size > view->levels[0].limit)
        return NULL;
    texel_log_add(view->log, image_sector(image, (uint64_t)x * size, y, z));
    log_corner(view->log, image->address + offset);
    return view->levels[0].host + offset;
}

static bool blend_floats(const struct texture_view *view, const struct span spans[3], int dimensions,
                         int channels, uint32_t out[4])
{
    const int weight[3] = {spans[0].weight, spans[1].weight, spans[2].weight};
    double sum[4] = {0, 0, 0, 0};
    int weights[8];
    corner_weights(weight, dimensions, weights);
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        uint32_t place[3] = {0, 0, 0};
        if (weights[corner] == 0)
            continue;
        for (int d = 0; d < dimensions; d++)
            place[d] = spans[d].at[corner >> d & 1];
        float values[4];
        const uint8_t *bytes = find_floats(view, place[0], place[1], place[2]);
        if (!bytes)
            return false;
        memcpy(values, bytes, 4u * (uint32_t)channels);
        for (int c = 0; c < channels; c++)
            sum[c] += weights[corner] / 256.0 * values[c];
    }
    for (int c = 0; c < channels; c++)
        out[c] = f32_bits(round_sum(sum[c], 23));
    return true;
}

/* Most fetches: one level, no layers, 32-bit floats, inside the image or clamped to it. Gives what the long way gives, in
 * a fraction of its time; false: this one must take the long way. */
static bool sample_floats(const struct texture_view *view, const struct texture_query *query, uint32_t out[4])
{
    const struct texture *texture = view->texture;
    const struct texture_image *image = &texture->levels[0];
    const uint32_t extent[3] = {image->width, image->height, image->depth};
    struct span spans[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    if (texture->nlevels != 1 || query->shape > SHAPE_3D || query->gather >= 0 || image->format.bits != 32 ||
        image->format.kind != TEXEL_FLOAT || is_line_with_border(texture, query))
        return false;
    const int dimensions = shapes[query->shape].dimensions, channels = image->format.channels;
    for (int d = 0; d < dimensions && d < 3; d++)
        if (!find_span(texture, query, d, extent[d], &spans[d]))
            return false;
    memset(out, 0, 4 * sizeof *out);
    if (spans[0].weight | spans[1].weight | spans[2].weight)
        return blend_floats(view, spans, dimensions, channels, out);
    const uint8_t *bytes = find_floats(view, spans[0].at[0], spans[1].at[0], spans[2].at[0]);
    if (bytes)
        memcpy(out, bytes, 4u * (uint32_t)channels);
    for (int c = 0; bytes && c < channels && texture->is_linear_filter && !query->is_integer; c++)
        out[c] = f32_bits(f32_from_bits(out[c]) + 0.0f); /* a sum of one: -0 becomes 0 */
    return bytes != NULL;
}

/* ------------------------------------------------------------------------------------------- any fetch */

void texture_sample(const struct texture_view *view, const struct texture_query *query, uint32_t out[4])
{
    const struct texture *texture = view->texture;
    if (sample_floats(view, query, out))
        return;
    const float level =
        texture->nlevels > 1 ? clamp_level(texture, query->has_level ? query->level : 0.0f) : 0.0f;
    const int fixed = (int)floorf(level * 256.0f + 0.5f);
    const bool is_blend = texture->is_linear_mip && (fixed & 255) != 0;
    struct texel near, far;
    sample_level(view, query, texture->is_linear_mip ? (uint32_t)fixed >> 8 : (uint32_t)floorf(level + 0.5f),
                 &near);
    if (is_blend) {
        sample_level(view, query, ((uint32_t)fixed >> 8) + 1, &far);
        for (int c = 0; c < 4 && near.is_float; c++)
            near.bits[c] = f32_bits(
                (float)((near.value[c] * (256 - (fixed & 255)) + far.value[c] * (fixed & 255)) / 256.0));
    }
    memcpy(out, near.bits, sizeof near.bits);
}

/* ------------------------------------------------------------------------------------------- formatted stores */

static uint32_t saturate_channel(uint32_t value, struct texel_format format)
{
    if (format.bits == 32)
        return value;
    if (format.kind == TEXEL_UNSIGNED) {
        const uint32_t most = (1u << format.bits) - 1;
        return value > most ? most : value;
    }
    const int32_t most = (1 << (format.bits - 1)) - 1, x = (int32_t)value;
    return (uint32_t)(x > most ? most : x < -most - 1 ? -most - 1 : x);
}

void texel_store(struct texel_format format, const uint32_t *values, uint8_t *bytes)
{
    for (int c = 0; c < format.channels; c++) {
        uint32_t value = values[c];
        if (format.kind != TEXEL_FLOAT)
            value = saturate_channel(value, format);
        else if (format.bits == 16)
            value = small_from_double(f32_from_bits(value), ROUND_ZERO, 10, -14); /* the hardware truncates */
        memcpy(bytes + c * format.bits / 8, &value, format.bits / 8);
    }
}
