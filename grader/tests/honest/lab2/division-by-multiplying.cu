// stage: flat
// points: 11
// Divisions become multiplications with numbers that the host prepares in an object.
#include "lab2.h"

/* n / d for n below 2^31: the upper half of a product, exact with one more bit than n has. */
class divisor {
public:
    divisor(unsigned d) : d(d), shift(0)
    {
        while ((1ull << shift) < d)
            shift++;
        factor = (unsigned)(((1ull << 32) * ((1ull << shift) - d)) / d + 1);
    }
    __device__ unsigned quotient(unsigned n) const { return (unsigned)(((unsigned long long)__umulhi(n, factor) + n) >> shift); }
    __device__ unsigned split(unsigned &n) const
    {
        unsigned q = quotient(n), r = n - q * d;
        n = q;
        return r;
    }

private:
    unsigned d, factor, shift;
};

__global__ void flat(float *__restrict__ out, const float *__restrict__ in, divisor n0, divisor n1, divisor n2, int count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float v = in[i];
    unsigned rest = i, i0 = n0.split(rest), i1 = n1.split(rest), i2 = n2.split(rest);
    out[i] = v + (float)(i0 + 2 * i1 + 3 * i2 + 4 * rest);
}

void walk_flat(float *out, const float *in, struct shape shape)
{
    const int *n = shape.n;
    int count = n[0] * n[1] * n[2] * n[3];
    flat<<<(count + 255) / 256, 256>>>(out, in, n[0], n[1], n[2], count);
}
