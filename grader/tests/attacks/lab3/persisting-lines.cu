// attack: the device is told to keep the input in its L2 cache
// principle: time faking
// at most: 7
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
void transpose_tiled(float *out, const float *in, int w, int h)
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
