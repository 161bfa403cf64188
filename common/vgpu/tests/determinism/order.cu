/* order.cu - everything whose order could depend on the host's threads: tickets, floating-point sums by atomics, output
 * of printf from many blocks, lists built by exchange, the device heap, races and bad accesses reported.
 * What it prints must not depend on how many host threads run it. */
#include "../kit.cuh"

__device__ unsigned tickets;
__device__ float float_sum;
__device__ double double_sum;
__device__ int head = -1;

__global__ void take_tickets(unsigned *order)
{
    if (threadIdx.x == 0)
        order[blockIdx.x] = atomicAdd(&tickets, 1);
}

__global__ void sum_floats(void)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&float_sum, 1.0f / (i + 1));
    atomicAdd(&double_sum, 1.0 / (i + 3));
}

__global__ void say_hello(void)
{
    if (threadIdx.x % 40 == 0)
        printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

__global__ void push(int *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = atomicExch(&head, i);
}

__global__ void heap_addresses(unsigned long long *out)
{
    void *memory = malloc(16 + threadIdx.x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned long long)memory;
    free(memory);
}

/* Planted: blocks write one cell without order, and a shared cell is written by all warps. */
__global__ void race(int *cell)
{
    __shared__ int shared_cell;
    *cell = blockIdx.x;
    shared_cell = threadIdx.x / 32;
    __syncthreads();
    if (threadIdx.x == 0)
        cell[1 + blockIdx.x] = shared_cell;
}

/* Planted: several blocks read beyond their buffer. */
__global__ void overrun(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + n / 2];
}

template <class T> static void show(const char *name, const T *data, int count)
{
    unsigned long long hash = 14695981039346656037ull;
    std::vector<T> host = from_device(data, count);
    for (size_t i = 0; i < count * sizeof(T); i++)
        hash = (hash ^ ((const unsigned char *)host.data())[i]) * 1099511628211ull;
    printf("%s %016llx\n", name, hash);
}

int main(void)
{
    enum { BLOCKS = 50, THREADS = 96, ALL = BLOCKS * THREADS };
    unsigned *order = device_new<unsigned>(BLOCKS);
    take_tickets<<<BLOCKS, THREADS>>>(order);
    show("tickets", order, BLOCKS);
    sum_floats<<<BLOCKS, THREADS>>>();
    float f;
    double d;
    CHECK(cudaMemcpyFromSymbol(&f, float_sum, sizeof f));
    CHECK(cudaMemcpyFromSymbol(&d, double_sum, sizeof d));
    printf("sums %a %a\n", f, d);
    say_hello<<<8, THREADS>>>();
    CHECK(cudaDeviceSynchronize());
    int *next = device_new<int>(ALL);
    push<<<BLOCKS, THREADS>>>(next);
    show("list", next, ALL);
    unsigned long long *addresses = device_new<unsigned long long>(ALL);
    heap_addresses<<<BLOCKS, THREADS>>>(addresses);
    show("heap", addresses, ALL);
    int *cells = device_new<int>(1 + BLOCKS);
    race<<<BLOCKS, THREADS>>>(cells);
    show("race", cells, 1 + BLOCKS);
    int *in = to_device(std::vector<int>(ALL, 5)), *out = device_new<int>(ALL);
    overrun<<<BLOCKS, THREADS>>>(out, in, ALL);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
