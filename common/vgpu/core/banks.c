/* banks.c - bank conflicts: how many passes shared memory needs for one access.
 * Shared memory has 32 banks of 4-byte words; a pass serves each bank once, and lanes that want the same word together.
 * Checked against Nsight Compute's wavefronts on an H200 (tests/counters). */
#include "core/access.h"

#include <string.h>

enum { BANKS = 32 };

static uint32_t common_power(uint32_t stride, uint32_t lanes)
{
    return stride % lanes ? 1u << __builtin_ctz(stride) : lanes;
}

/* Accesses of 8 bytes go in two halves of the warp, of 16 bytes in four quarters: 128 bytes at most at a time. */
static inline uint32_t lanes_per_pass(uint32_t bytes)
{
    return bytes <= 4 ? LANES : 128 / bytes;
}

/* Lanes at a constant stride: a pass's lanes fall on as many banks as the stride leaves. 0: the stride varies. */
static uint32_t strided_wavefronts(const uint32_t *offset, uint32_t bytes)
{
    const uint32_t stride = offset[1] - offset[0], first = offset[0];
    uint32_t differs = 0;
    if (bytes < 4 || stride & (bytes - 1) || stride == 0 || offset[LANES - 1] - first != (LANES - 1) * stride)
        return 0;
    for (int i = 0; i < LANES; i++)
        differs |= offset[i] ^ (first + (uint32_t)i * stride);
    if (differs)
        return 0;
    const uint32_t lanes = lanes_per_pass(bytes);
    return common_power(stride / bytes, lanes) * (LANES / lanes);
}

/* The most distinct words in one bank. Pass after pass serves one word of every bank, that of the last lane that wants
 * it, and keeps what is left. */
static uint32_t passes_of(uint32_t *words, uint32_t count)
{
    uint32_t holder[BANKS], passes = 0;
    for (; count; passes++) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < count; i++)
            holder[words[i] % BANKS] = words[i];
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t word = words[i];
            words[left] = word;
            left += holder[word % BANKS] != word;
        }
        count = left;
    }
    return passes;
}

/* True if the lanes in the mask want words side by side, as most do that a condition has left: no two are of one bank. */
static bool are_neighbours(const uint32_t *offset, uint32_t mask)
{
    const uint32_t first = (uint32_t)__builtin_ctz(mask), base = offset[first] - 4 * first;
    uint32_t differs = 0;
    for (uint32_t i = 0; i < LANES; i++)
        differs |= (offset[i] ^ (base + 4 * i)) & -(mask >> i & 1);
    return !differs;
}

/* The wavefronts of the lanes in the mask, whatever they want. */
static uint32_t group_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    uint32_t words[2 * BANKS], count = 0;
    EACH_ACTIVE(lane, mask)
    for (uint32_t w = 0; w < (bytes + 3) / 4; w++)
        words[count++] = offset[lane] / 4 + w;
    return passes_of(words, count);
}

/* All lanes, a word each. Where the words are of few rows of banks, each is marked in a map of those rows, and the
 * marks of each bank are added up: nothing to foretell. */
uint32_t word_wavefronts(const uint32_t *offset, struct span span)
{
    enum { FEW_ROWS = 8, MOST_ROWS = 33 }; /* most: a tile of 32 by 32 words and its padding */
    uint8_t wanted[MOST_ROWS * BANKS], passes[BANKS] = {0}, most = 0;
    const uint32_t first = span.low / 4 / BANKS, rows = span.high / 4 / BANKS - first + 1;
    if (rows > MOST_ROWS)
        return group_wavefronts(offset, FULL_MASK, 4);
    if (rows <= FEW_ROWS) /* sizes that are known: no call */
        memset(wanted, 0, FEW_ROWS * BANKS);
    else
        memset(wanted, 0, sizeof wanted);
#pragma GCC unroll 32
    for (int i = 0; i < LANES; i++)
        wanted[offset[i] / 4 - first * BANKS] = 1;
    for (const uint8_t *row = wanted; row < wanted + rows * BANKS; row += BANKS)
        for (int i = 0; i < BANKS; i++)
            passes[i] += row[i];
    for (int i = 0; i < BANKS; i++)
        most = passes[i] > most ? passes[i] : most;
    return most;
}

