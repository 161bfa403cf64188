/* graphs.cu - shortest paths by Floyd and Warshall, breadth-first search with a frontier queue, components by union-find. */
#include <queue>

#include "../kit.cuh"

enum { NODES = 90, FAR = 1000000, MANY = 3000, DEGREE = 3 };

__global__ void floyd(int *distance, int k)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NODES && j < NODES) {
        int through = distance[i * NODES + k] + distance[k * NODES + j];
        if (i != k && j != k && through < distance[i * NODES + j])
            distance[i * NODES + j] = through;
    }
}

__global__ void advance(int *level, const int *edges, const int *frontier, int size, int *next, int *next_size, int depth)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= size)
        return;
    for (int e = 0; e < DEGREE; e++) {
        int to = edges[frontier[t] * DEGREE + e];
        if (atomicCAS(&level[to], -1, depth) == -1)
            next[atomicAdd(next_size, 1)] = to;
    }
}

__device__ int root_of(volatile int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i];
    return i;
}

__global__ void unite(int *parent, const int2 *pairs, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    int a = pairs[t].x, b = pairs[t].y;
    while (true) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b)
            return;
        if (a < b) {
            int c = a;
            a = b;
            b = c;
        }
        if (atomicCAS(&parent[a], a, b) == a)
            return;
    }
}

static void test_floyd(void)
{
    std::vector<int> d(NODES * NODES, FAR);
    kit_random random(1);
    for (int i = 0; i < NODES; i++) {
        d[i * NODES + i] = 0;
        for (int e = 0; e < 4; e++)
            d[i * NODES + random.next() % NODES] = 1 + random.next() % 50;
        d[i * NODES + i] = 0;
    }
    int *data = to_device(d);
    dim3 block(16, 16), grid(divide_up(NODES, 16), divide_up(NODES, 16));
    for (int k = 0; k < NODES; k++) {
        floyd<<<grid, block>>>(data, k);
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                d[i * NODES + j] = std::min(d[i * NODES + j], d[i * NODES + k] + d[k * NODES + j]);
    }
    CHECK_LAUNCH();
    EXPECT(d == from_device(data, NODES * NODES));
}

static void test_search(void)
{
    std::vector<int> edges(MANY * DEGREE), level(MANY, -1), start(1, 0);
    kit_random random(2);
    for (int &edge : edges)
        edge = random.next() % MANY;
    level[0] = 0;
    int *dlevel = to_device(level), *dedges = to_device(edges), size = 1, *count = device_new<int>(1);
    int *frontier = device_new<int>(MANY), *next = device_new<int>(MANY);
    CHECK(cudaMemcpy(frontier, start.data(), sizeof(int), cudaMemcpyHostToDevice));
    for (int depth = 1; size > 0; depth++) {
        CHECK(cudaMemset(count, 0, sizeof(int)));
        advance<<<divide_up(size, 64), 64>>>(dlevel, dedges, frontier, size, next, count, depth);
        CHECK(cudaMemcpy(&size, count, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
    }
    std::queue<int> waiting({0});
    for (; !waiting.empty(); waiting.pop())
        for (int e = 0; e < DEGREE; e++) {
            int to = edges[waiting.front() * DEGREE + e];
            if (level[to] == -1) {
                level[to] = level[waiting.front()] + 1;
                waiting.push(to);
            }
        }
    EXPECT(level == from_device(dlevel, MANY));
}

static void test_components(void)
{
    enum { PAIRS = 1200 };
    std::vector<int> parent(MANY), label(MANY);
    std::vector<int2> pairs(PAIRS);
    kit_random random(3);
    for (int i = 0; i < MANY; i++)
        parent[i] = label[i] = i;
    for (int2 &pair : pairs)
        pair = make_int2(random.next() % MANY, random.next() % MANY);
    int *dparent = to_device(parent);
    unite<<<divide_up(PAIRS, 64), 64>>>(dparent, to_device(pairs), PAIRS);
    CHECK_LAUNCH();
    parent = from_device(dparent, MANY);
    for (bool changed = true; changed;) {
        changed = false;
        for (const int2 &pair : pairs) {
            int least = std::min(label[pair.x], label[pair.y]);
            changed |= label[pair.x] != least || label[pair.y] != least;
            label[pair.x] = label[pair.y] = least;
        }
    }
    for (int i = 0; i < MANY; i++) {
        int root = i;
        while (parent[root] != root)
            root = parent[root];
        EXPECT_EQUAL(label[i], root);
    }
}

int main(void)
{
    test_floyd();
    test_search();
    test_components();
    return finish();
}
