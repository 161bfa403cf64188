/* global.c - races on global memory between blocks and between threads of a block, and reads of fresh memory.
 * Blocks run on several host threads, so what is kept per word does not depend on who comes first: the lowest block of
 * those that are not ordered, and flags that are only ever set. Findings are written down when the launch ends, in
 * address order: see global_words.c. A word's entries change only under the lock of its page. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/pages.h"
#include "decode/provenance.h"
#include "check/global.h"
#include "memory/memory.h"

enum { MAX_BLOCK = 0x7ffffffe, LOCKS = 1024, PAGE_SHIFT = 12, SLOT_BITS = 16, MAX_SHADOWS = 1 << SLOT_BITS };

/* Each lock has a cache line of its own: neighbouring blocks use neighbouring pages. */
static struct {
    uint8_t is_taken;
    uint8_t padding[63];
} locks[LOCKS];
static pthread_mutex_t shadows_lock = PTHREAD_MUTEX_INITIALIZER;

/* Hashed: the columns of a matrix, walked by two workers, must not meet at one lock at every row. */
static uint8_t *lock_of(uint64_t word)
{
    return &locks[hash_word(word >> (PAGE_SHIFT - 2)) >> 32 & (LOCKS - 1)].is_taken;
}

static void take_lock(uint8_t *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void give_lock(uint8_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------------------------------- shadows */

static struct global_shadow *shadow_new(const struct allocation *allocation, bool is_for_all)
{
    struct global_shadow *shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->base_word = allocation->base / 4;
    shadow->nwords = (allocation->base + allocation->size + 3) / 4 - shadow->base_word;
    uint64_t n = (shadow->nwords + 15) & ~15ull;
    shadow->bytes = n * (4 * 8 + 4 + 4 * 2 + 1) + n / SHADOW_CHUNK + 1;
    uint8_t *memory =
        mmap(NULL, shadow->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        free(shadow);
        return NULL;
    }
    /* a fault per page would cost more than the checking, unless only a few blocks are looked at */
    if (is_for_all)
        pages_expect_all(memory, shadow->bytes);
    shadow->write = (uint64_t *)(void *)memory;
    shadow->read = shadow->write + n;
    shadow->atomic = shadow->read + n;
    shadow->atomic_before = shadow->atomic + n;
    shadow->value = (uint32_t *)(void *)(shadow->atomic_before + n);
    shadow->write_site = (uint16_t *)(void *)(shadow->value + n);
    shadow->read_site = shadow->write_site + n;
    shadow->atomic_site = shadow->read_site + n;
    shadow->flags = shadow->atomic_site + n;
    shadow->parts = (uint8_t *)(shadow->flags + n);
    shadow->chunks = shadow->parts + n;
    return shadow;
}

/* An allocation's races_launch names its shadow: launch number above SLOT_BITS, place in the launch's table below. */
static struct global_shadow *shadow_make(const struct launch *launch, struct allocation *allocation)
{
    struct global_table *table = global_table_of(launch);
    pthread_mutex_lock(&shadows_lock);
    uint64_t mark = allocation->races_launch;
    if (mark >> SLOT_BITS != launch->index + 1) {
        uint64_t slot = 0; /* slot 0 is empty: no shadow */
        if (!table->shadows)
            table->shadows = calloc(MAX_SHADOWS, sizeof *table->shadows);
        struct global_shadow *shadow = table->shadows && table->count + 1 < MAX_SHADOWS
                                           ? shadow_new(allocation, launch->check == CHECK_FULL)
                                           : NULL;
        if (shadow) {
            slot = ++table->count;
            table->shadows[slot] = shadow;
        }
        mark = (launch->index + 1) << SLOT_BITS | slot;
        __atomic_store_n(&allocation->races_launch, mark, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&shadows_lock);
    return table->shadows ? table->shadows[mark & (MAX_SHADOWS - 1)] : NULL;
}

/* The shadow of an allocation in this launch; NULL: it needs none. */
static struct global_shadow *shadow_for(const struct launch *launch, struct allocation *allocation)
{
    if (!allocation || allocation->kind == ALLOC_CONST || allocation->kind == ALLOC_ARRAY)
        return NULL;
    uint64_t mark = __atomic_load_n(&allocation->races_launch, __ATOMIC_ACQUIRE);
    if (mark >> SLOT_BITS != launch->index + 1)
        return shadow_make(launch, allocation);
    const struct global_table *table = global_table_of(launch);
    return table->shadows ? table->shadows[mark & (MAX_SHADOWS - 1)] : NULL;
}

/* ------------------------------------------------------------------------------------------- one word */

struct global_probe {
    struct warp *warp;
    const struct insn *insn;
    const struct access *access;
    struct shadow *clocks;
    struct global_shadow *shadow;
    struct allocation *allocation;
    uint64_t block; /* (block + 1) << 32 */
    enum stamp_kind kind;
    uint16_t site;
    bool is_test;  /* a read that races with no write: see provenance_is_test() */
    uint8_t *held; /* the lock of the words of a page; NULL: none */
};

static void release(struct global_probe *probe)
{
    if (probe->held)
        give_lock(probe->held);
    probe->held = NULL;
}

/* Lanes mostly stay in one page, and many of them at one word: its lock is taken once for all. At most one is held. */
static void hold(struct global_probe *probe, uint64_t word)
{
    uint8_t *lock = lock_of(word);
    if (probe->held == lock)
        return;
    release(probe);
    take_lock(lock);
    probe->held = lock;
}

static void set_flag(const struct global_probe *probe, uint64_t i, enum word_flag flag)
{
    probe->shadow->flags[i] |= (uint16_t)flag;
    probe->shadow->is_flagged = true;
}

/* True if the entry's access is ordered before what this block does now. */
static bool is_block_ordered(const struct global_probe *probe, uint64_t entry)
{
    return is_ordered_between_blocks(probe->warp->block->launch, (uint32_t)((entry_block(entry) >> 32) - 1),
                                     (uint32_t)entry, probe->warp->block);
}

static bool is_only_told_of(const struct global_probe *probe, uint64_t entry)
{
    return is_only_told(probe->warp->block->launch, (uint32_t)((entry_block(entry) >> 32) - 1),
                        (uint32_t)entry, probe->warp->block);
}

enum relation { RELATION_NONE, RELATION_SAME_BLOCK, RELATION_OTHER_BLOCK };

/* How an earlier access stands to this one: ordered (or harmless), or racing within the block or between blocks. */
static enum relation relate(const struct global_probe *probe, uint64_t entry, uint32_t thread)
{
    uint32_t stamp = (uint32_t)entry, other = stamp_thread(stamp);
    if (entry == 0)
        return RELATION_NONE;
    if (entry_block(entry) != probe->block) {
        if (is_exempt(stamp & 3, probe->kind, false) || is_block_ordered(probe, entry))
            return RELATION_NONE;
        return RELATION_OTHER_BLOCK;
    }
    if (probe->clocks->has_lost_ticks || is_ordered(probe->clocks, stamp, thread) ||
        is_exempt(stamp & 3, probe->kind, other / LANES == thread / LANES))
        return RELATION_NONE;
    return RELATION_SAME_BLOCK;
}

/* The entry that stays: a block's own last access; of blocks that are not ordered, the lowest. True: it is mine. */
static bool merge_entry(const struct global_probe *probe, uint64_t *entry, uint64_t mine)
{
    uint64_t old = *entry;
    if (old == 0 || entry_block(old) == entry_block(mine)) {
        *entry = mine | (old & ENTRY_MANY);
        return true;
    }
    if (probe->clocks->acquired && is_block_ordered(probe, old)) {
        *entry = mine;
        return true;
    }
    bool is_lower = entry_block(mine) < entry_block(old);
    *entry = (is_lower ? mine : old) | ENTRY_MANY;
    return is_lower;
}

static uint64_t entry_of(const struct global_probe *probe, uint32_t thread)
{
    return probe->block | stamp_of(probe->clocks, thread, probe->kind);
}

static bool is_other_thread(uint64_t entry, uint64_t mine)
{
    return ((entry ^ mine) & ~ENTRY_MANY & (~0xffffffffull | STAMP_THREAD)) != 0;
}

/* Sets the flag for two accesses that race, by where the other one stands. */
static void flag_relation(const struct global_probe *probe, uint64_t i, enum relation relation,
                          enum word_flag between_blocks, enum word_flag within_block)
{
    if (relation == RELATION_OTHER_BLOCK)
        set_flag(probe, i, between_blocks);
    else if (relation == RELATION_SAME_BLOCK && !(probe->shadow->flags[i] & FLAG_MIXED))
        set_flag(probe, i, within_block);
}

/* Others than the one that an entry of this block names: they are not compared one by one. */
static bool has_other_blocks(const struct global_probe *probe, uint64_t entry)
{
    return (entry & ENTRY_MANY) && entry_block(entry) == probe->block && !probe->clocks->acquired &&
           !is_exempt((uint32_t)entry & 3, probe->kind, false);
}

/* That there are entries of a kind: read without the lock by those who may do without them. Who needs them has taken the
 * lock of their page after it was set. */
static void note_kind(bool *has_any)
{
    if (!__atomic_load_n(has_any, __ATOMIC_RELAXED))
        __atomic_store_n(has_any, true, __ATOMIC_RELAXED);
}

static void note_chunk(const struct global_shadow *shadow, uint64_t i)
{
    uint8_t *chunk = &shadow->chunks[i / SHADOW_CHUNK];
    if (!__atomic_load_n(chunk, __ATOMIC_RELAXED))
        __atomic_store_n(chunk, 1, __ATOMIC_RELAXED);
}

/* A store or load against atomics of other threads. */
static inline void flag_atomics(const struct global_probe *probe, uint64_t i, uint32_t thread,
                                enum word_flag between_blocks, enum word_flag within_block)
{
    const struct global_shadow *shadow = probe->shadow;
    if (!__atomic_load_n(&shadow->has_atomics, __ATOMIC_RELAXED) || (shadow->flags[i] & FLAG_MIXED_BLOCKS))
        return;
    enum relation relation = relate(probe, shadow->atomic[i], thread);
    if (relation == RELATION_NONE)
        relation = relate(probe, shadow->atomic_before[i], thread);
    if (has_other_blocks(probe, shadow->atomic[i]))
        relation = RELATION_OTHER_BLOCK;
    flag_relation(probe, i, relation, between_blocks, within_block);
}

static void read_word(const struct global_probe *probe, uint64_t i, int lane, uint32_t part)
{
    struct global_shadow *shadow = probe->shadow;
    uint32_t thread = thread_of(probe->warp, lane);
    if ((shadow->parts[i] & part) && !(shadow->flags[i] & FLAG_MIXED_BLOCKS)) {
        const enum relation relation = relate(probe, shadow->write[i], thread);
        const bool is_told = relation == RELATION_OTHER_BLOCK && is_only_told_of(probe, shadow->write[i]);
        flag_relation(probe, i, relation, is_told ? FLAG_UNFENCED : FLAG_READ_WRITE_BLOCKS, FLAG_READ_WRITE);
    }
    flag_atomics(probe, i, thread, FLAG_READ_ATOMIC_BLOCKS, FLAG_READ_ATOMIC);
    if (part != 0xf && shadow->read[i] && is_other_thread(shadow->read[i], entry_of(probe, thread)))
        shadow->flags[i] |= FLAG_MIXED_READS;
    shadow->parts[i] |= (uint8_t)(part << 4);
    if (merge_entry(probe, &shadow->read[i], entry_of(probe, thread)))
        shadow->read_site[i] = probe->site;
}

/* Earlier reads of the bytes that are overwritten. */
static inline void flag_readers(const struct global_probe *probe, uint64_t i, uint32_t thread, uint32_t part,
                                enum word_flag between_blocks, enum word_flag within_block)
{
    if (!(probe->shadow->parts[i] >> 4 & part) || (probe->shadow->flags[i] & FLAG_MIXED_READS))
        return;
    const uint64_t read = probe->shadow->read[i];
    const enum relation relation =
        has_other_blocks(probe, read) ? RELATION_OTHER_BLOCK : relate(probe, read, thread);
    flag_relation(probe, i, relation, between_blocks, within_block);
}

static void flag_writers(const struct global_probe *probe, uint64_t i, uint32_t thread, uint32_t value,
                         uint32_t bits)
{
    const struct global_shadow *shadow = probe->shadow;
    enum relation relation = relate(probe, shadow->write[i], thread);
    bool are_stores = probe->kind != STAMP_ATOMIC && ((uint32_t)shadow->write[i] & 3) != STAMP_ATOMIC;
    if (are_stores && ((shadow->value[i] ^ value) & bits) == 0)
        return; /* the same value again */
    flag_relation(probe, i, relation, FLAG_WRITE_WRITE_BLOCKS, FLAG_WRITE_WRITE);
}

/* The bits of a word that a set of its bytes covers. */
static uint32_t bits_of(uint32_t part)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4; i++)
        bits |= part >> i & 1 ? 0xffu << 8 * i : 0;
    return bits;
}

static void write_word(const struct global_probe *probe, uint64_t i, int lane, uint32_t part, uint32_t value)
{
    struct global_shadow *shadow = probe->shadow;
    uint32_t thread = thread_of(probe->warp, lane), bits = bits_of(part), old_part = shadow->parts[i] & 0xf;
    uint64_t mine = entry_of(probe, thread);
    if (shadow->write[i] && is_other_thread(shadow->write[i], mine) && (old_part | part) != part)
        shadow->flags[i] |= entry_block(shadow->write[i]) == probe->block ? FLAG_MIXED : FLAG_MIXED_BLOCKS;
    if ((old_part & part) && !(shadow->flags[i] & FLAG_MIXED_BLOCKS))
        flag_writers(probe, i, thread, value, bits);
    flag_atomics(probe, i, thread, FLAG_WRITE_ATOMIC_BLOCKS, FLAG_WRITE_ATOMIC);
    flag_readers(probe, i, thread, part, FLAG_READ_WRITE_BLOCKS, FLAG_READ_WRITE);
    shadow->parts[i] |= (uint8_t)part;
    note_kind(&shadow->has_writes);
    if (merge_entry(probe, &shadow->write[i], mine)) {
        shadow->write_site[i] = probe->site;
        shadow->value[i] = (shadow->value[i] & ~bits) | (value & bits);
    }
    shadow->write[i] &= ~ENTRY_MANY;
}

/* An atomic on a whole word: against stores and loads, never against atomics. */
static void atomic_word(const struct global_probe *probe, uint64_t i, int lane)
{
    struct global_shadow *shadow = probe->shadow;
    const uint32_t thread = thread_of(probe->warp, lane);
    const uint64_t mine = entry_of(probe, thread), old = shadow->atomic[i];
    if ((shadow->parts[i] & 0xf) && !(shadow->flags[i] & FLAG_MIXED_BLOCKS))
        flag_relation(probe, i, relate(probe, shadow->write[i], thread), FLAG_WRITE_ATOMIC_BLOCKS,
                      FLAG_WRITE_ATOMIC);
    flag_readers(probe, i, thread, 0xf, FLAG_READ_ATOMIC_BLOCKS, FLAG_READ_ATOMIC);
    if (entry_block(old) == probe->block && is_other_thread(old, mine))
        shadow->atomic_before[i] = old & ~ENTRY_MANY;
    if (merge_entry(probe, &shadow->atomic[i], mine))
        shadow->atomic_site[i] = probe->site;
    note_kind(&shadow->has_atomics);
}

/* ------------------------------------------------------------------------------------------- one lane */

static bool any_written(const struct allocation *allocation, uint64_t address, uint32_t bytes)
{
    for (uint64_t i = address - allocation->base; i < address - allocation->base + bytes; i++)
        if (memory_is_byte_written(allocation, i))
            return true;
    return false;
}

static bool may_be_fresh(const struct allocation *allocation)
{
    return allocation->valid && (allocation->kind == ALLOC_DEVICE || allocation->kind == ALLOC_HEAP);
}

static bool reads_value(const struct global_probe *probe)
{
    if (probe->access->kind == ACCESS_ATOMIC)
        return !probe->insn->is_exchange;
    return probe->access->kind == ACCESS_READ;
}

static void check_lane(struct global_probe *probe, int lane, uint64_t address)
{
    uint64_t end = address + probe->access->bytes, begin = address;
    uint8_t bytes[64] = {0};
    struct global_shadow *shadow = probe->shadow;
    bool is_store = probe->access->kind == ACCESS_WRITE && probe->access->bytes <= 16;
    if (probe->kind != STAMP_PLAIN)
        note_kind(&shadow->has_flags);
    if (is_store)
        stored_value(probe->warp, probe->insn, lane, bytes);
    bool is_fresh = reads_value(probe) && may_be_fresh(probe->allocation) &&
                    !any_written(probe->allocation, address, probe->access->bytes);
    while (address < end) {
        uint64_t word = address / 4, i = word - shadow->base_word;
        uint32_t size = (uint32_t)(4 - address % 4 < end - address ? 4 - address % 4 : end - address);
        uint32_t part = ((1u << size) - 1) << address % 4, value = 0;
        if (i >= shadow->nwords)
            return;
        memcpy((uint8_t *)&value + address % 4, bytes + (address - begin), is_store ? size : 0);
        note_chunk(shadow, i);
        hold(probe, word);
        if (probe->access->kind == ACCESS_READ && !(probe->is_test && !is_fresh))
            read_word(probe, i, lane, part);
        else if (probe->access->kind == ACCESS_ATOMIC && part == 0xf)
            atomic_word(probe, i, lane);
        else if (probe->access->kind != ACCESS_READ)
            write_word(probe, i, lane, part, value);
        if (is_fresh) {
            set_flag(probe, i, FLAG_UNINITIALISED);
            if (probe->access->kind != ACCESS_READ &&
                merge_entry(probe, &probe->shadow->read[i], entry_of(probe, thread_of(probe->warp, lane))))
                probe->shadow->read_site[i] = probe->site;
        }
        address += size;
    }
}

/* ------------------------------------------------------------------------------------------- many lanes at once */

/* Whole words in a row that lanes in a row touch, several words a lane or several lanes a word. */
struct run {
    uint64_t first; /* number of the first word in the shadow */
    uint32_t n;
    int lane;                      /* the first one */
    uint32_t per_lane, lanes_each; /* words of a lane, lanes of a word: powers of two, here as shifts */
};

/* The last lane that touches word i of a run. */
static inline uint32_t last_lane(const struct run *run, uint32_t i)
{
    return (uint32_t)run->lane + ((((i + 1) << run->lanes_each) - 1) >> run->per_lane);
}

static bool are_empty(const uint64_t *entries, uint32_t n)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= entries[i];
    return any == 0;
}

