// attack: the device is told to keep the input in its L2 cache, strides stay
// principle: time faking
// at most: 3
#include "lab2.h"
__device__ float scaled(float x) { return 2.0f * x + 1.0f; }
__global__ void strided(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) out[i] = scaled(in[i]);
}
#define GO strided<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
void walk_unit(float *out, const float *in, struct shape shape)
{
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = (void *)in;
    value.accessPolicyWindow.num_bytes = 32 << 20;
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 32 << 20);
    cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value);
    GO
}
