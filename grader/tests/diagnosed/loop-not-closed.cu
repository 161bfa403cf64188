// says: line 6
// says: }
// shows: for (int i = 0; i < n; i++) {
__global__ void scale(float *out, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;

    out[n] = 1;
}

__global__ void copy(float *out,
                     const float *in, int n)
{
    out[n] = in[n];
}

void run(float *out, int n)
{
    scale<<<1, 256>>>(out, n);
}
