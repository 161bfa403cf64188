// says: )
__global__ void scale(float *out, int n)
{
    if ((n + 1) * (n - 1 > 3)
        out[n] = 0;
}
