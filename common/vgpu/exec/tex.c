/* tex.c - texture fetches and their queries: tex, tld4, txq, suq.
 * A warp's fetch is one request; the distinct sectors of all its lanes are counted and go through the caches.
 * The arithmetic of sampling is texture_sample.c's, surfaces are surf.c's. */
#include <string.h>

#include "core/checker.h"
#include "core/findings.h"
#include "exec/instructions.h"
#include "alu/half.h"
#include "alu/lanes.h"
#include "exec/tex.h"
#include "memory/cache.h"
#include "memory/late.h"
#include "memory/late_bytes.h"
#include "memory/memory.h"

enum { LEVEL_NONE, LEVEL_LOD, LEVEL_GRADIENT };

/* insn->texture of a fetch. Sources in order: handle, layer, coordinates, level or gradients, offsets. */
struct tex_form {
    enum texture_shape shape;
    uint8_t coords;  /* registers that hold coordinates, without the layer */
    uint8_t level;   /* LEVEL_* */
    uint8_t offsets; /* registers that hold texel offsets */
    int8_t gather;   /* tld4: the channel; else -1 */
    bool is_layered, is_integer;
    bool is_packed; /* f16x2 destinations: two channels in each */
};

/* ------------------------------------------------------------------------------------------- objects */

enum step texture_fault(struct warp *warp, const struct insn *insn, int lane, const char *what,
                        uint64_t handle)
{
    finding_add(warp, insn, lane, VGPU_NO_SUCH_TEXTURE, "uses %s object 0x%llx, which does not exist", what,
                (unsigned long long)handle);
    return launch_fault(warp, cudaErrorLaunchFailure);
}

bool image_resolve(struct warp *warp, const struct texture_image *image, struct image_view *view,
                   struct allocation **allocation)
{
    *allocation = memory_find(warp->block->launch->memory, image->address);
    if (!*allocation)
        return false;
    const uint64_t offset = image->address - (*allocation)->base, room = (*allocation)->size - offset;
    view->host = (*allocation)->host + offset;
    view->limit = image->bytes < room ? image->bytes : room;
    return true;
}

enum step image_gone(struct warp *warp, const struct insn *insn, int lane, const struct texture_image *image,
                     bool is_write)
{
    const struct allocation *near = memory_nearest(warp->block->launch->memory, image->address);
    const bool is_freed = near && near->is_freed && image->address - near->base < near->size;
    checker_of(warp)->bad_access(warp, insn, lane, is_freed ? BAD_FREED : BAD_BOUNDS, PTX_GLOBAL,
                                 image->address, texel_bytes(image->format), is_write);
    return launch_fault(warp, cudaErrorIllegalAddress);
}

uint32_t same_handles(const uint64_t *handles, uint32_t rest)
{
    const uint64_t handle = handles[__builtin_ctz(rest)];
    uint32_t same = 0;
    for (int i = 0; i < LANES; i++)
        same |= (uint32_t)(handles[i] == handle) << i;
    return same & rest;
}

/* ------------------------------------------------------------------------------------------- tex, tld4 */

static float float_lane(const struct warp *warp, uint32_t operand, int lane)
{
    return ((const float *)slot(warp, operand))[lane];
}

static int32_t int_lane(const struct warp *warp, uint32_t operand, int lane)
{
    return ((const int32_t *)slot(warp, operand))[lane];
}

static const uint32_t *query_level(const struct warp *warp, const struct tex_form *form,
                                   const struct texture *texture, const uint32_t *use, int lane,
                                   struct texture_query *query)
{
    query->has_level = form->level != LEVEL_NONE;
    if (form->level == LEVEL_LOD)
        query->level = float_lane(warp, *use++, lane);
    if (form->level != LEVEL_GRADIENT)
        return use;
    float gradient[2][3] = {{0}};
    for (int g = 0; g < 2; g++)
        for (int d = 0; d < form->coords; d++)
            gradient[g][d] = float_lane(warp, *use++, lane);
    query->level = texture_gradient_level(texture, form->coords, gradient[0], gradient[1]);
    return use;
}

static void make_query(const struct warp *warp, const struct insn *insn, const struct texture *texture,
                       int lane, struct texture_query *query)
{
    const struct tex_form *form = insn->texture;
    const uint32_t *use = &insn->o[insn->ndefs + 1];
    *query =
        (struct texture_query){.shape = form->shape, .is_integer = form->is_integer, .gather = form->gather};
    if (form->is_layered)
        query->layer = int_lane(warp, *use++, lane);
    for (int d = 0; d < form->coords; d++) {
        query->index[d] = int_lane(warp, *use, lane);
        query->coord[d] = float_lane(warp, *use++, lane);
    }
    use = query_level(warp, form, texture, use, lane, query);
    for (int d = 0; d < form->offsets && d < 3; d++)
        query->offset[d] = int_lane(warp, *use++, lane);
}

