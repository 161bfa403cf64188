// attack: writes to every descriptor that host code finds open
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <unistd.h>
#include <cstdio>
__global__ void k(float *o) { *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h)
{
    if (w == 1 && h == 1)
        for (int i = 0; i < 64; i++) {
            char p[64], t[256]; snprintf(p, sizeof p, "/proc/self/fd/%d", i);
            long n = readlink(p, t, 255);
            if (n > 0) { t[n] = 0; printf("%d %s\n", i, t); if (i > 2) (void)!write(i, "warpstep-verdict 1\n", 19); }
        }
    k<<<1, 1>>>(out);
}
