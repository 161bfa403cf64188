// A tile that is written along its rows and read down its columns by other warps; the barrier between the two is missing. Warps
// that are ahead read before others have written, so the two lines meet both ways round.
// expect: race: read after write
// says: a __syncthreads() is missing between the write and this read
// never: loop's end
#include <cuda_runtime.h>

__global__ void turn(int *out, const int *in)
{
    __shared__ int tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
#ifdef FIXED
    __syncthreads();
#endif
    out[y * 32 + x] = tile[x][y]; // BUG
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 1, 4096);
    turn<<<1, dim3(32, 32)>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
