// stage: many
// points: 12
// As many blocks as one block can add up in the end, whatever the GPU; the sums go on in a second launch.
#include "lab4.h"

enum { BLOCK = 512, BLOCKS = 1024 };

template <typename number>
__global__ void many(long long *partial, const number *in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long step = (long)gridDim.x * BLOCK, i = (long)blockIdx.x * BLOCK + t;
    long long a = 0, b = 0, c = 0, d = 0;
    for (; i + 3 * step < n; i += 4 * step) {
        a += in[i];
        b += in[i + step];
        c += in[i + 2 * step];
        d += in[i + 3 * step];
    }
    for (; i < n; i += step)
        a += in[i];
    value[t] = a + b + c + d;
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            value[t] += value[t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = value[0];
}

void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    many<<<BLOCKS, BLOCK>>>(scratch, in, n);
    many<<<1, BLOCK>>>(sum, scratch, BLOCKS);
}
