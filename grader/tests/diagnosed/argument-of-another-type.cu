// says: declaration
__global__ void scale(float *out, int n) { out[n] = 0; }
void run(int *out)
{
    scale<<<1, 256>>>(out, 1);
}
