/* managed.cu - memory seen from both sides: managed allocations and variables, mapped host memory, a linked structure.
 * Host and device write in turns, with a synchronisation between. */
#include "../kit.cuh"

__managed__ int counter = 3;
__managed__ float table[16];

struct node {
    int value;
    struct node *next;
};

__global__ void scale_list(struct node *head, int factor)
{
    for (struct node *node = head; node; node = node->next)
        node->value *= factor;
    counter++;
}

__global__ void fill_table(void)
{
    table[threadIdx.x] = threadIdx.x * 0.5f;
}

__global__ void add_mapped(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += i;
}

static void test_list(void)
{
    struct node *head = nullptr;
    for (int i = 0; i < 20; i++) {
        struct node *node;
        CHECK(cudaMallocManaged((void **)&node, sizeof *node));
        *node = {i, head};
        head = node;
    }
    scale_list<<<1, 1>>>(head, 7);
    CHECK_LAUNCH();
    for (int i = 19; i >= 0; i--) {
        EXPECT_EQUAL(i * 7, head->value);
        struct node *next = head->next;
        CHECK(cudaFree(head));
        head = next;
    }
    EXPECT_EQUAL(4, counter);
    counter = 10;
    scale_list<<<1, 1>>>(nullptr, 1);
    CHECK_LAUNCH();
    EXPECT_EQUAL(11, counter);
}

static void test_mapped(void)
{
    enum { N = 1000 };
    int *host, *seen;
    CHECK(cudaHostAlloc((void **)&host, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&seen, host, 0));
    for (int i = 0; i < N; i++)
        host[i] = 2 * i;
    add_mapped<<<divide_up(N, 128), 128>>>(seen, N);
    CHECK_LAUNCH();
    for (int i = 0; i < N; i++)
        EXPECT_EQUAL(3 * i, host[i]);
    CHECK(cudaFreeHost(host));
    std::vector<int> plain(N, 1);
    CHECK(cudaHostRegister(plain.data(), N * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&seen, plain.data(), 0));
    add_mapped<<<divide_up(N, 128), 128>>>(seen, N);
    CHECK_LAUNCH();
    for (int i = 0; i < N; i++)
        EXPECT_EQUAL(i + 1, plain[i]);
    CHECK(cudaHostUnregister(plain.data()));
}

int main(void)
{
    test_list();
    fill_table<<<1, 16>>>();
    CHECK_LAUNCH();
    for (int i = 0; i < 16; i++)
        EXPECT_EQUAL(i * 0.5f, table[i]);
    test_mapped();
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, table));
    EXPECT_EQUAL(cudaMemoryTypeManaged, attributes.type);
    return finish();
}
