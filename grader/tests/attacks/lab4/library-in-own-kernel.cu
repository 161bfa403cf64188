// attack: a kernel of one's own around the inside of CUB's device-wide reduction
// principle: result faking
// at most: 0
// long: 9 s of CPU time
#include <cub/./agent//agent_reduce.cuh>
#include <cub/grid/grid_even_share.cuh>
#include "lab4.h"
enum { BLOCK = 256, BLOCKS = 1056, ITEMS = 16 };
using policy = cub::AgentReducePolicy<BLOCK, ITEMS, long long, 4, cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::LOAD_LDG, cub::detail::MemBoundScaling<BLOCK, ITEMS, long long>>;
template <typename In> using agent = cub::detail::reduce::AgentReduce<policy, In, long long *, long, cuda::std::plus<long long>, long long>;
template <typename In> __global__ void mine(long long *part, In in, long n)
{
    __shared__ typename agent<In>::TempStorage room;
    cub::GridEvenShare<long> share;
    share.DispatchInit(n, gridDim.x, BLOCK * ITEMS);
    share.template BlockInit<BLOCK * ITEMS, cub::GRID_MAPPING_RAKE>();
    long long sum = share.block_offset < share.block_end ? agent<In>(room, in, cuda::std::plus<long long>()).ConsumeTiles(share) : 0;
    if (threadIdx.x == 0)
        part[blockIdx.x] = share.block_offset < share.block_end ? sum : 0;
}
void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    mine<<<BLOCKS, BLOCK>>>(scratch, in, n);
    mine<<<1, BLOCK>>>(sum, (const long long *)scratch, BLOCKS);
}
