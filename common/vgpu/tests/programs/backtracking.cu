/* backtracking.cu - recursion with arrays of its own: queens on a board, permutations, a maze walked by an explicit stack. */
#include "../kit.cuh"

enum { QUEENS = 8, MAZE = 21 };

__device__ int place(int row, unsigned columns, unsigned down, unsigned up)
{
    if (row == QUEENS)
        return 1;
    int count = 0;
    for (unsigned free = ~(columns | down | up) & ((1u << QUEENS) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        count += place(row + 1, columns | bit, (down | bit) << 1, (up | bit) >> 1);
    }
    return count;
}

__global__ void queens(int *total)
{
    unsigned first = 1u << threadIdx.x % QUEENS, second = 1u << threadIdx.x / QUEENS;
    unsigned down = first << 1, up = first >> 1;
    if (second & (first | down | up))
        return;
    atomicAdd(total, place(2, first | second, (down | second) << 1, (up | second) >> 1));
}

__device__ void permute(int *items, int first, int n, int *best)
{
    if (first == n) {
        int score = 0;
        for (int i = 0; i < n; i++)
            score += items[i] * (i % 2 ? i : -i);
        *best = max(*best, score);
        return;
    }
    for (int i = first; i < n; i++) {
        int t = items[first];
        items[first] = items[i];
        items[i] = t;
        permute(items, first + 1, n, best);
        items[i] = items[first];
        items[first] = t;
    }
}

__global__ void permutations(int *out)
{
    int items[5], best = -1000000;
    for (int i = 0; i < 5; i++)
        items[i] = (threadIdx.x * 7 + i * i * 3) % 11;
    permute(items, 0, 5, &best);
    out[threadIdx.x] = best;
}

static void permute_on_host(int *items, int first, int n, int *best)
{
    if (first == n) {
        int score = 0;
        for (int i = 0; i < n; i++)
            score += items[i] * (i % 2 ? i : -i);
        *best = score > *best ? score : *best;
        return;
    }
    for (int i = first; i < n; i++) {
        std::swap(items[first], items[i]);
        permute_on_host(items, first + 1, n, best);
        std::swap(items[first], items[i]);
    }
}

/* Cells reachable from a start, with a stack in local memory. */
__global__ void flood(int *out, const unsigned char *walls)
{
    short stack[MAZE * MAZE];
    unsigned seen[MAZE] = {};
    int top = 0, count = 0, start = threadIdx.x * 13 % (MAZE * MAZE);
    if (!walls[start])
        stack[top++] = start;
    while (top > 0) {
        int cell = stack[--top], x = cell % MAZE, y = cell / MAZE;
        if (seen[y] >> x & 1)
            continue;
        seen[y] |= 1u << x;
        count++;
        const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
        for (int k = 0; k < 4; k++) {
            int nx = x + dx[k], ny = y + dy[k];
            if (nx >= 0 && nx < MAZE && ny >= 0 && ny < MAZE && !walls[ny * MAZE + nx] && !(seen[ny] >> nx & 1) &&
                top < MAZE * MAZE)
                stack[top++] = ny * MAZE + nx;
        }
    }
    out[threadIdx.x] = count;
}

int main(void)
{
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    int *total = to_device(std::vector<int>(1, 0)), *out = device_new<int>(32);
    queens<<<1, 64>>>(total);
    CHECK_LAUNCH();
    EXPECT_EQUAL(92, from_device(total, 1)[0]);
    permutations<<<1, 32>>>(out);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 32);
    for (int t = 0; t < 32; t++) {
        int items[5], best = -1000000;
        for (int i = 0; i < 5; i++)
            items[i] = (t * 7 + i * i * 3) % 11;
        permute_on_host(items, 0, 5, &best);
        EXPECT_EQUAL(best, got[t]);
    }
    std::vector<unsigned char> walls(MAZE * MAZE);
    for (int i = 0; i < MAZE * MAZE; i++)
        walls[i] = i % MAZE == 10 || (i * 7 % 5 == 0 && i % 3 == 0);
    flood<<<1, 32>>>(out, to_device(walls));
    CHECK_LAUNCH();
    got = from_device(out, 32);
    for (int t = 0; t < 32; t++) {
        std::vector<int> waiting, seen(MAZE * MAZE);
        if (!walls[t * 13 % (MAZE * MAZE)])
            waiting.push_back(t * 13 % (MAZE * MAZE));
        int count = 0;
        while (!waiting.empty()) {
            int cell = waiting.back();
            waiting.pop_back();
            if (walls[cell] || seen[cell]++)
                continue;
            count++;
            int x = cell % MAZE, y = cell / MAZE;
            if (x > 0)
                waiting.push_back(cell - 1);
            if (x < MAZE - 1)
                waiting.push_back(cell + 1);
            if (y > 0)
                waiting.push_back(cell - MAZE);
            if (y < MAZE - 1)
                waiting.push_back(cell + MAZE);
        }
        EXPECT_EQUAL(count, got[t]);
    }
    return finish();
}
