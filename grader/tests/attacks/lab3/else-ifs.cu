// attack: a chain of two thousand else-ifs
// principle: the judge
// at most: 7
// long: 12 s of CPU time
#include "lab3.h"
#define A(n) else if (w == 100000 + (n)) t += n;
#define B(n) A(n) A(n + 1) A(n + 2) A(n + 3) A(n + 4) A(n + 5) A(n + 6) A(n + 7) A(n + 8) A(n + 9)
#define C(n) B(n) B(n + 10) B(n + 20) B(n + 30) B(n + 40) B(n + 50) B(n + 60) B(n + 70) B(n + 80) B(n + 90)
#define E(n) C(n) C(n + 100) C(n + 200) C(n + 300) C(n + 400)
__global__ void chain(float *out, const float *in, volatile int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    float t = 0;
    if (w == 99999) t = 1; E(0) E(500) E(1000) E(1500)
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c] + t;
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    chain<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
