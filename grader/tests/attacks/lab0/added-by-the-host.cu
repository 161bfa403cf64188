// attack: host code adds the arrays that it is given on the host, and hands the sum over in three ways
// principle: result faking
// at most: 0
#include "lab0.h"
#include <vector>
__global__ void nothing(const float *) {}
void run_round_trip(float *out, const float *a, const float *b, int count)
{
    std::vector<float> sum(count);
    float *device;
    for (int i = 0; i < count; i++)
        sum[i] = out[i] = a[i] + b[i];
    cudaMalloc(&device, count * sizeof(float));
    cudaMemcpy(device, sum.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    nothing<<<1, 1>>>(device);
    cudaMemcpy(out, device, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
}
