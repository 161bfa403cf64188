/* lab10.h - the entry points of lab 10, a function type for each of its five tasks. Pointers are to device memory,
 * as cudaMalloc returns it; every size from 1 up is legal. `scratch` is memory for your kernels; it begins with any values. */
#ifndef LAB10_H
#define LAB10_H

#include "lab/entry.h"

/* out[i] = in[0] + ... + in[i]. scratch: n / 32 + 1024 ints. */
typedef void scan_fn(int *out, const int *in, int n, int *scratch);
LAB_ENTRIES(scan_fn, scan_hillis_steele, scan_blelloch, scan_shuffles, scan_chained, scan_look_back);

/* counts[v] becomes the number of bytes with the value v; it has 256 elements. */
typedef void histogram_fn(unsigned *counts, const unsigned char *in, int n);
LAB_ENTRIES(histogram_fn, histogram_global, histogram_shared, histogram_per_warp);

/* The elements below `limit` go to out in their order, *count becomes their number; the rest of out stays as it is.
 * scratch: n + n / 32 + 1024 ints. */
typedef void compact_fn(int *out, int *count, const int *in, int n, int limit, int *scratch);
LAB_ENTRIES(compact_fn, compact_flags, compact_fused);

/* y = A x. Row r of A has the entries starts[r] to starts[r + 1] - 1: columns[i] and values[i]. */
typedef void spmv_fn(float *y, const int *starts, const int *columns, const float *values, const float *x,
                     int rows);
LAB_ENTRIES(spmv_fn, spmv_thread, spmv_warp);

/* Of each row: out[i] = exp(in[i]) divided by the sum of exp(in[k]) over the row. */
typedef void softmax_fn(float *out, const float *in, int width, int rows);
LAB_ENTRIES(softmax_fn, softmax_three_passes, softmax_online, softmax_registers);

#endif
