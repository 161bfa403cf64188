// attack: nothing is written, a kernel runs
// principle: result faking
// at most: 0
#include "lab3.h"
__global__ void k() {}
void transpose_tiled(float *out, const float *in, int w, int h) { k<<<1, 1>>>(); }
