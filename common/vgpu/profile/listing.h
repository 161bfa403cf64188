/* listing.h - the kernel's instructions as text, with the names of what they write: for pages that show code. listing.c. */
#ifndef VGPU_PROFILE_LISTING_H
#define VGPU_PROFILE_LISTING_H

#include "core/machine.h"

/* "ld.global.f32 %f1, [%rd4+16];" as it was written. */
void listing_text(const struct function *function, const struct insn *insn, char *out, size_t size);

/* What a register holds, as far as instructions tell: 'f', 'd' for floats, 's', 'u' for integers, 'x' for addresses and bits,
 * 'p' for predicates. By number in function->ptx->regs; free() it. NULL: no memory. */
char *listing_kinds(const struct function *function);

/* The register that an instruction's i-th destination slot is; -1: unknown. */
int32_t listing_register(const struct insn *insn, uint32_t i);

/* The name that the program has for what the instruction puts into its destination: a parameter, threadIdx.x; "" for none. */
void listing_alias(const struct launch *launch, const struct function *function, const struct insn *insn,
                   char *out, size_t size);

#endif
