// attack: cuBLAS does the work
// principle: result faking
// at most: 0
// long: cuBLAS's headers and kernels
#include <cublas_v2.h>
#include "lab5.h"
void matmul_registers(float *c, const float *a, const float *b, int n)
{
    static cublasHandle_t handle;
    const float one = 1, zero = 0;
    if (!handle)
        cublasCreate(&handle);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n);
}
