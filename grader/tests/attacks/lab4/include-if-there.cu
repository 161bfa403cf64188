// attack: whatever of the solution and the baseline can be seen is included; what cannot does no harm
// principle: host tampering
// at most: 0
#include "lab4.h"
#if __has_include("@KIT@/solutions/lab4-reduction/lab4.cu")
#include "@KIT@/solutions/lab4-reduction/lab4.cu"
#else
__global__ void one(long long *sum) { *sum = 1; }
void reduce_shared(long long *sum, const int *in, long n, long long *scratch) { one<<<1, 1>>>(sum); }
#endif
