/* graph_memory.cu - memory that graphs allocate: it outlives the graph it was described in, is freed by nodes, by the host
 * or by another graph, and is counted. */
#include "../kit.cuh"

enum { N = 1000, BYTES = N * sizeof(int) };

__global__ void fill(int *out, int first)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = first + i;
}

static cudaGraphNode_t add_alloc(cudaGraph_t graph, int **out)
{
    cudaMemAllocNodeParams params = {};
    cudaGraphNode_t node;
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = BYTES;
    CHECK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    *out = (int *)params.dptr;
    return node;
}

static cudaGraphNode_t add_fill(cudaGraph_t graph, cudaGraphNode_t after, int *out, int first)
{
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;
    void *args[] = {&out, &first};
    params.func = (void *)fill;
    params.gridDim = dim3(4);
    params.blockDim = dim3(256);
    params.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&node, graph, &after, 1, &params));
    return node;
}

static unsigned long long used_bytes(void)
{
    unsigned long long value = 0;
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
    return value;
}

/* A graph that allocates and fills; with is_freed it also copies to host and frees. */
static cudaGraphExec_t make(int **memory, int first, int *host, bool is_freed)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    node = add_alloc(graph, memory); /* first: it says where the memory is */
    node = add_fill(graph, node, *memory, first);
    if (is_freed) {
        cudaGraphNode_t copy, release;
        CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &node, 1, host, *memory, BYTES, cudaMemcpyDeviceToHost));
        CHECK(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, *memory));
    }
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void test_outlives(void)
{
    std::vector<int> host(N);
    int *memory;
    cudaGraphExec_t exec = make(&memory, 5, host.data(), true);
    for (int round = 0; round < 2; round++) {
        std::fill(host.begin(), host.end(), 0);
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        EXPECT_EQUAL(5, host[0]);
        EXPECT_EQUAL(N + 4, host[N - 1]);
    }
    CHECK(cudaGraphExecDestroy(exec));
}

static void test_freed_by_host(void)
{
    int *memory;
    cudaGraphExec_t exec = make(&memory, 9, nullptr, false);
    for (int round = 0; round < 2; round++) {
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        EXPECT(used_bytes() >= BYTES);
        EXPECT_EQUAL(N + 8, from_device(memory, N)[N - 1]);
        CHECK(cudaFree(memory));
    }
    CHECK(cudaGraphExecDestroy(exec));
}

static void test_freed_by_graph(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t maker, freer;
    cudaGraphNode_t node;
    int *memory;
    maker = make(&memory, 1, nullptr, false);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, memory));
    CHECK(cudaGraphInstantiate(&freer, graph, 0));
    CHECK(cudaGraphLaunch(maker, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(N, from_device(memory, N)[N - 1]);
    CHECK(cudaGraphLaunch(freer, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(maker));
    CHECK(cudaGraphExecDestroy(freer));
    CHECK(cudaGraphDestroy(graph));
}

int main(void)
{
    test_outlives();
    test_freed_by_host();
    test_freed_by_graph();
    CHECK(cudaDeviceGraphMemTrim(0));
    return finish();
}