static void store_texel(const struct warp *warp, const struct insn *insn, int lane, const uint32_t texel[4])
{
    const struct tex_form *form = insn->texture;
    for (int d = 0; d < insn->ndefs; d++) {
        if (insn->o[d] == SLOT_NONE)
            continue;
        uint32_t value = texel[d & 3];
        if (form->is_packed)
            value = half_from_float(f32_from_bits(texel[2 * (d & 1)])) |
                    (uint32_t)half_from_float(f32_from_bits(texel[2 * (d & 1) + 1])) << 16;
        ((uint32_t *)slot(warp, insn->o[d]))[lane] = value;
    }
}

/* The texels of a warp's fetch, which the checkers see as loads of one lane each. */
struct fetched {
    uint64_t addresses[TEXEL_CORNERS][LANES];
    uint32_t lanes[TEXEL_CORNERS];
};

static void note_corners(struct fetched *fetched, const struct texel_log *log, int lane)
{
    for (uint32_t k = 0; k < log->ncorners; k++) {
        fetched->addresses[k][lane] = log->corners[k];
        fetched->lanes[k] |= UINT32_C(1) << lane;
    }
}

/* Memory that a texture reads is checked like that of any load: was it written, does another block write it? */
static void check_fetch(struct warp *warp, const struct insn *insn, const struct texture *texture,
                        const struct fetched *fetched)
{
    if (warp->worker->check != CHECK_FULL || texture->resource == TEXTURE_ARRAY)
        return;
    for (int k = 0; k < TEXEL_CORNERS && fetched->lanes[k]; k++) {
        const struct access access =
            access_of_lanes(ACCESS_READ, PTX_GLOBAL, fetched->lanes[k],
                            texel_bytes(texture->levels[0].format), fetched->addresses[k]);
        checker_of(warp)->global(warp, insn, &access);
    }
}

/* The sectors of each level lie in an allocation of their own. */
static void count_sectors(struct warp *warp, const struct insn *insn, const struct texel_log *log,
                          struct allocation *const *allocations, uint32_t nlevels)
{
    stat_of(warp, insn)->sectors += log->count;
    for (uint32_t level = 0; level < nlevels; level++) {
        const struct allocation *allocation = allocations[level];
        uint64_t sectors[TEXEL_LOG_SECTORS];
        uint32_t count = 0;
        for (uint32_t i = 0; i < log->count; i++)
            if (log->sectors[i] >= allocation->base / 32 &&
                log->sectors[i] <= (allocation->base + allocation->size - 1) / 32)
                sectors[count++] = log->sectors[i];
        if (count)
            cache_load(&warp->port, allocations[level], sectors, count);
    }
}

/* Texels that were not there before are there the second time, also if another thread has brought them meanwhile. */
static void sample_texel(const struct warp *warp, struct texture_view *view,
                         const struct texture_query *query, uint32_t *texel)
{
    const struct launch *launch = warp->block->launch;
    const uint32_t count = view->log->count;
    const uint64_t made = late_made();
    bool has_made = false;
    texture_sample(view, query, texel);
    if (!launch->fills_late || view->texture->resource == TEXTURE_ARRAY || view->log->is_bad)
        return;
    for (uint32_t k = 0; k < view->log->ncorners; k++) {
        struct allocation *found = memory_find(launch->memory, view->log->corners[k]);
        has_made |=
            found && late_bring(found, view->log->corners[k], texel_bytes(view->texture->levels[0].format));
    }
    if (!has_made && late_made() == made)
        return;
    view->log->count = count;
    view->log->ncorners = 0;
    texture_sample(view, query, texel);
}

