/* mbarrier.c - barriers that are objects in shared memory (cuda::barrier, cuda::pipeline on newer targets).
 * An object is one 64-bit word of our own making: expected arrivals, pending arrivals, outstanding bytes, phase.
 * A phase ends when nothing is pending. Who arrives for its asynchronous copies finishes them first. */
#include <string.h>

#include "core/checker.h"
#include "core/findings.h"
#include "decode/decode_internal.h"
#include "exec/copy_queue.h"
#include "exec/instructions.h"
#include "memory/memory.h"

enum mbarrier_op {
    INIT,
    INVAL,
    ARRIVE,
    ARRIVE_DROP,
    EXPECT_TX,
    COMPLETE_TX,
    ARRIVE_EXPECT_TX,
    WAIT,
    WAIT_PARITY,
    PENDING,
    COPY_ARRIVE,
    COPY_ARRIVE_NOINC
};

enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1 };

struct object {
    uint32_t expected, pending,
        bytes; /* bytes is signed in 22 bits: completions may come before expectations */
    uint32_t phase;
};

static struct object unpack(uint64_t word)
{
    return (struct object){word & COUNT_MASK, word >> 20 & COUNT_MASK, word >> 41 & 0x3fffff, word >> 40 & 1};
}

static uint64_t pack(struct object o)
{
    return (uint64_t)(o.expected & COUNT_MASK) | (uint64_t)(o.pending & COUNT_MASK) << 20 |
           (uint64_t)(o.phase & 1) << 40 | (uint64_t)(o.bytes & 0x3fffff) << 41;
}

static void end_phase_if_due(struct object *object)
{
    if (object->pending || object->bytes)
        return;
    object->phase ^= 1;
    object->pending = object->expected;
}

static void arrive(struct object *object, uint32_t count)
{
    object->pending -= count < object->pending ? count : object->pending;
    end_phase_if_due(object);
}

/* The object's word, checked; NULL: reported. */
static uint8_t *object_at(struct warp *warp, const struct insn *insn, int lane, uint32_t operand)
{
    uint64_t address = (uint64_t)insn->imm;
    if (insn->o[operand] != SLOT_NONE)
        address += insn->is_wide ? ((const uint64_t *)slot(warp, insn->o[operand]))[lane]
                                 : ((const uint32_t *)slot(warp, insn->o[operand]))[lane];
    if (insn->space == PTX_GENERIC)
        address -= memory_shared_window(warp->block->launch->memory);
    if (address % 8 == 0 && address < warp->block->shared_bytes && warp->block->shared_bytes - address >= 8)
        return warp->block->shared + address;
    checker_of(warp)->bad_access(warp, insn, lane, address % 8 ? BAD_ALIGNMENT : BAD_BOUNDS, PTX_SHARED,
                                 address, 8, true);
    launch_mark_fault(warp, cudaErrorIllegalAddress);
    return NULL;
}

static void update(struct object *object, const struct insn *insn, uint32_t count)
{
    switch (insn->op) {
    case INIT:
        *object = (struct object){count, count, 0, 0};
        break;
    case INVAL:
        *object = (struct object){0, 0, 0, 0};
        break;
    case ARRIVE_DROP:
        object->expected -= object->expected > 0;
        arrive(object, count);
        break;
    case EXPECT_TX:
        object->bytes += count;
        break;
    case COMPLETE_TX:
        object->bytes -= count;
        end_phase_if_due(object);
        break;
    case ARRIVE_EXPECT_TX:
        object->bytes += count;
        arrive(object, 1);
        break;
    case COPY_ARRIVE: /* one arrival more is expected, and it has come */
        break;
    default:
        arrive(object, count);
        break;
    }
}

/* o: [state,] address [, count]; count is 1 if it is not given. */
static enum step step_update(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t address = insn->ndefs, count = insn->ndefs + 1;
    if (insn->op == COPY_ARRIVE || insn->op == COPY_ARRIVE_NOINC)
        copies_arrive(warp, mask);
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        uint8_t *memory = object_at(warp, insn, lane, address);
        if (!memory)
            continue;
        uint64_t word;
        memcpy(&word, memory, sizeof word);
        struct object object = unpack(word);
        update(&object, insn, insn->nuses > 1 ? ((const uint32_t *)slot(warp, insn->o[count]))[lane] : 1);
        uint64_t changed = pack(object);
        memcpy(memory, &changed, sizeof changed);
        if (insn->ndefs)
            ((uint64_t *)slot(warp, insn->o[0]))[lane] = word;
    }
    if (warp->block->shadow && insn->op != INIT) {
        checker_of(warp)->fence(warp, insn, mask);
        checker_of(warp)->release(warp, insn, mask);
        checker_of(warp)->acquire(warp, insn, mask);
    }
    launch_progress(warp->block->launch);
    return STEP_NEXT;
}

