// stage: warp
// points: 12
// long: 7 s of CPU time
// A warp walks over rows with the grid's stride; the sum goes through cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "lab10.h"

namespace cg = cooperative_groups;

__global__ void rows_of_warps(float *y, const int *starts, const int *columns, const float *values, const float *x,
                              int rows)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int step = gridDim.x * (blockDim.x / 32);
    for (int row = blockIdx.x * (blockDim.x / 32) + warp.meta_group_rank(); row < rows; row += step) {
        float sum = 0;
        for (int i = starts[row] + warp.thread_rank(); i < starts[row + 1]; i += 32)
            sum = fmaf(values[i], x[columns[i]], sum);
        sum = cg::reduce(warp, sum, cg::plus<float>());
        if (warp.thread_rank() == 0)
            y[row] = sum;
    }
}

void spmv_warp(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    int blocks = (rows + 3) / 4;
    rows_of_warps<<<blocks < 132 * 64 ? blocks : 132 * 64, 128>>>(y, starts, columns, values, x, rows);
}
