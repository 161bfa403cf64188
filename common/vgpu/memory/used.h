/* used.h - which words of an allocation launches use. Sectors would not tell: one word of each is enough to touch them all.
 * Of a launch that is executed in part, every block uses as much as those that were executed, but nothing twice. */
#ifndef VGPU_USED_H
#define VGPU_USED_H

#include "memory/memory.h"

/* The bytes from address on, all in the allocation. From several threads at once. */
void used_mark(struct allocation *allocation, uint64_t address, uint32_t bytes, bool is_stored);
/* When a launch, known by its number, has executed `part` of its `of` blocks. What an earlier part of the same launch used no
 * longer counts then, but was touched all the same. */
void used_launch_end(struct memory *memory, uint64_t launch, uint64_t part, uint64_t of);

/* Distinct; 0 as well where nobody has looked. use: WORDS_USED, ... */
double used_bytes(const struct allocation *allocation, int use);

#endif
