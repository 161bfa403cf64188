/* directions.cu - Sobol's numbers in a kernel, from cuRAND's table of direction vectors, against the definition: number i of a
 * dimension is the exclusive or of the vectors that the bits of i's Gray code choose; the first dimension is van der Corput's. */
// options: -lcurand
#include <curand.h>
#include <curand_kernel.h>

#include "../kit.cuh"

enum { DIMENSIONS = 5, N = 200 };

__global__ void sobol(unsigned *out, curandDirectionVectors32_t *vectors)
{
    const int dimension = blockIdx.x;
    curandStateSobol32 state;
    curand_init(vectors[dimension], threadIdx.x, &state);
    out[dimension * N + threadIdx.x] = curand(&state);
}

static unsigned reversed(unsigned i)
{
    unsigned out = 0;
    for (int bit = 0; bit < 32; bit++)
        out |= (i >> bit & 1) << (31 - bit);
    return out;
}

int main()
{
    curandDirectionVectors32_t *table, *vectors;
    unsigned *out, host[DIMENSIONS * N], *constants;
    EXPECT_EQUAL(CURAND_STATUS_SUCCESS, curandGetDirectionVectors32(&table, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    EXPECT_EQUAL(CURAND_STATUS_SUCCESS, curandGetScrambleConstants32(&constants));
    CHECK(cudaMalloc(&vectors, DIMENSIONS * sizeof *vectors));
    CHECK(cudaMemcpy(vectors, table, DIMENSIONS * sizeof *vectors, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&out, sizeof host));
    sobol<<<DIMENSIONS, N>>>(out, vectors);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < N; i++) {
        const unsigned gray = i ^ i >> 1;
        EXPECT_EQUAL(reversed(gray), host[i]);
        for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
            unsigned want = 0;
            for (int bit = 0; bit < 32; bit++)
                want ^= gray >> bit & 1 ? table[dimension][bit] : 0;
            EXPECT_EQUAL(want, host[dimension * N + i]);
        }
    }
    return finish();
}
