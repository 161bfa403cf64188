// attack: the trace is a FIFO, so that its reader waits for ever
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <unistd.h>
#include <sys/stat.h>
__global__ void k(float *o) { *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h) { mkfifo("tiled.trace", 0666); _exit(0); }
