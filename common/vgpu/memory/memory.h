/* memory.h - the device's memory: address spaces, allocations, and from a device address to the bytes behind it.
 *
 * Device addresses lie in a range that is reserved and not accessible, so a host program that follows a device pointer
 * stops at once; the bytes lie elsewhere (allocation->host). Pinned, mapped and managed memory has the same address on
 * both sides. Address ranges are not reused while there is room, so that use after free can be told. Freed blocks give
 * their pages back. The address 0..FUNCTION_BASE+n is never valid. */
#ifndef VGPU_MEMORY_H
#define VGPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum alloc_kind {
    ALLOC_DEVICE,  /* cudaMalloc and kin */
    ALLOC_PINNED,  /* cudaMallocHost, cudaHostAlloc, cudaHostRegister: host memory that kernels may use */
    ALLOC_MANAGED, /* cudaMallocManaged, __managed__ */
    ALLOC_SYMBOL,  /* __device__ variables */
    ALLOC_CONST,   /* __constant__ variables: kernels may only read */
    ALLOC_HEAP,    /* malloc and new in kernels */
    ALLOC_ARRAY    /* cudaArray: only textures and copies reach it */
};

enum { ALLOC_FRAMES = 14 }; /* a launch is nine calls below main */

enum { USED_CHUNK = 512 };
enum { WORDS_USED, WORDS_STORED, WORDS_LOADED, WORD_USES }; /* used: loaded or stored */

enum { PART_AXES = 3 };

struct allocation {
    uint64_t base, size; /* device address; bytes that were asked for */
    uint8_t *host;       /* the bytes */
    enum alloc_kind kind;
    const char *name; /* of a symbol; else NULL */
    const char *
        called; /* what messages call it where no kernel argument points there; NULL: by the line that allocated it */
    bool is_freed;
    bool is_registered;         /* host memory that belongs to the program */
    uint64_t serial;            /* allocations are numbered from 1 in program order */
    void *frames[ALLOC_FRAMES]; /* host return addresses of the allocating call, for messages */
    void *free_frames[ALLOC_FRAMES];
    uint64_t pitch;         /* of cudaMallocPitch; else 0 */
    char unset_reader[100]; /* where a kernel read what nobody had written; "": nowhere so far */

    /* shadows, made on demand; NULL: nothing is known, all is taken for written */
    uint8_t *valid;        /* bit per byte: somebody wrote it. Only under full checking */
    uint64_t all_valid;    /* bytes at its begin that were written in large pieces: they need no bits */
    uint16_t *epochs;      /* per 32-byte sector: when the L2 model saw it last (memory/cache.c) */
    uint8_t *epoch_chunks; /* per EPOCH_CHUNK of them: some are not 0 */
    struct {               /* what a launch that is executed in part says of it (memory/cache.c) */
        struct part_traffic {
            uint64_t reads, writes;      /* sectors, so far */
        } dram[PART_AXES];               /* by blocks that are neighbours along x, y, z */
        uint64_t l2_reads, random_reads; /* sectors that L1 asked for; of them, at places without a pattern */
        uint64_t low, high;              /* the lines it touched lie in [low, high] */
        uint64_t seen;                /* when it was used last, in bytes that L2 saw until then; 0: never */
        uint64_t seen_low, seen_high; /* and what was used then */
        uint64_t now;                 /* sectors that the launch under way touched, once they are counted */
        uint64_t used; /* distinct sectors that all blocks of such launches use, each scaled up */
    } part;
    struct used_words {       /* memory/used.c; now == NULL: nobody looks */
        uint64_t *now, *ever; /* a bit per word of 4 bytes: used by the launch under way, by any before */
        uint8_t *chunks;      /* per USED_CHUNK numbers of `now`: some bit of them is set */
        uint64_t launch;      /* number of the last, + 1 */
        double before, used;  /* words: until that launch, and with it */
    } words[WORD_USES];
    struct late *late; /* memory/late.c; NULL: its bytes are there. Freed with free(), as `saved` */
    uint64_t *saved;   /* memory/undo.c: a bit per sector */
    void *races;       /* check/: who touched it in this launch */
    uint64_t races_launch;
};

