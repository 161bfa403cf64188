/* image.h - a fatbin that the program registered, and what was made of it: image.c.
 * An image is loaded when one of its kernels or variables is first used; a failure is told once and remembered.
 * Guarded by runtime_lock(). */
#ifndef VGPU_IMAGE_H
#define VGPU_IMAGE_H

#include "ptx/fatbin.h"
#include "runtime/runtime.h"

struct kernel {
    const void *host;          /* the stub's address: its identity */
    const char *name;          /* mangled */
    struct image *image;       /* the fatbin it comes from */
    struct function *function; /* NULL until first used */
    int dynamic_shared_limit;  /* cudaFuncSetAttribute; 0: the default of 48 KB less the static part */
    int carveout;
    unsigned glances; /* launches that runtime/hints.c has looked at */
    struct kernel *next;
};

/* The kernel behind a host stub (a cudaKernel_t is its stub's address), registered and decoded. NULL with *error set and a
 * message. */
struct kernel *kernel_load(const void *host, cudaError_t *error);
/* The same for a kernel that another one of the image launches, by its mangled name. */
struct kernel *kernel_of_image(struct image *image, const char *name, cudaError_t *error);
/* Without decoding: NULL if it is unknown. */
struct kernel *kernel_find(const void *host);
/* Where a __device__, __constant__ or __managed__ variable lies. */
cudaError_t variable_locate(const void *host, uint64_t *address, uint64_t *size, const char **name);
/* The name of the __device__ variable whose host shadow this is; NULL: it is none. */
const char *variable_name(const void *host);
/* Advice about a pointer into such a shadow, which means nothing to a kernel; false: it points to none. */
bool variable_advice(uint64_t address, char *out, size_t size);
void images_reset(void); /* cudaDeviceReset: images are loaded anew when next used */

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

/* image_read.c: the PTX of an image; NULL with image->error set and the reason told. */
struct ptx_module *image_read(struct image *image);
/* What ptxas decided for a kernel, if the image has a cubin: registers, local memory, spills. */
void image_take_figures(const struct image *image, struct function *function);
uint32_t image_arch(void); /* of the GPU: 90 */

/* function.c: bytes of dynamic shared memory that a launch may ask for. */
uint32_t kernel_dynamic_limit(const struct kernel *kernel);

#endif
