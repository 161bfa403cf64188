/* mem_words.c - the quick way of loads and stores of one 32-bit word per lane, which most programs are made of.
 * It serves full warps whose halves each touch one word or sixteen in a row: rows and columns of tiles, broadcasts,
 * plain runs. Anything else, and whatever is out of bounds or misaligned, takes the general way (mem_step.c).
 * Both ways charge, check and move the same. */
#include <string.h>

#include "core/vectors.h"
#include "exec/mem.h"
#include "memory/cache.h"

enum { HALF = LANES / 2, WORD = 4, RUN_BYTES = HALF * WORD };

/* What one half of the warp touches. */
struct half {
    uint64_t first; /* address or offset */
    bool is_run;    /* sixteen words in a row; else one word */
};

static ALWAYS_INLINE uint64_t half_bytes(const struct half *half)
{
    return half->is_run ? RUN_BYTES : WORD;
}

/* An access looks the same nearly every time its instruction is executed, so the last shape is tried first: one pass
 * over the addresses and one test. Bit h of a shape: half h is a run. */
#define ONE 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define RUN 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60
#define PATTERNS                                                                                             \
    {                                                                                                        \
        {ONE, ONE}, {RUN, ONE}, {ONE, RUN},                                                                  \
        {                                                                                                    \
            RUN, RUN                                                                                         \
        }                                                                                                    \
    }
static const uint32_t patterns32[4][LANES] __attribute__((aligned(64))) = PATTERNS;
static const uint64_t patterns64[4][LANES] __attribute__((aligned(64))) = PATTERNS;

static inline bool matches32(const uint32_t *base, uint32_t shape)
{
    const words4 *at = (const words4 *)base, *pattern = (const words4 *)patterns32[shape];
    const words4 zero = {0}, low = zero + base[0], high = zero + base[HALF];
    words4 differs = zero;
    for (int i = 0; i < 4; i++)
        differs |= (at[i] - low) ^ pattern[i];
    for (int i = 4; i < 8; i++)
        differs |= (at[i] - high) ^ pattern[i];
    return !is_any_word(differs);
}

static inline bool matches64(const uint64_t *base, uint32_t shape)
{
    const longs2 *at = (const longs2 *)base, *pattern = (const longs2 *)patterns64[shape];
    const longs2 zero = {0}, low = zero + base[0], high = zero + base[HALF];
    longs2 differs = zero;
    for (int i = 0; i < 8; i++)
        differs |= (at[i] - low) ^ pattern[i];
    for (int i = 8; i < 16; i++)
        differs |= (at[i] - high) ^ pattern[i];
    return !is_any_long(differs);
}

enum { SHAPES = 4 }; /* also: none of the four */

/* The shape of the addresses in base, remembered for the instruction. */
#define FIND_SHAPE(name, type, matches)                                                                      \
    static inline uint32_t name(struct warp *warp, const struct insn *insn, const type *base)                \
    {                                                                                                        \
        uint8_t *shape = &warp->worker->shapes[insn->id];                                                    \
        if (__builtin_expect(!matches(base, *shape), 0)) {                                                   \
            uint8_t guess = (uint8_t)((base[1] != base[0]) | (base[HALF + 1] != base[HALF]) << 1);           \
            if (guess == *shape || !matches(base, guess))                                                    \
                return SHAPES;                                                                               \
            *shape = guess;                                                                                  \
        }                                                                                                    \
        return *shape;                                                                                       \
    }
FIND_SHAPE(find_shape32, uint32_t, matches32)
FIND_SHAPE(find_shape64, uint64_t, matches64)

/* Leaves by the way of the shape, if it is one of the four; the compiler writes each of them out. Each way says that an
 * access is mostly good: code that compilers think rare becomes short, with copies that take long to begin. */
#define RETURN_BY_SHAPE(halves, shape)                                                                       \
    switch (shape) {                                                                                         \
    case 0:                                                                                                  \
        return halves(warp, insn, base, 0);                                                                  \
    case 1:                                                                                                  \
        return halves(warp, insn, base, 1);                                                                  \
    case 2:                                                                                                  \
        return halves(warp, insn, base, 2);                                                                  \
    case 3:                                                                                                  \
        return halves(warp, insn, base, 3);                                                                  \
    }

/* A store of one word by sixteen lanes is left to the general way, which knows whose value stays. */
static ALWAYS_INLINE bool is_quick(const struct insn *insn, const struct half half[2])
{
    return !insn->is_store || (half[0].is_run && half[1].is_run);
}

