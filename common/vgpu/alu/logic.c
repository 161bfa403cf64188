/* logic.c - logic, shifts, permutes, selections and moves: instructions that treat operands as bits.
 * Shift amounts past the width give what the PTX definition says, never what the host's shifter does.
 * Packing moves (mov.b64 {a, b}) are taken apart by decode/decode.c. */
#include "alu/lanes.h"

#define PREDICATE_ROW(id, expr)                                                                              \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        const uint32_t x = *(const uint32_t *)a, y = b ? *(const uint32_t *)b : 0;                           \
        (void)c, (void)y;                                                                                    \
        *(uint32_t *)d = (expr);                                                                             \
    }
PREDICATE_ROW(and_pred, x &y)
PREDICATE_ROW(or_pred, x | y)
PREDICATE_ROW(xor_pred, x ^ y)
PREDICATE_ROW(not_pred, ~x)
PREDICATE_ROW(mov_pred, x)

static inline uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* One term per set bit of the table: bit 0x80 stands for a & b & c, bit 0x01 for ~a & ~b & ~c. */
static inline uint32_t look_up(uint32_t x, uint32_t y, uint32_t z, uint32_t table)
{
    uint32_t result = 0;
    for (int k = 0; k < 8; k++) {
        const uint32_t term = (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
        result |= term & (0u - (table >> k & 1));
    }
    return result;
}

static inline uint32_t permute(uint32_t x, uint32_t y, uint32_t selector)
{
    const uint64_t bytes = join(x, y);
    uint32_t result = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t nibble = selector >> 4 * k;
        const uint32_t byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 0xff;
        const uint32_t sign = byte & 0x80 ? 0xff : 0;
        result |= (nibble & 8 ? sign : byte) << 8 * k;
    }
    return result;
}

/* The selectors that prmt's named modes stand for, by the low two bits of c. */
static const uint32_t order_f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
static const uint32_t order_b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
static const uint32_t order_rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
static const uint32_t order_ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
static const uint32_t order_ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
static const uint32_t order_rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};

#include "alu/rows_define.h"

#include "alu/logic.def"

#include "alu/rows_list.h"

const struct form forms_logic[] = {
#include "alu/logic.def"
};
const size_t forms_logic_count = sizeof forms_logic / sizeof forms_logic[0];
