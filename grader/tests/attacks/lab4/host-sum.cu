// attack: the host reads the input and adds it up
// principle: result faking
// at most: 0
#include "lab4.h"
#include <vector>
__global__ void put(long long *sum, long long value) { *sum = value; }
void reduce_shared(long long *sum, const int *in, long n, long long *scratch)
{
    std::vector<int> copy(n);
    cudaMemcpy(copy.data(), in, 4 * n, cudaMemcpyDeviceToHost);
    long long total = 0;
    for (int one : copy) total += one;
    put<<<1, 1>>>(sum, total);
}
