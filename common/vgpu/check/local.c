/* local.c - reads of local memory before the thread wrote it.
 * One bit per byte and lane, in a table that grows with the warp's local memory.
 * Memory of a function that returned stays known as written: a later call may hide an error, never invent one. */
#include <stdlib.h>
#include <string.h>

#include "check/shadow.h"

struct local_bits {
    uint32_t bytes; /* covered per lane, a multiple of 8 */
    uint8_t bits[]; /* [lane * bytes / 8 + byte / 8] */
};

/* The warp's table, large enough for `bytes` per lane; NULL: no memory. */
static struct local_bits *bits_for(struct warp *warp, uint32_t bytes)
{
    struct local_bits *old = warp->check;
    if (old && old->bytes >= bytes)
        return old;
    uint32_t size = old ? old->bytes : 256;
    while (size < bytes)
        size *= 2;
    struct local_bits *larger = calloc(1, sizeof *larger + (size_t)LANES * size / 8);
    if (!larger)
        return NULL;
    larger->bytes = size;
    for (uint32_t lane = 0; old && lane < LANES; lane++)
        memcpy(larger->bits + lane * size / 8, old->bits + lane * old->bytes / 8, old->bytes / 8);
    free(old);
    warp->check = larger;
    return larger;
}

static bool has_any(const uint8_t *bits, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (bits[i / 8] >> i % 8 & 1)
            return true;
    return false;
}

static void set_all(uint8_t *bits, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        bits[i / 8] |= (uint8_t)(1u << i % 8);
}

void check_local(struct warp *warp, const struct insn *insn, const struct access *access)
{
    enum { FAR_TOO_MUCH = 1 << 24 };
    for (uint32_t rest = access->mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t address = access_address(access, lane);
        if (address + access->bytes > FAR_TOO_MUCH)
            continue;
        struct local_bits *table = bits_for(warp, (uint32_t)address + access->bytes);
        if (!table)
            return;
        uint8_t *bits = table->bits + (size_t)lane * table->bytes / 8;
        if (access->kind != ACCESS_WRITE && !has_any(bits, (uint32_t)address, access->bytes))
            report_uninitialised(warp, insn, lane, PTX_LOCAL, address, access->bytes);
        set_all(bits, (uint32_t)address, access->bytes);
    }
}
