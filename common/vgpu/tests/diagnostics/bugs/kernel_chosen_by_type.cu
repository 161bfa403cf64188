// A template argument picks the kernel's way by a type: kernel and array have names all the same.
// expect: error: out of bounds write in global memory: `values`
// says: kernel `fill<float, true>(float*, int, std::integral_constant<bool, true>)`
// never: argument 1
#include <type_traits>

#include <cuda_runtime.h>

template <class T, bool is_padded> __global__ void fill(T *values, int n, std::integral_constant<bool, is_padded>)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i >= n)
        return;
#endif
    values[i] = is_padded ? 1 : 0; // BUG
}

int main()
{
    float *values;
    cudaMalloc(&values, 1000 * sizeof *values);
    fill<<<4, 256>>>(values, 1000, std::true_type());
    cudaDeviceSynchronize();
    cudaFree(values);
}
