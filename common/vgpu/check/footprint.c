/* footprint.c - what a launch did to global memory, from what the race checker has noted of each word.
 * Only chunks that were touched are looked through: most of a large allocation may never have been. */
#include "memory/footprint.h"

#include <string.h>

#include "check/global.h"
#include "memory/memory.h"

/* What a word's last access makes of all of its kind: a flag is no longer one if it is used as plain data afterwards. */
static enum use use_of(uint64_t entry, enum use plain)
{
    static const enum use uses[] = {[STAMP_VOLATILE] = USE_FLAG, [STAMP_ATOMIC] = USE_ATOMIC};
    const uint32_t kind = (uint32_t)entry & 3;
    return kind == STAMP_PLAIN ? plain : uses[kind];
}

static void add_bytes(struct footprint *out, enum use use, uint64_t address, uint32_t part)
{
    if (part == 0xf)
        footprint_add(out, use, address, address + 4);
    for (uint32_t i = 0; i < 4 && part != 0xf; i++)
        if (part >> i & 1)
            footprint_add(out, use, address + i, address + i + 1);
}

static void add_word(struct footprint *out, const struct global_shadow *shadow, uint64_t i)
{
    const uint64_t address = (shadow->base_word + i) * 4;
    const uint32_t parts = shadow->parts[i];
    add_bytes(out, use_of(shadow->read[i], USE_READ), address, parts >> 4);
    add_bytes(out, use_of(shadow->write[i], USE_WRITE), address, parts & 0xf);
    if (shadow->has_atomics && shadow->atomic[i])
        footprint_add(out, USE_ATOMIC, address, address + 4);
}

/* Eight words that are all used alike, and as plain data. False: look at each. */
static bool add_alike(struct footprint *out, const struct global_shadow *shadow, uint64_t i)
{
    static const uint64_t ones = 0x0101010101010101u;
    const uint64_t address = (shadow->base_word + i) * 4;
    uint64_t parts;
    memcpy(&parts, shadow->parts + i, sizeof parts);
    if (shadow->has_atomics || (shadow->has_flags && parts))
        return false;
    if (parts == 0xf0 * ones || parts == 0xff * ones)
        footprint_add(out, USE_READ, address, address + 32);
    if (parts == 0x0f * ones || parts == 0xff * ones)
        footprint_add(out, USE_WRITE, address, address + 32);
    return parts == 0 || parts == 0xf0 * ones || parts == 0x0f * ones || parts == 0xff * ones;
}

static void add_chunk(struct footprint *out, const struct global_shadow *shadow, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i += 8) {
        const uint64_t stop = i + 8 < end ? i + 8 : end;
        if (stop == i + 8 && add_alike(out, shadow, i))
            continue;
        for (uint64_t word = i; word < stop; word++)
            add_word(out, shadow, word);
    }
}

/* What kernels allocate and free themselves, and the words behind a grid barrier, are used again by others. */
static bool is_private(const struct launch *launch, const struct global_shadow *shadow)
{
    const struct allocation *allocation = memory_find(launch->memory, shadow->base_word * 4);
    if (!allocation) /* registered memory need not begin with a word */
        allocation = memory_find(launch->memory, (shadow->base_word + 1) * 4);
    return !allocation || allocation->kind == ALLOC_HEAP ||
           (launch->workspace && allocation->base == launch->workspace);
}

void global_footprint(const struct launch *launch, const struct global_shadow *shadow)
{
    if (is_private(launch, shadow))
        return;
    for (uint64_t first = 0; first < shadow->nwords; first += SHADOW_CHUNK) {
        const uint64_t end = first + SHADOW_CHUNK;
        if (shadow->chunks[first / SHADOW_CHUNK])
            add_chunk(launch->footprint, shadow, first, end < shadow->nwords ? end : shadow->nwords);
    }
}
