/* branches.cu - a dense switch that becomes an indexed branch, loops, early return. */
__global__ void choose(float *x, const int *kind, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    for (int k = 0; k < n; k++)
        switch (kind[k]) {
        case 0: v = sinf(v); break;
        case 1: v = v * v + k; break;
        case 2: v = sqrtf(v); break;
        case 3: x[i + 1] = v; break;
        case 4: v = v / (k + 3); break;
        case 5: v = floorf(v) + x[k]; break;
        case 6: v = v > 2 ? v - 1 : v + 7; break;
        case 7: v = exp2f(v); break;
        case 8: v += kind[k + 1]; break;
        case 9: v = fminf(v, x[k]); break;
        }
    x[i] = v;
}
