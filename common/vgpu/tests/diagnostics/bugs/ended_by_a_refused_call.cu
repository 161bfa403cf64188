// A check ends the program where a call is refused: what it did not come to free is no leak to be told of.
// expect: error: copy with a pitch that is shorter than a row
// never: leak
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        exit(1);
}

int main()
{
    enum { WIDTH = 64, HEIGHT = 8 };
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    float *picture;
    check(cudaMalloc(&picture, WIDTH * HEIGHT * sizeof(float)));
    check(cudaMemset(picture, 0, WIDTH * HEIGHT * sizeof(float)));
    check(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
#ifdef FIXED
    const size_t pitch = WIDTH * sizeof(float);
#else
    const size_t pitch = WIDTH;
#endif
    check(cudaMemcpy2DToArray(array, 0, 0, picture, pitch, WIDTH * sizeof(float), HEIGHT, cudaMemcpyDeviceToDevice)); // BUG
    check(cudaFreeArray(array));
    check(cudaFree(picture));
}
