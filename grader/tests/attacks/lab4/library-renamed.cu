// attack: CUB's reduction does the work, in a namespace that is called otherwise, under the name of another file
// principle: result faking
// at most: 0
// long: 9 s of CPU time
#define cub bub
#include <cub/device/device_reduce.cuh>
#include "lab4.h"
#line 1 "mine.cu"
namespace own = bub;
struct widen { __device__ long long operator()(int v) const { return v; } };
static void all(long long *sum, const int *in, long n, long long *scratch)
{
    size_t bytes = (n / 128 + 2048) * sizeof *scratch;
    own::DeviceReduce::TransformReduce(scratch, bytes, in, sum, n, cuda::std::plus<long long>(), widen(), 0ll);
}
void reduce_many(long long *sum, const int *in, long n, long long *scratch) { all(sum, in, n, scratch); }
void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch) { all(sum, in, n, scratch); }
