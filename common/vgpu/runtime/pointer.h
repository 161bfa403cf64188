/* pointer.h - the pointers of copies and memsets, checked: pointer.c. */
#ifndef VGPU_POINTER_H
#define VGPU_POINTER_H

#include "runtime/runtime.h"

/* The bytes behind pointer for a copy of size bytes. role: "source", "destination". side: what the copy's kind says of it
 * (managed and pinned memory pass on both sides). NULL: it has complained and *error is set. A size of 0 gives pointer
 * itself. call names the API function for the message. */
enum side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY };
uint8_t *pointer_bytes(const char *call, const char *role, const void *pointer, uint64_t size, enum side side,
                       bool is_write, cudaError_t *error);
/* The same, for whoever brings the bytes that are made late himself (memory/late.h). */
uint8_t *pointer_place(const char *call, const char *role, const void *pointer, uint64_t size, enum side side,
                       bool is_write, cudaError_t *error);
/* The sides a cudaMemcpyKind stands for. False: no such kind. */
bool pointer_sides(enum cudaMemcpyKind kind, enum side *destination, enum side *source);
/* Where it really lies: on the device alone, or in host memory that the device can reach too. */
bool pointer_is_on_device(const void *pointer);
bool pointer_is_pinned(const void *pointer);
/* Marks bytes as written by the host or a copy, if pointer lies in an allocation. */
void pointer_written(const void *pointer, uint64_t size);

#endif