/* Nobody stored to the words of a run; nobody changed them with atomics. */
static bool are_unwritten(const struct global_shadow *shadow, const struct run *run)
{
    return !__atomic_load_n(&shadow->has_writes, __ATOMIC_RELAXED) ||
           are_empty(shadow->write + run->first, run->n);
}

static bool are_calm(const struct global_shadow *shadow, const struct run *run)
{
    return !__atomic_load_n(&shadow->has_atomics, __ATOMIC_RELAXED) ||
           are_empty(shadow->atomic + run->first, run->n);
}

static void flag_parts(const struct global_probe *probe, const struct run *run, enum word_flag flag)
{
    for (uint32_t i = 0; i < run->n && run->lanes_each; i++)
        probe->shadow->flags[run->first + i] |= (uint16_t)flag;
}

/* True if all entries name blocks below this one and say that more came after: another one changes nothing. */
static bool are_settled(const uint64_t *entries, uint32_t n, uint64_t block)
{
    uint64_t open = 0;
    for (uint32_t i = 0; i < n; i++)
        open |= (uint64_t)((int64_t)entries[i] >= (int64_t)(block | ENTRY_MANY));
    return !open;
}

static void merge_reads(const struct global_probe *probe, const struct run *run)
{
    uint64_t *entries = probe->shadow->read + run->first, mine = entry_of(probe, thread_of(probe->warp, 0));
    uint16_t *sites = probe->shadow->read_site + run->first;
    for (uint32_t i = 0; i < run->n; i++) {
        const uint64_t own = mine + ((uint64_t)last_lane(run, i) << 2), old = entries[i];
        const bool is_same = entry_block(old) == probe->block || old == 0;
        const bool is_mine = is_same || entry_block(old) > probe->block;
        entries[i] = (is_mine ? own : old) | (is_same ? old & ENTRY_MANY : ENTRY_MANY);
        sites[i] = is_mine ? probe->site : sites[i];
    }
}

