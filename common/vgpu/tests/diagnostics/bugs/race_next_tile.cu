// A loop over tiles: the barrier between writing and reading is there, the one that keeps the next write back is not.
// expect: race: race in shared memory
// says: the write (often at a loop's end)
// never: between the write and this read
#include <cuda_runtime.h>

__global__ void turn(int *out, const int *in, int tiles)
{
    __shared__ int tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < tiles; k++) {
        tile[y][x] = in[k * 1024 + y * 32 + x]; // BUG
        __syncthreads();
        out[k * 1024 + y * 32 + x] = tile[x][y]; // BUG
#ifdef FIXED
        __syncthreads();
#endif
    }
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 8 * 4096);
    cudaMalloc(&out, 8 * 4096);
    cudaMemset(in, 1, 8 * 4096);
    turn<<<1, dim3(32, 32)>>>(out, in, 8);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
