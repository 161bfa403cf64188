/* texture_table.c - handles of texture and surface objects.
 * A handle carries its slot's generation, so one that was destroyed is known to be stale until 2^28 others were made, and a
 * mark that no address and no small number has: whoever finds a handle among other words knows it for one.
 * Objects belong to whoever made them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "exec/texture.h"

enum {
    SLOT_BITS = 20,
    CHUNK_BITS = 10,
    CHUNK_SLOTS = 1 << CHUNK_BITS,
    CHUNKS = 1 << (SLOT_BITS - CHUNK_BITS),
    GENERATION_BITS = 28
};
static const uint64_t MARK = (uint64_t)0x5ea7 << (SLOT_BITS + GENERATION_BITS);

struct table_slot {
    _Atomic uint64_t handle; /* 0: empty */
    uint64_t generation;
    enum object_kind kind;
    void *object;
    uint32_t next_free;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct table_slot *_Atomic chunks[CHUNKS];
static uint32_t slots_used = 1; /* slot 0 stays empty: handle 0 is nobody's */
static uint32_t first_free;     /* 0: none */

static struct table_slot *slot_at(uint32_t index)
{
    struct table_slot *chunk = atomic_load_explicit(&chunks[index >> CHUNK_BITS], memory_order_acquire);
    return chunk ? &chunk[index & (CHUNK_SLOTS - 1)] : NULL;
}

static uint32_t take_slot(void)
{
    if (first_free) {
        const uint32_t index = first_free;
        first_free = slot_at(index)->next_free;
        return index;
    }
    if (slots_used >> SLOT_BITS)
        return 0;
    if (!slot_at(slots_used)) {
        struct table_slot *chunk = calloc(CHUNK_SLOTS, sizeof *chunk);
        if (!chunk)
            return 0;
        atomic_store_explicit(&chunks[slots_used >> CHUNK_BITS], chunk, memory_order_release);
    }
    return slots_used++;
}

uint64_t texture_table_add(enum object_kind kind, void *object)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&table_lock);
    const uint32_t index = take_slot();
    if (index) {
        struct table_slot *slot = slot_at(index);
        slot->kind = kind;
        slot->object = object;
        handle = MARK | slot->generation << SLOT_BITS | index;
        slot->generation = (slot->generation + 1) % (1u << GENERATION_BITS);
        atomic_store_explicit(&slot->handle, handle, memory_order_release);
    }
    pthread_mutex_unlock(&table_lock);
    return handle;
}

static struct table_slot *find_slot(enum object_kind kind, uint64_t handle)
{
    struct table_slot *slot = slot_at((uint32_t)(handle & ((1u << SLOT_BITS) - 1)));
    if (!slot || !handle || atomic_load_explicit(&slot->handle, memory_order_acquire) != handle)
        return NULL;
    return slot->kind == kind ? slot : NULL;
}

void *texture_table_find(enum object_kind kind, uint64_t handle)
{
    const struct table_slot *slot = find_slot(kind, handle);
    return slot ? slot->object : NULL;
}

void *texture_table_remove(enum object_kind kind, uint64_t handle)
{
    void *object = NULL;
    pthread_mutex_lock(&table_lock);
    struct table_slot *slot = find_slot(kind, handle);
    if (slot) {
        object = slot->object;
        atomic_store_explicit(&slot->handle, 0, memory_order_release);
        slot->next_free = first_free;
        first_free = (uint32_t)(handle & ((1u << SLOT_BITS) - 1));
    }
    pthread_mutex_unlock(&table_lock);
    return object;
}

bool texture_table_is_handle(uint64_t word)
{
    return word >> (SLOT_BITS + GENERATION_BITS) == MARK >> (SLOT_BITS + GENERATION_BITS);
}
