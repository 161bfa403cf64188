/* copy.h - the pointers of a copy, checked: copy.c. */
#ifndef VGPU_COPY_H
#define VGPU_COPY_H

#include "runtime/runtime.h"

/* The bytes behind pointer for a copy of size bytes. role: "source", "destination". side: what the copy's kind says of it
 * (managed and pinned memory pass on both sides). NULL: it has complained and *error is set. A size of 0 gives pointer
 * itself. call names the API function for the message. */
enum side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY };
uint8_t *copy_bytes(const char *call, const char *role, const void *pointer, uint64_t size, enum side side,
                    bool is_write, cudaError_t *error);
/* The sides a cudaMemcpyKind stands for. False: no such kind. */
bool copy_sides(enum cudaMemcpyKind kind, enum side *destination, enum side *source);
/* Marks bytes as written by the host or a copy, if pointer lies in an allocation. */
void copy_written(const void *pointer, uint64_t size);

#endif
