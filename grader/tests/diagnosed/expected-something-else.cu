// says: look also at the end of line 2
__global__ void scale(float *out, int n)
    int i = n;