static ALWAYS_INLINE enum access_shape shape_of(const struct half half[2])
{
    if (half[0].is_run && half[1].is_run && half[1].first == half[0].first + RUN_BYTES)
        return ACCESS_CONTIGUOUS;
    if (!half[0].is_run && !half[1].is_run && half[0].first == half[1].first)
        return ACCESS_UNIFORM;
    return ACCESS_HALVES;
}

static ALWAYS_INLINE void load_half(uint32_t *to, const uint8_t *from, bool is_run)
{
    if (is_run) {
        memcpy(to, from, RUN_BYTES);
        return;
    }
    uint32_t word;
    memcpy(&word, from, WORD);
    for (int i = 0; i < HALF; i++)
        to[i] = word;
}

static ALWAYS_INLINE void move_halves(const struct warp *warp, const struct insn *insn, uint8_t *low,
                                      uint8_t *high, const struct half half[2])
{
    uint32_t *words = element_slot(warp, insn, 0);
    if (insn->is_store) {
        memcpy(low, words, RUN_BYTES);
        memcpy(high, words + HALF, RUN_BYTES);
        return;
    }
    load_half(words, low, half[0].is_run);
    load_half(words + HALF, high, half[1].is_run);
}

/* Built in place: to change a copy of it would wait for the stores that made it. */
static ALWAYS_INLINE struct access halves_access(const struct insn *insn, const struct half half[2],
                                                 enum ptx_space space, struct allocation *allocation)
{
    return (struct access){
        .kind = insn->is_store ? ACCESS_WRITE : ACCESS_READ,
        .shape = shape_of(half),
        .space = space,
        .mask = FULL_MASK,
        .bytes = WORD,
        .first = half[0].first,
        .second = half[1].first,
        .is_run = {half[0].is_run, half[1].is_run},
        .allocation = allocation,
    };
}

/* ------------------------------------------------------------------------------------------- shared memory */

/* Two halves share a pass unless they want different words of one bank. */
static ALWAYS_INLINE uint32_t halves_wavefronts(const struct half half[2])
{
    uint32_t a = (uint32_t)half[0].first / WORD, b = (uint32_t)half[1].first / WORD;
    uint32_t na = half[0].is_run ? HALF : 1, nb = half[1].is_run ? HALF : 1;
    uint32_t ahead = (b - a) % LANES, behind = (a - b) % LANES; /* banks from one's start to the other's */
    bool meets = ahead < na || behind < nb;
    bool is_same_words = ahead < na ? b - a == ahead : a - b == behind;
    return meets && !is_same_words ? 2 : 1;
}

static ALWAYS_INLINE bool is_inside(const struct warp *warp, const struct insn *insn, const struct half *half)
{
    uint32_t end =
        insn->bounds.end < warp->block->shared_bytes ? insn->bounds.end : warp->block->shared_bytes;
    return half->first >= insn->bounds.first && half->first + half_bytes(half) <= end;
}

/* The first lanes of a warp touch a run: the last steps of a tree, the tail of an array. False: nothing was done. */
static bool move_prefix(struct warp *warp, const struct insn *insn, const uint32_t *base, uint32_t mask)
{
    const uint32_t lanes = (uint32_t)__builtin_popcount(mask), first = base[0] + (uint32_t)insn->imm;
    const uint32_t end =
        insn->bounds.end < warp->block->shared_bytes ? insn->bounds.end : warp->block->shared_bytes;
    uint32_t differs = mask & (mask + 1); /* not the first lanes */
    for (uint32_t i = 0; i < lanes; i++)
        differs |= base[i] ^ (base[0] + i * WORD);
    if (differs || first & (WORD - 1) || first < insn->bounds.first || (uint64_t)first + lanes * WORD > end)
        return false;
    uint32_t *words = element_slot(warp, insn, 0);
    if (insn->is_store)
        memcpy(warp->block->shared + first, words, lanes * WORD);
    else
        memcpy(words, warp->block->shared + first, lanes * WORD);
    charge_shared(stat_of(warp, insn), mask, WORD, 1);
    return true;
}

