// says: // nvcc: -std=c++20
template <typename T>
requires(sizeof(T) == 4)
__global__ void clear(T *out)
{
    out[0] = 0;
}