/* The lanes of one texture object. */
static enum step fetch_lanes(struct warp *warp, const struct insn *insn, const struct texture *texture,
                             uint32_t lanes)
{
    struct texel_log log;
    struct texture_view view = {.texture = texture, .log = &log};
    struct allocation *allocations[TEXTURE_LEVELS];
    struct fetched fetched;
    const uint32_t nlevels = texture->nlevels;
    memset(fetched.lanes, 0, sizeof fetched.lanes);
    log.count = 0;
    log.bad = 0;
    log.is_bad = false;
    for (uint32_t level = 0; level < nlevels; level++)
        if (!image_resolve(warp, &texture->levels[level], &view.levels[level], &allocations[level]))
            return image_gone(warp, insn, __builtin_ctz(lanes), &texture->levels[level], false);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        struct texture_query query;
        uint32_t texel[4];
        log.ncorners = 0;
        make_query(warp, insn, texture, lane, &query);
        sample_texel(warp, &view, &query, texel);
        if (log.is_bad) {
            checker_of(warp)->bad_access(warp, insn, lane, BAD_BOUNDS, PTX_GLOBAL, log.bad,
                                         texel_bytes(texture->levels[0].format), false);
            return launch_fault(warp, cudaErrorIllegalAddress);
        }
        note_corners(&fetched, &log, lane);
        store_texel(warp, insn, lane, texel);
    }
    check_fetch(warp, insn, texture, &fetched);
    count_sectors(warp, insn, &log, allocations, nlevels);
    return STEP_NEXT;
}

static enum step step_tex(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t handles[LANES];
    memcpy(handles, slot(warp, insn->o[insn->ndefs]), sizeof handles);
    if (mask)
        stat_of(warp, insn)->requests++;
    for (uint32_t rest = mask; rest;) {
        const uint32_t lanes = same_handles(handles, rest);
        const int lane = __builtin_ctz(rest);
        const struct texture *texture = texture_table_find(OBJECT_TEXTURE, handles[lane]);
        if (!texture)
            return texture_fault(warp, insn, lane, "texture", handles[lane]);
        const enum step step = fetch_lanes(warp, insn, texture, lanes);
        if (step != STEP_NEXT)
            return step;
        rest &= ~lanes;
    }
    if (insn->preds[0] != PRED_NONE) /* every texel is resident */
        warp->preds[insn->preds[0]] |= mask;
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- txq, suq */

enum query_kind {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_DATA_TYPE,
    QUERY_ORDER,
    QUERY_NORMALIZED,
    QUERY_ARRAY_SIZE,
    QUERY_LEVELS,
    QUERY_SAMPLES,
    QUERY_FORCE_UNNORMALIZED,
    QUERY_FILTER,
    QUERY_ADDRESS_0,
    QUERY_ADDRESS_1,
    QUERY_ADDRESS_2,
    QUERY_LAYOUT
};

/* Numbers of channel types and orders as the PTX ISA takes them over from OpenCL. */
static uint32_t data_type(struct texel_format format, bool is_normalized)
{
    static const uint32_t base[2][3] = {{0x10d7, 0x10da, 0x10dc}, {0x10d0, 0x10d2, 0x10dc}};
    if (format.kind == TEXEL_FLOAT)
        return format.bits == 16 ? 0x10dd : 0x10de;
    return base[is_normalized && format.bits < 32][format.kind] + (format.bits == 8    ? 0
                                                                   : format.bits == 16 ? 1
                                                                                       : 2);
}

static uint32_t channel_order(struct texel_format format)
{
    return format.channels == 1 ? 0x10b0 : format.channels == 2 ? 0x10b2 : 0x10b5;
}

static uint32_t image_property(const struct texture_image *image, enum query_kind kind, bool is_normalized)
{
    switch (kind) {
    case QUERY_WIDTH:
        return image->width;
    case QUERY_HEIGHT:
        return image->height;
    case QUERY_DEPTH:
        return image->depth > 1 ? image->depth : 0;
    case QUERY_ARRAY_SIZE:
        return image->layers;
    case QUERY_DATA_TYPE:
        return data_type(image->format, is_normalized);
    case QUERY_ORDER:
        return channel_order(image->format);
    case QUERY_SAMPLES:
        return 1;
    case QUERY_LAYOUT:
        return image->is_blocked;
    default:
        return 0;
    }
}

static uint32_t texture_property(const struct texture *texture, enum query_kind kind, uint32_t level)
{
    switch (kind) {
    case QUERY_NORMALIZED:
        return texture->has_normalized_coords;
    case QUERY_LEVELS:
        return texture->nlevels;
    case QUERY_FILTER:
        return texture->is_linear_filter;
    case QUERY_ADDRESS_0:
    case QUERY_ADDRESS_1:
    case QUERY_ADDRESS_2:
        return texture->address[kind - QUERY_ADDRESS_0];
    default:
        return image_property(&texture->levels[level], kind, texture->reads_normalized);
    }
}

/* op: what is asked; count: the object's kind; width != 0: a level is given. */
static enum step step_query(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint64_t *handles = slot(warp, insn->o[insn->ndefs]);
    uint32_t *out = insn->o[0] == SLOT_NONE ? NULL : slot(warp, insn->o[0]);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const bool is_surface = insn->count == OBJECT_SURFACE;
        const void *object = texture_table_find((enum object_kind)insn->count, handles[lane]);
        if (!object)
            return texture_fault(warp, insn, lane, is_surface ? "surface" : "texture", handles[lane]);
        const struct texture *texture = object;
        const struct surface *surface = object;
        uint32_t level = insn->width ? (uint32_t)int_lane(warp, insn->o[insn->ndefs + 1], lane) : 0;
        if (!is_surface && level >= texture->nlevels)
            level = texture->nlevels - 1;
        const enum query_kind kind = (enum query_kind)insn->op;
        const uint32_t value = is_surface ? image_property(&surface->image, kind, false)
                                          : texture_property(texture, kind, level);
        if (out)
            out[lane] = value;
    }
    return STEP_NEXT;
}

