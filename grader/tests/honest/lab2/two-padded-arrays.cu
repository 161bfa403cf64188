// stage: allocated
// points: 8
// Two padded arrays instead of one in place, and a row per warp.
#include "lab2.h"

__global__ void across(float *out, const float *in, int width, int height, size_t pitch)
{
    int y = blockIdx.x * blockDim.y + threadIdx.y;
    if (y >= height)
        return;
    const float *from = (const float *)((const char *)in + y * pitch);
    float *to = (float *)((char *)out + y * pitch);
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        to[x] = 2.0f * from[x] + 1.0f;
}

void walk_allocated(float *out, const float *in, struct shape shape)
{
    float *a, *b;
    size_t pitch, bytes = shape.width * sizeof(float);
    cudaMallocPitch((void **)&a, &pitch, bytes, shape.height);
    cudaMallocPitch((void **)&b, &pitch, bytes, shape.height);
    cudaMemcpy2D(a, pitch, in, shape.pitch, bytes, shape.height, cudaMemcpyDeviceToDevice);
    across<<<(shape.height + 7) / 8, dim3(32, 8)>>>(b, a, shape.width, shape.height, pitch);
    cudaMemcpy2D(out, shape.pitch, b, pitch, bytes, shape.height, cudaMemcpyDeviceToDevice);
    cudaFree(a);
    cudaFree(b);
}
