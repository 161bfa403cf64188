// attack: the input is copied to the output, a kernel does nothing
// principle: result faking
// at most: 0
#include "lab3.h"
__global__ void k() {}
void transpose_tiled(float *out, const float *in, int w, int h) { cudaMemcpy(out, in, 4ul * w * h, cudaMemcpyDeviceToDevice); k<<<1, 1>>>(); }
