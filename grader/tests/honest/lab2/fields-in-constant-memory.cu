// stage: soa
// points: 11
// The fields' addresses lie in constant memory.
#include "lab2.h"

__constant__ const float *field[4];

__global__ void energies(float *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float vx = field[0][i], vy = field[1][i], vz = field[2][i], mass = field[3][i];
    out[i] = 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

void walk_soa(float *out, const float *in, struct shape shape)
{
    const float *fields[4];
    for (int k = 0; k < 4; k++)
        fields[k] = in + (3 + k) * (shape.pitch / sizeof *in);
    cudaMemcpyToSymbol(field, fields, sizeof fields);
    energies<<<(shape.count + 255) / 256, 256>>>(out, shape.count);
}
