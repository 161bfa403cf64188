// Tiles, coalesced groups and block groups synchronise in their own ways.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void groups(int *out, unsigned *count, const int *in)
{
    __shared__ int box[128];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int t = block.thread_rank();
    box[t] = in[t];
    tile.sync();
    int x = box[t ^ 1];
    tile.sync();
    box[t] = x + tile.shfl_xor(x, 2);
    block.sync();
    int sum = cg::reduce(cg::tiled_partition<32>(block), box[127 - t], cg::plus<int>());
    if (t % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0)
            atomicAdd(count, active.size());
    }
    if (t % 32 == 0)
        out[t / 32] = sum;
}

int main()
{
    int host[128], *in, *out, result[4];
    unsigned *count, total;
    for (int i = 0; i < 128; i++)
        host[i] = 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMalloc(&count, sizeof total);
    cudaMemset(count, 0, sizeof total);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    groups<<<1, 128>>>(out, count, in);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, count, sizeof total, cudaMemcpyDeviceToHost);
    puts(result[0] == 64 && total == 43 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
    cudaFree(count);
}
