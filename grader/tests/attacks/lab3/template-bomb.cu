// attack: templates without end
// principle: resources
// at most: 0
#include "lab3.h"
template <int N, int M> struct A { static const int v = A<N - 1, M>::v + A<N - 1, M + 1>::v; };
template <int M> struct A<0, M> { static const int v = 1; };
__global__ void k(float *o) { *o = A<800, 0>::v; }
void transpose_tiled(float *out, const float *in, int w, int h) { k<<<1, 1>>>(out); }
