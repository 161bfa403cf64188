// attack: a kernel that faults on purpose ends the recording where nobody looks at results; the report is right, the array is not
// principle: a failed launch over stale memory
// at most: 0
#include "lab0.h"
__global__ void fault(int *nowhere) { *nowhere = 1; }
void run_checked(struct report *report, float *out, const float *in, const int *where, int count, int threads)
{
    int first = 0;
    cudaMemcpy(&first, where, sizeof first, cudaMemcpyDeviceToHost);
    fault<<<1, first < 0 || first >= count ? 1 : threads>>>(first < 0 || first >= count ? nullptr : (int *)out);
    report->launch = cudaGetLastError();
    report->kernel = cudaDeviceSynchronize();
}
