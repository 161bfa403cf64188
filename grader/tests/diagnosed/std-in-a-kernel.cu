// says: __device__
#include <vector>
__global__ void scale(float *out, int n)
{
    std::vector<float> v(n);
    out[n] = v[0];
}
