// says: fourth number of a launch
__global__ void scale(float *out, int n) { out[n] = 0; }
void run(float *out, cudaStream_t stream)
{
    scale<<<1, 256, stream>>>(out, 1);
}
