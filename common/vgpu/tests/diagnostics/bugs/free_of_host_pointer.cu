// Memory from malloc is handed to cudaFree.
// expect: error: free
#include <cstdlib>
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    int *data = (int *)malloc(128);
#ifdef FIXED
    free(data);
#else
    cudaFree(data); // BUG
    free(data);
#endif
}
