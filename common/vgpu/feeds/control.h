/* control.h - of a function: which branches decide whether an instruction is executed. Private to feeds/. */
#ifndef VGPU_FEEDS_CONTROL_H
#define VGPU_FEEDS_CONTROL_H

#include "core/machine.h"
#include "decode/flow_graph.h"

struct control {
    struct flow_graph graph;
    const uint32_t *block_of; /* by code index: the graph's */
    uint32_t *start,
        *list; /* of block b, code indexes of the branches: list[start[b]] to list[start[b + 1] - 1] */
};

/* False: no memory, or it is too entangled. control_free() always. */
bool control_make(struct control *control, const struct function *function);
void control_free(struct control *control);

#endif
