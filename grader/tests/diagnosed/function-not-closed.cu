// says: line 4
// says: }
__global__ void scale(float *out, int n)
{
    if (n > 3) {
        out[n] = 0;
    }

static int half(int n)
{
    return n / 2;
}

template <typename T>
__global__ void copy(T *out, const T *in, int n)
{
    out[n] = in[half(n)];
}
