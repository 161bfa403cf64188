/* vgpu.h - the public face of the virtual GPU beyond the CUDA runtime API, which is its main face.
 * A program needs none of this to run; tools that want to know what they run on do.
 * Everything else under common/vgpu is private. */
#ifndef VGPU_H
#define VGPU_H

#ifdef __cplusplus
extern "C" {
#endif

#define VGPU_VERSION "0.1.0"

/* The version of the library that is linked, VGPU_VERSION of its build. */
const char *vgpu_version(void);
/* The id of the profile in use, "h200". Starts the runtime if need be. */
const char *vgpu_gpu(void);
/* The virtual clock as the host sees it, in microseconds since the runtime started. */
double vgpu_time_us(void);

#ifdef __cplusplus
}
#endif

#endif
