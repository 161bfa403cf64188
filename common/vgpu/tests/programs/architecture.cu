/* architecture.cu - code that is compiled for the GPU that the program runs on, where nobody asked for another one. */
#include "../kit.cuh"

__global__ void own_architecture(int *out)
{
#if __CUDA_ARCH__ >= 800
    *out = __CUDA_ARCH__;
#endif
}

int main()
{
    int *device, code = 0;
    struct cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaMalloc(&device, sizeof *device));
    CHECK(cudaMemset(device, 0, sizeof *device));
    own_architecture<<<1, 1>>>(device);
    CHECK(cudaMemcpy(&code, device, sizeof code, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    EXPECT_EQUAL(properties.major * 100 + properties.minor * 10, code);
    return finish();
}
