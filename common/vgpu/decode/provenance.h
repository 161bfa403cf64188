/* provenance.h - which array an access means: the variable or parameter whose address flows into its address register.
 * The answer comes from a data-flow pass over the PTX of one function, done once, when the function is decoded.
 * An access that may mean several arrays, or none that is known, has no bounds here: only the whole space limits it. */
#ifndef VGPU_PROVENANCE_H
#define VGPU_PROVENANCE_H

#include "core/machine.h"

/* How the handlers of loads, stores and atomics use it: when an instruction is decoded (local_offsets and the module's
 * symbols are known by then), ask once and keep the two numbers with the instruction:
 *
 *     if (!provenance_bounds(function, in, &first, &end)) { first = 0; end = UINT32_MAX; }
 *
 * At run time the access must then lie in [first, min(end, block->shared_bytes)) instead of [0, block->shared_bytes):
 * the same two compares, so it costs nothing. Extern (dynamic) arrays have end = UINT32_MAX. */
bool provenance_bounds(struct function *function, const struct ptx_insn *source, uint32_t *first,
                       uint32_t *end);

/* For messages: the variable an access means, or NULL. */
const struct ptx_var *provenance_variable(const struct function *function, const struct ptx_insn *source);

/* For messages: the number of the parameter whose pointer an access follows, or -1. */
int provenance_parameter(const struct function *function, const struct ptx_insn *source);

/* True for a plain load that only looks before an atomic on the same array decides (`if (x < *best) atomicMin(...)`). */
bool provenance_is_hint(const struct function *function, const struct ptx_insn *source);
/* True for a plain load that is only tested before the same place is set to a value that does not depend on it
 * (`if (level[v] < 0) level[v] = now;`): threads that do this at once agree on the outcome. */
bool provenance_is_test(const struct function *function, const struct ptx_insn *source);

/* For a store that changes what it finds (`x += v`): the load of the old value; NULL: it sets its place anew. */
const struct ptx_insn *provenance_updated(const struct function *function, const struct ptx_insn *store);

/* Does the pass now; the functions above do it by themselves when it has not been done. */
void provenance_analyse(struct function *function);

#endif
