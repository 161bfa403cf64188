// says: threadIdx
__global__ void scale(float *out)
{
    out[threadidx.x] = 0;
}