static ALWAYS_INLINE enum step shared_halves(struct warp *warp, const struct insn *insn, const uint32_t *base,
                                             const uint32_t shape)
{
    const uint32_t imm = (uint32_t)insn->imm;
    const struct half half[2] = {{base[0] + imm, shape & 1}, {base[HALF] + imm, shape >> 1}};
    const bool is_good = is_inside(warp, insn, &half[0]) && is_inside(warp, insn, &half[1]) &&
                         ((half[0].first | half[1].first) & (WORD - 1)) == 0 && is_quick(insn, half);
    if (__builtin_expect(!is_good, 0))
        return step_shared(warp, insn, FULL_MASK);
    if (__builtin_expect(warp->worker->check == CHECK_FULL, 0)) {
        const struct access access = halves_access(insn, half, PTX_SHARED, NULL);
        checker_of(warp)->shared(warp, insn, &access);
    }
    uint8_t *shared = warp->block->shared;
    move_halves(warp, insn, shared + half[0].first, shared + half[1].first, half);
    charge_shared(stat_of(warp, insn), FULL_MASK, WORD, halves_wavefronts(half));
    return STEP_NEXT;
}

enum step step_shared_word(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint32_t *base = slot(warp, insn->o[insn->ndefs]);
    if (mask != FULL_MASK) {
        bool is_done = warp->worker->check != CHECK_FULL && move_prefix(warp, insn, base, mask);
        return is_done ? STEP_NEXT : step_shared(warp, insn, mask);
    }
    RETURN_BY_SHAPE(shared_halves, find_shape32(warp, insn, base))
    return step_shared(warp, insn, mask);
}

/* ------------------------------------------------------------------------------------------- global memory */

/* The distinct sectors of both halves; a half that lies in the other's sectors costs nothing. */
static ALWAYS_INLINE void charge_halves(struct warp *warp, const struct insn *insn,
                                        struct allocation *allocation, const struct half half[2])
{
    cache_run_fn *charge = insn->is_store          ? cache_store_run
                           : passes_l1(warp, insn) ? cache_load_l2_run
                                                   : cache_load_run;
    uint64_t first = half[0].first >> 5, last = (half[0].first + half_bytes(&half[0]) - 1) >> 5;
    uint64_t second = half[1].first >> 5, end = (half[1].first + half_bytes(&half[1]) - 1) >> 5;
    struct insn_stat *stat = stat_of(warp, insn);
    stat->requests++;
    if (second <= last + 1 && end + 1 >= first) { /* one run of sectors */
        first = second < first ? second : first;
        last = end > last ? end : last;
    } else {
        stat->sectors += end - second + 1;
        charge(&warp->port, allocation, second, (uint32_t)(end - second + 1));
    }
    stat->sectors += last - first + 1;
    charge(&warp->port, allocation, first, (uint32_t)(last - first + 1));
}

static ALWAYS_INLINE bool is_in_entry(const struct tlb_entry *entry, const struct half *half)
{
    const uint64_t at = half->first - entry->base, size = entry->end - entry->base;
    return at < size && size - at >= half_bytes(half);
}

static inline uint8_t *host_of(const struct tlb_entry *entry, const struct half *half)
{
    return (uint8_t *)(uintptr_t)(half->first + entry->delta); // NOLINT(performance-no-int-to-ptr)
}

static ALWAYS_INLINE enum step global_halves(struct warp *warp, const struct insn *insn, const uint64_t *base,
                                             const uint32_t shape)
{
    const uint64_t imm = (uint64_t)insn->imm;
    const struct half half[2] = {{base[0] + imm, shape & 1}, {base[HALF] + imm, shape >> 1}};
    const struct tlb_entry *entry = &warp->worker->tlb[insn->id];
    const bool is_good = entry->base < entry->end && is_in_entry(entry, &half[0]) &&
                         is_in_entry(entry, &half[1]) &&
                         ((half[0].first | half[1].first) & (WORD - 1)) == 0 && is_quick(insn, half);
    if (__builtin_expect(!is_good, 0))
        return step_global(warp, insn, FULL_MASK);
    if (__builtin_expect(warp->worker->check == CHECK_FULL, 0)) {
        const struct access access = halves_access(insn, half, PTX_GLOBAL, entry->allocation);
        look_at_global(warp, insn, &access);
        for (int h = 0; insn->is_store && h < 2; h++)
            memory_mark_written(entry->allocation, half[h].first, RUN_BYTES);
    }
    move_halves(warp, insn, host_of(entry, &half[0]), host_of(entry, &half[1]), half);
    charge_halves(warp, insn, entry->allocation, half);
    return STEP_NEXT;
}

enum step step_global_word(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint64_t *base = slot(warp, insn->o[insn->ndefs]);
    if (mask == FULL_MASK)
        RETURN_BY_SHAPE(global_halves, find_shape64(warp, insn, base))
    return step_global(warp, insn, mask);
}
