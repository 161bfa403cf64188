/* graphs.cu - a graph of n vertices: one level of a search in breadth, and one round of ranks that vertices
 * give each other (PageRank). Vertices push along the edges that leave them, or pull along those that come
 * in, or every edge has a thread.
 * Some vertices have eight edges, few have thousands. */
#include "steps.h"

#include <cmath>
#include <cstring>

enum { BLOCK = 256, LANES = 32, WARPS = BLOCK / LANES };

/* Edges sorted by the vertex they come to, or leave. */
struct graph {
    int *starts; /* [vertices + 1] */
    int *ends;   /* [edges], the other vertices */
    int *owners; /* [edges], the vertices themselves */
};

static int n, nedges;
static struct steps_array in, out;
static struct graph incoming, leaving, host_incoming, host_leaving;

/* ---------------------------------------------------------------------------------------------- the graph */

static int *must_allocate(size_t count)
{
    int *memory = (int *)calloc(count, sizeof(int));
    if (!memory)
        exit(2);
    return memory;
}

static int *upload(const int *from, size_t count)
{
    int *device;
    STEPS_CHECK(cudaMalloc((void **)&device, count * sizeof(int)));
    STEPS_CHECK(cudaMemcpy(device, from, count * sizeof(int), cudaMemcpyHostToDevice));
    return device;
}

static struct graph upload_graph(const struct graph *host)
{
    return {upload(host->starts, n + 1), upload(host->ends, nedges), upload(host->owners, nedges)};
}

/* Between 4 and 178 edges come in. */
static int count_incoming(int vertex)
{
    return (int)(4 / sqrtf(steps_value(vertex, 211) + 0.0005f));
}

/* They come from low numbers more often than from high ones. */
static void make_incoming(void)
{
    struct graph *graph = &host_incoming;
    graph->starts = must_allocate(n + 1);
    for (int v = 0; v < n; v++)
        graph->starts[v + 1] = graph->starts[v] + count_incoming(v);
    nedges = graph->starts[n];
    graph->ends = must_allocate(nedges);
    graph->owners = must_allocate(nedges);
    for (int v = 0; v < n; v++)
        for (int e = graph->starts[v]; e < graph->starts[v + 1]; e++) {
            float where = steps_value(e, 212);
            graph->ends[e] = (int)(where * where * n);
            graph->owners[e] = v;
        }
}

/* The same edges, sorted by where they leave. */
static void make_leaving(void)
{
    struct graph *graph = &host_leaving;
    graph->starts = must_allocate(n + 1);
    graph->ends = must_allocate(nedges);
    graph->owners = must_allocate(nedges);
    for (int e = 0; e < nedges; e++)
        graph->starts[host_incoming.ends[e] + 1]++;
    for (int v = 0; v < n; v++)
        graph->starts[v + 1] += graph->starts[v];
    for (int e = nedges - 1; e >= 0; e--) { /* starts[v + 1] goes down to where v begins */
        int place = --graph->starts[host_incoming.ends[e] + 1];
        graph->ends[place] = host_incoming.owners[e];
        graph->owners[place] = host_incoming.ends[e];
    }
    memmove(graph->starts, graph->starts + 1, n * sizeof(int));
    graph->starts[n] = nedges;
}

static void prepare(int size)
{
    n = size;
    make_incoming();
    make_leaving();
    incoming = upload_graph(&host_incoming);
    leaving = upload_graph(&host_leaving);
    in = steps_input(n, 213);
    out = steps_output(n);
}

static void finish(void)
{
    for (const struct graph *graph : {&incoming, &leaving})
        for (int *part : {graph->starts, graph->ends, graph->owners})
            STEPS_CHECK(cudaFree(part));
    for (const struct graph *graph : {&host_incoming, &host_leaving})
        for (int *part : {graph->starts, graph->ends, graph->owners})
            free(part);
    steps_free(&in);
    steps_free(&out);
}

/* ---------------------------------------------------------------------------------- a level of a search */

/* A tenth of the vertices are on this level, and three tenths were reached before. */
__host__ __device__ static bool is_on_level(float x)
{
    return x < 0.1f;
}

__host__ __device__ static bool is_new(float x)
{
    return x >= 0.4f;
}

__device__ static void reach(float *out, const float *in, int vertex)
{
    if (is_new(in[vertex]))
        atomicExch(&out[vertex], 1.0f);
}

/* LANES_EACH neighbours share a vertex. */
template <int LANES_EACH>
__global__ void level_push(float *out, const float *in, struct graph graph, int n, int)
{
    int thread = blockIdx.x * BLOCK + threadIdx.x, vertex = thread / LANES_EACH;
    if (vertex >= n || !is_on_level(in[vertex]))
        return;
    for (int e = graph.starts[vertex] + thread % LANES_EACH; e < graph.starts[vertex + 1]; e += LANES_EACH)
        reach(out, in, graph.ends[e]);
}

