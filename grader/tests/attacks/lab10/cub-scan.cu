// attack: CUB's scan does the work
// principle: result faking
// at most: 0
// long: 8 s of CPU time
#include <cub/device/device_scan.cuh>
#include "lab10.h"
void scan_look_back(int *out, const int *in, int n, int *scratch)
{
    size_t bytes = (n / 32 + 1024) * sizeof(int);
    cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
}
