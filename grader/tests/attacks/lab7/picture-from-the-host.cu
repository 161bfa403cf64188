// attack: host code interpolates what it can see of the inputs and writes the result to an array, as if a texture had
// principle: results computed on the host
// at most: 0
#include <vector>
#include "lab7.h"
#include "work.h"

__global__ void show(float *out, cudaTextureObject_t answer, int n, int m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = blockIdx.y; x < n && y < m; y += gridDim.y)
        out[(size_t)y * n + x] = tex2D<float>(answer, x + 0.5f, y + 0.5f);
}

void spaces_texture(struct task task)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const int width = source_size(task.n), height = source_size(task.m);
    std::vector<float> in((size_t)task.pitch * height), out((size_t)task.n * task.m);
    cudaMemcpy(in.data(), task.in, in.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (int y = 0; y < task.m; y++)
        for (int x = 0; x < task.n; x++) {
            float left = source_of(x) - 0.5f, top = source_of(y) - 0.5f;
            int column = (int)floorf(left), row = (int)floorf(top);
            const float *upper = &in[(size_t)clamp_to(row, height) * task.pitch];
            const float *lower = &in[(size_t)clamp_to(row + 1, height) * task.pitch];
            int a = clamp_to(column, width), b = clamp_to(column + 1, width);
            out[(size_t)y * task.n + x] =
                mix(mix(upper[a], upper[b], left - column), mix(lower[a], lower[b], left - column), top - row);
        }
    cudaResourceDesc resource = {};
    cudaTextureDesc sampling = {};
    cudaTextureObject_t answer;
    cudaMallocArray(&resource.res.array.array, &format, task.n, task.m);
    cudaMemcpy2DToArray(resource.res.array.array, 0, 0, out.data(), task.n * sizeof(float), task.n * sizeof(float), task.m,
                        cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeArray;
    cudaCreateTextureObject(&answer, &resource, &sampling, NULL);
    show<<<dim3((task.n + 255) / 256, task.m < 65535 ? task.m : 65535), 256>>>(task.out, answer, task.n, task.m);
    cudaDestroyTextureObject(answer);
    cudaFreeArray(resource.res.array.array);
}