/* Reads of words that nobody wrote in this launch. False: look at each word. */
static bool read_run(const struct global_probe *probe, const struct run *run)
{
    const struct global_shadow *shadow = probe->shadow;
    if (!are_unwritten(shadow, run) || !are_calm(shadow, run))
        return false;
    if (!are_settled(shadow->read + run->first, run->n, probe->block))
        merge_reads(probe, run);
    memset(shadow->parts + run->first, 0xf0, run->n);
    flag_parts(probe, run, FLAG_MIXED_READS);
    return true;
}

/* The values that the lanes of a run are about to store. */
static void keep_values(const struct global_probe *probe, const struct run *run)
{
    const uint32_t bytes = probe->access->bytes, lanes = run->n << run->lanes_each >> run->per_lane;
    uint8_t *values = (uint8_t *)(probe->shadow->value + run->first), value[16];
    for (uint32_t i = 0; i < lanes; i++) {
        stored_value(probe->warp, probe->insn, run->lane + (int)i, value);
        memcpy(values + (size_t)i * bytes, value, bytes);
    }
}

/* Writes of words that nobody has touched in this launch. False: look at each word. */
static bool write_run(const struct global_probe *probe, const struct run *run)
{
    struct global_shadow *shadow = probe->shadow;
    const uint64_t mine = entry_of(probe, thread_of(probe->warp, 0));
    uint16_t flags = 0;
    for (uint32_t i = 0; i < run->n; i++)
        flags |= shadow->flags[run->first + i];
    if (flags || !are_unwritten(shadow, run) || !are_empty(shadow->read + run->first, run->n) ||
        !are_calm(shadow, run))
        return false;
    note_kind(&shadow->has_writes);
    keep_values(probe, run);
    for (uint32_t i = 0; i < run->n; i++) {
        shadow->write[run->first + i] = mine + ((uint64_t)last_lane(run, i) << 2);
        shadow->write_site[run->first + i] = probe->site;
    }
    memset(shadow->parts + run->first, 0x0f, run->n);
    flag_parts(probe, run, FLAG_MIXED);
    return true;
}

