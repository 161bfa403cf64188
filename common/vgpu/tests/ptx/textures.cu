/* textures.cu - texture and surface operands with their coordinate lists, vector loads, half precision. */
#include <cuda_fp16.h>

__global__ void sample(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float4 *out, __half2 *half)
{
    out[0] = tex2D<float4>(texture, 0.5f, 1.5f);
    out[1].x = tex1Dfetch<float>(texture, 3);
    out[2].x = tex3D<float>(texture, 1, 2, 3);
    out[3] = tex2DLayered<float4>(texture, 1, 2, 3);
    surf2Dwrite(1.0f, surface, 4, 5);
    half[0] = __hfma2(half[1], half[2], half[3]);
}
