/* order.h - which operations are ordered before which: order.c finds two that are not and use the same memory.
 *
 * Operations are executed when they are given, so a program whose streams overlap wrongly computes the right thing here,
 * and may do so on a GPU. What CUDA promises is kept beside: an operation comes after what its stream has been given or
 * has waited for, and after all that the host knew to be over when it made the call. Nothing else orders two operations.
 *
 * An operation is alive until the host knows that it is over: whatever comes then comes after it. For streams, events and nodes
 * of graphs a set says which of those alive their next operation comes after. Threads of the host count as one: how they
 * wait for each other is not seen, so their calls are taken in the order in which they come.
 *
 * It must raise no false alarm. Full checking only; nothing is kept before a program has a stream, pinned memory or a graph. */
#ifndef VGPU_ORDER_H
#define VGPU_ORDER_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "memory/footprint.h"

/* At most so many are kept; the oldest go first. */
enum { MAX_ALIVE = 512 };

/* A set of operations that are alive. All zero: none. An operation that is younger than `seen` is not in it, whatever its bit
 * says: places are used again. */
struct order {
    uint64_t seen;
    uint64_t bits[MAX_ALIVE / 64];
};

struct CUstream_st;

/* From now on operations may overlap: there is a stream, pinned memory, or a graph. */
void order_may_overlap(void);
/* Who listens from now on has heard of nothing. */
void order_tell_anew(void);
/* True if a launch should say what it uses. */
bool order_is_kept(void);

/* ---- who waits for whom */

/* What the next operation of a stream comes after; and the same put together, as far as it is known. */
struct order order_before(const struct CUstream_st *stream);
void order_join(struct order *order, const struct order *other);
/* The stream goes on behind what it has been given so far and, if it is the default stream, others: gives its order. */
struct order order_mark(struct CUstream_st *stream);
/* The host has seen that these are over; all are. */
void order_host_waits(const struct order *order);
void order_host_waits_for_stream(const struct CUstream_st *stream);
void order_host_waits_for_all(void);
/* A stream is destroyed; its work goes on. */
void order_drop(const struct CUstream_st *stream);

/* ---- operations, when they have been executed */

/* Rows of bytes, in slices: a plain copy has one of each. */
struct order_rows {
    const void *pointer;
    uint64_t pitch, slice, width, height, depth;
};
/* kind: by where the bytes lie; is_pinned: the host's side. What a copy means for the host follows "API synchronization
 * behavior" in the CUDA Runtime API. */
void order_copy(const char *call, cudaStream_t stream, const struct order_rows *to,
                const struct order_rows *from, enum cudaMemcpyKind kind, bool is_pinned, bool is_async);
void order_set(const char *call, cudaStream_t stream, const struct order_rows *to);
/* A kernel; has_order: it uses volatile accesses or the results of atomics, by which kernels make an order of their own.
 * Empties the footprint. */
void order_launch(const char *kernel, cudaStream_t stream, bool has_order, struct footprint *footprint);
/* cudaMallocAsync and cudaFreeAsync of a whole allocation. */
void order_memory(const char *call, cudaStream_t stream, const void *pointer, uint64_t bytes, bool is_freed);
/* The host itself, in words, or a call that does at once what the host asks for. */
void order_host_uses(const char *who, const void *pointer, uint64_t bytes, bool is_write);

/* ---- on whose behalf: operations of this thread until the next call */

/* The place of the call that made a node; NULL: that of the call under way. */
void order_set_frames(void *const *frames);
void order_frames(void **frames); /* ALLOC_FRAMES of them */
/* Around the nodes of a graph's launch. */
void order_graph_begin(void);
void order_graph_end(void);

#endif
