// stage: fast
// points: 30
// The keys of all rounds lie in constant memory, made in the first call of a program that has one seed.
#include "lab1.h"

__constant__ unsigned key[20];

__device__ uint4 philox(unsigned low, unsigned high, const unsigned *x, const unsigned *y)
{
    uint4 c = make_uint4(low, high, 0, 0);
#pragma unroll
    for (int i = 0; i < 10; i++) {
        unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ x[i], (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ y[i], (unsigned)a);
    }
    return c;
}

__device__ unsigned is_hit(unsigned word)
{
    float x = (word >> 16) + 0.5f, y = (word & 0xffff) + 0.5f;
    return fmaf(x, x, y * y) <= 0x1p32f;
}

__global__ void __launch_bounds__(256, 4) count(unsigned long long *inside, unsigned long long total)
{
    unsigned long long quads = total / 4, hits = 0;
    unsigned mine = 0;
#pragma unroll 4
    for (unsigned long long q = blockIdx.x * 256ull + threadIdx.x; q < quads; q += gridDim.x * 256ull) {
        uint4 w = philox((unsigned)q, (unsigned)(q >> 32), key, key + 10);
        mine += is_hit(w.x) + is_hit(w.y) + is_hit(w.z) + is_hit(w.w);
    }
    hits = mine;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        uint4 w = philox((unsigned)quads, (unsigned)(quads >> 32), key, key + 10);
        unsigned left = total % 4;
        hits += (left > 0 && is_hit(w.x)) + (left > 1 && is_hit(w.y)) + (left > 2 && is_hit(w.z));
    }
    atomicAdd(inside, hits);
}

void pi_fast(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    static bool is_ready;
    if (!is_ready) {
        unsigned keys[20];
        for (unsigned i = 0; i < 10; i++)
            keys[i] = (unsigned)seed + i * 0x9E3779B9, keys[10 + i] = (unsigned)(seed >> 32) + i * 0xBB67AE85;
        cudaMemcpyToSymbol(key, keys, sizeof keys);
        is_ready = true;
    }
    cudaMemsetAsync(inside, 0, sizeof *inside);
    count<<<528, 256>>>(inside, (unsigned long long)blocks * threads * points);
}
