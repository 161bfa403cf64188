// says: of a type that it knows
__global__ void count(long long *counter) { atomicAdd(counter, 1); }