/* o: address, state or parity; preds[0]: whether the phase is over. */
static enum step step_wait(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t done = 0;
    uint64_t seen = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        uint8_t *memory = object_at(warp, insn, lane, 0);
        uint64_t word = 0;
        if (memory)
            memcpy(&word, memory, sizeof word);
        uint32_t phase = insn->op == WAIT ? unpack(((const uint64_t *)slot(warp, insn->o[1]))[lane]).phase
                                          : ((const uint32_t *)slot(warp, insn->o[1]))[lane] & 1;
        if (!memory || unpack(word).phase != phase)
            done |= 1u << lane;
        seen = seen * 31 + word;
    }
    if (insn->preds[0] != PRED_NONE)
        warp->preds[insn->preds[0]] = (warp->preds[insn->preds[0]] & ~mask) | done;
    if (warp->block->shadow)
        checker_of(warp)->acquire(warp, insn, mask);
    if (done == mask) {
        copies_awaited(warp, insn);
        return STEP_NEXT;
    }
    const enum step step = warp_polled(warp, insn, seen);
    return insn->is_suspending ? STEP_YIELD : step;
}

static enum step step_pending(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t *out = slot(warp, insn->o[0]);
    const uint64_t *state = slot(warp, insn->o[1]);
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
        out[__builtin_ctz(lanes)] = unpack(state[__builtin_ctz(lanes)]).pending;
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- decoding */

static bool finish(struct insn *out, step_fn *step, enum mbarrier_op op)
{
    out->kind = INSN_STEP;
    out->class = CLASS_SYNC;
    out->step = step;
    out->op = op;
    out->is_release = true;
    out->is_block_wide = true;
    out->is_arrival = op == ARRIVE || op == ARRIVE_DROP || op == ARRIVE_EXPECT_TX;
    return true;
}

static bool decode_wait(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                        struct insn *out)
{
    bool is_parity = opcode_has(opcode, "parity");
    if (in->noperands < 3)
        return decode_error(decoder, "takes a predicate, an address and a phase");
    out->is_suspending = opcode_has(opcode, "try_wait");
    return decode_pred_dest(decoder, &in->operands[0], &out->preds[0]) &&
           decode_address(decoder, out, &in->operands[1], out->space) &&
           decode_source(decoder, out, &in->operands[2], is_parity ? 'w' : 'd') &&
           finish(out, step_wait, is_parity ? WAIT_PARITY : WAIT);
}

static const struct {
    const char *part;
    enum mbarrier_op op;
} ops[] = {
    {"init", INIT},
    {"inval", INVAL},
    {"arrive_drop", ARRIVE_DROP},
    {"complete_tx", COMPLETE_TX},
};

static enum mbarrier_op find_op(const struct opcode *opcode)
{
    if (strcmp(opcode->parts[0], "cp") == 0)
        return opcode_has(opcode, "noinc") ? COPY_ARRIVE_NOINC : COPY_ARRIVE;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (opcode_has(opcode, ops[i].part))
            return ops[i].op;
    if (opcode_has(opcode, "expect_tx"))
        return opcode_has(opcode, "arrive") ? ARRIVE_EXPECT_TX : EXPECT_TX;
    return ARRIVE;
}

bool decode_mbarrier(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                     struct insn *out)
{
    out->space = (uint8_t)opcode_space(opcode);
    if (opcode_has(opcode, "test_wait") || opcode_has(opcode, "try_wait"))
        return decode_wait(decoder, opcode, in, out);
    if (opcode_has(opcode, "pending_count"))
        return in->noperands == 2 && decode_dest(decoder, out, &in->operands[0], 'w') &&
               decode_source(decoder, out, &in->operands[1], 'd') && finish(out, step_pending, PENDING);
    uint32_t k = 0;
    if (in->noperands && in->operands[0].kind != PTX_OP_ADDRESS) {
        k = 1;
        if (in->operands[0].kind != PTX_OP_SINK && !decode_dest(decoder, out, &in->operands[0], 'd'))
            return false;
    }
    if (k >= in->noperands || !decode_address(decoder, out, &in->operands[k], out->space))
        return decode_error(decoder, "names no barrier");
    if (k + 1 < in->noperands && !decode_source(decoder, out, &in->operands[k + 1], 'w'))
        return false;
    return finish(out, step_update, find_op(opcode));
}
