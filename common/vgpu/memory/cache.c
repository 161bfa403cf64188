/* cache.c - which sectors a request finds in L1 and L2, and which must come from DRAM.
 * Totals do not depend on host threads: L1 belongs to a block, and what a block learns from L2 depends only on the waves
 * before this one and on whether anybody has touched the sector in this wave, never on who came first.
 * Holds no data and knows no time. */
#include "memory/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/number.h"

enum { SECTORS_PER_LINE = 4, WAYS = 4, LINE_BITS = 2 /* sectors to lines */ };

/* ------------------------------------------------------------------------------------------- L1 */

/* Lines of 128 bytes with a valid bit per sector, four ways, most recently used first. A tag is the line's number
 * with its valid bits below it; 0 is empty. Sets are chosen by a hash, so that strides of powers of two spread. */
struct l1 {
    uint32_t set_shift; /* hash >> set_shift is the set */
    struct l2 *l2;      /* what lies behind it; NULL: unknown */
    /* what this block did to L2, carried over to struct l2 when the block ends */
    uint64_t touched;          /* sectors that became part of the current wave */
    uint64_t left_epoch, left; /* sectors that left an earlier wave; one wave at a time */
    uint64_t tags[][WAYS];
};

static inline uint64_t line_hash(uint64_t line)
{
    return hash_word(line);
}

/* Puts way's tag first; those before it move back. Without branches: the way is hard to predict. */
static inline void move_to_front(uint64_t *set, int way, uint64_t tag)
{
    const uint64_t a = set[0], b = set[1], c = set[2];
    set[3] = way > 2 ? c : set[3];
    set[2] = way > 1 ? b : c;
    set[1] = way > 0 ? a : b;
    set[0] = tag;
}

/* Looks a line's sectors up and fetches what is missing. Returns the sectors (bits) that were missing. */
static inline uint32_t l1_load(struct l1 *l1, uint64_t line, uint32_t sectors)
{
    uint64_t *set = l1->tags[line_hash(line) >> l1->set_shift];
    if (set[0] >> SECTORS_PER_LINE == line) {
        const uint32_t missing = sectors & ~(uint32_t)set[0];
        set[0] |= sectors;
        return missing;
    }
    const int way = set[1] >> SECTORS_PER_LINE == line ? 1 : set[2] >> SECTORS_PER_LINE == line ? 2 : 3;
    const uint64_t tag = set[way];
    const bool is_here = tag >> SECTORS_PER_LINE == line; /* if not, the last way makes room */
    move_to_front(set, way, (is_here ? tag : line << SECTORS_PER_LINE) | sectors);
    return is_here ? sectors & ~(uint32_t)tag : sectors;
}

static inline bool l1_holds(const struct l1 *l1, uint64_t line)
{
    const uint64_t *set = l1->tags[line_hash(line) >> l1->set_shift];
    bool is_here = false;
    for (int way = 0; way < WAYS; way++)
        is_here |= set[way] >> SECTORS_PER_LINE == line;
    return is_here;
}

struct l1 *cache_block_begin(const struct memory *memory, uint64_t l1_bytes)
{
    uint32_t bits = 1;
    while (bits < 12 && (2u << bits) * WAYS * 128 <= l1_bytes)
        bits++;
    struct l1 *l1 = calloc(1, sizeof *l1 + ((size_t)1 << bits) * sizeof *l1->tags);
    if (!l1)
        return NULL;
    l1->set_shift = 64 - bits;
    l1->l2 = *memory_cache_state(memory);
    return l1;
}

/* ------------------------------------------------------------------------------------------- L2 */

/* A sector's state in allocation->epochs: the wave that touched it last, and two flags. */
enum { DIRTY = 0x8000, FILLED = 0x4000, EPOCH = 0x3fff, LAST_EPOCH = 0x3f00 };

