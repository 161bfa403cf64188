/* replay.h - the entry points of replay.cu, which stands for a submission: one per thing that a trace must carry.
 * Each leaves its result in out; both arrays have REPLAY_COUNT elements, rows of 64 where there are rows. */
#ifndef REPLAY_H
#define REPLAY_H

#ifdef __cplusplus
extern "C" {
#endif

enum { REPLAY_COUNT = 4096 };

/* Name, and what out[i] must be; x(i) is in[i]. */
#define REPLAY_ENTRIES(ENTRY)                                                                                \
    ENTRY(pointers, 2 * x(i))                                                                                \
    ENTRY(structs, 3 * x(i) + 0.5)                                                                           \
    ENTRY(offsets, i < 100 ? 0 : x(i - 50))                                                                  \
    ENTRY(own, 4 * x(i) + 1)                                                                                 \
    ENTRY(lists, i % 4 == 2 ? 10 * x(i) : x(i))                                                              \
    ENTRY(variables, x(i) * (1 + i % 4) + 10 + i % 2 + 100 * (1 + i % 3))                                    \
    ENTRY(variable_copies, x(i % 8) + x(i % 16))                                                             \
    ENTRY(variable_addresses, x(i) + 7)                                                                      \
    ENTRY(memsets, i >= 4032 ? 0.7470588088035583 : i % 64 < 16 ? 0 : x(i))                                  \
    ENTRY(rows, i % 64 >= 40 ? x(i) : i % 64 < 24 && i / 64 < 8 ? i / 64 * 100 + i % 64 : 0)                 \
    ENTRY(streams, 2 * x(i) + 3)                                                                             \
    ENTRY(much_shared, x(i ^ 2047))                                                                          \
    ENTRY(cooperative, x(i ^ 2048))                                                                          \
    ENTRY(templates, x(i) + 3)                                                                               \
    ENTRY(reads, x(i))                                                                                       \
    ENTRY(left_behind, x(i))                                                                                 \
    ENTRY(kept, x(i) + 1)                                                                                    \
    ENTRY(kept_again, x(i) + 1)                                                                              \
    ENTRY(graph, i < REPLAY_COUNT / 2 ? 2 * x(i) + 1 : 1)                                                    \
    ENTRY(image, x(63 - i / 64 + i % 64 * 64) + 2 * x(i % 64))                                               \
    ENTRY(linear_texture, x((i * 3) % REPLAY_COUNT))                                                         \
    ENTRY(pitched_texture, x(i % 64 < 63 ? i + 1 : i))                                                       \
    ENTRY(image_copies, i / 64 < 32 ? i % 64 : x(i))                                                         \
    ENTRY(texture_in_struct, x(i ^ 1))                                                                       \
    ENTRY(counted_copies, x((i + 100) % REPLAY_COUNT))                                                       \
    ENTRY(refused_launch, x(i))                                                                              \
    ENTRY(not_waited_for, 4 * x(i) + 1)                                                                      \
    ENTRY(waited_for, 4 * x(i) + 1)                                                                          \
    ENTRY(managed, 3 * x(i))                                                                                 \
    ENTRY(graph_by_hand, i < 4 ? 0 : 3 * x(i) + 1)                                                           \
    ENTRY(graph_with_a_change, i < 8 ? 0 : x(i))                                                             \
    ENTRY(refused_copy, x(i))

/* The same for entry points whose arrays are on the host. */
#define REPLAY_HOST(ENTRY)                                                                                   \
    ENTRY(round_trip, 2 * x(i) + 1)                                                                          \
    ENTRY(asynchronous, i % 2 ? x(i) : 2 * x(i))                                                             \
    ENTRY(pinned_arrays, 2 * x(i) + 5)                                                                       \
    ENTRY(steps_of_the_host, 8 * x(i) + 1)                                                                   \
    ENTRY(graph_of_copies, 6 * x(i))                                                                         \
    ENTRY(image_of_host, x(4095 - i))                                                                        \
    ENTRY(rows_of_host, i % 64 < 40 && i / 64 < 32 ? 3 * x(i + 24) : -1)

/* Entry points that no trace can carry. */
#define REPLAY_UNCARRIED(ENTRY)                                                                              \
    ENTRY(written_by_host, "Host code writes to managed memory")                                             \
    ENTRY(pinned, "mapped host memory")                                                                      \
    ENTRY(host_function, "host function")                                                                    \
    ENTRY(layers, "cudaMalloc3DArray")                                                                       \
    ENTRY(surface, "cudaMallocArray")                                                                        \
    ENTRY(half_elements, "the width counts bytes")                                                           \
    ENTRY(view, "or a view")                                                                                 \
    ENTRY(destroyed_texture, "has been destroyed")                                                           \
    ENTRY(kept_texture, "did not make")                                                                      \
    ENTRY(frees_given, "got from its caller")                                                                \
    ENTRY(freed_pointer, "has been freed")                                                                   \
    ENTRY(graph_with_memory, "cudaMallocAsync in a graph")                                                   \
    ENTRY(changed_graph, "a change of a graph")

/* Likewise, with arrays on the host. */
#define REPLAY_HOST_UNCARRIED(ENTRY)                                                                         \
    ENTRY(mapped, "mapped host memory")                                                                      \
    ENTRY(step_elsewhere, "none of the host arrays")                                                         \
    ENTRY(host_pointer, "copy the array to memory of cudaMalloc first")                                      \
    ENTRY(past_the_end, "past the end of a host array: it begins at byte 400 of 16384 and moves 16384")

/* A step of the host, which is told to the recorder: to[i] becomes 2 * from[i]. */
enum { REPLAY_STEP = 3 };
void replay_step(float *to, const float *from, int count);

#define REPLAY_PROTOTYPE(name, what) void replay_##name(float *out, const float *in);
REPLAY_ENTRIES(REPLAY_PROTOTYPE)
REPLAY_UNCARRIED(REPLAY_PROTOTYPE)
REPLAY_HOST(REPLAY_PROTOTYPE)
REPLAY_HOST_UNCARRIED(REPLAY_PROTOTYPE)

#ifdef __cplusplus
}
#endif

#endif
