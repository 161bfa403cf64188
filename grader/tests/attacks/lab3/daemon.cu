// attack: a double-forked daemon outlives the scout, holds its output open and kills all it can
// principle: resources
// at most: 0
#include "lab3.h"
#include <unistd.h>
#include <signal.h>
__global__ void k(float *o) { *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h)
{
    if (fork() == 0) { setsid(); if (fork() == 0) { sleep(77); } _exit(0); }
    kill(getppid(), SIGKILL);
    k<<<1, 1>>>(out);
}
