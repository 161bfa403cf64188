/* sectors.c - how many sectors, words or lines 32 addresses touch. */
#include "base/hash.h"
#include "core/access.h"

/* For addresses that jump about: a small hash table keeps what was seen. */
static uint32_t distinct_unordered(const uint64_t *address, uint64_t *sectors)
{
    uint8_t table[64] = {0}; /* index + 1 into sectors */
    uint32_t count = 0;
    for (int i = 0; i < LANES; i++) {
        const uint64_t sector = address[i] >> 5;
        uint32_t at = (uint32_t)(hash_word(sector) >> 58);
        while (table[at] && sectors[table[at] - 1] != sector)
            at = (at + 1) & 63;
        if (!table[at]) {
            sectors[count++] = sector;
            table[at] = (uint8_t)count;
        }
    }
    return count;
}

uint32_t distinct_sectors_upto(const uint64_t *restrict address, int lanes, uint64_t *restrict sectors)
{
    uint64_t previous = address[0] >> 5;
    uint32_t count = 1;
    bool is_falling = false;
    sectors[0] = previous;
    for (int i = 1; i < lanes; i++) {
        const uint64_t sector = address[i] >> 5;
        sectors[count] = sector;
        count += sector != previous;
        is_falling |= sector < previous;
        previous = sector;
    }
    return is_falling ? distinct_unordered(address, sectors) : count;
}

uint32_t distinct_sectors(const uint64_t *restrict address, uint64_t *restrict sectors)
{
    return distinct_sectors_upto(address, LANES, sectors);
}

/* distinct_sectors() looks for units of 32 bytes: addresses are scaled so that a unit becomes one. */
uint32_t distinct_units(const uint64_t *address, int log2_bytes)
{
    uint64_t scaled[LANES], units[LANES];
    for (int i = 0; i < LANES; i++)
        scaled[i] = log2_bytes < 5 ? address[i] << (5 - log2_bytes) : address[i] >> (log2_bytes - 5);
    return distinct_sectors(scaled, units);
}

uint32_t distinct_words(const uint64_t *address)
{
    return distinct_units(address, 2);
}

uint32_t distinct_lines(const uint64_t *address)
{
    return distinct_units(address, 7);
}
