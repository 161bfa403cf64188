/* access.c - the shape of 32 addresses, and accesses built from them. */
#include "core/access.h"

#include <string.h>

/* Most accesses of some lanes only are of one address: then all lanes get it at once. Loops over all lanes without branches, so
 * that compilers make vectors of them. */
static bool fill_one_address(uint64_t *address, uint32_t mask)
{
    const uint64_t first = address[first_lane(mask)];
    const int lanes = is_of_first(mask) ? lanes_upto(mask) : 0;
    uint64_t differ = 0;
    for (int i = 0; i < lanes; i++)
        differ |= address[i] ^ first;
    for (int i = 0; i < LANES && !lanes; i++)
        differ |= (address[i] ^ first) & -(uint64_t)(mask >> i & 1);
    for (int i = 0; i < LANES && differ == 0; i++)
        address[i] = first;
    return differ == 0;
}

static bool fill_one_offset(uint32_t *offset, uint32_t mask)
{
    const uint32_t first = offset[first_lane(mask)];
    uint32_t differ = 0;
    for (int i = 0; i < LANES; i++)
        differ |= (offset[i] ^ first) & -(mask >> i & 1);
    for (int i = 0; i < LANES && differ == 0; i++)
        offset[i] = first;
    return differ == 0;
}

enum access_shape addresses_shape(uint64_t *address, uint32_t mask, uint32_t bytes)
{
    uint64_t run = 0, same = 0;
    if (mask != FULL_MASK) {
        if (fill_one_address(address, mask))
            return ACCESS_UNIFORM;
        fill_addresses(address, mask);
        return ACCESS_SCATTERED;
    }
    for (int i = 0; i < LANES; i++) {
        run |= address[i] ^ (address[0] + (uint32_t)i * bytes);
        same |= address[i] ^ address[0];
    }
    return same == 0 ? ACCESS_UNIFORM : run == 0 ? ACCESS_CONTIGUOUS : ACCESS_SCATTERED;
}

enum access_shape offsets_shape(uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    uint32_t run = 0, same = 0;
    if (mask != FULL_MASK) {
        if (fill_one_offset(offset, mask))
            return ACCESS_UNIFORM;
        fill_offsets(offset, mask);
        return ACCESS_SCATTERED;
    }
    for (int i = 0; i < LANES; i++) {
        run |= offset[i] ^ (offset[0] + (uint32_t)i * bytes);
        same |= offset[i] ^ offset[0];
    }
    return same == 0 ? ACCESS_UNIFORM : run == 0 ? ACCESS_CONTIGUOUS : ACCESS_SCATTERED;
}

struct access access_of_offsets(const struct insn *insn, enum ptx_space space, uint32_t mask,
                                enum access_shape shape, const uint32_t *offset, uint64_t *wide)
{
    for (int i = 0; i < LANES && shape == ACCESS_SCATTERED; i++)
        wide[i] = offset[i];
    return access_of(insn, space, mask, shape, offset[0], wide, NULL);
}

void stored_value(const struct warp *warp, const struct insn *insn, int lane, void *bytes16)
{
    uint8_t *out = bytes16;
    memset(out, 0, 16);
    if (insn->is_async) {
        memcpy(out, &warp->worker->scratch[0][0] + (size_t)lane * 16,
               16); /* where a copy keeps what it moves */
        return;
    }
    if (!insn->is_store)
        return;
    for (uint32_t k = 0; k < insn->count && (k + 1) * insn->width <= 16; k++) {
        const uint8_t *value = (const uint8_t *)element_slot(warp, insn, k) + (size_t)lane * insn->dsize;
        memcpy(out + k * insn->width, value, insn->width);
    }
}
