// says: scale
__global__ void scale(float *out, int n) { out[n] = 0; }
void run(float *out)
{
    scale<<<1, 256>>>(out, 1, 2);
}
