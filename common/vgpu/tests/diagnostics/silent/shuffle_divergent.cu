// Shuffles in branches with the masks that fit, segmented sums by selection, and nonsense that is thrown away in the
// many ways a compiler has for it: selections, settled conditions, products with zero, arrays of a thread.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void branches(int *out, const int *in)
{
    int t = threadIdx.x, x = in[t];
    if (t % 2)
        x += __shfl_xor_sync(0xaaaaaaaau, x, 2);
    else
        x -= __shfl_sync(0x55555555u, x, (t + 2) & 30);
    unsigned mask = __ballot_sync(0xffffffffu, t % 3 == 0);
    if (t % 3 == 0) {
        int leader = __ffs(mask) - 1;
        x += __shfl_sync(mask, t, leader);
        unsigned below = mask & ((1u << t) - 1);
        int y = __shfl_sync(mask, x, below ? 31 - __clz(below) : t - 1 & 31); /* lane 0 reads from lane 31 */
        x = below ? y : x;
    }
    out[t] = x;
}

__global__ void segments(int *out, const int *in, const int *heads)
{
    int t = threadIdx.x, x = in[t], head = heads[t];
    if (t < 24) {
        for (int d = 1; d < 24; d *= 2) {
            int y = __shfl_up_sync(0x00ffffffu, x, d), h = __shfl_up_sync(0x00ffffffu, head, d);
            bool goes_on = t >= d && !head;
            x += goes_on ? y : 0;
            head = t >= d ? head | h : head;
        }
        out[t] = x;
    }
}

__global__ void thrown_away(int *out, const int *in, int n)
{
    int t = threadIdx.x, x = in[t], kept[4];
    if (t >= n)
        return;
    unsigned mask = __activemask();
    for (int k = 0; k < 4; k++)
        kept[k] = __shfl_down_sync(mask, x, 1 << k);
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        int at = (k + in[0]) % 4; /* an index that keeps the array in memory */
        if (t + (1 << at) < n)
            sum += kept[at];
    }
    int next = __shfl_down_sync(mask, x, 1), has_next = t + 1 < n;
    sum += next * has_next;
    if (t + 1 < n && next > x)
        sum++;
    if (t + 1 >= n || next <= x)
        sum += 100;
    out[t] = sum;
}

int main()
{
    int host[32], marks[32], result[32], *in, *heads, *out;
    for (int i = 0; i < 32; i++) {
        host[i] = i + 1;
        marks[i] = i % 5 == 0;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&heads, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(heads, marks, sizeof marks, cudaMemcpyHostToDevice);
    branches<<<1, 32>>>(out, in);
    segments<<<1, 32>>>(out, in, heads);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    bool ok = result[4] == 15 && result[9] == 40 && result[23] == 21 + 22 + 23 + 24;
    thrown_away<<<1, 32>>>(out, in, 21);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    ok = ok && result[20] == 100 && result[19] == 21 + 21 + 1 && result[0] == 2 + 3 + 5 + 9 + 2 + 1;
    puts(ok ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(heads);
    cudaFree(out);
}
