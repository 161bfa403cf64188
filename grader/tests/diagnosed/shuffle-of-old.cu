// says: __shfl_down_sync
__global__ void sum(float *out)
{
    float sum = out[threadIdx.x];
    sum += __shfl_down(sum, 16);
    out[threadIdx.x] = sum;
}
