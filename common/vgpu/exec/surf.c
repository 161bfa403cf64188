/* surf.c - surface loads, stores and reductions: suld, sust, sured.
 * An access outside the image follows the instruction's boundary mode: trap, clamp, or zero.
 * Textures are tex.c's; races between surface accesses are not looked for. */
#include <string.h>

#include "core/findings.h"
#include "exec/tex.h"
#include "exec/instructions.h"
#include "memory/cache.h"
#include "memory/undo.h"

enum boundary { BOUNDARY_TRAP, BOUNDARY_CLAMP, BOUNDARY_ZERO };
enum surface_op {
    SURFACE_LOAD,
    SURFACE_STORE,
    SURFACE_ADD,
    SURFACE_MIN,
    SURFACE_MAX,
    SURFACE_AND,
    SURFACE_OR
};

/* insn->surface. Sources in order: handle, layer, coordinates, then the values of a store or a reduction. */
struct surface_form {
    enum texture_shape shape;
    enum boundary boundary;
    enum surface_op op;
    enum ptx_type type;
    bool is_formatted; /* .p: x counts elements, values are converted */
    uint8_t bytes;     /* of one value */
    uint8_t values;    /* v1, v2, v4 */
};

/* Where one lane's access goes. */
struct place {
    int64_t x; /* bytes */
    int64_t y, z;
};

static struct place lane_place(const struct warp *warp, const struct insn *insn,
                               const struct texture_image *image, int lane)
{
    const struct surface_form *form = insn->surface;
    const uint32_t *use = &insn->o[insn->ndefs + 1];
    int32_t layer = 0, at[3] = {0, 0, 0};
    if (shape_names[form->shape].is_layered)
        layer = ((const int32_t *)slot(warp, *use++))[lane];
    for (int d = 0; d < shape_names[form->shape].coords; d++)
        at[d] = ((const int32_t *)slot(warp, *use++))[lane];
    const int64_t scale = form->is_formatted ? texel_bytes(image->format) : 1;
    return (struct place){at[0] * scale, at[1], shape_names[form->shape].is_layered ? layer : at[2]};
}

static int64_t clamp(int64_t x, int64_t most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

/* True if the access goes to place, which a clamping access may have moved. */
static bool is_inside(const struct texture_image *image, struct place *place, uint32_t bytes,
                      enum boundary boundary)
{
    const int64_t row = (int64_t)image->width * texel_bytes(image->format);
    const int64_t slices = image->layers > image->depth ? image->layers : image->depth;
    const struct place most = {row - bytes, (int64_t)image->height - 1, slices - 1};
    const struct place near = {clamp(place->x, most.x), clamp(place->y, most.y), clamp(place->z, most.z)};
    const bool is_same = near.x == place->x && near.y == place->y && near.z == place->z;
    if (boundary == BOUNDARY_CLAMP)
        *place = near;
    return row >= bytes && (is_same || boundary == BOUNDARY_CLAMP);
}

static enum step report_outside(struct warp *warp, const struct insn *insn, int lane,
                                const struct texture_image *image, const struct place *place)
{
    finding_add(
        warp, insn, lane, VGPU_SURFACE_BOUNDS,
        "accesses byte %lld of row %lld, slice %lld; the surface has rows of %llu bytes, %u rows, %u slices",
        (long long)place->x, (long long)place->y, (long long)place->z,
        (unsigned long long)image->width * texel_bytes(image->format), image->height,
        image->layers > image->depth ? image->layers : image->depth);
    return launch_fault(warp, cudaErrorLaunchFailure);
}

static enum step report_misaligned(struct warp *warp, const struct insn *insn, int lane,
                                   const struct place *place, uint32_t bytes)
{
    finding_add(warp, insn, lane, VGPU_SURFACE_ALIGNMENT, "accesses %u bytes at byte %lld of a row", bytes,
                (long long)place->x);
    return launch_fault(warp, cudaErrorMisalignedAddress);
}

/* ------------------------------------------------------------------------------------------- what one lane does */

static void load_lane(const struct warp *warp, const struct insn *insn, int lane, const uint8_t *bytes)
{
    const struct surface_form *form = insn->surface;
    for (int v = 0; v < insn->ndefs; v++) {
        uint64_t value = 0;
        if (bytes)
            memcpy(&value, bytes + v * form->bytes, form->bytes);
        if (insn->o[v] != SLOT_NONE)
            memcpy((uint8_t *)slot(warp, insn->o[v]) + lane * insn->dsize, &value, insn->dsize);
    }
}

static uint64_t source_value(const struct warp *warp, const struct insn *insn, int lane, int value)
{
    const struct surface_form *form = insn->surface;
    const uint32_t first =
        insn->ndefs + 1u + shape_names[form->shape].coords + shape_names[form->shape].is_layered;
    const uint32_t size = form->bytes == 8 ? 8 : form->bytes == 4 ? 4 : 2;
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)slot(warp, insn->o[first + (uint32_t)value]) + (uint32_t)lane * size,
           size);
    return bits;
}

