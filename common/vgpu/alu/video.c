/* video.c - the video instructions: arithmetic on a register, or on its two halves or four bytes at once.
 * Parts are computed wide, then wrapped, clamped to the destination's range, or summed up.
 * Operand selectors (%r1.b0) and destination masks have no rows. */
#include "alu/lanes.h"

enum video_op {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_AVERAGE,
    VIDEO_DISTANCE,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_EQ,
    VIDEO_NE,
    VIDEO_LT,
    VIDEO_LE,
    VIDEO_GT,
    VIDEO_GE
};
enum video_end { END_WRAP, END_CLAMP, END_SUM };
enum { u32_SIGN = 0, s32_SIGN = 1 };

static inline int32_t part_of(uint32_t x, int k, int bits, bool is_signed)
{
    const uint32_t top = x << (32 - bits * (k + 1));
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}

static inline int32_t combine(int32_t x, int32_t y, enum video_op op)
{
    switch (op) {
    case VIDEO_ADD:
        return x + y;
    case VIDEO_SUB:
        return x - y;
    case VIDEO_AVERAGE:
        return (x + y + (x + y >= 0)) >> 1; /* halves go away from zero */
    case VIDEO_DISTANCE:
        return x > y ? x - y : y - x;
    case VIDEO_MIN:
        return x < y ? x : y;
    case VIDEO_MAX:
        return x > y ? x : y;
    case VIDEO_EQ:
        return x == y;
    case VIDEO_NE:
        return x != y;
    case VIDEO_LT:
        return x < y;
    case VIDEO_LE:
        return x <= y;
    case VIDEO_GT:
        return x > y;
    case VIDEO_GE:
        return x >= y;
    }
    return 0;
}

static inline int32_t clamp_part(int32_t value, int bits, bool is_signed)
{
    const int32_t high = (1 << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

/* op and end are constants at every use: what remains after inlining is the one case. */
static inline uint32_t parts(uint32_t x, uint32_t y, uint32_t z, int n, enum video_op op, bool source_signed,
                             bool result_signed, enum video_end end)
{
    const int bits = 32 / n;
    uint32_t result = 0, sum = z;
    for (int k = 0; k < n; k++) {
        int32_t value = combine(part_of(x, k, bits, source_signed), part_of(y, k, bits, source_signed), op);
        sum += (uint32_t)value;
        if (end == END_CLAMP)
            value = clamp_part(value, bits, result_signed);
        result |= ((uint32_t)value & ((1u << bits) - 1)) << bits * k;
    }
    return end == END_SUM ? sum : result;
}

/* How a wide result becomes one of the destination's type. */
#define wrap_u32(value) ((uint32_t)(value))
#define wrap_s32(value) ((int32_t)(uint32_t)(value))

static inline uint32_t clamp_u32(int64_t value)
{
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static inline int32_t clamp_s32(int64_t value)
{
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

static inline int64_t product_s32(int32_t x, int32_t y, int32_t z)
{
    return (int64_t)x * y + z;
}

#include "alu/rows_define.h"

#include "alu/video.def"

#include "alu/rows_list.h"

const struct form forms_video[] = {
#include "alu/video.def"
};
const size_t forms_video_count = sizeof forms_video / sizeof forms_video[0];