__global__ void level_edges(float *out, const float *in, struct graph graph, int, int nedges)
{
    int e = blockIdx.x * BLOCK + threadIdx.x;
    if (e < nedges && is_on_level(in[graph.owners[e]]))
        reach(out, in, graph.ends[e]);
}

/* A vertex that is not yet reached looks for one that reaches it; the first is enough. */
__global__ void level_pull(float *out, const float *in, struct graph graph, int n, int)
{
    int vertex = blockIdx.x * BLOCK + threadIdx.x;
    if (vertex >= n || !is_new(in[vertex]))
        return;
    for (int e = graph.starts[vertex]; e < graph.starts[vertex + 1]; e++)
        if (is_on_level(in[graph.ends[e]])) {
            out[vertex] = 1;
            return;
        }
}

typedef void graph_kernel(float *out, const float *in, struct graph graph, int n, int nedges);

static void clear(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, n * sizeof(float)));
}

template <graph_kernel *KERNEL, int LANES_EACH> static void launch_push(void)
{
    clear();
    KERNEL<<<steps_blocks((size_t)n * LANES_EACH, BLOCK), BLOCK>>>(out.device, in.device, leaving, n, nedges);
}

template <graph_kernel *KERNEL, int LANES_EACH> static void launch_pull(void)
{
    clear();
    KERNEL<<<steps_blocks((size_t)n * LANES_EACH, BLOCK), BLOCK>>>(out.device, in.device, incoming, n,
                                                                   nedges);
}

template <graph_kernel *KERNEL> static void launch_edges(void)
{
    clear();
    KERNEL<<<steps_blocks(nedges, BLOCK), BLOCK>>>(out.device, in.device, leaving, n, nedges);
}

static void level_reference(float *expected)
{
    memset(expected, 0, n * sizeof(float));
    for (int e = 0; e < nedges; e++)
        if (is_on_level(in.host[host_incoming.ends[e]]) && is_new(in.host[host_incoming.owners[e]]))
            expected[host_incoming.owners[e]] = 1;
}

static const struct step search_level_steps[] = {
    {"vertices", launch_push<level_push<1>, 1>},
    {"warps", launch_push<level_push<LANES>, LANES>},
    {"edges", launch_edges<level_edges>},
    {"pull", launch_pull<level_pull, 1>},
};
const struct step_family search_level_family = {
    "search_level", search_level_steps, STEPS_COUNT(search_level_steps), 1 << 20, 5003, 0, prepare, finish,
    &out, level_reference};

/* ------------------------------------------------------------------------------------------------- ranks */

/* `in` is what a vertex gives along each edge. */
template <int LANES_EACH>
__global__ void rank_pull(float *out, const float *in, struct graph graph, int n, int)
{
    int thread = blockIdx.x * BLOCK + threadIdx.x, vertex = thread / LANES_EACH;
    float sum = 0;
    if (vertex < n)
        for (int e = graph.starts[vertex] + thread % LANES_EACH; e < graph.starts[vertex + 1];
             e += LANES_EACH)
            sum += in[graph.ends[e]];
    for (int half = LANES_EACH / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half, LANES_EACH);
    if (vertex < n && thread % LANES_EACH == 0)
        out[vertex] = sum;
}

__global__ void rank_push(float *out, const float *in, struct graph graph, int n, int)
{
    int vertex = blockIdx.x * BLOCK + threadIdx.x;
    if (vertex >= n)
        return;
    float gift = in[vertex];
    for (int e = graph.starts[vertex]; e < graph.starts[vertex + 1]; e++)
        atomicAdd(&out[graph.ends[e]], gift);
}

__global__ void rank_edges(float *out, const float *in, struct graph graph, int, int nedges)
{
    int e = blockIdx.x * BLOCK + threadIdx.x;
    if (e < nedges)
        atomicAdd(&out[graph.ends[e]], in[graph.owners[e]]);
}

static void rank_reference(float *expected)
{
    for (int v = 0; v < n; v++) {
        double sum = 0;
        for (int e = host_incoming.starts[v]; e < host_incoming.starts[v + 1]; e++)
            sum += in.host[host_incoming.ends[e]];
        expected[v] = (float)sum;
    }
}

static const struct step page_rank_steps[] = {
    {"push", launch_push<rank_push, 1>},
    {"edges", launch_edges<rank_edges>},
    {"pull", launch_pull<rank_pull<1>, 1>},
    {"pull_eight_lanes", launch_pull<rank_pull<8>, 8>},
    {"pull_warps", launch_pull<rank_pull<LANES>, LANES>},
};
const struct step_family page_rank_family = {
    "page_rank", page_rank_steps, STEPS_COUNT(page_rank_steps), 1 << 20, 5003, 1e-4, prepare, finish, &out,
    rank_reference};
