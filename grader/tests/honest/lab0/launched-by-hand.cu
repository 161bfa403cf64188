// stage: checked
// points: 14
// The error of a launch is also what cudaLaunchKernel() returns, and that of the kernel what its stream says.
#include "lab0.h"

void run_checked(struct report *report, float *out, const float *in, const int *where, int count, int threads)
{
    void *arguments[] = {&out, &in, &where, &count};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    report->launch = cudaLaunchKernel((const void *)gather_kernel<float>, dim3((count + threads - 1) / threads), dim3(threads),
                                      arguments, 0, stream);
    report->kernel = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
