// says: Is `thread_id` meant?
__device__ unsigned thread_id()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void fill(float *out)
{
    out[threadId()] = 1;
}