static void store_lane(const struct warp *warp, const struct insn *insn, int lane, struct texel_format format,
                       uint8_t *bytes)
{
    const struct surface_form *form = insn->surface;
    uint32_t values[4] = {0};
    for (int v = 0; v < form->values; v++) {
        const uint64_t bits = source_value(warp, insn, lane, v);
        if (!form->is_formatted)
            memcpy(bytes + v * form->bytes, &bits, form->bytes);
        values[v] = (uint32_t)bits;
    }
    if (form->is_formatted)
        texel_store(format, values, bytes);
}

static uint64_t reduced(const struct surface_form *form, uint64_t old, uint64_t value)
{
    const bool is_signed = form->type == PTX_S32 || form->type == PTX_S64;
    const bool is_less = !is_signed         ? value < old
                         : form->bytes == 4 ? (int32_t)value < (int32_t)old
                                            : (int64_t)value < (int64_t)old;
    switch (form->op) {
    case SURFACE_ADD:
        return old + value;
    case SURFACE_MIN:
        return is_less ? value : old;
    case SURFACE_MAX:
        return is_less ? old : value;
    case SURFACE_AND:
        return old & value;
    default:
        return old | value;
    }
}

/* Other host threads may reduce into the same element; the results do not depend on the order. */
static void reduce_lane(const struct warp *warp, const struct insn *insn, int lane, uint8_t *bytes)
{
    const struct surface_form *form = insn->surface;
    const uint64_t value = source_value(warp, insn, lane, 0);
    if (form->bytes == 8) {
        uint64_t *word = (uint64_t *)bytes, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &old, reduced(form, old, value), false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
            ;
        return;
    }
    uint32_t *word = (uint32_t *)bytes, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, (uint32_t)reduced(form, old, value), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* ------------------------------------------------------------------------------------------- a warp's access */

static void count_access(struct warp *warp, const struct insn *insn, struct allocation *allocation,
                         const struct texel_log *log)
{
    const struct surface_form *form = insn->surface;
    stat_of(warp, insn)->sectors += log->count;
    if (!log->count)
        return;
    if (form->op == SURFACE_LOAD)
        cache_load(&warp->port, allocation, log->sectors, log->count);
    else if (form->op == SURFACE_STORE)
        cache_store(&warp->port, allocation, log->sectors, log->count);
    else
        cache_atomic(&warp->port, allocation, log->sectors, log->count);
}

static void access_bytes(const struct warp *warp, const struct insn *insn, int lane,
                         struct texel_format format, uint8_t *bytes)
{
    const struct surface_form *form = insn->surface;
    if (form->op == SURFACE_LOAD)
        load_lane(warp, insn, lane, bytes);
    else if (form->op == SURFACE_STORE)
        store_lane(warp, insn, lane, format, bytes);
    else
        reduce_lane(warp, insn, lane, bytes);
}

static enum step access_lane(struct warp *warp, const struct insn *insn, int lane,
                             const struct texture_image *image, const struct image_view *view,
                             struct allocation *allocation, struct texel_log *log)
{
    const struct surface_form *form = insn->surface;
    const uint32_t bytes =
        form->is_formatted ? texel_bytes(image->format) : (uint32_t)form->bytes * form->values;
    struct place place = lane_place(warp, insn, image, lane);
    if (place.x % (int64_t)bytes != 0)
        return report_misaligned(warp, insn, lane, &place, bytes);
    if (!is_inside(image, &place, bytes, form->boundary)) {
        if (form->boundary == BOUNDARY_TRAP)
            return report_outside(warp, insn, lane, image, &place);
        if (form->op == SURFACE_LOAD)
            load_lane(warp, insn, lane, NULL);
        return STEP_NEXT;
    }
    const uint64_t offset = image_offset(image, (uint64_t)place.x, (uint32_t)place.y, (uint32_t)place.z);
    if (offset + bytes > view->limit)
        return report_outside(warp, insn, lane, image, &place);
    texel_log_add(log, image_sector(image, (uint64_t)place.x, (uint32_t)place.y, (uint32_t)place.z));
    if (form->op != SURFACE_LOAD && warp->block->launch->undo)
        undo_save(warp->block->launch->undo, allocation, image->address + offset, bytes);
    access_bytes(warp, insn, lane, image->format, (uint8_t *)(uintptr_t)view->host + offset);
    return STEP_NEXT;
}

static enum step access_lanes(struct warp *warp, const struct insn *insn, const struct texture_image *image,
                              uint32_t lanes)
{
    struct image_view view;
    struct allocation *allocation;
    struct texel_log log;
    log.count = 0;
    if (!image_resolve(warp, image, &view, &allocation))
        return image_gone(warp, insn, __builtin_ctz(lanes), image, insn->is_store);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const enum step step = access_lane(warp, insn, __builtin_ctz(rest), image, &view, allocation, &log);
        if (step != STEP_NEXT)
            return step;
    }
    count_access(warp, insn, allocation, &log);
    return STEP_NEXT;
}