/* Least recently used, by waves: a sector of wave e is still there if all that was touched later fits as well. */
struct l2 {
    uint32_t epoch;           /* the current wave, from 1 */
    uint32_t first;           /* wave of the current launch */
    uint32_t oldest;          /* sectors of this wave and later ones are resident */
    uint64_t capacity;        /* sectors */
    int64_t resident;         /* sectors of the waves from oldest to the last that is over */
    int64_t moved;            /* of them, touched again in the current wave */
    int64_t count[EPOCH + 1]; /* by wave: sectors that it used last */
    uint8_t axis[EPOCH + 1];  /* by wave, of a part: along which its blocks are neighbours */
    bool is_part, was_part;   /* this launch, the last one: executed in part only */
    double times;             /* blocks of this launch over those that were executed */
    uint64_t seen; /* bytes that launches in part have used so far: a clock for whole allocations */
};

enum touch { TOUCH_LOAD, TOUCH_STORE, TOUCH_ATOMIC };

static struct l2 *l2_of(const struct memory *memory)
{
    return *memory_cache_state(memory);
}

static void flush_left(struct l1 *l1, struct l2 *l2)
{
    if (l1->left)
        __atomic_fetch_sub(&l2->count[l1->left_epoch], (int64_t)l1->left, __ATOMIC_RELAXED);
    if (l1->left && l1->left_epoch >= l2->oldest)
        __atomic_fetch_add(&l2->moved, (int64_t)l1->left, __ATOMIC_RELAXED);
    l1->left = 0;
}

static void leave_epoch(struct l1 *l1, struct l2 *l2, uint32_t epoch)
{
    if (l1->left_epoch != epoch) {
        flush_left(l1, l2);
        l1->left_epoch = epoch;
    }
    l1->left++;
}

/* The state of one sector after a touch, and what the touch costs.
 * A load is charged in the first wave that loads a sector which was not resident when the wave began, even if a store
 * of the same wave came first: who came first would depend on the host. */
static inline uint16_t touch_sector(const struct l2 *l2, uint16_t old, enum touch touch, uint32_t *reads,
                                    uint32_t *writes)
{
    const uint32_t epoch = old & EPOCH;
    const bool was_here = epoch >= l2->oldest && epoch != 0;
    uint32_t flags = was_here ? old & (DIRTY | FILLED) : 0;
    if (was_here && epoch != l2->epoch)
        flags |= FILLED;
    if (touch != TOUCH_STORE) {
        *reads += !(flags & FILLED);
        flags |= FILLED;
    }
    if (touch != TOUCH_LOAD) {
        *writes += !(flags & DIRTY);
        flags |= DIRTY;
    }
    return (uint16_t)(flags | l2->epoch);
}

/* The states of a line's four sectors are one 64-bit word: 16 bits each. */
static inline uint64_t each_sector(uint32_t sectors, uint32_t state)
{
    static const uint64_t spread[16] = {
        0x0000000000000000, 0x0000000000000001, 0x0000000000010000, 0x0000000000010001,
        0x0000000100000000, 0x0000000100000001, 0x0000000100010000, 0x0000000100010001,
        0x0001000000000000, 0x0001000000000001, 0x0001000000010000, 0x0001000000010001,
        0x0001000100000000, 0x0001000100000001, 0x0001000100010000, 0x0001000100010001,
    };
    return spread[sectors] * state;
}

/* True if the sectors were touched like this in this wave already: the common case. */
static inline bool is_touched(const struct l2 *l2, uint64_t word, uint32_t sectors, enum touch touch)
{
    static const uint32_t flags[] = {
        [TOUCH_LOAD] = FILLED, [TOUCH_STORE] = DIRTY, [TOUCH_ATOMIC] = FILLED | DIRTY};
    const uint64_t want = each_sector(sectors, flags[touch] | l2->epoch);
    return (word & each_sector(sectors, flags[touch] | EPOCH)) == want;
}

/* DRAM gives 64 bytes at least: two sectors come together. */
static uint32_t whole_grains(uint32_t sectors)
{
    return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1;
}