/* Sectors whose epochs fill a page of memory: of a large allocation, of which little is used, only those are looked through. */
enum { EPOCH_CHUNK = 2048 };

struct memory;

/* The generic windows of shared, local and parameter memory, one after another at the start of the device's range: a
 * generic address in [window, window + WINDOW_BYTES) is an offset in that space. */
enum { WINDOW_BYTES = 1 << 24 };

/* What handlers read without a call; fixed once the memory exists. */
struct memory_layout {
    uint64_t shared_window, local_window, param_window;
    uint64_t windows_end; /* the windows are [shared_window, windows_end) */
};
static inline const struct memory_layout *memory_layout(const struct memory *memory)
{
    return (const struct memory_layout *)memory; /* the first member of struct memory */
}

struct memory *memory_new(bool track_written);
void memory_free_all(struct memory *memory);
uint64_t memory_shared_window(const struct memory *memory);
uint64_t memory_local_window(const struct memory *memory);

/* A fresh allocation, at least 256-byte aligned, its bytes poisoned or zero as the kind demands. NULL: no room within
 * the device's capacity (memory_set_capacity). */
struct allocation *memory_alloc(struct memory *memory, uint64_t size, enum alloc_kind kind);
/* Host memory of the program's own becomes known to the device under its own address. */
struct allocation *memory_register(struct memory *memory, void *host, uint64_t size);
void memory_release(struct memory *memory, struct allocation *allocation);
/* For memory/late.c: the first of those that are the program's own. */
struct late **memory_late_hosts(struct memory *memory);
/* Whether allocations made from now on know which of their bytes were written. */
void memory_set_tracking(struct memory *memory, bool track_written);
void memory_set_capacity(struct memory *memory, uint64_t bytes);
uint64_t memory_used(const struct memory *memory);

/* The live allocation that holds address; NULL: none. Takes a lock only when allocations change (device malloc). */
struct allocation *memory_find(const struct memory *memory, uint64_t address);
/* The first registered host memory that ends behind address; NULL: none does. */
const struct allocation *memory_next_registered(const struct memory *memory, uint64_t address);
/* For messages: the allocation (live or freed) that holds address, or else the nearest one below or above. */
struct allocation *memory_nearest(const struct memory *memory, uint64_t address);
/* Visits every allocation in order of serial. */
void memory_each(const struct memory *memory, void (*visit)(struct allocation *, void *context),
                 void *context);

/* From the next allocation on: will most of each be used? That changes nothing but how long it takes. */
void memory_expect_all(struct memory *memory, bool is_expected);
/* From the next allocation on: is it noted which words are used? */
void memory_set_use(struct memory *memory, bool is_noted);
/* From the next allocation on: false, and what L2 and DRAM would see of it is not followed. */
void memory_set_caches(struct memory *memory, bool has_caches);

/* True if the address lies in the range that only the device may use (host dereference would fault). */
bool memory_is_device_address(const struct memory *memory, uint64_t address);

/* Marks bytes as written (copies from the host, memset, kernels under full checking). */
void memory_mark_written(struct allocation *allocation, uint64_t address, uint64_t size);
/* As if nobody had written it; its bytes stay. */
void memory_forget_writes(struct allocation *allocation);
/* True if every byte has been written; else *first is the offset in the allocation of the first that was not. */
bool memory_is_written(const struct allocation *allocation, uint64_t address, uint64_t size, uint64_t *first);
/* Of one byte, by its offset. */
static inline bool memory_is_byte_written(const struct allocation *allocation, uint64_t offset)
{
    return !allocation->valid || offset < __atomic_load_n(&allocation->all_valid, __ATOMIC_RELAXED) ||
           __atomic_load_n(&allocation->valid[offset / 8], __ATOMIC_RELAXED) >> offset % 8 & 1;
}

/* Where the cache model keeps what must survive launches; freed with free() by memory_free_all(). */
void **memory_cache_state(const struct memory *memory);

/* The last allocation an instruction used, so that the common access needs no lookup. */
struct tlb_entry {
    uint64_t base, end; /* device addresses; base > end: empty */
    uint64_t delta;     /* host address - device address, modulo 2^64 */
    struct allocation *allocation;
};

#endif