static enum step step_surface(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t handles[LANES];
    memcpy(handles, slot(warp, insn->o[insn->ndefs]), sizeof handles);
    if (mask)
        stat_of(warp, insn)->requests++;
    for (uint32_t rest = mask; rest;) {
        const uint32_t lanes = same_handles(handles, rest);
        const int lane = __builtin_ctz(rest);
        const struct surface *surface = texture_table_find(OBJECT_SURFACE, handles[lane]);
        if (!surface)
            return texture_fault(warp, insn, lane, "surface", handles[lane]);
        const enum step step = access_lanes(warp, insn, &surface->image, lanes);
        if (step != STEP_NEXT)
            return step;
        rest &= ~lanes;
    }
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- decoding */

static bool surface_operation(const struct opcode *opcode, struct surface_form *form)
{
    static const struct {
        const char *part;
        enum surface_op op;
    } names[] = {{"add", SURFACE_ADD},
                 {"min", SURFACE_MIN},
                 {"max", SURFACE_MAX},
                 {"and", SURFACE_AND},
                 {"or", SURFACE_OR}};
    if (strcmp(opcode->parts[0], "sured") != 0) {
        form->op = strcmp(opcode->parts[0], "suld") == 0 ? SURFACE_LOAD : SURFACE_STORE;
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (opcode_has(opcode, names[i].part)) {
            form->op = names[i].op;
            return true;
        }
    return false;
}

static bool decode_form(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                        struct surface_form *form)
{
    form->shape = shape_find(opcode);
    form->type = opcode_type(opcode);
    form->bytes = (uint8_t)ptx_type_size(form->type);
    form->values = (uint8_t)opcode_vector(opcode);
    form->is_formatted = opcode_has(opcode, "p");
    form->boundary = opcode_has(opcode, "clamp")  ? BOUNDARY_CLAMP
                     : opcode_has(opcode, "zero") ? BOUNDARY_ZERO
                                                  : BOUNDARY_TRAP;
    if (form->shape == SHAPES || !surface_operation(opcode, form))
        return decode_error(decoder, "%s: this kind of surface access is not supported", in->name);
    const bool is_reduction = form->op > SURFACE_STORE;
    if (form->values > 4 || form->bytes == 0 || form->bytes > 8 || (is_reduction && form->bytes < 4))
        return decode_error(decoder, "%s: no surface access of this type", in->name);
    if (form->is_formatted && form->bytes != 4)
        return decode_error(decoder, "%s: a formatted access takes 32-bit values", in->name);
    return true;
}

static bool decode_values(struct decoder *decoder, const struct ptx_insn *in, const struct surface_form *form,
                          char letter, struct insn *out)
{
    const struct ptx_operand *operand = &in->operands[1];
    const bool is_list = operand->kind == PTX_OP_LIST;
    if ((is_list ? operand->count : 1) != form->values)
        return decode_error(decoder, "%s: %u values expected", in->name, form->values);
    for (uint32_t v = 0; v < form->values; v++)
        if (!decode_source(decoder, out, is_list ? &operand->list[v] : operand, letter))
            return false;
    return true;
}

bool decode_surface(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                    struct insn *out)
{
    if (strcmp(opcode->parts[0], "suq") == 0)
        return decode_txq(decoder, opcode, in, out);
    struct surface_form *form = decode_alloc(decoder, sizeof *form);
    if (!form)
        return decode_error(decoder, "out of memory");
    if (!decode_form(decoder, opcode, in, form))
        return false;
    if (in->noperands != 2)
        return decode_error(decoder, "%s takes 2 operands, not %u", in->name, in->noperands);
    const char letter = form->bytes == 8 ? 'd' : form->bytes == 4 ? 'w' : 'h';
    out->kind = INSN_STEP;
    out->class = CLASS_TEXTURE;
    out->step = step_surface;
    out->surface = form;
    out->is_store = form->op != SURFACE_LOAD;
    out->is_atomic = form->op > SURFACE_STORE;
    out->dsize = form->bytes < 2 ? 2 : form->bytes;
    if (form->op == SURFACE_LOAD)
        return decode_dest_list(decoder, &in->operands[0], letter, out) &&
               decode_texture_address(decoder, in, &in->operands[1], form->shape, 'w', out);
    return decode_texture_address(decoder, in, &in->operands[0], form->shape, 'w', out) &&
           decode_values(decoder, in, form, letter, out);
}