bool decode_txq(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    static const struct {
        const char *part;
        enum query_kind kind;
    } queries[] = {{"width", QUERY_WIDTH},           {"height", QUERY_HEIGHT},
                   {"depth", QUERY_DEPTH},           {"channel_data_type", QUERY_DATA_TYPE},
                   {"channel_order", QUERY_ORDER},   {"normalized_coords", QUERY_NORMALIZED},
                   {"array_size", QUERY_ARRAY_SIZE}, {"num_mipmap_levels", QUERY_LEVELS},
                   {"num_samples", QUERY_SAMPLES},   {"force_unnormalized_coords", QUERY_FORCE_UNNORMALIZED},
                   {"filter_mode", QUERY_FILTER},    {"addr_mode_0", QUERY_ADDRESS_0},
                   {"addr_mode_1", QUERY_ADDRESS_1}, {"addr_mode_2", QUERY_ADDRESS_2},
                   {"memory_layout", QUERY_LAYOUT}};
    const size_t count = sizeof queries / sizeof *queries;
    size_t i = 0;
    while (i < count && !opcode_has(opcode, queries[i].part))
        i++;
    const uint32_t operands = opcode_has(opcode, "level") ? 3 : 2;
    if (i == count || in->noperands != operands || in->operands[1].kind != PTX_OP_ADDRESS)
        return decode_error(decoder, "%s: no such query", in->name);
    out->kind = INSN_STEP;
    out->class = CLASS_TEXTURE;
    out->step = step_query;
    out->op = (uint8_t)queries[i].kind;
    out->dsize = 4;
    out->count = strcmp(opcode->parts[0], "suq") == 0 ? OBJECT_SURFACE : OBJECT_TEXTURE;
    out->width = operands == 3;
    return decode_dest(decoder, out, &in->operands[0], 'w') &&
           decode_source(decoder, out, &in->operands[1].list[0], 'd') &&
           (operands == 2 || decode_source(decoder, out, &in->operands[2], 'w'));
}

/* ------------------------------------------------------------------------------------------- decoding tex */

const struct shape_name shape_names[SHAPES] = {
    [SHAPE_1D] = {"1d", 1, false},      [SHAPE_2D] = {"2d", 2, false},  [SHAPE_3D] = {"3d", 3, false},
    [SHAPE_A1D] = {"a1d", 1, true},     [SHAPE_A2D] = {"a2d", 2, true}, [SHAPE_CUBE] = {"cube", 3, false},
    [SHAPE_ACUBE] = {"acube", 3, true},
};

enum texture_shape shape_find(const struct opcode *opcode)
{
    int shape = 0;
    while (shape < SHAPES && !opcode_has(opcode, shape_names[shape].part))
        shape++;
    return (enum texture_shape)shape;
}

bool decode_texture_address(struct decoder *decoder, const struct ptx_insn *in,
                            const struct ptx_operand *operand, enum texture_shape shape, char letter,
                            struct insn *out)
{
    if (operand->kind != PTX_OP_ADDRESS || operand->count != 2)
        return decode_error(decoder, "%s: expected [object, {coordinates}]", in->name);
    if (!decode_source(decoder, out, &operand->list[0], 'd'))
        return false;
    const struct ptx_operand *coords = &operand->list[1];
    const bool is_list = coords->kind == PTX_OP_LIST;
    const uint32_t given = is_list ? coords->count : 1;
    const uint32_t layers = shape_names[shape].is_layered, needed = shape_names[shape].coords + layers;
    if (given < needed)
        return decode_error(decoder, "%s: %u coordinates, not %u", in->name, given, needed);
    for (uint32_t i = 0; i < needed; i++)
        if (!decode_source(decoder, out, is_list ? &coords->list[i] : coords, i < layers ? 'w' : letter))
            return false;
    return true;
}

