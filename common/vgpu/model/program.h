/* program.h - the lowered functions of one module, made when a launch first needs them.
 * Registers of all its functions have numbers of one row, so that a simulated warp keeps one table of them.
 * It lives as long as its module; nothing here is specific to a launch or to a GPU. */
#ifndef VGPU_PROGRAM_H
#define VGPU_PROGRAM_H

#include "core/record.h"
#include "model/lower.h"

/* The registers that an operation reads, up to three, and those of them that the operation before does not read. */
struct op_ports {
    uint8_t sources, fresh;
};

struct program_function {
    struct lowered *lowered; /* NULL: not needed so far */
    uint32_t first_register, first_segment;
    struct op_ports *ports; /* by operation */
    uint32_t *recorded;     /* by segment: instructions that a record has of it, JOINs left out */
    uint32_t *spans;        /* by segment: from the first of them to the last */
};

struct program {
    const struct module *module;
    struct program_function *functions; /* by function->index */
    uint32_t nregisters, nsegments;
};

/* The program of the launch's module, with every function that its records mention. NULL: no memory. */
struct program *program_for(const struct launch *launch);
void program_free(struct program *program);

#endif
