/* image.h - a fatbin that the program registered, and what was made of it: image.c.
 * An image is loaded when one of its kernels or variables is first used; a failure is told once and remembered.
 * Guarded by runtime_lock(). */
#ifndef VGPU_IMAGE_H
#define VGPU_IMAGE_H

#include "ptx/fatbin.h"
#include "runtime/runtime.h"

enum { MAX_LINKED = 4096 };

struct image {
    const void *container;        /* of a plain image, or what nvlink made: machine code only */
    const void *const *prelinked; /* NULL, or the containers of the objects that were linked (-rdc=true) */
    struct fatbin fatbin;         /* of container; empty until loaded */
    struct ptx_module *ptx;
    struct module *module; /* NULL until loaded */
    cudaError_t error;     /* of the attempt to load; told on stderr */
    struct image *next;
};

/* Images, kernels and variables that come in at run time, or go: library.c. Under runtime_lock(). */
void image_add(struct image *image);
void image_remove(struct image *image); /* with its kernels and variables */
cudaError_t image_load(struct image *image);
/* A kernel of the image known by host (NULL: by its own address); NULL: out of memory. name stays the caller's. */
struct kernel *image_add_kernel(struct image *image, const void *host, const char *name);

/* The PTX of an image, read; NULL with image->error set and the reason told. */
struct ptx_module *image_read(struct image *image);
/* Reads one container's PTX. NULL with *error set and a sentence in message. */
struct ptx_module *container_read(const struct fatbin *fatbin, cudaError_t *error, char *message,
                                  size_t size);

#endif
