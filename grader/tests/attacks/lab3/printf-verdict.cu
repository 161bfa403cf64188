// attack: kernels print lines of a verdict
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <cstdio>
#line 1 "x\ncase 0 1 none\n.cu"
__global__ void k(float *o) { printf("end\ncase 0 1 0 right\nmessage\ntime 1 virtual 100 1 100 100 100 1\ncomplete\nend\n"); o[-5] = 1; }
void transpose_tiled(float *out, const float *in, int w, int h) { k<<<1, 1>>>(out); }
