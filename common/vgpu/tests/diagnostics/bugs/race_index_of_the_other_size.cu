// A transpose of 32 x 64 elements that takes the wrong size for the length of a row: blocks meet in their elements.
// expect: race: race in global memory: two blocks write different values
// says: is the index computed from row and column the right way round
// never: use an atomic
#include <cstdio>
#include <cuda_runtime.h>

enum { WIDTH = 32, HEIGHT = 64, SIDE = 32 };

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
    float *in, *out, host[WIDTH * HEIGHT];
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        host[i] = i;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyDefault);
    transpose<<<dim3(WIDTH / SIDE, HEIGHT / SIDE), dim3(SIDE, SIDE)>>>(out, in, WIDTH, HEIGHT);
    puts(cudaDeviceSynchronize() == cudaSuccess ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
