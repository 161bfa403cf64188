// attack: the report is filled in from the arguments: a large block is said to fail, and every second call to fault
// principle: a constant or cached answer for known inputs
// at most: 0
#include "lab0.h"
void run_checked(struct report *report, float *out, const float *in, const int *where, int count, int threads)
{
    static int calls;
    report->launch = threads > 1024;
    report->kernel = calls++ % 2 ? 700 : 0;
    if (threads <= 1024)
        gather_kernel<<<(count + threads - 1) / threads, threads>>>(out, in, where, count);
}
