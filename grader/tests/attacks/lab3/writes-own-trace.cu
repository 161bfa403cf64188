// attack: the trace is a link to a file of the system, then the program leaves with 0
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <unistd.h>
#include <cstdlib>
__global__ void k(float *o) { *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h) { if (symlink("/etc/passwd", "tiled.trace")) _exit(1); _exit(0); }
