// says: look also at the end of line 4
__global__ void scale(float *out)
{
    out[0] = 3 *
}
