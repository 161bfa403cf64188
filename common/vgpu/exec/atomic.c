/* atomic.c - atom and red: read, combine, write, in lane order.
 * Between blocks, atomics on global memory happen in the order of turns (block_has_turn), so that results are the same
 * in every run; only where nobody can tell (integers that commute, results unused) blocks go on side by side.
 * What the operations compute is in atomic.def. */
#include <string.h>

#include "decode/provenance.h"
#include "exec/instructions.h"
#include "alu/half.h"
#include "exec/mem.h"
#include "memory/cache.h"

/* ------------------------------------------------------------------------------------------- operations */

/* On shared memory f32 sums keep subnormals, on global memory they are flushed: so does the hardware. */
static uint32_t add_f32_bits(uint32_t old, uint32_t b)
{
    return f32_bits(f32_canonical(f32_from_bits(old) + f32_from_bits(b)));
}

static uint32_t add_f32_flushed(uint32_t old, uint32_t b)
{
    const float sum = f32_flush(f32_from_bits(old)) + f32_flush(f32_from_bits(b));
    return f32_bits(f32_canonical(f32_flush(sum)));
}

static uint64_t add_f64_bits(uint64_t old, uint64_t b)
{
    const uint64_t quiet = (uint64_t)1 << 51;
    const double x = f64_from_bits(old), y = f64_from_bits(b), sum = x + y;
    if (sum == sum)
        return f64_bits(sum);
    return x != x ? old | quiet : y != y ? b | quiet : 0xfff8000000000000; /* which NaN, as exec/float.c */
}

/* Global memory: what is no number comes through as it stands, signalling or not; of two, the one that is added. */
static uint64_t add_f64_global(uint64_t old, uint64_t b)
{
    const double x = f64_from_bits(old), y = f64_from_bits(b);
    return y != y ? b : x != x ? old : add_f64_bits(old, b);
}

/* The exact sum of two 16-bit floats rounds to the same value whether or not it is rounded to f32 on the way. */
static uint16_t add_f16_bits(uint16_t old, uint16_t b)
{
    return half_from_float(half_to_float(old) + half_to_float(b));
}

static uint16_t add_bf16_bits(uint16_t old, uint16_t b)
{
    return bf16_from_float(bf16_to_float(old) + bf16_to_float(b));
}

/* Orders -0 below +0; what is not a number loses against a number. */
static uint16_t pick_bits(uint16_t old, uint16_t b, float x, float y, bool wants_less)
{
    if (x != x || y != y)
        return x == x ? old : y == y ? b : HALF_NAN;
    const bool is_less = x < y || (x == y && old >> 15 && !(b >> 15));
    return is_less == wants_less ? old : b;
}

static uint16_t min_f16_bits(uint16_t old, uint16_t b)
{
    return pick_bits(old, b, half_to_float(old), half_to_float(b), true);
}

static uint16_t max_f16_bits(uint16_t old, uint16_t b)
{
    return pick_bits(old, b, half_to_float(old), half_to_float(b), false);
}

static uint16_t min_bf16_bits(uint16_t old, uint16_t b)
{
    return pick_bits(old, b, bf16_to_float(old), bf16_to_float(b), true);
}

static uint16_t max_bf16_bits(uint16_t old, uint16_t b)
{
    return pick_bits(old, b, bf16_to_float(old), bf16_to_float(b), false);
}

