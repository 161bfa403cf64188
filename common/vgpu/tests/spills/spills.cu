// spills.cu - kernels that ptxas spills: ninety live values in 64 registers, alone and beside an indexed array.
// Never run: test_sass.c counts in the machine code what ptxas says of it.

template <bool HAS_ARRAY> __device__ void rounds(float *out, const float *in, int n)
{
    float value[90], bins[64] = {}, total = 0;
    for (int i = 0; i < 90; i++)
        value[i] = in[threadIdx.x + 33 * i];
#pragma unroll 1
    for (int round = 0; round < n; round++) {
#pragma unroll
        for (int i = 0; i < 90; i++)
            value[i] = value[i] * value[(i + 13) % 90] + in[round];
        if (HAS_ARRAY)
            bins[(int)in[round] & 63] += 1;
    }
    for (int i = 0; i < 90; i++)
        total += value[i];
    *out = HAS_ARRAY ? total + bins[n & 63] : total;
}

extern "C" __global__ void __launch_bounds__(1024) values(float *out, const float *in, int n)
{
    rounds<false>(out, in, n);
}

extern "C" __global__ void __launch_bounds__(1024) values_and_array(float *out, const float *in, int n)
{
    rounds<true>(out, in, n);
}
