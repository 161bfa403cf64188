/* children.h - what a kernel gives to the device to do (dynamic parallelism): launches of kernels, copies, memsets.
 * A thread asks for a buffer, writes the kernel's parameters into it, and launches it. All of it is done when the parent's grid
 * is over, in the order in which it was given: a parent may only rely on it that a child comes after its launch, and what is
 * given to one stream in that order.
 * Only a block that has the turn may call this, so that the order is the same for any number of host threads. */
#ifndef VGPU_CHILDREN_H
#define VGPU_CHILDREN_H

#include "core/machine.h"

enum { MOST_NESTED = 24 }; /* parents above a child, as on a GPU */

struct child_shape {
    uint32_t grid[3], dim[3], dynamic_shared;
};

enum child_kind { CHILD_KERNEL, CHILD_COPY, CHILD_SET };

struct child {
    struct child *next;
    enum child_kind kind;
    bool is_tail; /* given to cudaStreamTailLaunch: after all others */
    /* copies and memsets */
    uint64_t to, from, bytes;
    uint8_t value;
    /* kernels */
    const struct function *kernel;
    struct child_shape shape;
    struct allocation *buffer; /* its parameters as the device sees them; NULL once it is launched */
    uint8_t params[];          /* a copy from then on, laid out as PTX declares */
};

/* Where the parameters of the kernel at an address of device code go; 0: there is no such kernel, or no memory. */
uint64_t child_ask(struct launch *launch, uint64_t kernel, const struct child_shape *shape);
/* Launches the child whose parameters lie at address; gives a cudaError_t. */
int child_launch(struct launch *launch, uint64_t address, uint64_t stream);
/* A copy or memset, as given; a cudaError_t. */
int child_add(struct launch *launch, const struct child *given, uint64_t stream);

/* What was given and launched, in the order in which it is to be done; whoever takes it frees it. */
struct child *children_take(struct launch *launch);
void children_free(struct child *children, struct memory *memory);

/* The error of a thread's last call of the device runtime, until it asks for it. */
void child_error_set(struct launch *launch, uint64_t block, uint32_t thread, int error);
int child_error_get(struct launch *launch, uint64_t block, uint32_t thread, bool is_cleared);

/* Before the blocks of a launch run, and when all is over. */
void children_forget(struct launch *launch);

#endif
