// Texture objects over linear memory that was copied and written by a kernel before.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(float *data) { data[blockIdx.x * 32 + threadIdx.x] = threadIdx.x; }

__global__ void sample(float *out, cudaTextureObject_t texture)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = tex1Dfetch<float>(texture, (i + 1) % 64);
}

int main()
{
    float *data, *out, result[64];
    cudaMalloc(&data, sizeof result);
    cudaMalloc(&out, sizeof result);
    fill<<<2, 32>>>(data);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof result;
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    sample<<<2, 32>>>(out, texture);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 1 && result[31] == 0 && result[63] == 0 ? "ok" : "wrong");
    cudaDestroyTextureObject(texture);
    cudaFree(data);
    cudaFree(out);
}
