/* victim.cu - a small program whose image run.sh damages: one kernel, one launch, an error is its exit status. */
#include <cstdio>

extern "C" __global__ void victim(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * 3 + n;
}

int main(void)
{
    int *out, host[100];
    cudaMalloc((void **)&out, sizeof host);
    victim<<<4, 32>>>(out, 100);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(error));
        return 3;
    }
    for (int i = 0; i < 100; i++)
        if (host[i] != i * 3 + 100)
            return 4;
    puts("ok");
    return 0;
}
