/* device_heap.cu - malloc, free, new and delete on the device: per-thread lists, memory handed from one kernel to the
 * next, a heap that runs out, and a limit that is raised. */
#include "../kit.cuh"

struct link {
    int value;
    struct link *next;
};

__global__ void build_lists(int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    struct link *head = nullptr;
    for (int i = 0; i <= t % 10; i++) {
        struct link *link = (struct link *)malloc(sizeof *link);
        link->value = t + i;
        link->next = head;
        head = link;
    }
    while (head) {
        struct link *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    out[t] = sum;
}

__device__ int *kept[8];

__global__ void keep(void)
{
    int *memory = new int[100];
    for (int i = 0; i < 100; i++)
        memory[i] = threadIdx.x * 1000 + i;
    kept[threadIdx.x] = memory;
}

__global__ void use_kept(int *out)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += kept[threadIdx.x][i];
    out[threadIdx.x] = sum;
    delete[] kept[threadIdx.x];
}

__global__ void ask_too_much(int *out)
{
    void *memory = malloc((size_t)1 << 40);
    *out = memory == nullptr;
    free(memory);
}

__global__ void shared_by_block(int *out)
{
    __shared__ int *data;
    if (threadIdx.x == 0)
        data = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    data[threadIdx.x] = threadIdx.x * 2;
    __syncthreads();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(data);
}

int main(void)
{
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    size_t limit;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit >= (16 << 20));
    int *out = device_new<int>(256);
    build_lists<<<4, 64>>>(out);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 256);
    for (int t = 0; t < 256; t++) {
        int n = t % 10 + 1;
        EXPECT_EQUAL(n * t + n * (n - 1) / 2, got[t]);
    }
    keep<<<1, 8>>>();
    use_kept<<<1, 8>>>(out);
    CHECK_LAUNCH();
    got = from_device(out, 8);
    for (int t = 0; t < 8; t++)
        EXPECT_EQUAL(100000 * t + 4950, got[t]);
    ask_too_much<<<1, 1>>>(out);
    CHECK_LAUNCH();
    EXPECT_EQUAL(1, from_device(out, 1)[0]);
    shared_by_block<<<1, 64>>>(out);
    CHECK_LAUNCH();
    EXPECT_EQUAL(126, from_device(out, 1)[0]);
    return finish();
}
