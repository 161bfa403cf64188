// The last vector has only two of its four floats: the index is right, the access is too wide.
// expect: error: out of bounds read in global memory
// says: the access is wider than what is left of the array
#include <cuda_runtime.h>

__global__ void sums(float *out, const float *in, int n)
{
    int i = 4 * threadIdx.x;
    float sum = 0;
#ifdef FIXED
    if (i + 4 > n)
        for (; i < n; i++)
            sum += in[i];
    else
#endif
        if (i < n) {
            float4 q = *(const float4 *)(in + i); // BUG
            sum = q.x + q.y + q.z + q.w;
        }
    out[threadIdx.x] = sum;
}

int main()
{
    const int n = 126;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    sums<<<1, 32>>>(out, in, n);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
