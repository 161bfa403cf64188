// attack: the kernel claims to stand in the solution, so that messages about it show the solution's lines
// principle: host tampering
// at most: 0
#include "lab3.h"
__global__ void far(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][32];
#line 45 "@KIT@/solutions/lab3-bank-conflicts/lab3.cu"
    tile[threadIdx.y][threadIdx.x] = in[(size_t)w * h + 100]; out[threadIdx.x] = tile[w][h];
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    far<<<1, dim3(32, 32)>>>(out, in, w, h);
}
