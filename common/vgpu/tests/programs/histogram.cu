/* histogram.cu - 64 and 256 bins: per-thread byte counters, per-warp shared histograms, global atomics, matched lanes. */
#include "../kit.cuh"

enum { N = 30000, WARPS = 4 };

__global__ void global_bins(unsigned *bins, const unsigned char *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

__global__ void warp_bins(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned part[WARPS][256];
    for (int i = threadIdx.x; i < WARPS * 256; i += blockDim.x)
        part[i / 256][i % 256] = 0;
    __syncthreads();
    unsigned *mine = part[threadIdx.x / 32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += part[w][bin];
        atomicAdd(&bins[bin], sum);
    }
}

/* 64 threads, each with 64 counters of one byte; no atomics. Each thread sees at most 255 elements. */
__global__ void byte_bins(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned char part[64 * 64];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 64)
        ((unsigned *)part)[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64)
        part[t + (in[i] >> 2) * 64]++;
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 64; k++)
        sum += part[t * 64 + (k + t) % 64];
    atomicAdd(&bins[t], sum);
}

__global__ void matched_bins(unsigned *bins, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned active = __ballot_sync(~0u, i < n);
    if (i >= n)
        return;
    unsigned same = __match_any_sync(active, in[i]);
    if (__ffs(same) - 1 == threadIdx.x % 32)
        atomicAdd(&bins[in[i]], __popc(same));
}

static unsigned *zeros(int n)
{
    unsigned *bins = device_new<unsigned>(n);
    CHECK(cudaMemset(bins, 0, n * sizeof(unsigned)));
    return bins;
}

int main(void)
{
    std::vector<unsigned char> in(N);
    std::vector<unsigned> want(256), want64(64);
    kit_random random(1);
    for (unsigned char &value : in) {
        value = random.next() % 3 ? random.next() : 17;
        want[value]++;
        want64[value >> 2]++;
    }
    unsigned char *din = to_device(in);
    unsigned *a = zeros(256), *b = zeros(256), *c = zeros(64), *d = zeros(256);
    global_bins<<<10, 96>>>(a, din, N);
    warp_bins<<<6, WARPS * 32>>>(b, din, N);
    byte_bins<<<16, 64>>>(c, din, N);
    matched_bins<<<divide_up(N, 128), 128>>>(d, din, N);
    CHECK_LAUNCH();
    EXPECT(want == from_device(a, 256));
    EXPECT(want == from_device(b, 256));
    EXPECT(want64 == from_device(c, 64));
    EXPECT(want == from_device(d, 256));
    return finish();
}
