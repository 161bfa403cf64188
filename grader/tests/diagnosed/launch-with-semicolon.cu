// says: A , is missing in the launch, or `;` stands where one should be
__global__ void scale(float *out, int n) { out[n] = 0; }
void run(float *out, int n)
{
    scale<<<1; 256>>>(out, n);
}
