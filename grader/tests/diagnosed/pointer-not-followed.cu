// says: pointer
__global__ void scale(float *out, float *in)
{
    out[0] = in + in;
}
