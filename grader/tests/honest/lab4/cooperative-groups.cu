// stage: shuffle
// points: 12
// long: 5 s of CPU time
// The library's reduction of a warp.
#include "lab4.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

enum { BLOCK = 256, BLOCKS = 1056 };

__device__ long long of_block(long long mine)
{
    __shared__ long long value[BLOCK / 32];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    mine = cg::reduce(warp, mine, cg::plus<long long>());
    if (warp.thread_rank() == 0)
        value[warp.meta_group_rank()] = mine;
    __syncthreads();
    mine = warp.thread_rank() < BLOCK / 32 ? value[warp.thread_rank()] : 0;
    return cg::reduce(warp, mine, cg::plus<long long>());
}

__global__ void sums(long long *partial, const int *in, long n)
{
    const int4 *in4 = (const int4 *)in;
    long step = (long)gridDim.x * BLOCK, first = (long)blockIdx.x * BLOCK + threadIdx.x;
    long long mine = 0;
    for (long i = first; i < n / 4; i += step) {
        int4 v = in4[i];
        mine += (long long)v.x + v.y + v.z + v.w;
    }
    if (first < n % 4)
        mine += in[n / 4 * 4 + first];
    mine = of_block(mine);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = mine;
}

__global__ void last(long long *sum, const long long *partial, int count)
{
    long long mine = 0;
    for (int i = threadIdx.x; i < count; i += BLOCK)
        mine += partial[i];
    mine = of_block(mine);
    if (threadIdx.x == 0)
        *sum = mine;
}

void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch)
{
    sums<<<BLOCKS, BLOCK>>>(scratch, in, n);
    last<<<1, BLOCK>>>(sum, scratch, BLOCKS);
}
