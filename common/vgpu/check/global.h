/* global.h - what the race checker knows of global memory in one launch: for global.c, which finds races, and
 * global_words.c, which tells them. */
#ifndef VGPU_GLOBAL_H
#define VGPU_GLOBAL_H

#include "check/shadow.h"

/* An entry: (block + 1) << 32 | stamp, as in shadow.h; 0: none. */
#define ENTRY_MANY (1ull << 63) /* blocks above the one named have used it, too */
static inline uint64_t entry_block(uint64_t entry)
{
    return entry & ~ENTRY_MANY & ~0xffffffffull;
}

enum word_flag {
    FLAG_READ_WRITE_BLOCKS = 1,  /* one block reads what another writes */
    FLAG_WRITE_WRITE_BLOCKS = 2, /* two blocks write different values */
    FLAG_READ_WRITE = 4,         /* the same within a block */
    FLAG_WRITE_WRITE = 8,
    FLAG_UNINITIALISED = 16,
    FLAG_MIXED = 32,        /* several threads write parts of the word: only blocks can be compared */
    FLAG_MIXED_BLOCKS = 64, /* several blocks do: nothing can be compared */
    FLAG_MIXED_READS = 128, /* several threads read parts of it: readers cannot be compared with writers */
    FLAG_READ_ATOMIC_BLOCKS = 256, /* one block reads what another changes with atomics */
    FLAG_READ_ATOMIC = 512,
    FLAG_WRITE_ATOMIC_BLOCKS = 1024, /* one block stores to what another changes with atomics */
    FLAG_WRITE_ATOMIC = 2048,
    FLAG_UNFENCED = 4096, /* one block reads what another wrote and told it of, without a fence between */
};

/* What is known of one allocation in one launch; arrays by word. */
struct global_shadow {
    uint64_t base_word, nwords; /* words are numbered by address / 4 */
    uint64_t bytes;             /* of all arrays below, which are one mapping */
    bool is_flagged;
    bool has_writes, has_atomics; /* any at all */
    bool has_flags;               /* accesses that are not plain, whatever else */
    uint64_t *write, *read;
    /* Atomics on whole words are kept apart: a thread's own must not hide the store before it. `before`: that of another
     * thread of the same block, before the last. */
    uint64_t *atomic, *atomic_before;
    uint32_t *value; /* the last value written */
    uint16_t *write_site, *read_site, *atomic_site;
    uint16_t *flags;
    uint8_t *parts;  /* bytes of the word: low four bits written, high four read */
    uint8_t *chunks; /* per SHADOW_CHUNK words: some of them were touched */
};

enum { SHADOW_CHUNK = 4096 };

/* Writes what was found to the launch's findings. */
void global_report(struct launch *launch, const struct global_shadow *shadow);
/* Adds what the launch did to this allocation to its footprint. */
void global_footprint(const struct launch *launch, const struct global_shadow *shadow);

#endif