/* Remembers between which lines an allocation is used. */
static void widen(struct allocation *a, uint64_t line)
{
    uint64_t low = __atomic_load_n(&a->part.low, __ATOMIC_RELAXED),
             high = __atomic_load_n(&a->part.high, __ATOMIC_RELAXED);
    while (line < low &&
           !__atomic_compare_exchange_n(&a->part.low, &low, line, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    while (line > high &&
           !__atomic_compare_exchange_n(&a->part.high, &high, line, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Whoever looks for touched sectors looks only where there are some. */
static void mark_chunk(struct allocation *a, uint64_t line)
{
    uint8_t *chunk = &a->epoch_chunks[line * SECTORS_PER_LINE / EPOCH_CHUNK];
    if (!__atomic_load_n(chunk, __ATOMIC_RELAXED))
        __atomic_store_n(chunk, 1, __ATOMIC_RELAXED);
}

/* Memory of the host has no epochs: none of it is ever touched. */
static uint64_t sectors_of(const struct allocation *a)
{
    return a->epochs ? (a->size + 31) / 32 : 0;
}

/* The first sector from `at` on that may have been touched; `end` if there is none before it. */
static uint64_t skip_untouched(const struct allocation *a, uint64_t at, uint64_t end)
{
    while (at < end && !a->epoch_chunks[at / EPOCH_CHUNK])
        at = (at / EPOCH_CHUNK + 1) * EPOCH_CHUNK;
    return at < end ? at : end;
}

/* A line costs one atomic exchange at most. */
static void l2_touch(const struct cache_port *port, struct l2 *l2, struct allocation *a, uint64_t *word,
                     uint32_t sectors, enum touch touch)
{
    struct traffic *traffic = port->traffic;
    if (touch == TOUCH_LOAD)
        sectors = whole_grains(sectors);
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    uint32_t reads, writes;
    do {
        new = old;
        reads = writes = 0;
        for (uint32_t i = 0; i < SECTORS_PER_LINE; i++) {
            if (!(sectors >> i & 1))
                continue;
            const uint16_t state = touch_sector(l2, (uint16_t)(old >> 16 * i), touch, &reads, &writes);
            new = (new & ~(0xffffull << 16 * i)) | (uint64_t)state << 16 * i;
        }
    } while (!__atomic_compare_exchange_n(word, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    const uint64_t line = (uint64_t)(word - (uint64_t *)a->epochs);
    mark_chunk(a, line);
    traffic->dram_read_sectors += reads;
    traffic->dram_write_sectors += writes;
    if (l2->is_part) {
        struct part_traffic *dram = &a->part.dram[l2->axis[l2->epoch]];
        __atomic_fetch_add(&dram->reads, reads, __ATOMIC_RELAXED);
        __atomic_fetch_add(&dram->writes, writes, __ATOMIC_RELAXED);
        widen(a, line);
    }
    struct l1 *l1 = port->l1;
    for (uint32_t i = 0; i < SECTORS_PER_LINE; i++) {
        const uint32_t epoch = (uint32_t)(old >> 16 * i) & EPOCH;
        if (!(sectors >> i & 1) || epoch == l2->epoch)
            continue;
        l1->touched++;
        if (epoch)
            leave_epoch(l1, l2, epoch);
    }
}

/* Memory of the host has no epochs: it is not behind L2's DRAM. */
static inline void touch_line(const struct cache_port *port, struct allocation *a, uint64_t line,
                              uint32_t sectors, enum touch touch)
{
    struct l2 *l2 = port->l1 ? port->l1->l2 : NULL;
    if (!a->epochs || !l2)
        return;
    uint64_t *word = (uint64_t *)a->epochs + (line - (a->base >> 7));
    if (!is_touched(l2, __atomic_load_n(word, __ATOMIC_RELAXED), sectors, touch))
        l2_touch(port, l2, a, word, sectors, touch);
}

void cache_block_end(const struct memory *memory, struct l1 *l1)
{
    struct l2 *l2 = l2_of(memory);
    if (l1 && l2) {
        __atomic_fetch_add(&l2->count[l2->epoch], (int64_t)l1->touched, __ATOMIC_RELAXED);
        flush_left(l1, l2);
    }
    free(l1);
}

/* ------------------------------------------------------------------------------------------- requests */

typedef void line_fn(const struct cache_port *port, struct allocation *a, uint64_t line, uint32_t sectors);

/* A request without a pattern, of which the block has nothing beside this line yet either. It is asked of the block's own
 * L1, so that it does not matter which block came first. */
static inline bool is_lone(const struct cache_port *port, uint64_t line)
{
    return port->is_random && port->l1 && !l1_holds(port->l1, line) && !l1_holds(port->l1, line - 1);
}

static void count_request(struct allocation *a, uint32_t sectors, bool is_alone)
{
    __atomic_fetch_add(&a->part.l2_reads, sectors, __ATOMIC_RELAXED);
    if (is_alone)
        __atomic_fetch_add(&a->part.random_reads, sectors, __ATOMIC_RELAXED);
}

static inline void load_line(const struct cache_port *port, struct allocation *a, uint64_t line,
                             uint32_t sectors)
{
    const bool is_alone = is_lone(port, line);
    const uint32_t missing = port->l1 ? l1_load(port->l1, line, sectors) : sectors;
    if (!missing)
        return;
    if (port->l1 && port->l1->l2 && port->l1->l2->is_part)
        count_request(a, (uint32_t)__builtin_popcount(missing), is_alone);
    port->traffic->l2_read_sectors += (uint32_t)__builtin_popcount(missing);
    touch_line(port, a, line, missing, TOUCH_LOAD);
}

static inline void load_line_l2(const struct cache_port *port, struct allocation *a, uint64_t line,
                                uint32_t sectors)
{
    port->traffic->l2_read_sectors += (uint32_t)__builtin_popcount(sectors);
    touch_line(port, a, line, sectors, TOUCH_LOAD);
}

/* Stores write through; L1 keeps what it has, since it would be updated. */
static inline void store_line(const struct cache_port *port, struct allocation *a, uint64_t line,
                              uint32_t sectors)
{
    port->traffic->l2_write_sectors += (uint32_t)__builtin_popcount(sectors);
    touch_line(port, a, line, sectors, TOUCH_STORE);
}

static inline void atomic_line(const struct cache_port *port, struct allocation *a, uint64_t line,
                               uint32_t sectors)
{
    port->traffic->l2_write_sectors += (uint32_t)__builtin_popcount(sectors);
    touch_line(port, a, line, sectors, TOUCH_ATOMIC);
}

/* Neighbours in the list that share a line are looked up together. */
static inline __attribute__((always_inline)) void each_line(const struct cache_port *port,
                                                            struct allocation *a, const uint64_t *sectors,
                                                            uint32_t count, line_fn *visit)
{
    for (uint32_t i = 0; i < count;) {
        const uint64_t line = sectors[i] >> LINE_BITS;
        uint32_t bits = 0;
        for (; i < count && sectors[i] >> LINE_BITS == line; i++)
            bits |= 1u << (sectors[i] & 3);
        visit(port, a, line, bits);
    }
}

static inline __attribute__((always_inline)) void each_line_of_run(const struct cache_port *port,
                                                                   struct allocation *a, uint64_t first,
                                                                   uint32_t count, line_fn *visit)
{
    const uint64_t end = first + count;
    while (first < end) {
        const uint64_t line = first >> LINE_BITS, next = (line + 1) << LINE_BITS;
        const uint64_t stop = next < end ? next : end;
        const uint32_t bits = (1u << (stop - first)) - 1;
        visit(port, a, line, bits << (first & 3));
        first = stop;
    }
}

/* Lanes that go through rows or columns have the same distance everywhere; those that follow an index have not. */
static bool is_random(const uint64_t *sectors, uint32_t count)
{
    uint32_t others = 0;
    for (uint32_t i = 2; i < count; i++)
        others += sectors[i] - sectors[i - 1] != sectors[1] - sectors[0];
    return others > count / 3;
}

void cache_load(const struct cache_port *port, struct allocation *a, const uint64_t *sectors, uint32_t count)
{
    const struct cache_port through = {port->l1, port->traffic, is_random(sectors, count)};
    each_line(&through, a, sectors, count, load_line);
}

void cache_load_l2(const struct cache_port *port, struct allocation *a, const uint64_t *sectors,
                   uint32_t count)
{
    each_line(port, a, sectors, count, load_line_l2);
}

void cache_store(const struct cache_port *port, struct allocation *a, const uint64_t *sectors, uint32_t count)
{
    each_line(port, a, sectors, count, store_line);
}

void cache_atomic(const struct cache_port *port, struct allocation *a, const uint64_t *sectors,
                  uint32_t count)
{
    each_line(port, a, sectors, count, atomic_line);
}

void cache_load_run(const struct cache_port *port, struct allocation *a, uint64_t first, uint32_t count)
{
    each_line_of_run(port, a, first, count, load_line);
}

void cache_load_l2_run(const struct cache_port *port, struct allocation *a, uint64_t first, uint32_t count)
{
    each_line_of_run(port, a, first, count, load_line_l2);
}

void cache_store_run(const struct cache_port *port, struct allocation *a, uint64_t first, uint32_t count)
{
    each_line_of_run(port, a, first, count, store_line);
}

/* ------------------------------------------------------------------------------------------- waves */

static void age_allocation(struct allocation *a, void *context)
{
    const uint32_t shift = *(const uint32_t *)context;
    const uint64_t count = sectors_of(a);
    for (uint64_t i = skip_untouched(a, 0, count); i < count; i = skip_untouched(a, i + 1, count)) {
        const uint32_t epoch = a->epochs[i] & EPOCH;
        a->epochs[i] = epoch > shift ? (uint16_t)((a->epochs[i] & (DIRTY | FILLED)) | (epoch - shift)) : 0;
    }
}

/* Epochs are about to run out: those of today become small again; what is older than that is forgotten. */
static void renumber(struct memory *memory, struct l2 *l2)
{
    uint32_t shift = l2->oldest - 1;
    if (l2->epoch - shift > LAST_EPOCH / 2)
        shift = l2->epoch - LAST_EPOCH / 2;
    for (; l2->oldest <= shift; l2->oldest++)
        l2->resident -= l2->count[l2->oldest];
    memory_each(memory, age_allocation, &shift);
    for (uint32_t e = 1; e <= EPOCH; e++) {
        l2->count[e] = e + shift <= EPOCH ? l2->count[e + shift] : 0;
        l2->axis[e] = e + shift <= EPOCH ? l2->axis[e + shift] : 0;
    }
    l2->epoch -= shift;
    l2->oldest -= shift;
    l2->first = l2->first > shift ? l2->first - shift : 1;
}

/* The oldest waves go until the rest fits. */
static void evict(struct l2 *l2)
{
    l2->resident += l2->count[l2->epoch] - l2->moved;
    l2->moved = 0;
    while (l2->oldest <= l2->epoch && l2->resident > (int64_t)l2->capacity)
        l2->resident -= l2->count[l2->oldest++];
}

static void next_epoch(struct memory *memory, struct l2 *l2, uint32_t axis)
{
    evict(l2);
    if (l2->epoch >= LAST_EPOCH)
        renumber(memory, l2);
    l2->epoch++;
    l2->count[l2->epoch] = 0;
    l2->axis[l2->epoch] = (uint8_t)axis;
}

/* Of a sample's few sectors all would still be there for the next launch, of the whole grid's hardly any. */
static void forget_all(struct l2 *l2)
{
    l2->oldest = l2->epoch;
    l2->resident = l2->moved = 0;
}

void cache_wave(struct memory *memory, uint32_t axis)
{
    struct l2 *l2 = l2_of(memory);
    if (l2)
        next_epoch(memory, l2, axis);
    if (l2 && l2->is_part)
        forget_all(l2); /* the next ones of a sample are far away */
}

/* ------------------------------------------------------------------------------------------- DRAM pages */

enum { LINES_PER_PAGE = 8 };

struct page_count {
    const struct l2 *l2;
    uint64_t lines, lone;
};

/* The launch's wave that used the line last; 0: none, or one of a sample whose blocks lie below each other. Such blocks are
 * not under way together, and their lines have the company of blocks that were not sampled. */
static uint32_t line_wave(const struct allocation *a, uint64_t line, const struct l2 *l2)
{
    const uint64_t from = line * SECTORS_PER_LINE, end = (a->size + 31) / 32;
    uint32_t wave = 0;
    for (uint64_t i = from; i < from + SECTORS_PER_LINE && i < end; i++)
        wave = (a->epochs[i] & EPOCH) > wave ? a->epochs[i] & EPOCH : wave;
    return wave >= l2->first && l2->axis[wave] == 0 ? wave : 0;
}

static void count_page(const struct allocation *a, uint64_t page, struct page_count *count)
{
    uint32_t waves[LINES_PER_PAGE], together;
    for (uint32_t i = 0; i < LINES_PER_PAGE; i++)
        waves[i] = line_wave(a, page * LINES_PER_PAGE + i, count->l2);
    for (uint32_t i = 0; i < LINES_PER_PAGE; i++) {
        together = 0;
        for (uint32_t j = 0; j < LINES_PER_PAGE; j++)
            together += waves[j] == waves[i];
        count->lines += waves[i] != 0;
        count->lone += waves[i] != 0 && together == 1;
    }
}

static void count_pages(struct allocation *a, void *context)
{
    enum { SECTORS_PER_PAGE = LINES_PER_PAGE * SECTORS_PER_LINE };
    const uint64_t end = sectors_of(a);
    for (uint64_t at = skip_untouched(a, 0, end); at < end;
         at = skip_untouched(a, at + SECTORS_PER_PAGE, end))
        count_page(a, at / SECTORS_PER_PAGE, context);
}

double cache_lone_lines(const struct memory *memory)
{
    struct page_count count = {.l2 = l2_of(memory)};
    if (count.l2)
        memory_each(memory, count_pages, &count);
    return count.lines ? (double)count.lone / (double)count.lines : 0;
}

/* ------------------------------------------------------------------------------------------- footprint */

/* Of the sectors from `from` up to `end`, those that were touched in the wave `first` or later. */
static uint64_t count_touched(const struct allocation *a, uint64_t from, uint64_t end, uint32_t first)
{
    uint64_t count = 0;
    for (uint64_t i = skip_untouched(a, from, end); i < end; i = skip_untouched(a, i, end)) {
        const uint64_t next = (i / EPOCH_CHUNK + 1) * EPOCH_CHUNK, stop = next < end ? next : end;
        uint16_t part = 0; /* of the width of an epoch, and for no more than EPOCH_CHUNK: several at once */
        for (; i < stop; i++)
            part += (uint16_t)((a->epochs[i] & EPOCH) >= (uint16_t)first);
        count += part;
    }
    return count;
}

struct footprint {
    const struct l2 *l2;
    double sectors;
};

static void add_footprint(struct allocation *a, void *context)
{
    struct footprint *footprint = context;
    const uint64_t end = sectors_of(a);
    const double all = (double)count_touched(a, 0, end, footprint->l2->first) * footprint->l2->times;
    footprint->sectors += all < (double)end ? all : (double)end;
}

double cache_footprint(const struct memory *memory)
{
    struct footprint footprint = {.l2 = l2_of(memory)};
    if (footprint.l2)
        memory_each(memory, add_footprint, &footprint);
    return 32 * footprint.sectors;
}

/* ------------------------------------------------------------------------------------------- parts of launches */

static void forget_part(struct allocation *a, void *context)
{
    (void)context;
    memset(a->part.dram, 0, sizeof a->part.dram);
    a->part.high = 0;
    a->part.l2_reads = a->part.random_reads = 0;
    a->part.low = UINT64_MAX;
}

/* What the whole launch does, from what a part of it did. */
struct whole {
    struct l2 *l2;
    const struct cache_part *part;
    bool is_kept[PART_AXES]; /* what a block leaves in L2 is still there for its neighbour along the axis */
    uint64_t used;           /* bytes of the allocations that it uses */
    uint64_t reads, writes, randoms;
};

static bool is_used(const struct allocation *a)
{
    uint64_t sectors = 0;
    for (int axis = 0; axis < PART_AXES; axis++)
        sectors += a->part.dram[axis].reads + a->part.dram[axis].writes;
    return sectors != 0;
}

static uint64_t times(uint64_t sectors, uint64_t all, uint64_t part)
{
    return (uint64_t)((unsigned __int128)sectors * all / (part ? part : 1));
}

static uint64_t scaled_sectors(const struct whole *whole, uint64_t sectors, uint64_t most)
{
    return smaller_of(times(sectors, whole->part->of, whole->part->blocks), most);
}

/* Neighbours along one axis share more than those along another: what most of them share is fetched once. */
static struct part_traffic whole_traffic(const struct allocation *a, const struct whole *whole)
{
    struct part_traffic least = {UINT64_MAX, UINT64_MAX};
    for (int axis = 0; axis < PART_AXES; axis++) {
        const uint64_t blocks = whole->part->axes[axis].blocks, all = whole->part->of;
        if (!blocks || !whole->is_kept[axis])
            continue;
        least.reads = smaller_of(least.reads, times(a->part.dram[axis].reads, all, blocks));
        least.writes = smaller_of(least.writes, times(a->part.dram[axis].writes, all, blocks));
    }
    return least;
}

struct axis_use {
    int axis;
    uint64_t sectors;
};

static void add_axis_use(struct allocation *a, void *context)
{
    struct axis_use *use = context;
    use->sectors += a->part.dram[use->axis].reads + a->part.dram[use->axis].writes;
}

/* The next block along an axis comes so many blocks later: L2 must hold what those use. Neighbours in the order of
 * the grid are under way together. */
static void find_kept(struct memory *memory, struct whole *whole)
{
    whole->is_kept[0] = true;
    for (int axis = 1; axis < PART_AXES; axis++) {
        struct axis_use use = {.axis = axis - 1};
        memory_each(memory, add_axis_use, &use);
        const uint64_t between =
            times(use.sectors, whole->part->axes[axis].distance, whole->part->axes[axis - 1].blocks);
        whole->is_kept[axis] = whole->part->axes[axis].blocks && between <= whole->l2->capacity;
    }
}

/* Sectors that this launch touched: counted once, asked for several times. */
static void count_now(struct allocation *a, void *context)
{
    const struct whole *whole = context;
    const uint64_t sectors = sectors_of(a), high = (a->part.high + 1) * SECTORS_PER_LINE;
    if (is_used(a))
        a->part.now = count_touched(a, a->part.low * SECTORS_PER_LINE, high < sectors ? high : sectors,
                                    whole->l2->first);
}

/* The lines from the first to the last that it uses of an allocation: a sample may miss the ends. */
static uint64_t spanned_lines(const struct allocation *a)
{
    return is_used(a) ? a->part.high - a->part.low + 1 : 0;
}

/* The lines that all blocks use: those between, or more if what a sample of neighbours uses is only a piece of it. */
static uint64_t used_lines(const struct allocation *a, const struct whole *whole)
{
    const uint64_t sectors = is_used(a) ? scaled_sectors(whole, a->part.now, sectors_of(a)) : 0;
    return larger_of(spanned_lines(a), sectors / SECTORS_PER_LINE);
}

static void add_used(struct allocation *a, void *context)
{
    struct whole *whole = context;
    whole->used += used_lines(a, whole) * 128;
}

/* Nearly all of what is used now was used before. */
static bool was_used(const struct allocation *a)
{
    const uint64_t slack = spanned_lines(a) / 8;
    return a->part.seen && a->part.low + slack >= a->part.seen_low &&
           a->part.high <= a->part.seen_high + slack;
}

/* Every block uses as much as those that were executed, but nothing twice. */
static void add_use(struct allocation *a, const struct whole *whole)
{
    const uint64_t sectors = sectors_of(a);
    const uint64_t used = scaled_sectors(whole, a->part.now, sectors);
    a->part.used = a->part.used + used < sectors ? a->part.used + used : sectors;
}

/* Of so many sectors from DRAM, those for requests to places without a pattern. */
static double random_part(const struct allocation *a, double sectors)
{
    return a->part.l2_reads ? sectors * (double)a->part.random_reads / (double)a->part.l2_reads : 0;
}

/* Random places of more than L2 holds: what came beside a sector has mostly made room before it is wanted, and a bit of it
 * has not (as measured: the square of the part that L2 holds says how much). */
static double random_reads(const struct allocation *a, const struct whole *whole, double capped)
{
    const double all = (double)whole_traffic(a, whole).reads;
    const double held = (double)whole->l2->capacity / (double)(used_lines(a, whole) * SECTORS_PER_LINE);
    if (held >= 1)
        return random_part(a, capped);
    return (random_part(a, capped) + random_part(a, all - capped) * (1 - held)) * (1 - 2 * held * held);
}

/* No allocation is read from DRAM more often than once per wave, or once at all if everything fits into L2, or ever if
 * it is still there from the last launch. */
static void add_traffic(struct allocation *a, void *context)
{
    struct whole *whole = context;
    const uint64_t sectors = used_lines(a, whole) * SECTORS_PER_LINE, capacity = whole->l2->capacity * 32;
    const bool fits = whole->used <= capacity;
    const bool is_there = fits && was_used(a) && whole->l2->seen - a->part.seen + whole->used <= capacity;
    const uint64_t most = is_there ? 0 : sectors * (fits ? 1 : whole->part->waves);
    if (!is_used(a))
        return;
    add_use(a, whole);
    const struct part_traffic dram = whole_traffic(a, whole);
    const double capped = (double)smaller_of(dram.reads, most), randoms = random_reads(a, whole, capped);
    whole->reads += (uint64_t)(capped - random_part(a, capped) + randoms);
    whole->randoms += (uint64_t)randoms;
    whole->writes += smaller_of(dram.writes, most);
    a->part.seen = whole->l2->seen + whole->used;
    a->part.seen_low = a->part.low;
    a->part.seen_high = a->part.high;
}

void cache_scale(struct memory *memory, const struct cache_part *part, struct traffic *traffic)
{
    struct l2 *l2 = l2_of(memory);
    struct whole whole = {.l2 = l2, .part = part};
    if (!l2)
        return;
    l2->times = (double)part->of / (double)(part->blocks ? part->blocks : 1);
    find_kept(memory, &whole);
    memory_each(memory, count_now, &whole);
    memory_each(memory, add_used, &whole);
    memory_each(memory, add_traffic, &whole);
    l2->seen += whole.used;
    traffic->dram_read_sectors = whole.reads;
    traffic->dram_write_sectors = whole.writes;
    traffic->random_sectors = whole.randoms;
}

/* From `at`, which begins a line, over as many lines of its chunk as nobody has touched; a sample leaves most of them so. */
static uint64_t skip_lines(const struct allocation *a, uint64_t at)
{
    enum { LINES = 4 }; /* at a time */
    const uint64_t *words = (const uint64_t *)(a->epochs + at), *const from = words;
    const uint64_t end = (at / EPOCH_CHUNK + 1) * EPOCH_CHUNK, whole = sectors_of(a);
    const uint64_t *const last = words + ((end < whole ? end : whole) - at) / SECTORS_PER_LINE;
    while (last - words >= LINES && !(words[0] | words[1] | words[2] | words[3]))
        words += LINES;
    while (words < last && !*words)
        words++;
    return at + (uint64_t)(words - from) * SECTORS_PER_LINE;
}

uint64_t cache_next_touched(const struct allocation *a, uint64_t at, uint64_t *end)
{
    const uint64_t sectors = sectors_of(a);
    at = skip_untouched(a, at, sectors);
    while (at < sectors && !(a->epochs[at] & EPOCH)) {
        const uint64_t next = at % SECTORS_PER_LINE ? at + 1 : skip_lines(a, at);
        at = skip_untouched(a, next > at ? next : at + 1, sectors);
    }
    for (*end = at; *end < sectors && a->epochs[*end] & EPOCH; (*end)++)
        ;
    return at < sectors ? at : UINT64_MAX;
}

uint64_t cache_sectors_used(const struct allocation *a)
{
    const uint64_t count = count_touched(a, 0, sectors_of(a), 1);
    return count > a->part.used ? count : a->part.used;
}

void cache_launch_begin(struct memory *memory, uint64_t l2_bytes, bool is_part)
{
    void **state = memory_cache_state(memory);
    if (!*state) {
        struct l2 *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            return; /* without it only DRAM traffic is missing */
        fresh->epoch = fresh->oldest = 1;
        *state = fresh;
    }
    struct l2 *l2 = *state;
    l2->capacity = l2_bytes / 32;
    next_epoch(memory, l2, 0);
    l2->first = l2->epoch;
    l2->times = 1;
    l2->is_part = is_part;
    if (l2->is_part || l2->was_part)
        forget_all(l2);
    if (l2->is_part)
        memory_each(memory, forget_part, NULL);
    l2->was_part = l2->is_part;
}
