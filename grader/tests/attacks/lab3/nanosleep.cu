// attack: kernels sleep or never end: no processor time, only the wall clock
// principle: resources
// at most: 0
#include "lab3.h"
__global__ void k(float *o) { for (;;) __nanosleep(1000000000); }
void transpose_tiled(float *out, const float *in, int w, int h) { k<<<1, 1>>>(out); }
