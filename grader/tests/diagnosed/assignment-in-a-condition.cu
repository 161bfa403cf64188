// says: One = stores a value. To compare: ==
// shows: warning: this condition is an assignment
// shows:     if (i = count) // not that of the next ones
__device__ int next(int i);

__global__ void fill(float *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j;
    if ((j = count) == i || i <= count)
        j = 0;
    if (int k = i)
        j += k;
    if (i = count) // not that of the next ones
        out[j] = 1; /* if (i = j) */
}
