/* explain.h - which array an address belongs to, in the words of the program.
 * Shared by the reports of bad accesses and of races; works on addresses that hit nothing, too.
 * It decides no error: callers know what is wrong. */
#ifndef VGPU_EXPLAIN_H
#define VGPU_EXPLAIN_H

#include "core/access.h"
#include "core/findings.h"

struct allocation;

struct array_place {
    char name[80];  /* "tile", "out", "argument 1", "memory allocated at prog.cu:40" */
    bool is_known;  /* the fields below are valid */
    int64_t offset; /* bytes from the array's first element; may be negative or past its end */
    uint64_t size;  /* bytes of the array from its first element */
    const struct allocation *allocation; /* global memory: the record, live or freed; else NULL */
    bool is_dynamic;                     /* extern __shared__ */
    uint64_t dims[4];                    /* of a __shared__ array with more than one dimension */
    unsigned ndims;
};

/* insn may be NULL: then only the address tells. */
void place_find(const struct warp *warp, const struct insn *insn, enum ptx_space space, uint64_t address,
                struct array_place *out);
/* "tile[3][4]", "out[-1]", "out[12] + 2 bytes". */
void place_index(const struct array_place *place, uint32_t element, char *out, size_t size);
/* The same for races, which are found by words: the element that the word belongs to. */
void place_element(struct array_place *place, uint32_t element, char *out, size_t size);
/* The same for a launch whose blocks are done (races found at its end). */
void place_find_global(const struct launch *launch, const struct function *function,
                       const struct ptx_insn *source, uint64_t address, struct array_place *out);

/* "tile": the __shared__ array of a kernel at an offset; "" if there is none. */
void place_shared_name(const struct function *kernel, uint64_t offset, char *out, size_t size);

/* True if the thread's threadIdx.x is beyond the rows of the array, and the sentence says so: used as a column, it has left its row,
 * and is still within the array. thread: its number in the block. */
bool place_is_past_row(const struct array_place *place, const struct launch *launch, uint32_t thread,
                       char *out, size_t size);

/* Adds a finding about an access that was refused: finds the array's name and the index and writes the sentence.
 * address is a generic address, or one of the space. */
void explain_access(struct warp *warp, const struct insn *insn, int lane, enum bad_access why,
                    enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write);

#endif
