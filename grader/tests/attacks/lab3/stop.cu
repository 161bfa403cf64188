// attack: the host code stops itself
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <signal.h>
__global__ void k(float *o) { *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h) { raise(SIGSTOP); k<<<1, 1>>>(out); }
