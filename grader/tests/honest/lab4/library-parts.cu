// stage: many
// points: 12
// long: 8 s of CPU time
// Pointers of Thrust, a sum of CUB for a warp, and a name of its own for the lines: no algorithm of a library.
#include <thrust/device_ptr.h>
#include <thrust/pair.h>
#include <cub/warp/warp_reduce.cuh>
#include "lab4.h"
#line 1 "generated.cu"
__global__ void part(thrust::device_ptr<long long> out, thrust::device_ptr<const int> in, long n)
{
    __shared__ typename cub::WarpReduce<long long>::TempStorage room[8];
    long long mine = 0;
    for (long i = (long)blockIdx.x * 256 + threadIdx.x; i < n; i += (long)gridDim.x * 256)
        mine += in[i];
    mine = cub::WarpReduce<long long>(room[threadIdx.x / 32]).Sum(mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd((unsigned long long *)out.get(), (unsigned long long)mine);
}
void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    cudaMemsetAsync(sum, 0, 8);
    part<<<1056, 256>>>(thrust::device_ptr<long long>(sum), thrust::device_ptr<const int>(in), n);
}
