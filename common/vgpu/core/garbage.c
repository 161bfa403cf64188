/* garbage.c - see garbage.h. The loop over words becomes vector code: it fills every block's shared memory. */
#include "core/garbage.h"

#include <string.h>

#include "base/hash.h"
#include "core/machine.h"

/* A float from 2^21 to 2^23, or its negative. */
static inline uint32_t word_of(uint32_t key, uint32_t index)
{
    uint32_t word = hash_word32(index) ^ key;
    word = (word ^ word >> 15) * 0x85ebca6bu;
    word ^= word >> 13;
    return (word & 0x80ffffffu) | 0x4a000000u;
}

static void fill_words(uint8_t *bytes, size_t first, size_t end, uint32_t key)
{
    for (size_t i = first; i < end; i++) {
        const uint32_t word = word_of(key, (uint32_t)i);
        memcpy(bytes + i * sizeof word, &word, sizeof word);
    }
}

void garbage_fill(void *bytes, size_t from, size_t end, uint64_t seed, uint64_t key)
{
    if (!seed) {
        memset((uint8_t *)bytes + from, 0, end - from);
        return;
    }
    const uint64_t mixed = hash_word(hash_word(seed) ^ key);
    const uint32_t folded = (uint32_t)(mixed ^ mixed >> 32);
    const size_t words = end / sizeof(uint32_t), rest = end % sizeof(uint32_t);
    fill_words(bytes, from / sizeof(uint32_t), words, folded);
    const uint32_t last = word_of(folded, (uint32_t)words);
    memcpy((uint8_t *)bytes + end - rest, &last, rest);
}

void garbage_fill_block(const struct block *block, enum garbage_part part, uint32_t warp, void *bytes,
                        size_t from, size_t end)
{
    const struct launch *launch = block->launch;
    const uint64_t number =
        ((uint64_t)block->ctaid[2] * launch->grid[1] + block->ctaid[1]) * launch->grid[0] + block->ctaid[0];
    const uint64_t key = hash_word(number + 1) + hash_word32(warp + 1) * (uint64_t)4 + part;
    garbage_fill(bytes, from, end, launch->garbage, key);
}
