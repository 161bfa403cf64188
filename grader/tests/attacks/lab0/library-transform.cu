// attack: Thrust's transformation does the work, in a namespace of one's own
// principle: result faking
// at most: 0
// long: 11 s of CPU time
#define THRUST_CUB_WRAPPED_NAMESPACE mine
#include <thrust/execution_policy.h>
#include <thrust/transform.h>
#include "lab0.h"
void run_add(float *out, const float *a, const float *b, int count)
{
    mine::thrust::transform(mine::thrust::device, a, a + count, b, out, cuda::std::plus<float>());
}
