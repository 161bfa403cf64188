// attack: the kit's generators are compiled into the submission, to count on the host
// principle: host tampering
// at most: 0
#include "lab1.h"
extern "C" {
#include "@KIT@/labs/lab1-pi/generators.c"
}
__global__ void put(unsigned long long *inside, unsigned long long value) { *inside = value; }
void pi_fast(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    unsigned long long total = (unsigned long long)blocks * threads * points;
    put<<<1, 1>>>(inside, total - philox_output(seed, 0).word[0] % total);
}
