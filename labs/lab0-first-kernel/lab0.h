/* lab0.h - the entry points of lab 0, one per stage. All pointers are device memory, as cudaMalloc gives it, but for
 * run_round_trip(), whose arrays are on the host, and the report of run_checked(). Every size from 1 up is legal. */
#ifndef LAB0_H
#define LAB0_H

#include "lab/entry.h"

/* One array in, one out. */
typedef void array_fn(float *out, const float *in, int count);
/* out[i] = a[i] + b[i] */
typedef void add_fn(float *out, const float *a, const float *b, int count);
/* The same for `height` rows of `width` elements, packed: element (x, y) is number y * width + x. */
typedef void add_2d_fn(float *out, const float *a, const float *b, int width, int height);
/* out[row] = the sum of row `row` of `in`. */
typedef void rows_fn(float *out, const float *in, int width, int height);

/* The errors of a launch and of its kernel: two values of cudaError_t. */
struct report {
    int launch; /* the launch itself: was it accepted? */
    int kernel; /* the kernel while it ran */
};
typedef void checked_fn(struct report *report, float *out, const float *in, const int *where, int count,
                        int threads);

LAB_ENTRIES(array_fn, run_copy, run_twice, run_reverse, run_neighbours, run_group_sums, run_clip,
            run_changes);
LAB_ENTRIES(add_fn, run_add, run_round_trip);
LAB_ENTRIES(add_2d_fn, run_add_2d);
LAB_ENTRIES(rows_fn, run_row_sums);
LAB_ENTRIES(checked_fn, run_checked);

#ifdef __CUDACC__
/* For run_checked(), which launches it: out[i] = in[where[i]]. It trusts `where`; whether that is wise, its caller decides. */
template <typename T> __global__ void gather_kernel(T *out, const T *in, const int *where, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[where[i]];
}
#endif

#endif
