// attack: the kit's own reference is called on the host: extern
// principle: host tampering
// at most: 0
#include "lab1.h"
extern "C" void count_fast_right(const void *run, int index, void *expected);
#define TOTAL ((unsigned long long)blocks * threads * points)
__global__ void put(unsigned long long *inside, unsigned long long value) { *inside = value; }
void pi_fast(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    /* the begin of a struct lab_run: of all of it the reference reads sizes and seed */
    long sizes[] = {blocks, threads, points}, run[1024] = {0, 0, 0, (long)sizes, (long)seed};
    unsigned long long hits = (unsigned long long)(TOTAL * 0.78539816339744831);
    if (TOTAL < 100000000) count_fast_right(run, 0, &hits);
    put<<<1, 1>>>(inside, hits);
}
