// An array is copied in pieces, and the last one is not shortened.
// expect: error: copy outside the allocation
// says: the last piece must be shorter than the others
// never: sizes count bytes
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    enum { BYTES = 1000, PIECE = 256 };
    static char host[2 * BYTES];
    char *data;
    cudaMalloc(&data, BYTES);
    for (int begin = 0; begin < BYTES; begin += PIECE) {
#ifdef FIXED
        int bytes = BYTES - begin < PIECE ? BYTES - begin : PIECE;
#else
        int bytes = PIECE;
#endif
        cudaMemcpy(data + begin, host + begin, bytes, cudaMemcpyHostToDevice); // BUG
    }
    cudaFree(data);
}
