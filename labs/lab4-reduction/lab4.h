/* lab4.h - the entry points of lab 4: ten ways to add up an array.
 * `in` holds n ints, n at least 1, from -250,000,000 to 1,000,000,000, and may not be changed. `sum` is one number,
 * the result. `scratch` has room for n / 128 + 2048 sums in between. All are device memory, aligned to 256 bytes.
 * An entry point launches its kernels and returns; it need not wait for them. */
#ifndef LAB4_H
#define LAB4_H

#include "lab/entry.h"

typedef void reduce_fn(long long *sum, const int *in, long n, long long *scratch);

LAB_ENTRIES(reduce_fn, reduce_global, reduce_shared, reduce_strided, reduce_sequential, reduce_first_add,
            reduce_last_warp, reduce_unrolled, reduce_many, reduce_shuffle, reduce_one_kernel);

#endif
