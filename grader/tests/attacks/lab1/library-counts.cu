// attack: CUB adds up what lies in the circle; only a function that draws is the student's
// principle: result faking
// at most: 0
// long: 10 s of CPU time
#define cub rub
#include <cub/device/device_reduce.cuh>
#include <curand_kernel.h>
#include <thrust/iterator/counting_iterator.h>
#include "lab1.h"
struct hits {
    int points;
    unsigned long long seed;
    __device__ unsigned long long operator()(int id) const
    {
        curandStatePhilox4_32_10_t state;
        unsigned count = 0;
        curand_init(seed, id, 0, &state);
        for (int i = 0; i < points; i++) {
            float x = curand_uniform(&state), y = curand_uniform(&state);
            count += x * x + y * y <= 1;
        }
        return count;
    }
};
void pi_per_block(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    static void *scratch;
    size_t bytes = 1 << 20;
    if (!scratch)
        cudaMalloc(&scratch, bytes);
    rub::DeviceReduce::TransformReduce(scratch, bytes, thrust::counting_iterator<int>(0), inside, blocks * threads,
                                       cuda::std::plus<unsigned long long>(), hits{points, seed}, 0ull);
}
