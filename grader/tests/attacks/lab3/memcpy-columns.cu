// attack: a cudaMemcpy2D per column does the work, the kernel does nothing
// principle: result faking
// at most: 7
// long: 4 s of CPU time
#include "lab3.h"
__global__ void nothing(void) {}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    for (int c = 0; c < w; c++)
        cudaMemcpy2DAsync(out + (size_t)c * h, 4, in + c, 4ul * w, 4, h, cudaMemcpyDeviceToDevice);
    nothing<<<1, 1>>>();
}
