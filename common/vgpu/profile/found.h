/* found.h - the instructions that a launch executed, one after another, with their places in the program: found.c. */
#ifndef VGPU_PROFILE_FOUND_H
#define VGPU_PROFILE_FOUND_H

#include "core/machine.h"
#include "model/model.h"

struct found {
    const struct launch *launch;
    const struct function *function;
    const struct insn *insn;
    const struct insn_stat *stat;
    const struct ptx_loc *loc; /* in the program's own files; line 0: unknown */
    const char *file;          /* as the compiler was given it; "": unknown */
};

/* In the order of the code, function by function. */
void found_each(const struct launch *launch, void (*visit)(const struct found *found, void *context),
                void *context);
/* Parts of the warps' time that are spent on an instruction, by enum vgpu_spent. */
const double *found_spent(const struct estimate *estimate, uint32_t id);

#endif
