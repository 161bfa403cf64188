// attack: the kit's own reference is looked up by its name
// principle: host tampering
// at most: 0
#include "lab1.h"
#include <dlfcn.h>
__global__ void put(unsigned long long *inside, unsigned long long value) { *inside = value; }
void pi_fast(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    typedef void reference_fn(const void *run, int index, void *expected);
    reference_fn *reference = (reference_fn *)dlsym(RTLD_DEFAULT, "count_fast_right");
    long sizes[] = {blocks, threads, points}, run[1024] = {0, 0, 0, (long)sizes, (long)seed};
    unsigned long long hits = 0;
    if (reference) reference(run, 0, &hits);
    put<<<1, 1>>>(inside, hits);
}
