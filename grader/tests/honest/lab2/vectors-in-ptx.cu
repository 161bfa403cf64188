// stage: vector
// points: 12
// 16 bytes per load and store, in PTX.
#include "lab2.h"

__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

__global__ void walk(float *out, const float *in, int begin, int offset, int end)
{
    int i = begin + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= offset && i + 4 <= end) {
        float a, b, c, d;
        asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(in + i));
        asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(out + i), "f"(scaled(a)), "f"(scaled(b)),
                     "f"(scaled(c)), "f"(scaled(d)) : "memory");
        return;
    }
    for (int k = i; k < i + 4; k++)
        if (k >= offset && k < end)
            out[k] = scaled(in[k]);
}

void walk_vector(float *out, const float *in, struct shape shape)
{
    int begin = shape.offset & ~31, end = shape.offset + shape.count;
    walk<<<(end - begin + 1023) / 1024, 256>>>(out, in, begin, shape.offset, end);
}
