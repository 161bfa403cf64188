/* data.cu - variables of every kind: tables, strings, addresses in initialisers, managed and constant memory. */
struct node {
    char tag;
    short weight;
    int *target;
    float value;
};

__device__ int cells[10];
__device__ node root = {'x', -3, cells + 3, 2.5f};
__device__ const char *words[3] = {"one", "two", "three"};
__device__ int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ __managed__ int shared_with_host = 7;
__constant__ float weights[5] = {1, 2, 3.5f};
__constant__ double pi = 3.25;

__global__ void read_all(float *out, int i)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = weights[i] + pi + grid[i & 1][2] + shared_with_host + words[i][0];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1] + *root.target + root.weight + root.value;
}
