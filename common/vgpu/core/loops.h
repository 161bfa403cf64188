/* loops.h - the loops of a function: which instruction begins a round of each, which are in it, and which loop is in which.
 * Found by decode/loops.c from the control flow, for tapes alone; read by core/trips.c. */
#ifndef VGPU_LOOPS_H
#define VGPU_LOOPS_H

#include <stdint.h>

struct loop {
    uint32_t head; /* where each round begins: an index in the function's code */
    uint32_t
        test_end; /* what lies before it is only the test whether there is a round at all; head: there is no such test */
    uint32_t back;  /* the last instruction that goes round: it is of the loop's own line */
    uint32_t outer; /* the number of the loop around it, from 1; 0: there is none */
};

struct loops {
    struct loop *list;
    uint32_t count;
    uint32_t *innermost; /* by index in the code: the number of the innermost loop, from 1; 0: none */
};

#endif
