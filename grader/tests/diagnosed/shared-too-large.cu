// says: 48 KB
__global__ void look_up(float *out)
{
    __shared__ float table[15000];
    table[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = table[255 - threadIdx.x];
}
