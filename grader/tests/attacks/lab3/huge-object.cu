// attack: an initialised array of 3 GB in the object file
// principle: resources
// at most: 0
#include "lab3.h"
static char big[3u << 30] = {1};
__global__ void k(float *o) { *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h) { k<<<1, 1>>>(out + (big[w] & 0)); }
