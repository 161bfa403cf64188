// says: a } missing before it
__global__ void scale(float *out, int n)
{
    if (n > 3) {
        out[n] = 0;
    else
        out[n] = 1;
    }
}
