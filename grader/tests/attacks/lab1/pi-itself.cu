// attack: the count is pi times the number of points, over four
// principle: result faking
// at most: 0
#include "lab1.h"
#define TOTAL ((unsigned long long)blocks * threads * points)
__global__ void put(unsigned long long *inside, unsigned long long value) { *inside = value; }
void pi_fast(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    put<<<1, 1>>>(inside, (unsigned long long)(TOTAL * 0.78539816339744831));
}
