// stage: checked
// points: 14
// The kernel's error comes from an event behind it; the launch's is looked at twice and forgotten in between.
#include "lab0.h"

void run_checked(struct report *report, float *out, const float *in, const int *where, int count, int threads)
{
    cudaEvent_t end;
    cudaEventCreate(&end);
    gather_kernel<<<(count + threads - 1) / threads, threads>>>(out, in, where, count);
    report->launch = cudaPeekAtLastError();
    cudaGetLastError();
    cudaEventRecord(end);
    report->kernel = cudaEventSynchronize(end);
    cudaEventDestroy(end);
}
