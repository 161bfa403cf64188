/* builtins.h - functions that PTX declares .extern and the device runtime provides: vprintf, __assertfail, malloc, free.
 * A builtin runs for all lanes of the mask at once; it either does everything or, with STEP_WAIT_TURN, nothing.
 * How a call finds its arguments is exec/control.c's affair. */
#ifndef VGPU_BUILTINS_H
#define VGPU_BUILTINS_H

#include "core/machine.h"

/* Lane i's arguments begin at args + i * arg_stride and lie one after another in the order of the .extern declaration,
 * each at the next offset that is a multiple of its own size: a .b32 after two .b64 lies at 16, a .b64 after it at 24.
 * The result lies at result + i * result_stride; result is NULL if the function returns nothing. */
typedef enum step builtin_fn(struct warp *warp, const struct insn *insn, uint32_t mask, const uint8_t *args,
                             uint32_t arg_stride, uint8_t *result, uint32_t result_stride);

struct builtin {
    const char *name;
    builtin_fn *fn;
    uint32_t arg_bytes, result_bytes; /* of one lane */
};

/* NULL: the device runtime has no such function. */
const struct builtin *builtin_find(const char *name);
/* device_runtime.c: those of dynamic parallelism. Is it one of them, whether or not we have it? */
const struct builtin *device_runtime_find(const char *name);
bool device_runtime_has(const char *name);

/* malloc and free of kernels, for a block that has the turn: 0: no room; a pointer that cannot be freed is told. */
uint64_t builtins_heap_alloc(struct memory *memory, uint64_t size);
void builtins_heap_free(struct warp *warp, const struct insn *insn, int lane, uint64_t address);

/* Bytes that malloc may hand out in kernels (cudaLimitMallocHeapSize). */
void builtins_set_heap_limit(uint64_t bytes);

/* Reads a string of the device: one byte at address into *byte; false: nothing is there. */
typedef bool read_byte_fn(void *context, uint64_t address, char *byte);

/* Formats one device printf. args: nvcc's buffer, each argument at a multiple of its size. Writes at most size bytes to
 * out (no terminating NUL is counted or needed) and returns how many the whole text has; *count gets the number of
 * conversions that took an argument, or -1 if the format is broken. Never reads past args_size. */
size_t device_printf(char *out, size_t size, const char *format, const uint8_t *args, size_t args_size,
                     read_byte_fn *read, void *context, int *count);

/* The bytes of the arguments that format asks for, so that the caller knows how much of the buffer to fetch. */
size_t device_printf_args_size(const char *format);

#endif
