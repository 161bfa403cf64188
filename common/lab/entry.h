/* entry.h - how a lab's header declares the entry points that a student writes: one function type, and all their names.
 *     typedef void transpose_fn(float *out, const float *in, int width, int height);
 *     LAB_ENTRIES(transpose_fn, transpose_naive, transpose_tiled);
 * For the driver they are weak: the judge links no student object, and a student may have deleted one. */
#ifndef LAB_ENTRY_H
#define LAB_ENTRY_H

#ifdef __CUDACC__
#define LAB_ENTRIES(type, ...)                                                                               \
    extern "C" {                                                                                             \
    extern type __VA_ARGS__;                                                                                 \
    }
#else
#define LAB_ENTRIES(type, ...) extern __attribute__((weak)) type __VA_ARGS__
#endif

#endif
