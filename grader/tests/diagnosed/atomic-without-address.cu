// says: is an address (&counter
__device__ int counter;
__global__ void count(int n) { atomicAdd(counter, n); }
