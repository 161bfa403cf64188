/* undo.c - see undo.h. A bit per sector tells that it is saved; it is set under a lock, after the bytes were copied, and before
 * anybody stores there. */
#include "memory/undo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"

enum { SECTOR = 32, WORDS = SECTOR / 4, BITS = 64 };

struct saved {
    struct allocation *allocation;
    uint64_t sector;
    uint8_t bytes[SECTOR];
    uint8_t stored; /* a bit per word: some launch before has stored it */
};

struct undo {
    pthread_mutex_t lock;
    struct saved *saved;
    size_t count, capacity;
};

struct undo *undo_new(void)
{
    struct undo *undo = calloc(1, sizeof *undo);
    if (undo)
        pthread_mutex_init(&undo->lock, NULL);
    return undo;
}

static bool is_saved(const struct allocation *a, uint64_t sector)
{
    const uint64_t *bits = __atomic_load_n(&a->saved, __ATOMIC_ACQUIRE);
    return bits && __atomic_load_n(&bits[sector / BITS], __ATOMIC_ACQUIRE) >> sector % BITS & 1;
}

static uint64_t size_of(const struct allocation *a, uint64_t sector)
{
    return smaller_of((uint64_t)SECTOR, a->size - sector * SECTOR);
}

static bool has_bits(struct allocation *a)
{
    if (!a->saved)
        __atomic_store_n(&a->saved, calloc(a->size / SECTOR / BITS + 1, sizeof(uint64_t)), __ATOMIC_RELEASE);
    return a->saved != NULL;
}

/* Words of a sector whose bits lie in one number of a bitmap, from this one on. */
static unsigned shift_of(uint64_t sector)
{
    return (unsigned)(sector * WORDS % BITS);
}

static uint8_t stored_words(const struct allocation *a, uint64_t sector)
{
    const uint64_t *ever = a->words[WORDS_STORED].ever;
    return ever ? (uint8_t)(ever[sector * WORDS / BITS] >> shift_of(sector)) : 0;
}

static void put_stored_words(struct allocation *a, uint64_t sector, uint8_t stored)
{
    const struct used_words *words = &a->words[WORDS_STORED];
    const uint64_t number = sector * WORDS / BITS, mask = (uint64_t)UINT8_MAX << shift_of(sector);
    if (!words->now)
        return;
    words->now[number] &= ~mask;
    words->ever[number] = (words->ever[number] & ~mask) | (uint64_t)stored << shift_of(sector);
}

static void save_sector(struct undo *undo, struct allocation *a, uint64_t sector)
{
    pthread_mutex_lock(&undo->lock);
    struct saved *more = list_reserve(undo->saved, &undo->capacity, undo->count + 1, sizeof *more);
    if (more)
        undo->saved = more;
    if (more && has_bits(a) && !is_saved(a, sector)) {
        more[undo->count].allocation = a;
        more[undo->count].sector = sector;
        more[undo->count].stored = stored_words(a, sector);
        memcpy(more[undo->count++].bytes, a->host + sector * SECTOR, size_of(a, sector));
        __atomic_fetch_or(&a->saved[sector / BITS], UINT64_C(1) << sector % BITS, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&undo->lock);
}

void undo_save(struct undo *undo, struct allocation *a, uint64_t address, uint64_t bytes)
{
    const uint64_t offset = address - a->base, last = (offset + bytes - 1) / SECTOR;
    for (uint64_t sector = offset / SECTOR; a->kind != ALLOC_HEAP && sector <= last; sector++)
        if (!is_saved(a, sector))
            save_sector(undo, a, sector);
}

static void forget(struct undo *undo)
{
    for (size_t i = 0; i < undo->count; i++) {
        const struct saved *saved = &undo->saved[i];
        saved->allocation->saved[saved->sector / BITS] &= ~(UINT64_C(1) << saved->sector % BITS);
    }
    undo->count = 0;
}

void undo_take_back(struct undo *undo)
{
    for (size_t i = 0; i < undo->count; i++) {
        const struct saved *saved = &undo->saved[i];
        memcpy(saved->allocation->host + saved->sector * SECTOR, saved->bytes,
               size_of(saved->allocation, saved->sector));
        put_stored_words(saved->allocation, saved->sector, saved->stored);
    }
    forget(undo);
}

void undo_free(struct undo *undo)
{
    if (!undo)
        return;
    forget(undo);
    pthread_mutex_destroy(&undo->lock);
    free(undo->saved);
    free(undo);
}
