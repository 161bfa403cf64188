/* bounds.h - bounds that labs share, each with what to do when it is missed.
 * Most compare totals with what the buffers hold, not averages per request: so it does not matter how wide a thread's
 * loads are, how large a block is, or how many elements a thread takes.
 *     .bounds = {LAB_LOADS_ONCE(1.05), LAB_ONE_LAUNCH} */
#ifndef LAB_BOUNDS_H
#define LAB_BOUNDS_H

#define LAB_BOUND(over, under, least, most, words, advice, ...)                                              \
    {                                                                                                        \
        .counter = over, .per = under, .at_least = least, .at_most = most, .meaning = words, .hint = advice, \
        __VA_ARGS__                                                                                          \
    }

/* ------------------------------------------------------------------------------------------- global memory */

/* Memory comes in sectors of 32 bytes. If all of each is used, loads take as many sectors as the inputs fill: 1 per
 * sector of input. `most` leaves room for edges, or says which part of the input is needed at all. */
#define LAB_LOADS_ONCE(most, ...)                                                                            \
    LAB_BOUND("sectors_in", "input_sectors", 0, most, "32-byte sectors loaded per sector of input",          \
              "Right, but sectors are loaded more than once: threadIdx.x must run along neighbouring "       \
              "elements, so that a warp uses all of each sector that it asks for.",                          \
              __VA_ARGS__)
#define LAB_STORES_ONCE(most, ...)                                                                           \
    LAB_BOUND("sectors_out", "output_sectors", 0, most, "32-byte sectors stored per sector of output",       \
              "Right, but sectors are stored in pieces: threadIdx.x must run along neighbouring elements "   \
              "when you write out, so that a warp fills all of each sector.",                                \
              __VA_ARGS__)
/* 32 lanes with 16 bytes each ask for 16 sectors at once, with 4 bytes each for 4. */
#define LAB_VECTOR_LOADS                                                                                     \
    LAB_BOUND(                                                                                               \
        "input_sectors", "requests_in", 12, 0, "sectors of input per load of a warp",                        \
        "Right, but not with 16 bytes per thread: load a float4 or an int4 where you load one number.")
/* One lane that loads for itself asks for one sector at a time, however many of its loads are under way; so do 32 lanes that all
 * load the same. 32 lanes with a float each ask for 4, strided for 32. Each launch is looked at by itself, and counts with the time
 * that it takes: a serial kernel cannot hide behind parallel ones, unless they take longer than it does, and do something. */
#define LAB_LANES_LOAD                                                                                       \
    LAB_BOUND("serial_us", "used_us", 0, 0.25, "share of the kernels' time in which one thread loads",       \
              "Right, but in a kernel that takes long one thread does the loads by itself: let all threads " \
              "of a block load, each another element, into shared memory.",                                  \
              .is_needed = true)
/* `most` requests of warps, each for all its lanes. */
#define LAB_FEW_ATOMICS(most)                                                                                \
    LAB_BOUND("global_atomic_requests", NULL, 0, most, "atomic requests to global memory",                   \
              "Right, but with too many atomics: add up in a variable first, and add that once.")

/* ------------------------------------------------------------------------------------------- shared memory */

/* One pass of shared memory carries 128 bytes. Where each input goes through it once, conflicts show as more passes
 * than the input has lines of 128 bytes. */
#define LAB_TILE_LOADS_ONCE(most)                                                                            \
    LAB_BOUND("shared_in", "input_lines", 0, most, "shared load wavefronts per 128 bytes of input",          \
              "Right, but threads of a warp still wait for each other at a bank when they read the tile.")
#define LAB_TILE_STORES_ONCE(most)                                                                           \
    LAB_BOUND("shared_out", "input_lines", 0, most, "shared store wavefronts per 128 bytes of input",        \
              "Right, but threads of a warp still wait for each other at a bank when they fill the tile.")
/* Where the number of accesses is the kernel's own business: passes that only conflicts made. */
#define LAB_NO_CONFLICTS(most)                                                                               \
    LAB_BOUND("shared_conflicts", "input_lines", 0, most, "bank conflicts per 128 bytes of input",           \
              "Right, but lanes of a warp meet at a bank: their places must lie in 32 different banks.")

/* ------------------------------------------------------------------------------------------- the rest */

#define LAB_NO_DIVERGENCE(most)                                                                              \
    LAB_BOUND("divergent_branches", "input_sectors", 0, most, "divergent branches per sector of input",      \
              "Right, but lanes of one warp go different ways: let whole warps work, and others skip the "   \
              "work as a whole.")
#define LAB_ONE_LAUNCH                                                                                       \
    LAB_BOUND("launches", NULL, 1, 1, "kernel launches", "Right, but one launch is the goal.")
/* A grid that was found by trial, or copied from somebody, is right on one GPU only. */
#define LAB_FOLLOWS_GPU                                                                                      \
    LAB_BOUND("blocks_on_half", "blocks", 0, 0.6, "share of the blocks on a GPU with half as many SMs",      \
              "Right, but the number of blocks is made for one GPU, and is the same on a GPU with half as "  \
              "many SMs: ask the runtime how many SMs there are and how many blocks an SM holds.",           \
              .is_needed = true)
/* Counts are whole: half of one is none. */
#define LAB_NO_FP64                                                                                          \
    LAB_BOUND("fp64_instructions", NULL, 0, 0.5, "double precision instructions",                            \
              "Right, but in double precision: a literal such as 1.0 is a double and takes the whole "       \
              "expression with it; write 1.0f.")
/* By the machine code, which the virtual GPU's counters of local memory do not see. */
#define LAB_NO_SPILLS                                                                                        \
    LAB_BOUND("spilled_bytes_per_thread", NULL, 0, 0.5, "bytes of spilled registers per thread",             \
              "Right, but registers are spilled to local memory: a thread keeps more values than it may "    \
              "have registers.")
#define LAB_NO_LOCAL_MEMORY                                                                                  \
    LAB_BOUND("local_store_requests", NULL, 0, 0.5, "stores to local memory",                                \
              "Right, but an array of the thread's lies in local memory: its indexes must be known to the "  \
              "compiler (unroll the loop), and it must fit into registers.")

#endif
