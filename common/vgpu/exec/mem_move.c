/* mem_move.c - moves elements between memory and registers: every width into every register that may hold it.
 * One row of the table below makes all the loops for one pair of types. Elements need not be aligned here.
 * Checks nothing: addresses were found good before. */
#include <string.h>

#include "exec/mem.h"

typedef unsigned __int128 uint128_t;

/* Memory elements may lie at any address as far as the host is concerned. */
#define ELEMENT(type)        type##_element
#define DEFINE_ELEMENT(type) typedef type ELEMENT(type) __attribute__((aligned(1), may_alias));
DEFINE_ELEMENT(uint8_t)
DEFINE_ELEMENT(int8_t)
DEFINE_ELEMENT(uint16_t)
DEFINE_ELEMENT(int16_t)
DEFINE_ELEMENT(uint32_t)
DEFINE_ELEMENT(int32_t)
DEFINE_ELEMENT(uint64_t)
DEFINE_ELEMENT(uint128_t)

/* Memory and slots never overlap, but the compiler cannot know. */
#if defined(__clang__)
#define EACH_ELEMENT(i) for (int i = 0; i < LANES; i++)
#else
#define EACH_ELEMENT(i) _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif

/* With a stride that the compiler knows, the common vectors become interleaving loads and stores. */
#define EACH_STRIDE(M, stride, body)                                                                         \
    if ((stride) == sizeof(M))                                                                               \
    body(1) else if ((stride) == 2 * sizeof(M)) body(2) else if ((stride) == 4 * sizeof(M))                  \
        body(4) else body((stride) / sizeof(M))
#define LOAD_LOOP(step)                                                                                      \
    {                                                                                                        \
        EACH_ELEMENT(i) out[i] = (slot_type)in[(size_t)i * (step)];                                          \
    }
#define STORE_LOOP(step)                                                                                     \
    {                                                                                                        \
        EACH_ELEMENT(i) out[(size_t)i * (step)] = (memory_type)in[i];                                        \
    }
/* memory may be no pointer but the distance from device to host addresses: the sum is taken modulo 2^64. */
#define PLACE(memory, offset) ((uintptr_t)(memory) + (uintptr_t)(offset))

#define DEFINE_AT(id, bits, M, S)                                                                            \
    static void load_at##bits##_##id(void *slot, const uint8_t *memory, const uint##bits##_t *offset,        \
                                     uint32_t mask)                                                          \
    {                                                                                                        \
        S *out = slot;                                                                                       \
        if (mask == FULL_MASK)                                                                               \
            for (int i = 0; i < LANES; i++)                                                                  \
                out[i] = (S) * (const ELEMENT(M) *)PLACE(memory, offset[i]);                                 \
        else                                                                                                 \
            EACH_ACTIVE(i, mask) out[i] = (S) * (const ELEMENT(M) *)PLACE(memory, offset[i]);                \
    }                                                                                                        \
    static void store_at##bits##_##id(const void *slot, uint8_t *memory, const uint##bits##_t *offset,       \
                                      uint32_t mask)                                                         \
    {                                                                                                        \
        const S *in = slot;                                                                                  \
        if (mask == FULL_MASK)                                                                               \
            for (int i = 0; i < LANES; i++)                                                                  \
                *(ELEMENT(M) *)PLACE(memory, offset[i]) = (M)in[i];                                          \
        else                                                                                                 \
            EACH_ACTIVE(i, mask) * (ELEMENT(M) *)PLACE(memory, offset[i]) = (M)in[i];                        \
    }

#define DEFINE_MOVER(id, M, S, is_signed)                                                                    \
    static void load_run_##id(void *slot, const uint8_t *memory, uint32_t stride)                            \
    {                                                                                                        \
        typedef S slot_type;                                                                                 \
        S *out = slot;                                                                                       \
        const ELEMENT(M) *in = (const ELEMENT(M) *)memory;                                                   \
        EACH_STRIDE(M, stride, LOAD_LOOP)                                                                    \
    }                                                                                                        \
    static void store_run_##id(const void *slot, uint8_t *memory, uint32_t stride)                           \
    {                                                                                                        \
        typedef M memory_type;                                                                               \
        const S *in = slot;                                                                                  \
        ELEMENT(M) *out = (ELEMENT(M) *)memory;                                                              \
        EACH_STRIDE(M, stride, STORE_LOOP)                                                                   \
    }                                                                                                        \
    static void splat_##id(void *slot, const uint8_t *memory, uint32_t mask)                                 \
    {                                                                                                        \
        S *out = slot;                                                                                       \
        const S value = (S) * (const ELEMENT(M) *)memory;                                                    \
        if (mask == FULL_MASK)                                                                               \
            EACH_ELEMENT(i) out[i] = value;                                                                  \
        else                                                                                                 \
            EACH_ELEMENT(i) out[i] = mask >> i & 1 ? value : out[i];                                         \
    }                                                                                                        \
    DEFINE_AT(id, 32, M, S)                                                                                  \
    DEFINE_AT(id, 64, M, S)

#define LIST_MOVER(id, M, S, is_signed)                                                                      \
    {sizeof(M),      sizeof(S),  is_signed,      load_run_##id,   load_at32_##id,                            \
     load_at64_##id, splat_##id, store_run_##id, store_at32_##id, store_at64_##id},

/* clang-format off */
/*    id        in memory  in the slot  sign-extends */
#define MOVERS(ROW)                                                                                                   \
    ROW(u8_16,  uint8_t,   uint16_t,  false)                                                                          \
    ROW(u8_32,  uint8_t,   uint32_t,  false)                                                                          \
    ROW(u8_64,  uint8_t,   uint64_t,  false)                                                                          \
    ROW(s8_16,  int8_t,    uint16_t,  true)                                                                           \
    ROW(s8_32,  int8_t,    uint32_t,  true)                                                                           \
    ROW(s8_64,  int8_t,    uint64_t,  true)                                                                           \
    ROW(u16_16, uint16_t,  uint16_t,  false)                                                                          \
    ROW(u16_32, uint16_t,  uint32_t,  false)                                                                          \
    ROW(u16_64, uint16_t,  uint64_t,  false)                                                                          \
    ROW(s16_32, int16_t,   uint32_t,  true)                                                                           \
    ROW(s16_64, int16_t,   uint64_t,  true)                                                                           \
    ROW(u32_32, uint32_t,  uint32_t,  false)                                                                          \
    ROW(u32_64, uint32_t,  uint64_t,  false)                                                                          \
    ROW(s32_64, int32_t,   uint64_t,  true)                                                                           \
    ROW(u64_64, uint64_t,  uint64_t,  false)                                                                          \
    ROW(b128,   uint128_t, uint128_t, false)

/* clang-format on */

MOVERS(DEFINE_MOVER)

static const struct mover movers[] = {MOVERS(LIST_MOVER)};

const struct mover *mover_find(uint32_t width, uint32_t slot, bool is_signed)
{
    for (size_t i = 0; i < sizeof movers / sizeof *movers; i++) {
        const struct mover *m = &movers[i];
        if (m->width == width && m->slot == slot && (m->is_signed == is_signed || width == slot))
            return m;
    }
    return NULL;
}

void zero_lanes(const struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (insn->is_store)
        return;
    for (uint32_t k = 0; k < insn->ndefs; k++)
        EACH_ACTIVE(lane, mask)
    memset((uint8_t *)slot(warp, insn->o[k]) + (size_t)lane * insn->dsize, 0, insn->dsize);
}
