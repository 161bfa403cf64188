// says: line 5
// shows: int i = blockIdx.x * blockDim.x + threadIdx.x
__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x
    if (i < n)
        out[i] = in[i];
}
