// Every thread of every block adds and looks at once: whoever is named, it is not told to race with itself alone.
// expect: race: one block reads what another block writes
// says: by several blocks; one of them is block 0
#include <cuda_runtime.h>

__global__ void add_and_look(int *counter, int *out)
{
#ifdef FIXED
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1);
#else
    atomicAdd(counter, 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = *counter; // BUG
#endif
}

int main()
{
    int *counter, *out;
    cudaMalloc(&counter, sizeof(int));
    cudaMalloc(&out, 4 * 64 * sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    add_and_look<<<4, 64>>>(counter, out);
    cudaDeviceSynchronize();
    cudaFree(counter);
    cudaFree(out);
}
