/* banks.c - bank conflicts: how many passes shared memory needs for one access.
 * Shared memory has 32 banks of 4-byte words; a pass serves each bank once, and lanes that want the same word together.
 * Checked against Nsight Compute's wavefronts on an H200 (tests/counters). */
#include "core/access.h"

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
    if (bytes < 4 || stride % bytes || stride == 0)
        return 0;
    for (int i = 0; i < LANES; i++)
        differs |= offset[i] ^ (first + (uint32_t)i * stride);
    if (differs)
        return 0;
    const uint32_t lanes = lanes_per_pass(bytes);
    return common_power(stride / bytes, lanes) * (LANES / lanes);
}

/* The most distinct words in one bank, over the words of the lanes in the mask. */
static uint32_t group_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    const uint32_t words = bytes <= 4 ? 1 : bytes / 4;
    uint32_t seen[BANKS][LANES];
    uint8_t count[BANKS] = {0};
    uint32_t most = 0;
    EACH_ACTIVE(lane, mask)
    {
        for (uint32_t w = 0; w < words; w++) {
            const uint32_t word = offset[lane] / 4 + w, bank = word % BANKS;
            uint32_t i = 0;
            while (i < count[bank] && seen[bank][i] != word)
                i++;
            if (i < count[bank])
                continue;
            seen[bank][count[bank]++] = word;
            most = count[bank] > most ? count[bank] : most;
        }
    }
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

/* One word a lane, all lanes. The first pass serves one word of every bank, say that of the last lane that wants
 * it; what is left over is mostly little. */
static uint32_t word_wavefronts(const uint32_t *offset)
{
    uint32_t holder[BANKS], left = 0;
    for (int i = 0; i < LANES; i++)
        holder[offset[i] / 4 % BANKS] = offset[i] / 4;
    for (int i = 0; i < LANES; i++)
        left |= (uint32_t)(holder[offset[i] / 4 % BANKS] != offset[i] / 4) << i;
    return left ? 1 + group_wavefronts(offset, left, 4) : 1;
}

uint32_t bank_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    const uint32_t lanes = lanes_per_pass(bytes);
    uint32_t wavefronts = 0;
    if (mask == FULL_MASK && (wavefronts = strided_wavefronts(offset, bytes)))
        return wavefronts;
    if (lanes == LANES)
        return mask == FULL_MASK ? word_wavefronts(offset) : group_wavefronts(offset, mask, bytes);
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

uint32_t bank_conflicts(uint32_t wavefronts, uint32_t mask, uint32_t bytes)
{
    const uint32_t lanes = lanes_per_pass(bytes);
    uint32_t least = 0;
    for (uint32_t start = 0; start < LANES; start += lanes)
        least += (mask >> start & (uint32_t)((1ull << lanes) - 1)) != 0;
    return wavefronts > least ? wavefronts - least : 0;
}
