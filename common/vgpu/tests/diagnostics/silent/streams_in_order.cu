// Streams that overlap as they may: chunks with buffers of their own, events forward and back, disjoint halves, shared reads, a
// counter of both, the default stream's own order, and a reduction whose last block sums up, beside pinned memory.
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 8192, CHUNKS = 8, CHUNK = N / CHUNKS, BLOCK = 128 };

__global__ void twice(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

__global__ void count(int *bins)
{
    atomicAdd(bins, 1);
}

__device__ unsigned tickets[2];

__global__ void sum(float *total, float *parts, const float *in, int stream)
{
    __shared__ bool is_last;
    atomicAdd(&parts[blockIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(&tickets[stream], 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            *total += ((volatile float *)parts)[i];
}

int main()
{
    float *host, *back, *in, *out, *parts, *totals, sums[2];
    int *bins, counted;
    cudaStream_t streams[2], copies;
    cudaEvent_t filled[2], used[2];
    cudaHostAlloc(&host, N * sizeof(float), cudaHostAllocDefault);
    cudaMallocHost(&back, N * sizeof(float));
    cudaMalloc(&in, 2 * CHUNK * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    cudaMalloc(&parts, 2 * CHUNKS * BLOCK * sizeof(float));
    cudaMalloc(&totals, sizeof sums);
    cudaMalloc(&bins, sizeof counted);
    cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++) {
        cudaStreamCreate(&streams[i]);
        cudaEventCreateWithFlags(&filled[i], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming);
    }
    for (int i = 0; i < N; i++)
        host[i] = 1;
    cudaMemset(bins, 0, sizeof counted);
    cudaMemset(parts, 0, 2 * CHUNKS * BLOCK * sizeof(float));
    cudaMemset(totals, 0, sizeof sums);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        const int which = chunk % 2;
        float *place = in + which * CHUNK;
        cudaStreamWaitEvent(copies, used[which], 0);
        cudaMemcpyAsync(place, host + chunk * CHUNK, CHUNK * sizeof(float), cudaMemcpyDefault, copies);
        cudaEventRecord(filled[which], copies);
        cudaStreamWaitEvent(streams[which], filled[which], 0);
        twice<<<CHUNK / BLOCK, BLOCK, 0, streams[which]>>>(out + chunk * CHUNK, place);
        cudaEventRecord(used[which], streams[which]);
        cudaMemcpyAsync(back + chunk * CHUNK, out + chunk * CHUNK, CHUNK * sizeof(float), cudaMemcpyDefault, streams[which]);
        count<<<1, 32, 0, streams[which]>>>(bins);
    }
    for (int i = 0; i < 2; i++)
        cudaStreamSynchronize(streams[i]);
    for (int i = 0; i < 2; i++)
        sum<<<N / BLOCK, BLOCK, 0, streams[i]>>>(totals + i, parts + i * (N / BLOCK), out, i);
    cudaMemcpy(sums, totals, sizeof sums, cudaMemcpyDeviceToHost);
    cudaMemcpy(&counted, bins, sizeof counted, cudaMemcpyDeviceToHost);
    puts(back[N - 1] == 2 && counted == 32 * CHUNKS && sums[0] == 2 * N && sums[1] == 2 * N ? "ok" : "wrong");
    for (int i = 0; i < 2; i++) {
        cudaStreamDestroy(streams[i]);
        cudaEventDestroy(filled[i]);
        cudaEventDestroy(used[i]);
    }
    cudaStreamDestroy(copies);
    cudaFree(in);
    cudaFree(out);
    cudaFree(parts);
    cudaFree(totals);
    cudaFree(bins);
    cudaFreeHost(host);
    cudaFreeHost(back);
}
