// stage: round_trip
// points: 16
// Piece by piece through a small buffer, rows of a 2-D copy, and a class that frees.
#include "lab0.h"

struct buffer {
    float *at;
    explicit buffer(size_t bytes) { cudaMalloc(&at, bytes); }
    ~buffer() { cudaFree(at); }
};

__global__ void add(float *a, const float *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        a[i] += b[i];
}

void run_round_trip(float *out, const float *a, const float *b, int count)
{
    const int piece = 20000;
    buffer first(piece * sizeof(float)), second(piece * sizeof(float));
    for (int at = 0; at < count; at += piece) {
        int length = count - at < piece ? count - at : piece;
        size_t bytes = length * sizeof(float);
        cudaMemcpy2D(first.at, bytes, a + at, bytes, bytes, 1, cudaMemcpyHostToDevice);
        cudaMemcpy(second.at, b + at, bytes, cudaMemcpyDefault);
        add<<<(length + 255) / 256, 256>>>(first.at, second.at, length);
        cudaMemcpy(out + at, first.at, bytes, cudaMemcpyDefault);
    }
}
