// attack: the number of points is kept in 32 bits: at the timed size most of them fall out
// principle: numbers
// at most: 0
// long: all of the timed size is executed
#include "lab1.h"
__device__ inline void philox(unsigned long long q, unsigned long long seed, unsigned w[4])
{
    unsigned c[4] = {(unsigned)q, (unsigned)(q >> 32), 0, 0}, x = (unsigned)seed, y = (unsigned)(seed >> 32);
    for (int i = 0; i < 10; i++, x += 0x9E3779B9, y += 0xBB67AE85) {
        unsigned a = 0xD2511F53 * c[0], b = 0xCD9E8D57 * c[2];
        unsigned n[4] = {__umulhi(0xCD9E8D57, c[2]) ^ c[1] ^ x, b, __umulhi(0xD2511F53, c[0]) ^ c[3] ^ y, a};
        for (int k = 0; k < 4; k++) c[k] = n[k];
    }
    for (int k = 0; k < 4; k++) w[k] = c[k];
}
__device__ inline bool is_hit(unsigned word)
{
    float x = ((word >> 16) + 0.5f) / 65536, y = ((word & 0xffff) + 0.5f) / 65536;
    return fmaf(x, x, y * y) <= 1;
}
__device__ inline unsigned hits_of(unsigned long long q, unsigned long long total, unsigned long long seed)
{
    unsigned w[4], hits = 0;
    const unsigned left = (unsigned)min(total - 4 * q, 4ull);
    philox(q, seed, w);
    for (int k = 0; k < 4; k++) hits += k < left && is_hit(w[k]);
    return hits;
}
__global__ void count(unsigned long long *inside, unsigned long long total, unsigned long long seed)
{
    unsigned long long hits = 0;
    for (unsigned long long q = blockIdx.x * 256ull + threadIdx.x; 4 * q < total; q += gridDim.x * 256ull)
        hits += hits_of(q, total, seed);
    atomicAdd(inside, hits);
}
#define TOTAL ((unsigned long long)blocks * threads * points)
#define GO { cudaMemsetAsync(inside, 0, 8); count<<<528, 256>>>(inside, TOTAL, seed); }
void pi_fast(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    unsigned total = (unsigned)blocks * threads * points;
    cudaMemsetAsync(inside, 0, 8);
    count<<<528, 256>>>(inside, total, seed);
}
