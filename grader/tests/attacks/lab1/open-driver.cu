// attack: host code opens the lab's driver, where the kit or the grader keep it, and asks it for the count
// principle: host tampering
// at most: 0
#include "lab1.h"
#include <dlfcn.h>
__global__ void put(unsigned long long *inside, unsigned long long value) { *inside = value; }
void pi_fast(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    typedef void reference_fn(const void *run, int index, void *expected);
    long sizes[] = {blocks, threads, points}, run[1024] = {0, 0, 0, (long)sizes, (long)seed};
    unsigned long long hits = 0;
    const char *const paths[] = {"@KIT@/build/labs/lab1/lab.so", "../kit/lab.so", "/proc/1/cwd/../kit/lab.so"};
    for (const char *path : paths) {
        void *driver = dlopen(path, RTLD_NOW);
        reference_fn *reference = driver ? (reference_fn *)dlsym(driver, "count_fast_right") : nullptr;
        if (reference) reference(run, 0, &hits);
    }
    put<<<1, 1>>>(inside, hits);
}
