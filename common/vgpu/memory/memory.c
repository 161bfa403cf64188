/* memory.c - the device's memory: where allocations lie and how an address finds the one that holds it.
 * Every 4 KB granule belongs to at most one allocation, and between two allocations lies a gap that belongs to none.
 * Knows nothing of warps, costs or caches; bytes are moved by exec/ and runtime/. */
#include "memory/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/list.h"
#include "base/number.h"
#include "base/pages.h"
#include "memory/late_bytes.h"

enum { GRANULE_BITS = 12, GRANULE = 1 << GRANULE_BITS };
enum { CHUNK_BITS = 12, CHUNK = 1 << CHUNK_BITS }; /* granules of one leaf of the page table */
enum {
    WHOLE = 1
}; /* set in an entry of the upper level: it is no chunk but the one allocation that fills it */
enum {
    LARGE = 16 << 20
}; /* bytes: from here on, an allocation that is freed is taken out of the process's memory */
enum { GAP = 1 << 16 };     /* between allocations: some rows of an ordinary matrix */
enum { SMALL_GAP = 256 };   /* after small blocks of the kernels' heap: there may be many */
enum { KEPT_FREED = 4096 }; /* freed records kept for messages */
#define COMMIT_STEP    ((uint64_t)1 << 26)
#define LARGEST_RANGE  ((uint64_t)1 << 40)
#define SMALLEST_RANGE ((uint64_t)1 << 30)
#define DEVICE_HINT    ((void *)0x200000000000) /* the same addresses in every run, where the system allows it */
#define HOST_HINT      ((void *)0x300000000000)

struct span {
    uint64_t start, end;
};

/* An address range that is reserved as a whole and handed out from its start. */
struct region {
    uint64_t start, end; /* device addresses */
    uint8_t *bytes;      /* what lies behind start */
    uint64_t next;       /* never handed out so far */
    uint64_t committed;  /* the bytes behind [start, committed) may be touched */
    bool has_closed;     /* ... but for those that large allocations have given back */
    uintptr_t *table;    /* by granule, in two levels: see region_enter(); read without a lock */
    struct span *holes;  /* freed, in address order; used only when next has reached end */
    size_t nholes, holes_capacity;
};

/* Registered host memory, in address order. Replaced as a whole, so that readers need no lock. */
struct registered {
    struct registered *previous; /* readers may still hold it: freed with the memory */
    size_t count;
    struct allocation *items[];
};

struct memory {
    struct memory_layout layout; /* first: see memory_layout() */
    struct region device;        /* device addresses, not accessible to the host */
    struct region host;          /* pinned and managed memory: the same address on both sides */
    struct registered *registered;
    struct late *late_hosts; /* memory/late.c */
    pthread_mutex_t lock;
    bool tracks_written, notes_use, has_caches, expects_all;
    uint64_t capacity, used;
    struct allocation **live; /* in order of serial */
    size_t nlive, live_capacity;
    struct allocation *freed[KEPT_FREED]; /* a ring, oldest overwritten */
    size_t nfreed;
    uint64_t serials;
    void *cache_state;
};

/* ------------------------------------------------------------------------------------------- pages */

/* Asks the kernel and not the C library: sanitizers visit the shadow of all that passes through mmap(), and a range
 * that is meant to stay empty would take them minutes. */