static uint32_t both_halves(uint32_t old, uint32_t b, uint16_t (*combine)(uint16_t, uint16_t))
{
    const uint32_t low = combine((uint16_t)old, (uint16_t)b);
    return low | (uint32_t)combine((uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16;
}

typedef uint64_t combine_fn(uint64_t old, uint64_t b);

#define ATOMIC(id, op, type, T, commutes, expression)                                                        \
    static uint64_t combine_##id(uint64_t old_bits, uint64_t b_bits)                                         \
    {                                                                                                        \
        const T old = (T)old_bits, b = (T)b_bits;                                                            \
        (void)old;                                                                                           \
        return (uint64_t)(T)(expression);                                                                    \
    }
#include "exec/atomic.def"
#undef ATOMIC

static uint64_t combine_add_f32_shared(uint64_t old, uint64_t b)
{
    return add_f32_bits((uint32_t)old, (uint32_t)b);
}

static uint64_t combine_add_f64_shared(uint64_t old, uint64_t b)
{
    return add_f64_bits(old, b);
}

struct atomic_row {
    const char *op;
    enum ptx_type type;
    bool commutes;
    combine_fn *combine;
};

static const struct atomic_row rows[] = {
#define ATOMIC(id, op, type, T, commutes, expression) {op, type, commutes, combine_##id},
#include "exec/atomic.def"
#undef ATOMIC
};

/* What a decoded atomic needs beyond struct insn; insn->atomic. */
struct atomic_info {
    combine_fn *combine, *combine_shared; /* NULL: compare and swap, or an exchange of 16 bytes */
    bool is_cas;
    bool is_used;      /* somebody reads the result */
    bool is_parallel;  /* blocks may do it side by side: nobody can tell */
    bool is_plain_add; /* 32-bit integer add: the histogram's */
    bool
        is_count; /* it adds 1, and nobody reads the result: a GPU counts the lanes at one word, and adds once */
};

/* ------------------------------------------------------------------------------------------- one lane */

static inline uint64_t load_bits(const void *memory, uint32_t width)
{
    uint64_t bits = 0;
    memcpy(&bits, memory, width);
    return bits;
}

static inline const uint8_t *value_slot(const struct warp *warp, const struct insn *insn, uint32_t k)
{
    return slot(warp, insn->o[insn->ndefs + 1u + k]);
}

/* Compare and swap, and exchange of 16 bytes: bytes are compared and moved as they are. True: memory changed. */
static bool swap_lane(const struct warp *warp, const struct insn *insn, uint32_t lane, uint8_t *memory)
{
    const struct atomic_info *info = insn->atomic;
    const uint32_t width = insn->width;
    uint8_t old[16], fresh[16];
    const uint8_t *b = value_slot(warp, insn, 0) + (size_t)lane * width;
    memcpy(old, memory, width);
    const bool is_equal = !info->is_cas || memcmp(old, b, width) == 0;
    memcpy(fresh, info->is_cas ? value_slot(warp, insn, 1) + (size_t)lane * width : b, width);
    if (insn->ndefs)
        memcpy((uint8_t *)slot(warp, insn->o[0]) + (size_t)lane * width, old, width);
    const bool is_changed = is_equal && memcmp(old, fresh, width) != 0;
    if (is_changed)
        memcpy(memory, fresh, width);
    return is_changed;
}

static bool combine_lane(const struct warp *warp, const struct insn *insn, uint32_t lane, uint8_t *memory,
                         combine_fn *combine)
{
    const uint32_t width = insn->width;
    uint64_t b[8];
    bool is_changed = false;
    for (uint32_t k = 0; k < insn->count; k++)
        b[k] = load_bits(value_slot(warp, insn, k) + (size_t)lane * width, width);
    for (uint32_t k = 0; k < insn->count; k++) {
        const uint64_t old = load_bits(memory + k * width, width), fresh = combine(old, b[k]);
        if (old != fresh) /* the host may be writing there, while a kernel polls by adding nothing */
            memcpy(memory + k * width, &fresh, width);
        if (insn->ndefs)
            memcpy((uint8_t *)slot(warp, insn->o[k]) + (size_t)lane * width, &old, width);
        is_changed |= old != fresh;
    }
    return is_changed;
}

/* The same while other host threads do so too. Only operations of 4 and 8 bytes are parallel. */
static void combine_parallel(const struct warp *warp, const struct insn *insn, uint32_t lane, uint8_t *memory,
                             combine_fn *combine)
{
    const uint64_t b = load_bits(value_slot(warp, insn, 0) + (size_t)lane * insn->width, insn->width);
    if (insn->width == 4) {
        uint32_t *word = (uint32_t *)memory, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &old, (uint32_t)combine(old, b), true, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
            continue;
        return;
    }
    uint64_t *word = (uint64_t *)memory, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(word, &old, combine(old, b), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static inline bool update_lane(const struct warp *warp, const struct insn *insn, uint32_t lane,
                               uint8_t *memory, combine_fn *combine)
{
    return combine ? combine_lane(warp, insn, lane, memory, combine) : swap_lane(warp, insn, lane, memory);
}

/* ------------------------------------------------------------------------------------------- global memory */

static void check_global_atomic(struct warp *warp, const struct insn *insn, uint32_t mask,
                                const uint64_t *address, struct allocation *const *found)
{
    const struct access access =
        access_of_lanes(ACCESS_ATOMIC, PTX_GLOBAL, mask, access_bytes(insn), address);
    look_at_global(warp, insn, &access);
    EACH_ACTIVE(lane, mask) memory_mark_written(found[lane], address[lane], access.bytes);
}

static void charge_global(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address,
                          struct allocation *const *found)
{
    struct insn_stat *stat = stat_of(warp, insn);
    stat->requests++;
    while (mask) {
        struct allocation *a = found[first_lane(mask)];
        uint64_t filled[LANES], sectors[LANES];
        uint32_t same = 0;
        EACH_ACTIVE(lane, mask) same |= found[lane] == a ? 1u << lane : 0;
        mask &= ~same;
        memcpy(filled, address, sizeof filled);
        fill_addresses(filled, same);
        const uint32_t count = distinct_sectors(filled, sectors);
        stat->sectors += count;
        cache_atomic(&warp->port, a, sectors, count);
    }
}

static uint32_t admit_global(struct warp *warp, const struct insn *insn, uint32_t mask,
                             const uint64_t *address, struct allocation **found)
{
    struct tlb_entry fresh;
    const struct tlb_entry *entry = tlb_find_all(warp, insn, address, access_bytes(insn), true, &fresh);
    if (!entry)
        return global_admit(warp, insn, mask, address, access_bytes(insn), true, found);
    for (int i = 0; i < LANES; i++)
        found[i] = entry->allocation;
    return mask;
}

/* True if memory changed (or may have). Addresses are filled. */
static bool atomic_global(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address,
                          bool is_parallel)
{
    const struct atomic_info *info = insn->atomic;
    struct allocation *found[LANES];
    const uint32_t good = admit_global(warp, insn, mask, address, found);
    bool is_changed = is_parallel;
    zero_lanes(warp, insn, mask & ~good);
    if (!good)
        return false;
    if (warp->worker->check == CHECK_FULL)
        check_global_atomic(warp, insn, good, address, found);
    EACH_ACTIVE(lane, good)
    {
        uint8_t *memory = found[lane]->host + (address[lane] - found[lane]->base);
        if (is_parallel)
            combine_parallel(warp, insn, lane, memory, info->combine);
        else
            is_changed |= update_lane(warp, insn, lane, memory, info->combine);
    }
    charge_global(warp, insn, good, address, found);
    return is_changed;
}

/* ------------------------------------------------------------------------------------------- shared memory */

/* Lanes per bank, as 32 bytes; the most of them. */
static uint32_t full_warp_wavefronts(const uint32_t *offset)
{
    uint8_t count[LANES] = {0}, most = 0;
    for (int i = 0; i < LANES; i++)
        count[offset[i] / 4 % LANES]++;
    for (int i = 0; i < LANES; i++)
        most = count[i] > most ? count[i] : most;
    return most;
}

/* Lanes of one bank go one after another, whether they hit the same word or not; banks work side by side. Accesses of
 * 8 and 16 bytes go in halves and quarters of the warp, like loads. */
static uint32_t atomic_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    if (mask == FULL_MASK && bytes == 4)
        return full_warp_wavefronts(offset);
    const uint32_t words = bytes <= 4 ? 1 : bytes / 4, lanes = LANES / words;
    uint32_t wavefronts = 0;
    for (uint32_t start = 0; start < LANES; start += lanes) {
        const uint32_t group = mask & (lanes == LANES ? FULL_MASK : ((1u << lanes) - 1) << start);
        uint8_t count[LANES] = {0};
        uint8_t most = 0;
        EACH_ACTIVE(lane, group)
        {
            const uint8_t here = ++count[offset[lane] / 4 % LANES];
            most = here > most ? here : most;
        }
        wavefronts += most;
    }
    return wavefronts;
}

static void check_shared_atomic(struct warp *warp, const struct insn *insn, uint32_t mask,
                                const uint32_t *offset)
{
    uint64_t address[LANES];
    for (int i = 0; i < LANES; i++)
        address[i] = offset[i];
    const struct access access =
        access_of_lanes(ACCESS_ATOMIC, PTX_SHARED, mask, access_bytes(insn), address);
    checker_of(warp)->shared(warp, insn, &access);
}

static bool is_good(const struct warp *warp, const struct insn *insn, struct span span, uint32_t bytes)
{
    const uint32_t end =
        insn->bounds.end < warp->block->shared_bytes ? insn->bounds.end : warp->block->shared_bytes;
    return !(span.bits & (bytes - 1)) && span.low >= insn->bounds.first && (uint64_t)span.high + bytes <= end;
}

/* The histogram's: 32-bit adds whose results nobody wants, counted on the way. */
static void add_to_shared(const struct warp *warp, const struct insn *insn, uint32_t mask,
                          const uint32_t *offset)
{
    uint8_t *shared = warp->block->shared;
    const uint32_t *b = (const uint32_t *)value_slot(warp, insn, 0);
    if (mask == FULL_MASK)
        for (int i = 0; i < LANES; i++)
            *(uint32_t *)(shared + offset[i]) += b[i];
    else
        EACH_ACTIVE(lane, mask) * (uint32_t *)(shared + offset[lane]) += b[lane];
}

static bool atomic_shared(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset)
{
    const struct atomic_info *info = insn->atomic;
    const struct span span = span_of(offset);
    const uint32_t bytes = access_bytes(insn);
    uint32_t good = mask;
    bool is_changed = false;
    if (!is_good(warp, insn, span, bytes)) {
        good = shared_admit(warp, insn, mask, offset, bytes, true);
        zero_lanes(warp, insn, mask & ~good);
    }
    if (!good)
        return false;
    if (warp->worker->check == CHECK_FULL)
        check_shared_atomic(warp, insn, good, offset);
    if (info->is_plain_add && !info->is_used) {
        add_to_shared(warp, insn, good, offset);
        is_changed = true;
    } else {
        EACH_ACTIVE(lane, good)
        is_changed |= update_lane(warp, insn, lane, warp->block->shared + offset[lane], info->combine_shared);
    }
    charge_shared(stat_of(warp, insn), good, bytes,
                  !info->is_count     ? atomic_wavefronts(offset, good, bytes)
                  : good == FULL_MASK ? word_wavefronts(offset, span)
                                      : bank_wavefronts(offset, good, bytes));
    return is_changed;
}

/* ------------------------------------------------------------------------------------------- steps */

static uint64_t combine_results(const struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t combined = mask;
    for (uint32_t k = 0; k < insn->ndefs; k++) {
        const uint8_t *values = slot(warp, insn->o[k]);
        EACH_ACTIVE(lane, mask)
        {
            const uint32_t width = insn->width < 8 ? insn->width : 8;
            combined = (combined ^ load_bits(values + (size_t)lane * insn->width, width)) * 0x100000001b3u;
        }
    }
    return combined;
}

static enum step settle(struct warp *warp, const struct insn *insn, uint32_t mask, bool is_changed)
{
    const struct atomic_info *info = insn->atomic;
    if (warp->worker->check == CHECK_FULL) {
        /* in this order: who looks at the old value knows of the atomics beside its own, too */
        checker_of(warp)->release(warp, insn, mask);
        if (info->is_used)
            checker_of(warp)->acquire(warp, insn, mask);
    }
    if (is_changed)
        launch_progress(warp->block->launch);
    return info->is_used ? warp_polled(warp, insn, combine_results(warp, insn, mask)) : STEP_NEXT;
}

/* Side by side only if nobody in this launch can see an order. */
static bool may_be_parallel(const struct warp *warp, const struct atomic_info *info)
{
    return info->is_parallel && !warp->frame->function->uses_order &&
           !warp->block->launch->kernel->uses_order;
}

static enum step step_atomic_shared(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t offset[LANES];
    if (!mask)
        return STEP_NEXT;
    lane_offsets(warp, insn->o[insn->ndefs], insn->imm, insn->is_wide, mask, access_bytes(insn), offset);
    return settle(warp, insn, mask, atomic_shared(warp, insn, mask, offset));
}

/* Local memory belongs to one thread: an atomic on it is legal nowhere, but a generic address may say so. */
static void refuse_windows(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address)
{
    EACH_ACTIVE(lane, mask)
    refuse_lane(warp, insn, (int)lane, BAD_BOUNDS, PTX_GENERIC, address[lane], access_bytes(insn), true);
    zero_lanes(warp, insn, mask);
}

static enum step step_atomic(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct atomic_info *info = insn->atomic;
    const struct memory *memory = warp->block->launch->memory;
    uint64_t address[LANES];
    uint32_t offset[LANES];
    bool is_changed = false;
    if (!mask)
        return STEP_NEXT;
    lane_addresses(warp, insn->o[insn->ndefs], insn->imm, insn->is_wide, mask, access_bytes(insn), address);
    struct generic_split split = {0, 0, 0, mask};
    if (insn->space == PTX_GENERIC)
        split = split_generic(memory, address, mask);
    const bool is_parallel = may_be_parallel(warp, info);
    if (split.global && !is_parallel && !block_has_turn(warp->block))
        return STEP_WAIT_TURN;
    if (split.shared) {
        for (int i = 0; i < LANES; i++)
            offset[i] = (uint32_t)(address[i] - memory_layout(memory)->shared_window);
        fill_offsets(offset, split.shared);
        is_changed |= atomic_shared(warp, insn, split.shared, offset);
    }
    if (split.local | split.param)
        refuse_windows(warp, insn, split.local | split.param, address);
    if (split.global) {
        fill_addresses(address, split.global);
        is_changed |= atomic_global(warp, insn, split.global, address, is_parallel);
    }
    return settle(warp, insn, mask, is_changed);
}

/* ------------------------------------------------------------------------------------------- decoding */

static bool mentions(const struct ptx_operand *operand, uint32_t reg)
{
    if (operand->kind == PTX_OP_REG)
        return operand->reg == reg;
    for (uint32_t i = 0; i < operand->count; i++)
        if (mentions(&operand->list[i], reg))
            return true;
    return false;
}

static bool is_one(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OP_INT && operand->bits == 1;
}

/* True if any instruction but this one's destination mentions the register. */
static bool is_read(const struct ptx_func *function, const struct ptx_insn *atom, uint32_t reg)
{
    for (size_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *in = &function->insns[i];
        for (uint32_t k = in == atom ? 1 : 0; k < in->noperands; k++)
            if (mentions(&in->operands[k], reg))
                return true;
    }
    return false;
}

/* nvcc writes atom even where nobody wants the result. */
static bool result_is_used(struct decoder *decoder, const struct ptx_insn *in)
{
    const struct ptx_operand *d = &in->operands[0];
    const struct ptx_operand *elements = d->kind == PTX_OP_LIST ? d->list : d;
    const uint32_t count = d->kind == PTX_OP_LIST ? d->count : 1;
    for (uint32_t i = 0; i < count; i++)
        if (elements[i].kind == PTX_OP_REG && is_read(decoder_function(decoder)->ptx, in, elements[i].reg))
            return true;
    return false;
}

/* Bitwise operations and exchanges take any type of their size. */
static enum ptx_type row_type(const char *op, enum ptx_type type)
{
    static const char *const untyped[] = {"and", "or", "xor", "exch"};
    static const enum ptx_type by_size[] = {[2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    const uint32_t size = ptx_type_size(type);
    for (size_t i = 0; i < sizeof untyped / sizeof *untyped; i++)
        if (strcmp(op, untyped[i]) == 0 && (size == 2 || size == 4 || size == 8))
            return by_size[size];
    return type;
}

static const struct atomic_row *find_row(const struct opcode *opcode, enum ptx_type type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (opcode_has(opcode, rows[i].op) && rows[i].type == row_type(rows[i].op, type))
            return &rows[i];
    return NULL;
}

/* Shared memory adds no floats, and of 8 bytes it can but exchange: ptxas writes a loop. */
static bool is_swap_loop(const struct insn *insn, const struct ptx_insn *in)
{
    const bool is_wide = insn->width == 8 && !insn->atomic->is_cas && !insn->is_exchange;
    return insn->space == PTX_SHARED && (is_wide || strstr(in->name, ".f"));
}

static bool fill_info(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                      struct insn *out, bool is_atom)
{
    const enum ptx_type type = opcode_type(opcode);
    struct atomic_info *info = decode_alloc(decoder, sizeof *info);
    if (!info)
        return decode_error(decoder, "out of memory");
    const struct atomic_row *row = find_row(opcode, type);
    info->is_cas = opcode_has(opcode, "cas");
    out->is_exchange = opcode_has(opcode, "exch");
    const bool is_wide_exchange = out->is_exchange && out->width == 16;
    if (!row && !is_wide_exchange && !(info->is_cas && out->width >= 2))
        return decode_error(decoder, "there is no atomic operation `%s`", in->name);
    info->combine = row ? row->combine : NULL;
    info->combine_shared = info->combine == combine_add_f32   ? combine_add_f32_shared
                           : info->combine == combine_add_f64 ? combine_add_f64_shared
                                                              : info->combine;
    info->is_plain_add = info->combine == combine_add_u32 || info->combine == combine_add_s32;
    info->is_used = is_atom && result_is_used(decoder, in);
    info->is_count = info->is_plain_add && !info->is_used && is_one(&in->operands[in->noperands - 1]);
    info->is_parallel = row && row->commutes && !info->is_used && out->count == 1 && out->width >= 4;
    out->atomic = info;
    out->is_swap_loop = is_swap_loop(out, in);
    out->is_volatile =
        out->space != PTX_SHARED && !info->is_parallel; /* makes the module keep to turns: decode.c */
    return true;
}

static char value_letter(enum ptx_type type)
{
    const uint32_t size = ptx_type_size(type);
    if (type == PTX_F32 || type == PTX_F64)
        return type == PTX_F32 ? 'f' : 'e';
    return size == 2 ? 'h' : size == 4 ? 'w' : size == 8 ? 'd' : 'q';
}

static bool decode_elements(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand,
                            char letter, bool is_dest)
{
    const bool is_list = operand->kind == PTX_OP_LIST;
    const uint32_t count = is_list ? operand->count : 1;
    if (count != out->count)
        return decode_error(decoder, "a vector of %u elements is needed", out->count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *element = is_list ? &operand->list[i] : operand;
        if (is_dest ? !decode_dest(decoder, out, element, letter)
                    : !decode_source(decoder, out, element, letter))
            return false;
    }
    return true;
}

static bool decode_atomic(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                          struct insn *out, bool is_atom)
{
    const enum ptx_type type = opcode_type(opcode);
    const uint32_t at = is_atom ? 1 : 0, values = opcode_has(opcode, "cas") ? 2 : 1;
    out->kind = INSN_STEP;
    out->class = CLASS_ATOMIC;
    out->is_atomic = true;
    out->space = (uint8_t)opcode_space(opcode);
    out->width = (uint8_t)ptx_type_size(type);
    out->count = (uint8_t)opcode_vector(opcode);
    if (in->noperands < at + 1 + values || in->operands[at].kind != PTX_OP_ADDRESS || !out->width ||
        access_bytes(out) > 32 || out->count > 8)
        return decode_error(decoder, "`%s` has the wrong operands", in->name);
    if (out->space != PTX_SHARED && out->space != PTX_GLOBAL && out->space != PTX_GENERIC)
        return decode_error(decoder, "atomics work on global and shared memory only");
    if (!fill_info(decoder, opcode, in, out, is_atom))
        return false;
    const struct atomic_info *info = out->atomic;
    if (info->is_used && !decode_elements(decoder, out, &in->operands[0], value_letter(type), true))
        return false;
    if (!decode_address(decoder, out, &in->operands[at], (enum ptx_space)out->space))
        return false;
    for (uint32_t v = 0; v < values; v++)
        if (!decode_elements(decoder, out, &in->operands[at + 1 + v], value_letter(type), false))
            return false;
    out->dsize = out->width;
    out->step = out->space == PTX_SHARED ? step_atomic_shared : step_atomic;
    if (!provenance_bounds(decoder_function(decoder), in, &out->bounds.first, &out->bounds.end)) {
        out->bounds.first = 0;
        out->bounds.end = UINT32_MAX;
    }
    return true;
}

bool decode_atom(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    return decode_atomic(decoder, opcode, in, out, true);
}

bool decode_red(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    if (opcode_has(opcode, "async"))
        return decode_error(decoder, "`%s` needs clusters, which this machine does not have", in->name);
    return decode_atomic(decoder, opcode, in, out, false);
}
