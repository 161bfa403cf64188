// says: A } too many
__global__ void scale(float *out, int n)
{
    if (n > 3)
        out[n] = 0;
    }
}
