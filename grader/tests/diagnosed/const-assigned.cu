// says: const
__global__ void scale(float *out, const float *in)
{
    in[0] = out[0];
}
