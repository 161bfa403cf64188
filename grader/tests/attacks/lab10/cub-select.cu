// attack: CUB's selection does the work, in a namespace of another name
// principle: result faking
// at most: 0
// long: 8 s of CPU time
#define CUB_WRAPPED_NAMESPACE mine
#include <cub/device/device_select.cuh>
#include "lab10.h"

struct below {
    int limit;
    __host__ __device__ bool operator()(int x) const { return x < limit; }
};

void compact_fused(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    size_t bytes = (n + n / 32 + 1024) * sizeof(int);
    mine::cub::DeviceSelect::If(scratch, bytes, in, out, count, n, below{limit});
}