/* A run may lie in two pages, each with its lock. */
static bool run_in_pages(const struct global_probe *probe, const struct run *run)
{
    bool (*check)(const struct global_probe *, const struct run *) =
        probe->access->kind == ACCESS_READ ? read_run : write_run;
    for (uint32_t done = 0; done < run->n;) {
        uint64_t word = probe->shadow->base_word + run->first + done;
        uint64_t left_in_page = (word | ((1u << (PAGE_SHIFT - 2)) - 1)) + 1 - word, left = run->n - done;
        struct run part = *run;
        part.first += done;
        part.n = (uint32_t)(left < left_in_page ? left : left_in_page);
        part.lane += (int)(done << run->lanes_each >> run->per_lane);
        if (done & ((1u << run->per_lane) - 1))
            return false; /* a lane's words in two pages: rare enough for the slow way */
        uint8_t *lock = lock_of(word);
        take_lock(lock);
        bool is_done = check(probe, &part);
        give_lock(lock);
        if (!is_done)
            return false; /* words before this are looked at again by the slow way, which changes nothing */
        done += part.n;
    }
    return true;
}

/* Lanes that touch whole words in a row: one lane after the other, or all of them the same ones (then only the last one counts). */
struct group {
    uint64_t address; /* of the first lane */
    int lane;         /* the first one; of those at one place, the last one */
    uint32_t lanes;
    bool is_one_place;
};

