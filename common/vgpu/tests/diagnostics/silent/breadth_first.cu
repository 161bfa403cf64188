// A breadth-first search by levels: threads that find a vertex at once all give it the same level.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void expand(int *level, int *is_done, const int *edges, int n, int now)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != now)
        return;
    for (int k = 0; k < 3; k++) {
        int next = edges[3 * v + k];
        if (level[next] < 0) {
            level[next] = now + 1;
            *is_done = 0;
        }
    }
}

int main()
{
    const int n = 300;
    static int edges[3 * n], levels[n];
    int *e, *level, *is_done, done = 0, now = 0;
    for (int v = 0; v < n; v++) {
        levels[v] = v ? -1 : 0;
        edges[3 * v] = (v + 1) % n;
        edges[3 * v + 1] = (2 * v) % n;
        edges[3 * v + 2] = (3 * v) % n;
    }
    cudaMalloc(&e, sizeof edges);
    cudaMalloc(&level, sizeof levels);
    cudaMalloc(&is_done, sizeof(int));
    cudaMemcpy(e, edges, sizeof edges, cudaMemcpyHostToDevice);
    cudaMemcpy(level, levels, sizeof levels, cudaMemcpyHostToDevice);
    while (!done) {
        done = 1;
        cudaMemcpy(is_done, &done, sizeof(int), cudaMemcpyHostToDevice);
        expand<<<5, 64>>>(level, is_done, e, n, now++);
        cudaMemcpy(&done, is_done, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(levels, level, sizeof levels, cudaMemcpyDeviceToHost);
    puts(levels[1] == 1 && levels[2] == 2 && levels[9] > 0 ? "ok" : "wrong");
    cudaFree(e);
    cudaFree(level);
    cudaFree(is_done);
}