/* True if every lane's partner (its number with one bit flipped) is off or reads the same address. */
static bool partners_agree(const uint32_t *offset, uint32_t mask, uint32_t bit)
{
    EACH_ACTIVE(lane, mask)
    {
        const uint32_t partner = lane ^ bit;
        if (mask >> partner & 1 && offset[partner] != offset[lane])
            return false;
    }
    return true;
}

/* Two neighbouring passes become one when lanes agree in pairs: then they hold no more words than one pass carries. */
static bool passes_merge(const uint32_t *offset, uint32_t mask)
{
    return partners_agree(offset, mask, 1) || partners_agree(offset, mask, 2);
}

/* Group by group, as a pass takes them. */
static uint32_t count_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    const uint32_t lanes = lanes_per_pass(bytes);
    uint32_t wavefronts = 0;
    if (lanes == LANES)
        return group_wavefronts(offset, mask, bytes);
    for (uint32_t start = 0; start < LANES; start += 2 * lanes) {
        const uint32_t one = (lanes == 16 ? 0xffffu : (1u << lanes) - 1) << start, two = one << lanes;
        const uint32_t both = mask & (one | two);
        if (both && passes_merge(offset, both))
            wavefronts += group_wavefronts(offset, both, bytes);
        else
            wavefronts +=
                group_wavefronts(offset, mask & one, bytes) + group_wavefronts(offset, mask & two, bytes);
    }
    return wavefronts;
}

/* A kernel has few patterns, and goes over shared memory with each. Where all lanes go on by as many words, all banks do, and
 * there are as many wavefronts as before: so they are counted once. */
struct pattern {
    uint32_t away[LANES]; /* from lane 0 */
    uint32_t mask, bytes; /* 0: nothing is kept here */
    uint32_t wavefronts;
};

static struct pattern *find_pattern(const uint32_t *offset, uint32_t bytes)
{
    enum { PATTERNS = 32 };
    static _Thread_local struct pattern kept[PATTERNS];
    const uint32_t ends = (offset[LANES - 1] - offset[0]) * 3 + (offset[LANES / 4] - offset[0]) * 5 +
                          (offset[1] - offset[0]) * 7;
    return &kept[(ends / 4 + bytes) % PATTERNS];
}

static uint32_t known_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    struct pattern *known = find_pattern(offset, bytes);
    uint32_t differs = (known->mask ^ mask) | (known->bytes ^ bytes);
    for (int i = 0; i < LANES; i++)
        differs |= known->away[i] ^ (offset[i] - offset[0]);
    if (!differs)
        return known->wavefronts;
    *known =
        (struct pattern){.mask = mask, .bytes = bytes, .wavefronts = count_wavefronts(offset, mask, bytes)};
    for (int i = 0; i < LANES; i++)
        known->away[i] = offset[i] - offset[0];
    return known->wavefronts;
}

uint32_t bank_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    uint32_t wavefronts = 0;
    if (mask == FULL_MASK && (wavefronts = strided_wavefronts(offset, bytes)))
        return wavefronts;
    if (bytes == 4 && mask && offset[__builtin_ctz(mask)] % 4 == 0 && are_neighbours(offset, mask))
        return 1;
    return offset[0] % 4 ? count_wavefronts(offset, mask, bytes) : known_wavefronts(offset, mask, bytes);
}

uint32_t bank_conflicts(uint32_t wavefronts, uint32_t mask, uint32_t bytes)
{
    const uint32_t lanes = lanes_per_pass(bytes);
    uint32_t least = 0;
    for (uint32_t start = 0; start < LANES; start += lanes)
        least += (mask >> start & (uint32_t)((1ull << lanes) - 1)) != 0;
    return wavefronts > least ? wavefronts - least : 0;
}