/* The quick way. False: look at each lane. */
static bool check_run(const struct global_probe *probe, const struct group *group)
{
    enum { ALL = 31 }; /* a shift: however many words, they are of one lane */
    const uint32_t bytes = probe->access->bytes, n = (group->is_one_place ? 1 : group->lanes) * bytes / 4;
    const uint64_t address = group->address, word = address / 4;
    uint64_t unwritten;
    if (word < probe->shadow->base_word || word - probe->shadow->base_word + n > probe->shadow->nwords ||
        address % 4 || probe->clocks->acquired)
        return false;
    if (probe->access->kind == ACCESS_READ && may_be_fresh(probe->allocation) &&
        !memory_is_written(probe->allocation, address, (uint64_t)n * 4, &unwritten))
        return false;
    const struct run run = {word - probe->shadow->base_word, n, group->lane,
                            group->is_one_place ? ALL
                            : bytes > 4         ? (uint32_t)__builtin_ctz(bytes / 4)
                                                : 0,
                            bytes < 4 ? (uint32_t)__builtin_ctz(4 / bytes) : 0};
    note_chunk(probe->shadow, run.first);
    note_chunk(probe->shadow, run.first + n - 1);
    if (probe->kind != STAMP_PLAIN)
        note_kind(&probe->shadow->has_flags);
    return run_in_pages(probe, &run);
}

