/* notes.h - what registers hold, as far as the PTX tells without doubt: notes.c. Compilers leave no names of variables; what they do
 * leave are parameters, built-ins, arrays and loops. */
#ifndef VGPU_PROFILE_NOTES_H
#define VGPU_PROFILE_NOTES_H

#include "core/machine.h"

struct notes;

/* Of a function. NULL: no memory. */
struct notes *notes_make(const struct launch *launch, const struct function *function);
void notes_free(struct notes *notes);

/* The name that the program has for what the instruction puts into its destination: a parameter, threadIdx.x; "" for none. */
void notes_alias(const struct notes *notes, const struct insn *insn, char *out, size_t size);
/* "from tile[...]; line 20 stores this register to out[...]": of the instruction's i-th destination; "" where nothing is known. */
void notes_text(const struct notes *notes, const struct insn *insn, uint32_t i, char *out, size_t size);

#endif
