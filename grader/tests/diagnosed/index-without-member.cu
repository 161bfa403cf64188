// says: threadIdx.x
__global__ void scale(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx;
    out[i] = 0;
}