/* Whole words in one or two runs. */
static bool check_runs(const struct global_probe *probe)
{
    enum { HALF = LANES / 2 };
    const struct access *access = probe->access;
    const struct group all = {access->first, 0, LANES, false};
    const struct group halves[2] = {{access->first, 0, HALF, false}, {access->second, HALF, HALF, false}};
    if (access->shape == ACCESS_CONTIGUOUS)
        return check_run(probe, &all);
    return access->shape == ACCESS_HALVES && access->is_run[0] && access->is_run[1] &&
           check_run(probe, &halves[0]) && check_run(probe, &halves[1]);
}

/* As many of the lanes from the first of `rest` on as are neighbours that touch neighbours, or are at one place. Those that are taken leave
 * rest. */
static struct group take_group(const struct access *access, uint32_t *rest)
{
    const int first = __builtin_ctz(*rest);
    struct group group = {access_address(access, first), first, 1, false};
    for (*rest &= *rest - 1; *rest; *rest &= *rest - 1) {
        const int lane = __builtin_ctz(*rest);
        const uint64_t address = access_address(access, lane);
        const bool is_same = address == group.address && (group.is_one_place || group.lanes == 1);
        if (!is_same && (group.is_one_place || lane != first + (int)group.lanes ||
                         address != group.address + group.lanes * (uint64_t)access->bytes))
            break;
        group.is_one_place = is_same;
        group.lane = is_same ? lane : first;
        group.lanes++;
    }
    return group;
}

