/* emit.c - what decoding a function brings forth: instructions, temporaries, constants, and the first error. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "decode/decode_internal.h"

bool decode_error(struct decoder *decoder, const char *format, ...)
{
    if (decoder->failed)
        return false;
    struct refusal *why = decoder->why;
    decoder->failed = true;
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    if (!decoder->current)
        return false;
    why->loc = decoder->current->loc;
    if (used >= 0 && (size_t)used < sizeof why->text)
        snprintf(why->text + used, sizeof why->text - (size_t)used, " (`%s`, line %u of the PTX)",
                 decoder->current->name, decoder->current->ptx_line);
    return false;
}

void *decode_alloc(struct decoder *decoder, size_t size)
{
    return arena_alloc(decoder->module->arena, size);
}
struct function *decoder_function(struct decoder *decoder)
{
    return decoder->function;
}

struct insn *decode_emit(struct decoder *decoder)
{
    if (decoder->ncode == decoder->capacity) {
        uint32_t capacity = decoder->capacity ? decoder->capacity * 2 : 256;
        struct insn *code = aligned_alloc(64, capacity * sizeof *code);
        if (!code) {
            decode_error(decoder, "out of memory");
            return NULL;
        }
        if (decoder->ncode)
            memcpy(code, decoder->code, decoder->ncode * sizeof *code);
        free(decoder->code);
        decoder->code = code;
        decoder->capacity = capacity;
    }
    struct insn *insn = &decoder->code[decoder->ncode++];
    memset(insn, 0, sizeof *insn);
    memset(insn->preds, 0xff, sizeof insn->preds); /* PRED_NONE */
    insn->source = decoder->current;
    insn->loc = decoder->current ? decoder->current->loc : 0;
    return insn;
}

uint32_t decode_temp(struct decoder *decoder, uint32_t size)
{
    uint8_t *sizes = list_reserve(decoder->sizes, &decoder->virtual_capacity, decoder->nvirtual + 1, 1);
    if (!sizes) {
        decode_error(decoder, "out of memory");
        return 0;
    }
    decoder->sizes = sizes;
    decoder->sizes[decoder->nvirtual] = (uint8_t)size;
    return decoder->nvirtual++;
}

/* ------------------------------------------------------------------------------------------- constants */

/* size: up to 16 bytes; a literal has 8, and zeros above. */
static void fill_vector(uint8_t *vector, uint64_t bits, uint32_t size)
{
    const uint64_t words[2] = {bits, 0};
    for (int lane = 0; lane < LANES; lane++)
        memcpy(vector + (uint32_t)lane * size, words, size);
}

static bool grow_constants(struct decoder *decoder, uint32_t bytes)
{
    uint8_t *constants = list_reserve(decoder->constants, &decoder->constant_capacity,
                                      decoder->constant_bytes + (size_t)bytes, 1);
    if (!constants)
        return decode_error(decoder, "out of memory");
    decoder->constants = constants;
    if (decoder->nconstants * 2 < decoder->constant_index_capacity)
        return true;
    uint32_t old_capacity = decoder->constant_index_capacity,
             capacity = old_capacity ? old_capacity * 2 : 256;
    struct constant *old = decoder->constant_index, *index = calloc(capacity, sizeof *index);
    if (!index)
        return decode_error(decoder, "out of memory");
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (!old[i].size)
            continue;
        uint32_t at = (uint32_t)(hash_word(old[i].bits) >> 32) & (capacity - 1);
        while (index[at].size)
            at = (at + 1) & (capacity - 1);
        index[at] = old[i];
    }
    free(old);
    decoder->constant_index = index;
    decoder->constant_index_capacity = capacity;
    return true;
}

uint32_t decode_constant(struct decoder *decoder, uint64_t bits, uint32_t size)
{
    if (size < 8)
        bits &= (1ull << (8 * size)) - 1;
    if (!grow_constants(decoder, size * LANES))
        return SLOT_CONSTANT;
    uint32_t mask = decoder->constant_index_capacity - 1;
    uint32_t at = (uint32_t)(hash_word(bits) >> 32) & mask;
    for (; decoder->constant_index[at].size; at = (at + 1) & mask)
        if (decoder->constant_index[at].bits == bits && decoder->constant_index[at].size == size)
            return SLOT_CONSTANT | decoder->constant_index[at].offset;
    uint32_t offset = decoder->constant_bytes;
    fill_vector(decoder->constants + offset, bits, size);
    decoder->constant_bytes += size * LANES;
    decoder->constant_index[at] = (struct constant){bits, size, offset};
    decoder->nconstants++;
    return SLOT_CONSTANT | offset;
}

uint32_t decode_register_size(struct decoder *decoder, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OP_REG ? decoder->sizes[operand->reg] : 0;
}

/* The conversion between two register sizes: "cvt.u16.u32" drops bits, "cvt.s32.s16" extends. */
