// attack: the output is set to 0 and the results are added to it, strided, as reductions
// principle: concept faking
// at most: 3
// long: 15 s of CPU time
#include "lab2.h"
__global__ void add_to(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) atomicAdd(&out[i], 2 * in[i] + 1);
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    cudaMemsetAsync(out, 0, 4ul * shape.count);
    add_to<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
}
