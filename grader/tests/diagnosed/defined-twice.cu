// says: twice
__global__ void scale(float *out, int n) { out[n] = 0; }
__global__ void scale(float *out, int n) { out[n] = 1; }