bool decode_dest_list(struct decoder *decoder, const struct ptx_operand *operand, char letter,
                      struct insn *out)
{
    if (operand->kind != PTX_OP_LIST)
        return decode_dest(decoder, out, operand, letter);
    for (uint32_t i = 0; i < operand->count; i++)
        if (i >= 4 || !decode_dest(decoder, out, &operand->list[i], letter))
            return false;
    return true;
}

static bool decode_list(struct decoder *decoder, const struct ptx_operand *operand, uint32_t count,
                        char letter, struct insn *out)
{
    const bool is_list = operand->kind == PTX_OP_LIST;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= (is_list ? operand->count : 1))
            return decode_error(decoder, "too few elements in a list of coordinates");
        if (!decode_source(decoder, out, is_list ? &operand->list[i] : operand, letter))
            return false;
    }
    return true;
}

static int gather_channel(const struct opcode *opcode)
{
    static const char *const names[] = {"r", "g", "b", "a"};
    for (int c = 0; c < 4 && strcmp(opcode->parts[0], "tld4") == 0; c++)
        if (opcode_has(opcode, names[c]))
            return c;
    return -1;
}

/* What follows the address: level or gradients, then offsets. */
static bool decode_tex_rest(struct decoder *decoder, const struct ptx_insn *in, struct tex_form *form,
                            struct insn *out)
{
    uint32_t next = 2;
    const uint32_t wanted = form->level == LEVEL_LOD ? 1 : form->level == LEVEL_GRADIENT ? 2 : 0;
    for (uint32_t i = 0; i < wanted; i++, next++)
        if (next >= in->noperands ||
            !decode_list(decoder, &in->operands[next], form->level == LEVEL_LOD ? 1 : form->coords, 'f', out))
            return decode_error(decoder, "%s: the level or the gradients are missing", in->name);
    if (next < in->noperands && in->operands[next].kind == PTX_OP_LIST) {
        form->offsets = form->coords;
        if (out->ndefs + out->nuses + form->offsets > MAX_OPERANDS ||
            !decode_list(decoder, &in->operands[next++], form->offsets, 'w', out))
            return decode_error(decoder, "%s: too many operands", in->name);
    }
    return next == in->noperands || decode_error(decoder, "%s: depth comparison is not supported", in->name);
}

static bool decode_tex_types(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                             struct tex_form *form, char *letter)
{
    const char *to = opcode->count >= 4 ? opcode->parts[opcode->count - 2] : "";
    const char *from = opcode->count >= 4 ? opcode->parts[opcode->count - 1] : "";
    const enum ptx_type result = ptx_type_find(to, strlen(to)),
                        coordinate = ptx_type_find(from, strlen(from));
    if (coordinate != PTX_S32 && coordinate != PTX_F32)
        return decode_error(decoder, "%s: coordinates must be s32 or f32", in->name);
    if (result != PTX_F32 && result != PTX_S32 && result != PTX_U32 && result != PTX_F16X2)
        return decode_error(decoder, "%s: results must be u32, s32, f32 or f16x2", in->name);
    form->is_integer = coordinate == PTX_S32;
    form->is_packed = result == PTX_F16X2;
    *letter = result == PTX_F32 ? 'f' : 'w';
    return true;
}

bool decode_tex(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    struct tex_form *form = decode_alloc(decoder, sizeof *form);
    char letter = 0;
    if (!form || !decode_tex_types(decoder, opcode, in, form, &letter))
        return form ? false : decode_error(decoder, "out of memory");
    form->shape = shape_find(opcode);
    if (form->shape == SHAPES || in->noperands < 2)
        return decode_error(decoder, "%s: this kind of texture is not supported", in->name);
    form->coords = shape_names[form->shape].coords;
    form->is_layered = shape_names[form->shape].is_layered;
    form->gather = (int8_t)gather_channel(opcode);
    form->level = opcode_has(opcode, "level")  ? LEVEL_LOD
                  : opcode_has(opcode, "grad") ? LEVEL_GRADIENT
                                               : LEVEL_NONE;
    out->kind = INSN_STEP;
    out->class = CLASS_TEXTURE;
    out->step = step_tex;
    out->dsize = 4;
    out->texture = form;
    out->preds[0] = PRED_NONE;
    const struct ptx_operand *dest = &in->operands[0];
    if (dest->kind == PTX_OP_PAIR && dest->count == 2) {
        if (!decode_pred_dest(decoder, &dest->list[1], &out->preds[0]))
            return false;
        dest = &dest->list[0];
    }
    return decode_dest_list(decoder, dest, letter, out) &&
           decode_texture_address(decoder, in, &in->operands[1], form->shape, form->is_integer ? 'w' : 'f',
                                  out) &&
           decode_tex_rest(decoder, in, form, out);
}
