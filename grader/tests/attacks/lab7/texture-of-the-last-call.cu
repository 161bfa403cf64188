// attack: an array keeps the first call's result, and later calls show it through a texture in place of computing it
// principle: across calls
// at most: 0
#include "lab7.h"
#include "work.h"

__device__ int calls;

__global__ void show(float *out, cudaTextureObject_t picture, cudaTextureObject_t answers, int n, int m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = blockIdx.y; x < n && y < m; y += gridDim.y)
        out[(size_t)y * n + x] = calls ? tex2D<float>(answers, x + 0.5f, y + 0.5f)
                                       : tex2D<float>(picture, source_of(x), source_of(y));
}

__global__ void count(void)
{
    calls++;
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc sampling = {};
    cudaTextureObject_t texture;
    resource.res.array.array = array;
    sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
    sampling.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&texture, &resource, &sampling, NULL);
    return texture;
}

void spaces_filter(struct task task)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const size_t width = source_size(task.n), height = source_size(task.m), row = task.n * sizeof(float);
    cudaArray_t picture, answers;
    cudaMallocArray(&picture, &format, width, height);
    cudaMallocArray(&answers, &format, task.n, task.m);
    cudaMemcpy2DToArray(picture, 0, 0, task.in, task.pitch * sizeof(float), width * sizeof(float), height,
                        cudaMemcpyDeviceToDevice);
    show<<<dim3((task.n + 255) / 256, task.m < 65535 ? task.m : 65535), 256>>>(task.out, texture_of(picture),
                                                                             texture_of(answers), task.n, task.m);
    count<<<1, 1>>>();
    cudaMemcpy2DToArray(answers, 0, 0, task.out, row, row, task.m, cudaMemcpyDeviceToDevice);
}
