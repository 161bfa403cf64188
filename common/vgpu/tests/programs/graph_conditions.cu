/* graph_conditions.cu - nodes of any type by one call, and bodies that run once, again and again, or not at all. */
#include "../kit.cuh"

__global__ void add(int *sum, int value)
{
    *sum += value;
}

/* Counts down and goes on while something is left. */
__global__ void count_down(cudaGraphConditionalHandle handle, int *left)
{
    cudaGraphSetConditional(handle, --*left > 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, const int *which)
{
    if (threadIdx.x == 0)
        cudaGraphSetConditional(handle, *which);
}

static int *device; /* [0] the sum, [1] what is left, [2] which */

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *function, void **args)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = function;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = args;
    CHECK(cudaGraphAddNode(&node, graph, after, NULL, after ? 1 : 0, &params));
    return node;
}

static cudaGraphNode_t add_adder(cudaGraph_t graph, const cudaGraphNode_t *after, int value)
{
    int *sum = &device[0];
    void *args[] = {&sum, &value};
    return add_kernel(graph, after, (void *)add, args);
}

static cudaGraph_t *add_conditional(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle,
                                    cudaGraphConditionalNodeType type, unsigned count)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = count;
    CHECK(cudaGraphAddNode(&node, graph, after, NULL, after ? 1 : 0, &params));
    return params.conditional.phGraph_out;
}

/* The sum after so many launches of the graph. */
static int run(cudaGraph_t graph, int left, int which, int launches)
{
    int start[] = {0, left, which}, sum;
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemcpy(device, start, sizeof start, cudaMemcpyHostToDevice));
    for (int i = 0; i < launches; i++)
        CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecDestroy(exec));
    return sum;
}

/* Who gives the graph may leave it open which graph comes back. */
static void test_while(bool is_told)
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    cudaStream_t stream;
    int *left = &device[1];
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = add_conditional(graph, NULL, handle, cudaGraphCondTypeWhile, 1)[0];
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(device, 3);
    count_down<<<1, 1, 0, stream>>>(handle, left);
    CHECK(cudaStreamEndCapture(stream, is_told ? &body : NULL));
    EXPECT_EQUAL(30, run(graph, 10, 0, 1));
    EXPECT_EQUAL(3, run(graph, 0, 0, 1));
    /* nothing is left after the first launch, but each begins with the default */
    EXPECT_EQUAL(18, run(graph, 4, 0, 3));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaGraphDestroy(graph));
}

/* A loop in the middle of a capture: what the program adds itself, the stream goes on after. Were it not so, the doubling would
 * not see the loop's sums. */
__global__ void twice(int *sum)
{
    *sum *= 2;
}

static void test_loop_in_capture(void)
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    cudaStream_t stream;
    enum cudaStreamCaptureStatus status;
    const cudaGraphNode_t *after;
    size_t count = 0;
    int *sum = device, *left = &device[1];
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(device, 1);
    CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &after, NULL, &count));
    EXPECT_EQUAL(1u, count);
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t loop;
    CHECK(cudaGraphAddNode(&loop, graph, after, NULL, count, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &loop, NULL, 1, cudaStreamSetCaptureDependencies));
    twice<<<1, 1, 0, stream>>>(sum);
    CHECK(cudaStreamEndCapture(stream, &graph));
    int value = 5;
    void *add_args[] = {&sum, &value}, *count_args[] = {&handle, &left};
    cudaGraphNode_t first = add_kernel(body, NULL, (void *)add, add_args);
    add_kernel(body, &first, (void *)count_down, count_args);
    EXPECT_EQUAL(2 * (1 + 3 * 5), run(graph, 3, 0, 1));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaGraphDestroy(graph));
}

static void test_choice(cudaGraphConditionalNodeType type, unsigned count, int which, int expected)
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    const int *place = &device[2];
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    void *args[] = {&handle, &place};
    cudaGraphNode_t chooser = add_kernel(graph, NULL, (void *)choose, args);
    cudaGraph_t *bodies = add_conditional(graph, &chooser, handle, type, count);
    for (unsigned i = 0; i < count; i++)
        add_adder(bodies[i], NULL, 100 + (int)i);
    EXPECT_EQUAL(expected, run(graph, 0, which, 1));
    CHECK(cudaGraphDestroy(graph));
}

static void count_call(void *context)
{
    ++*(int *)context;
}

/* Sets all to zero, adds 5, calls the host, adds 7 in a child. */
static void test_any(void)
{
    cudaGraph_t graph, child;
    cudaGraphNode_t first, second, third, fourth;
    int calls = 0;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    add_adder(child, NULL, 7);
    cudaGraphNodeParams set = {cudaGraphNodeTypeMemset}, host = {cudaGraphNodeTypeHost}, inner = {cudaGraphNodeTypeGraph};
    set.memset.dst = device;
    set.memset.elementSize = 4;
    set.memset.width = 3;
    set.memset.height = 1;
    host.host.fn = count_call;
    host.host.userData = &calls;
    inner.graph.graph = child;
    CHECK(cudaGraphAddNode(&first, graph, NULL, NULL, 0, &set));
    second = add_adder(graph, &first, 5);
    CHECK(cudaGraphAddNode(&third, graph, &second, NULL, 1, &host));
    CHECK(cudaGraphAddNode(&fourth, graph, &third, NULL, 1, &inner));
    EXPECT_EQUAL(12, run(graph, 99, 99, 2));
    EXPECT_EQUAL(2, calls);
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    CHECK(cudaMalloc(&device, 3 * sizeof *device));
    test_while(true);
    test_while(false);
    test_loop_in_capture();
    test_choice(cudaGraphCondTypeIf, 1, 1, 100);
    test_choice(cudaGraphCondTypeIf, 1, 0, 0);
    test_choice(cudaGraphCondTypeIf, 2, 9, 100);
    test_choice(cudaGraphCondTypeIf, 2, 0, 101);
    test_choice(cudaGraphCondTypeSwitch, 4, 2, 102);
    test_choice(cudaGraphCondTypeSwitch, 4, 4, 0);
    test_any();
    CHECK(cudaFree(device));
    return finish();
}
