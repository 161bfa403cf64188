// A transpose of 64 x 32 elements that takes the wrong size for the length of a row. No block is partly filled.
// expect: error: out of bounds write in global memory: `out`
// says: the grid is not too large
// never: the last block is only partly filled
#include <cstdio>
#include <cuda_runtime.h>

enum { WIDTH = 64, HEIGHT = 32, SIDE = 32 };

__global__ void transpose(float *out, const float *in, int width, int height)
{
    int column = blockIdx.x * SIDE + threadIdx.x;
    int row = blockIdx.y * SIDE + threadIdx.y;
#ifdef FIXED
    int length = height;
#else
    int length = width;
#endif
    if (column < width && row < height)
        out[column * length + row] = in[row * width + column]; // BUG
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, WIDTH * HEIGHT * sizeof(float));
    cudaMalloc(&out, WIDTH * HEIGHT * sizeof(float));
    cudaMemset(in, 0, WIDTH * HEIGHT * sizeof(float));
    transpose<<<dim3(WIDTH / SIDE, HEIGHT / SIDE), dim3(SIDE, SIDE)>>>(out, in, WIDTH, HEIGHT);
    puts(cudaDeviceSynchronize() == cudaSuccess ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
