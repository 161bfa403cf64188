// says: template
template <int THREADS> __global__ void scale(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}
void run(float *out, const float *in)
{
    scale<<<1, 256>>>(out, in);
}