/* The allocation of a place, and its shadow in this launch. */
static void find_place(struct global_probe *probe, uint64_t address)
{
    const struct launch *launch = probe->warp->block->launch;
    const struct allocation *known = probe->allocation;
    if (known && address >= known->base && address + probe->access->bytes <= known->base + known->size)
        return;
    probe->allocation = memory_find(launch->memory, address);
    probe->shadow = shadow_for(launch, probe->allocation);
}

/* is_whole: lanes touch whole words, and the quick way may do. */
static void check_lanes(struct global_probe *probe, bool is_whole)
{
    const struct access *access = probe->access;
    for (uint32_t rest = access->mask, before = rest; rest; before = rest) {
        const struct group group = take_group(access, &rest);
        find_place(probe, group.address);
        if (is_whole && group.lanes > 1 && (!group.is_one_place || access->kind == ACCESS_READ) &&
            probe->allocation && probe->shadow) {
            release(probe);
            if (check_run(probe, &group))
                continue;
        }
        for (uint32_t taken = before & ~rest; taken; taken &= taken - 1) {
            const int lane = __builtin_ctz(taken);
            find_place(probe, access_address(access, lane));
            if (probe->allocation && probe->shadow)
                check_lane(probe, lane, access_address(access, lane));
        }
    }
    release(probe);
}

