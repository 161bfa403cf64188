// A product on tensor cores, which are no part of the virtual GPU; the program looks only at its last call.
// expect: error: the virtual GPU has no tensor cores
// says: kernel `product(__half const*, float*)`
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

__global__ void product(const half *in, float *out)
{
#ifdef FIXED
    out[threadIdx.x] = __half2float(in[threadIdx.x]);
#else
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(a, in, 16); // BUG
    wmma::load_matrix_sync(b, in, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
#endif
}

int main()
{
    half *in;
    float *out, host[256];
    cudaMalloc(&in, 256 * sizeof(half));
    cudaMalloc(&out, sizeof host);
    cudaMemset(in, 0, 256 * sizeof(half));
    cudaMemset(out, 0, sizeof host);
    product<<<1, 32>>>(in, out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess) {
#ifndef FIXED
        puts("a refused kernel went unnoticed");
        return 0;
#endif
    }
    cudaFree(in);
    cudaFree(out);
}
