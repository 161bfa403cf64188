/* warpops_partial.cu - warp reductions and scans over part of a warp. Some lanes read from lanes that are not there, but no
 * result depends on it: correct programs, about which nothing must be said. */
#include "../kit.cuh"

__global__ void half_warp(int *out)
{
    const int lane = threadIdx.x;
    int sum = lane;
    if (lane < 16)
        for (int d = 8; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffff, sum, d);
    if (lane == 0)
        *out = sum;
}

__global__ void guarded_sum(int *out, int n)
{
    const int lane = threadIdx.x;
    if (lane >= n)
        return;
    const unsigned mask = __activemask();
    int sum = lane + 1;
    for (int d = 16; d > 0; d /= 2) {
        const int other = __shfl_down_sync(mask, sum, d);
        if (lane + d < n)
            sum += other;
    }
    if (lane == 0)
        *out = sum;
}

__global__ void scan(int *out, int n)
{
    const int lane = threadIdx.x;
    if (lane >= n)
        return;
    int sum = lane;
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d)
            sum += other;
    }
    out[lane] = sum;
}

int main()
{
    int *out = device_new<int>(32);
    half_warp<<<1, 32>>>(out);
    CHECK_LAUNCH();
    EXPECT_EQUAL(120, from_device(out, 1)[0]);
    half_warp<<<1, 16>>>(out);
    CHECK_LAUNCH();
    EXPECT_EQUAL(120, from_device(out, 1)[0]);
    for (int n = 1; n <= 32; n++) {
        guarded_sum<<<1, 32>>>(out, n);
        CHECK_LAUNCH();
        EXPECT_EQUAL(n * (n + 1) / 2, from_device(out, 1)[0]);
        scan<<<1, 32>>>(out, n);
        CHECK_LAUNCH();
        const std::vector<int> sums = from_device(out, n);
        for (int i = 0; i < n; i++)
            EXPECT_EQUAL(i * (i + 1) / 2, sums[i]);
    }
    CHECK(cudaFree(out));
    return finish();
}
