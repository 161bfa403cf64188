// says: extern __shared__
__global__ void scale(float *out, int n)
{
    __shared__ float tile[n];
    tile[threadIdx.x] = 0;
    out[n] = tile[0];
}
