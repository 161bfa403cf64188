// Trees over half a warp and over twenty lanes, in which nonsense is read and never reaches lane 0; scans with guards.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ int half_tree(int x) /* lanes 1 to 15 return nonsense, which nobody uses */
{
    for (int half = 8; half > 0; half /= 2)
        x += __shfl_down_sync(0x0000ffffu, x, half);
    return x;
}

__global__ void trees(int *out, const int *in, int n)
{
    int t = threadIdx.x, x = in[t];
    if (t < 16) {
        int sum = half_tree(x);
        double wide = x;
        for (int half = 8; half > 0; half /= 2)
            wide += __shfl_down_sync(0x0000ffffu, wide, half);
        if (t == 0) {
            out[0] = sum;
            out[1] = (int)wide;
        }
    }
    if (t < 20) {
        int sum = x, largest = x;
        for (int half = 16; half > 0; half /= 2) {
            int y = __shfl_down_sync(0x000fffffu, sum, half);
            int z = __shfl_down_sync(0x000fffffu, largest, half);
            if (t + half < 20)
                sum += y;
            if (t + half < 20 && z > largest)
                largest = z;
        }
        if (t == 0) {
            out[2] = sum;
            out[3] = largest;
        }
    }
    if (t < n) { /* a scan of the first n lanes, from above */
        unsigned mask = (1u << n) - 1;
        int sum = x;
        for (int d = 1; d < n; d *= 2) {
            int y = __shfl_down_sync(mask, sum, d);
            sum += t + d < n ? y : 0;
        }
        out[4 + t] = sum;
    }
}

__global__ void scan(int *out, const int *in)
{
    int t = threadIdx.x, lane = t & 31, x = in[t];
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d)
            x += y;
    }
    out[t] = x;
    if (lane >= 10) { /* the same in the upper lanes, whose first read from lanes outside the mask */
        int z = in[t];
        for (int d = 1; d < 32; d *= 2) {
            int y = __shfl_up_sync(0xfffffc00u, z, d);
            if (lane >= 10 + d)
                z += y;
        }
        out[32 + t] = z;
    }
}

int main()
{
    int host[32], result[64] = {0}, scanned[64], *in, *out;
    for (int i = 0; i < 32; i++)
        host[i] = i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemset(out, 0, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    trees<<<1, 32>>>(out, in, 13);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    scan<<<1, 32>>>(out, in);
    cudaMemcpy(scanned, out, sizeof scanned, cudaMemcpyDeviceToHost);
    bool ok = result[0] == 136 && result[1] == 136 && result[2] == 210 && result[3] == 20 && result[4] == 91 &&
              result[16] == 13 && scanned[31] == 528 && scanned[63] == 528 - 55;
    puts(ok ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