static void *map_reserved(void *hint, uint64_t size)
{
    const long p =
        syscall(SYS_mmap, hint, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    return p == -1 ? NULL : (void *)p; // NOLINT(performance-no-int-to-ptr)
}

static void unmap_reserved(uint64_t start, uint64_t size)
{
    syscall(SYS_munmap, start, size);
}

/* Fewer faults are worth a few pages more. Not of a gigabyte, nor where a sample touches a few bytes here and there. */
static void expect_all(const struct memory *m, void *begin, uint64_t bytes)
{
    const uint64_t most = 1 << 28;
    if (m->expects_all && bytes <= most)
        pages_expect_all(begin, bytes);
}

/* Zeroed memory whose pages exist only once they are touched. */
static void *lazy_alloc(const struct memory *m, uint64_t size)
{
    if (size < GAP)
        return calloc(1, size ? size : 1);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    expect_all(m, p, size);
    return p;
}

static void lazy_free(void *p, uint64_t size)
{
    if (!p)
        return;
    if (size < GAP)
        free(p);
    else
        munmap(p, size);
}

static uint64_t valid_bytes(const struct allocation *a)
{
    return a->size / 8 + 1;
}

/* Rounded up to whole 128-byte lines, four epochs each: the cache model reads a line's epochs as one word. */
static uint64_t epoch_bytes(const struct allocation *a)
{
    return round_up(a->size + 1, 128) / 128 * 8;
}

/* In bytes: a bit per word, in whole numbers of 64. */
static uint64_t used_bits(const struct allocation *a)
{
    return (a->size / 4 / 64 + 1) * 8;
}

/* ------------------------------------------------------------------------------------------- regions */

static bool region_open(struct region *r, void *hint, bool is_split)
{
    for (uint64_t size = LARGEST_RANGE; size >= SMALLEST_RANGE; size /= 2) {
        uint8_t *front = map_reserved(hint, size);
        uint8_t *back = front && is_split ? map_reserved(NULL, size) : front;
        uintptr_t *table = back ? calloc(size >> (GRANULE_BITS + CHUNK_BITS), sizeof *table) : NULL;
        if (table) {
            *r = (struct region){.start = (uintptr_t)front,
                                 .end = (uintptr_t)front + size,
                                 .bytes = back,
                                 .next = (uintptr_t)front,
                                 .committed = (uintptr_t)front,
                                 .table = table};
            return true;
        }
        if (back && back != front)
            unmap_reserved((uintptr_t)back, size);
        if (front)
            unmap_reserved((uintptr_t)front, size);
    }
    return false;
}

static void region_close(struct region *r)
{
    const uint64_t size = r->end - r->start;
    if (!r->table)
        return;
    for (uint64_t i = 0; i < size >> (GRANULE_BITS + CHUNK_BITS); i++)
        if (!(r->table[i] & WHOLE))
            free((void *)r->table[i]); // NOLINT(performance-no-int-to-ptr)
    free(r->table);
    free(r->holes);
    if ((uintptr_t)r->bytes != r->start)
        unmap_reserved((uintptr_t)r->bytes, size);
    unmap_reserved(r->start, size);
}

static inline uint8_t *region_bytes(const struct region *r, uint64_t address)
{
    return r->bytes + (address - r->start);
}

/* Makes the bytes behind [start, end) usable. */
static bool region_commit(struct region *r, uint64_t end)
{
    if (end <= r->committed)
        return true;
    uint64_t upto = r->start + round_up(end - r->start, COMMIT_STEP);
    if (upto > r->end)
        upto = r->end;
    if (mprotect(region_bytes(r, r->committed), upto - r->committed, PROT_READ | PROT_WRITE))
        return false;
    r->committed = upto;
    return true;
}

/* Pages that large allocations gave back are usable again. */
static bool region_reopen(struct region *r, uint64_t address, uint64_t length)
{
    if (!r->has_closed)
        return true;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uintptr_t bytes = (uintptr_t)region_bytes(r, address), start = bytes / page * page;
    const uint64_t size = round_up(bytes + length - start, page);
    return mprotect(region_bytes(r, address) - (bytes - start), size, PROT_READ | PROT_WRITE) == 0;
}

static uint64_t take_hole(struct region *r, uint64_t length)
{
    for (size_t i = 0; i < r->nholes; i++) {
        struct span *hole = &r->holes[i];
        if (hole->end - hole->start < length)
            continue;
        const uint64_t address = hole->start;
        if (!region_reopen(r, address, length))
            return 0;
        hole->start += length;
        if (hole->start == hole->end)
            memmove(hole, hole + 1, (--r->nholes - i) * sizeof *hole);
        return address;
    }
    return 0;
}

static void add_hole(struct region *r, uint64_t start, uint64_t end)
{
    size_t low = 0, high = r->nholes;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (r->holes[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && r->holes[low - 1].end == start) {
        r->holes[low - 1].end = end;
        if (low < r->nholes && r->holes[low].start == end) {
            r->holes[low - 1].end = r->holes[low].end;
            memmove(&r->holes[low], &r->holes[low + 1], (--r->nholes - low) * sizeof *r->holes);
        }
        return;
    }
    if (low < r->nholes && r->holes[low].start == end) {
        r->holes[low].start = start;
        return;
    }
    struct span *holes = list_reserve(r->holes, &r->holes_capacity, r->nholes + 1, sizeof *holes);
    if (!holes)
        return; /* the range is lost until the memory is closed */
    r->holes = holes;
    memmove(&r->holes[low + 1], &r->holes[low], (r->nholes++ - low) * sizeof *r->holes);
    r->holes[low] = (struct span){start, end};
}

/* Addresses for length bytes; 0: there is no room. */
static uint64_t region_take(struct region *r, uint64_t length)
{
    uint64_t address = r->next;
    if (length <= r->end - r->next)
        r->next += length;
    else
        address = take_hole(r, length);
    return address && region_commit(r, address + length) ? address : 0;
}

static bool enter_granule(struct region *r, uint64_t g, struct allocation *a)
{
    uintptr_t *entry = &r->table[g >> CHUNK_BITS];
    if (!*entry) {
        struct allocation **fresh = calloc(CHUNK, sizeof(struct allocation *));
        if (!fresh)
            return false;
        __atomic_store_n(entry, (uintptr_t)fresh, __ATOMIC_RELEASE);
    }
    struct allocation **chunk = (struct allocation **)*entry; // NOLINT(performance-no-int-to-ptr)
    __atomic_store_n(&chunk[g & (CHUNK - 1)], a, __ATOMIC_RELEASE);
    return true;
}

/* Enters an allocation (or NULL) into the page table for the granules of [start, end). */
static bool region_enter(struct region *r, uint64_t start, uint64_t end, struct allocation *a)
{
    const uint64_t last = (end - 1 - r->start) >> GRANULE_BITS;
    for (uint64_t g = (start - r->start) >> GRANULE_BITS; g <= last;) {
        uintptr_t *entry = &r->table[g >> CHUNK_BITS];
        const bool is_whole = (g & (CHUNK - 1)) == 0 && last - g >= CHUNK - 1;
        if (is_whole && (!*entry || *entry & WHOLE)) {
            __atomic_store_n(entry, a ? (uintptr_t)a | WHOLE : 0, __ATOMIC_RELEASE);
            g += CHUNK;
        } else {
            if (!enter_granule(r, g, a))
                return false;
            g++;
        }
    }
    return true;
}

static struct allocation *region_find(const struct region *r, uint64_t address)
{
    const uint64_t g = (address - r->start) >> GRANULE_BITS;
    const uintptr_t entry = __atomic_load_n(&r->table[g >> CHUNK_BITS], __ATOMIC_ACQUIRE);
    if (entry & WHOLE)
        return (struct allocation *)(entry - WHOLE);         // NOLINT(performance-no-int-to-ptr)
    struct allocation **chunk = (struct allocation **)entry; // NOLINT(performance-no-int-to-ptr)
    return chunk ? __atomic_load_n(&chunk[g & (CHUNK - 1)], __ATOMIC_ACQUIRE) : NULL;
}

static bool region_holds(const struct region *r, uint64_t address)
{
    return address - r->start < r->end - r->start;
}

/* ------------------------------------------------------------------------------------------- life */

struct memory *memory_new(bool track_written)
{
    struct memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    if (!region_open(&m->device, DEVICE_HINT, true) || !region_open(&m->host, HOST_HINT, false)) {
        region_close(&m->device);
        free(m);
        return NULL;
    }
    const uint64_t start = m->device.start;
    m->layout = (struct memory_layout){start, start + WINDOW_BYTES, start + 2 * WINDOW_BYTES,
                                       start + 3 * WINDOW_BYTES};
    /* the windows have addresses but no bytes: what follows them begins where commitment begins */
    m->device.next = m->device.committed = start + 4 * WINDOW_BYTES;
    m->tracks_written = track_written;
    m->has_caches = true;
    m->capacity = UINT64_MAX;
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

static void drop_shadows(struct allocation *a)
{
    lazy_free(a->valid, valid_bytes(a));
    lazy_free(a->epochs, epoch_bytes(a));
    for (int use = 0; use < WORD_USES; use++) {
        lazy_free(a->words[use].now, used_bits(a));
        lazy_free(a->words[use].ever, used_bits(a));
        free(a->words[use].chunks);
        a->words[use] = (struct used_words){.now = NULL};
    }
    free(a->epoch_chunks);
    late_free(a->late);
    free(a->saved);
    a->late = NULL;
    a->saved = NULL;
    a->valid = NULL;
    a->epochs = NULL;
    a->epoch_chunks = NULL;
    a->races = NULL; /* check/ frees what it made when a launch ends */
}

void memory_free_all(struct memory *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->nlive; i++) {
        drop_shadows(m->live[i]);
        free(m->live[i]);
    }
    free(m->live);
    for (size_t i = 0; i < KEPT_FREED; i++)
        free(m->freed[i]);
    for (struct registered *r = m->registered, *previous; r; r = previous) {
        previous = r->previous;
        free(r);
    }
    while (m->late_hosts) {
        struct late *next = *late_next(m->late_hosts);
        late_free(m->late_hosts);
        m->late_hosts = next;
    }
    region_close(&m->device);
    region_close(&m->host);
    free(m->cache_state);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

struct late **memory_late_hosts(struct memory *m)
{
    return &m->late_hosts;
}

uint64_t memory_shared_window(const struct memory *m)
{
    return m->layout.shared_window;
}

uint64_t memory_local_window(const struct memory *m)
{
    return m->layout.local_window;
}

void **memory_cache_state(const struct memory *m)
{
    return &((struct memory *)m)->cache_state;
}

void memory_set_tracking(struct memory *m, bool track_written)
{
    m->tracks_written = track_written;
}

void memory_expect_all(struct memory *m, bool is_expected)
{
    m->expects_all = is_expected;
}

void memory_set_use(struct memory *m, bool is_noted)
{
    m->notes_use = is_noted;
}

void memory_set_caches(struct memory *m, bool has_caches)
{
    m->has_caches = has_caches;
}

void memory_set_capacity(struct memory *m, uint64_t bytes)
{
    m->capacity = bytes;
}

uint64_t memory_used(const struct memory *m)
{
    return __atomic_load_n(&m->used, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------------------------- allocations */

static struct region *region_of_kind(struct memory *m, enum alloc_kind kind)
{
    return kind == ALLOC_PINNED || kind == ALLOC_MANAGED ? &m->host : &m->device;
}

/* Pinned memory lies in the host; everything else takes room on the device. */
static bool counts_as_device(const struct allocation *a)
{
    return a->kind != ALLOC_PINNED;
}

/* The bytes of address space that an allocation takes with its gap. */
static uint64_t footprint(enum alloc_kind kind, uint64_t size)
{
    if (kind == ALLOC_HEAP && size <= GRANULE - SMALL_GAP)
        return GRANULE;
    return round_up(size + GAP, GRANULE);
}

static bool append_live(struct memory *m, struct allocation *a)
{
    struct allocation **live =
        list_reserve(m->live, &m->live_capacity, m->nlive + 1, sizeof(struct allocation *));
    if (!live)
        return false;
    m->live = live;
    a->serial = ++m->serials;
    m->live[m->nlive++] = a;
    return true;
}

/* Only what starts without contents can be read too early: host memory and symbols are written before they are used. */
static bool wants_valid_bits(const struct memory *m, enum alloc_kind kind)
{
    return m->tracks_written && (kind == ALLOC_DEVICE || kind == ALLOC_HEAP);
}

static bool make_use(const struct memory *m, struct allocation *a)
{
    bool is_made = true;
    for (int use = 0; use < WORD_USES; use++) {
        struct used_words *words = &a->words[use];
        words->now = lazy_alloc(m, used_bits(a));
        words->ever = lazy_alloc(m, used_bits(a));
        words->chunks = calloc(used_bits(a) / 8 / USED_CHUNK + 1, 1);
        is_made = is_made && words->now && words->ever && words->chunks;
    }
    return is_made;
}

static bool make_epochs(const struct memory *m, struct allocation *a)
{
    a->epochs = lazy_alloc(m, epoch_bytes(a));
    a->epoch_chunks = calloc(a->size / 32 / EPOCH_CHUNK + 1, 1);
    return a->epochs && a->epoch_chunks;
}

static bool make_shadows(struct memory *m, struct allocation *a)
{
    if (wants_valid_bits(m, a->kind) && !(a->valid = lazy_alloc(m, valid_bytes(a))))
        return false;
    if (counts_as_device(a) && m->has_caches && !make_epochs(m, a))
        return false;
    return !m->notes_use || make_use(m, a);
}

static struct allocation *alloc_locked(struct memory *m, uint64_t size, enum alloc_kind kind)
{
    struct region *r = region_of_kind(m, kind);
    if (kind != ALLOC_PINNED && (size > m->capacity || m->used > m->capacity - size))
        return NULL;
    if (size > r->end - r->start)
        return NULL;
    struct allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->size = size;
    a->kind = kind;
    a->base = region_take(r, footprint(kind, size));
    if (!a->base || !make_shadows(m, a) || !append_live(m, a)) {
        if (a->base)
            add_hole(r, a->base, a->base + footprint(kind, size));
        drop_shadows(a);
        free(a);
        return NULL;
    }
    a->host = region_bytes(r, a->base);
    if (size && !region_enter(r, a->base, a->base + size, a)) {
        m->nlive--;
        drop_shadows(a);
        free(a);
        return NULL;
    }
    expect_all(m, a->host, size);
    if (counts_as_device(a))
        __atomic_fetch_add(&m->used, size, __ATOMIC_RELAXED);
    return a;
}

struct allocation *memory_alloc(struct memory *m, uint64_t size, enum alloc_kind kind)
{
    pthread_mutex_lock(&m->lock);
    struct allocation *a = alloc_locked(m, size, kind);
    pthread_mutex_unlock(&m->lock);
    return a;
}

/* The new list holds what the old one did, with added put in and removed left out (either may be NULL). */
static bool replace_registered(struct memory *m, struct allocation *added, const struct allocation *removed)
{
    struct registered *old = m->registered;
    const size_t count = old ? old->count : 0;
    struct registered *fresh = calloc(1, sizeof *fresh + (count + 1) * sizeof(struct allocation *));
    if (!fresh)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (added && added->base < old->items[i]->base) {
            fresh->items[fresh->count++] = added;
            added = NULL;
        }
        if (old->items[i] != removed)
            fresh->items[fresh->count++] = old->items[i];
    }
    if (added)
        fresh->items[fresh->count++] = added;
    fresh->previous = old;
    __atomic_store_n(&m->registered, fresh, __ATOMIC_RELEASE);
    return true;
}

struct allocation *memory_register(struct memory *m, void *host, uint64_t size)
{
    struct allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->base = (uintptr_t)host;
    a->host = host;
    a->size = size;
    a->kind = ALLOC_PINNED;
    a->is_registered = true;
    pthread_mutex_lock(&m->lock);
    bool is_done = append_live(m, a);
    if (is_done && !replace_registered(m, a, NULL)) {
        m->nlive--;
        is_done = false;
    }
    pthread_mutex_unlock(&m->lock);
    if (!is_done)
        free(a);
    return is_done ? a : NULL;
}

static void remove_live(struct memory *m, const struct allocation *a)
{
    size_t low = 0, high = m->nlive;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (m->live[middle]->serial < a->serial)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < m->nlive && m->live[low] == a)
        memmove(&m->live[low], &m->live[low + 1], (--m->nlive - low) * sizeof(struct allocation *));
}

/* Whole pages are given back and read as zero again; where pages are larger than a granule, the first and the last may
 * hold somebody else's bytes: there, only this allocation's own become zero. */
static void give_back_pages(struct region *r, const struct allocation *a)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = round_up(a->size, GRANULE);
    const uint64_t head = round_up((uintptr_t)a->host, page) - (uintptr_t)a->host;
    const uint64_t tail = ((uintptr_t)a->host + bytes) / page * page - (uintptr_t)a->host;
    if (head >= bytes || tail <= head || madvise(a->host + head, tail - head, MADV_DONTNEED)) {
        memset(a->host, 0, a->size);
        return;
    }
    if (tail - head >= LARGE && mprotect(a->host + head, tail - head, PROT_NONE) == 0)
        r->has_closed = true; /* it no longer counts against the process's limits (RLIMIT_DATA) */
    memset(a->host, 0, head);
    memset(a->host + tail, 0, bytes - tail);
}

static void release_locked(struct memory *m, struct allocation *a)
{
    remove_live(m, a);
    if (a->is_registered) {
        replace_registered(m, NULL, a);
    } else {
        struct region *r = region_of_kind(m, a->kind);
        if (a->size)
            region_enter(r, a->base, a->base + a->size, NULL);
        give_back_pages(r, a);
        add_hole(r, a->base, a->base + footprint(a->kind, a->size));
        if (counts_as_device(a))
            __atomic_fetch_sub(&m->used, a->size, __ATOMIC_RELAXED);
    }
    drop_shadows(a);
    a->is_freed = true;
    struct allocation **kept = &m->freed[m->nfreed++ % KEPT_FREED];
    free(*kept);
    *kept = a;
}

void memory_release(struct memory *m, struct allocation *a)
{
    pthread_mutex_lock(&m->lock);
    release_locked(m, a);
    pthread_mutex_unlock(&m->lock);
}

/* ------------------------------------------------------------------------------------------- finding */

/* How many ranges begin at address or below it. */
static size_t count_registered(const struct registered *r, uint64_t address)
{
    size_t low = 0, high = r ? r->count : 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (r->items[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct allocation *find_registered(const struct memory *m, uint64_t address)
{
    const struct registered *r = __atomic_load_n(&m->registered, __ATOMIC_ACQUIRE);
    const size_t count = count_registered(r, address);
    return count ? r->items[count - 1] : NULL;
}

const struct allocation *memory_next_registered(const struct memory *m, uint64_t address)
{
    const struct registered *r = __atomic_load_n(&m->registered, __ATOMIC_ACQUIRE);
    const size_t count = count_registered(r, address);
    if (count && address - r->items[count - 1]->base < r->items[count - 1]->size)
        return r->items[count - 1];
    return r && count < r->count ? r->items[count] : NULL;
}

struct allocation *memory_find(const struct memory *m, uint64_t address)
{
    struct allocation *a;
    if (region_holds(&m->device, address))
        a = region_find(&m->device, address);
    else if (region_holds(&m->host, address))
        a = region_find(&m->host, address);
    else
        a = find_registered(m, address);
    return a && address - a->base < a->size ? a : NULL;
}

/* How far address lies outside an allocation; 0: inside. */
static uint64_t distance(const struct allocation *a, uint64_t address)
{
    if (address < a->base)
        return a->base - address;
    return address - a->base < a->size ? 0 : address - (a->base + a->size) + 1;
}

struct allocation *memory_nearest(const struct memory *memory, uint64_t address)
{
    struct memory *m = (struct memory *)memory; /* only the lock changes */
    struct allocation *best = NULL;
    uint64_t least = UINT64_MAX;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->nlive; i++)
        if (distance(m->live[i], address) < least)
            least = distance(best = m->live[i], address);
    /* newest first: of two freed blocks at one address the later one is meant */
    for (size_t i = 0; i < KEPT_FREED && i < m->nfreed && least > 0; i++) {
        struct allocation *a = m->freed[(m->nfreed - 1 - i) % KEPT_FREED];
        if (distance(a, address) < least && (distance(a, address) == 0 || !best))
            least = distance(best = a, address);
    }
    pthread_mutex_unlock(&m->lock);
    return best;
}

void memory_each(const struct memory *memory, void (*visit)(struct allocation *, void *), void *context)
{
    struct memory *m = (struct memory *)memory; /* for its lock */
    pthread_mutex_lock(&m->lock);
    const size_t count = m->nlive;
    struct allocation **copy = malloc((count + 1) * sizeof *copy);
    if (copy && count)
        memcpy(copy, m->live, count * sizeof *copy);
    pthread_mutex_unlock(&m->lock);
    /* a copy, so that visit() may release what it is shown */
    for (size_t i = 0; copy && i < count; i++)
        visit(copy[i], context);
    free(copy);
}

bool memory_is_device_address(const struct memory *m, uint64_t address)
{
    return region_holds(&m->device, address);
}

/* ------------------------------------------------------------------------------------------- written bytes */

static void or_bits(uint8_t *byte, unsigned bits)
{
    if ((__atomic_load_n(byte, __ATOMIC_RELAXED) & bits) != bits)
        __atomic_fetch_or(byte, (uint8_t)bits, __ATOMIC_RELAXED);
}

/* A large input comes in large pieces, from its begin to its end: bits would take an eighth of its memory again. */
static bool extend_written(struct allocation *a, uint64_t offset, uint64_t end)
{
    enum { LARGE = 1 << 20 };
    uint64_t known = __atomic_load_n(&a->all_valid, __ATOMIC_RELAXED);
    if (end - offset < LARGE || offset > known)
        return false;
    while (known < end && !__atomic_compare_exchange_n(&a->all_valid, &known, end, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED))
        ;
    return true;
}

void memory_mark_written(struct allocation *a, uint64_t address, uint64_t size)
{
    const uint64_t offset = address - a->base;
    if (!a->valid || offset >= a->size || !size)
        return;
    const uint64_t end = size < a->size - offset ? offset + size : a->size;
    if (extend_written(a, offset, end))
        return;
    const uint64_t first = offset / 8, last = (end - 1) / 8;
    const unsigned head = 0xffu << offset % 8 & 0xff, tail = 0xffu >> (7 - (end - 1) % 8);
    if (first == last) {
        or_bits(&a->valid[first], head & tail);
        return;
    }
    or_bits(&a->valid[first], head);
    memset(&a->valid[first + 1], 0xff, last - first - 1);
    or_bits(&a->valid[last], tail);
}

void memory_forget_writes(struct allocation *a)
{
    a->unset_reader[0] = '\0';
    if (!a->valid)
        return;
    a->all_valid = 0;
    memset(a->valid, 0, valid_bytes(a));
}

/* Of 64 bytes. */
static bool are_all_set(const uint8_t *valid)
{
    uint64_t bits;
    memcpy(&bits, valid, sizeof bits);
    return bits == UINT64_MAX;
}

bool memory_is_written(const struct allocation *a, uint64_t address, uint64_t size, uint64_t *first)
{
    const uint64_t offset = address - a->base;
    if (!a->valid)
        return true;
    const uint64_t known = __atomic_load_n(&a->all_valid, __ATOMIC_RELAXED);
    for (uint64_t i = offset < known ? known : offset; i < offset + size && i < a->size;) {
        if (i % 64 == 0 && i + 64 <= a->size && are_all_set(&a->valid[i / 8])) {
            i += 64;
            continue;
        }
        if (i % 8 == 0 && a->valid[i / 8] == 0xff) {
            i += 8;
            continue;
        }
        if (!(a->valid[i / 8] >> i % 8 & 1)) {
            *first = i;
            return false;
        }
        i++;
    }
    return true;
}
