/* round.h - directed rounding: the host's own rounding mode, set around one loop over the lanes. The loop
 * reads and writes memory that the barriers below name, so no compiler moves arithmetic past a mode change.
 * Rounding to nearest costs nothing: the host is always left in that mode. */
#ifndef VGPU_ROUND_H
#define VGPU_ROUND_H

#include <fenv.h>

/* The pointers pass through an opaque statement: what is loaded through them is loaded after it. */
#define ROUND_ENTER(mode, d, a, b, c)                                                                        \
    fesetround(mode);                                                                                        \
    __asm__ volatile("" : "+r"(d), "+r"(a), "+r"(b), "+r"(c) : : "memory")
#define ROUND_LEAVE(d)                                                                                       \
    __asm__ volatile("" : "+r"(d) : : "memory");                                                             \
    fesetround(FE_TONEAREST)

#define ROUND_BEGIN_rn(d, a, b, c) (void)0
#define ROUND_END_rn(d)            (void)0
#define ROUND_BEGIN_rz(d, a, b, c) ROUND_ENTER(FE_TOWARDZERO, d, a, b, c)
#define ROUND_END_rz(d)            ROUND_LEAVE(d)
#define ROUND_BEGIN_rm(d, a, b, c) ROUND_ENTER(FE_DOWNWARD, d, a, b, c)
#define ROUND_END_rm(d)            ROUND_LEAVE(d)
#define ROUND_BEGIN_rp(d, a, b, c) ROUND_ENTER(FE_UPWARD, d, a, b, c)
#define ROUND_END_rp(d)            ROUND_LEAVE(d)

#endif
