// Width and height are swapped in the test, so a part of the image lies outside the buffer.
// expect: error: out of bounds write in global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(float *image, int width, int height)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
#ifdef FIXED
    if (x < width && y < height)
#else
    if (x < height && y < width)
#endif
        image[y * width + x] = 1.0f; // BUG
}

int main()
{
    const int width = 40, height = 24;
    float *image;
    cudaMalloc(&image, width * height * sizeof(float));
    fill<<<dim3(3, 3), dim3(16, 16)>>>(image, width, height);
    cudaDeviceSynchronize();
    cudaFree(image);
}