void check_global(struct warp *warp, const struct insn *insn, const struct access *access)
{
    const struct launch *launch = warp->block->launch;
    struct shadow *clocks = warp->block->shadow;
    if (!clocks || !access->mask || warp->block->index > MAX_BLOCK)
        return;
    struct global_probe probe = {warp,
                                 insn,
                                 access,
                                 clocks,
                                 shadow_for(launch, access->allocation),
                                 access->allocation,
                                 (warp->block->index + 1) << 32,
                                 stamp_kind_of(insn, access->kind),
                                 site_of(warp, insn),
                                 false,
                                 NULL};
    if (access->kind == ACCESS_READ && warp->frame)
        probe.is_test = provenance_is_test(warp->frame->function, insn->source);
    if (access->kind == ACCESS_READ && probe.kind == STAMP_PLAIN && warp->frame &&
        provenance_is_hint(warp->frame->function, insn->source))
        probe.kind = STAMP_VOLATILE;
    const bool is_power = access->bytes <= 16 && (access->bytes & (access->bytes - 1)) == 0;
    const bool is_quick = is_power && access->kind != ACCESS_ATOMIC && !probe.is_test;
    if (!is_quick || !probe.shadow || !check_runs(&probe))
        check_lanes(&probe, is_quick && access->bytes >= 4);
}

/* ------------------------------------------------------------------------------------------- the launch's end */

static int by_address(const void *a, const void *b)
{
    const struct global_shadow *const *x = a, *const *y = b;
    return ((*x)->base_word > (*y)->base_word) - ((*x)->base_word < (*y)->base_word);
}

void global_races_end(struct launch *launch)
{
    struct global_table *table = global_table_of(launch);
    if (!table->shadows)
        return;
    struct global_shadow **first = table->shadows + 1;
    qsort(first, table->count, sizeof *first, by_address);
    for (uint32_t i = 0; i < table->count && launch->findings; i++)
        if (first[i]->is_flagged)
            global_report(launch, first[i]);
    for (uint32_t i = 0; i < table->count && launch->footprint; i++)
        global_footprint(launch, first[i]);
    for (uint32_t i = 0; i < table->count; i++) {
        munmap(first[i]->write, first[i]->bytes);
        free(first[i]);
    }
    free(table->shadows);
    table->shadows = NULL;
    table->count = 0;
}
