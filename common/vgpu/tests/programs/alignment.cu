/* alignment.cu - Needleman-Wunsch: a table filled along its diagonals, in one block by barriers and over blocks by launches. */
#include "../kit.cuh"

enum { N = 100, TILE = 20, GAP = -2 };

__host__ __device__ int best_of(int diagonal, int up, int left, bool same)
{
    int best = diagonal + (same ? 3 : -1);
    best = up + GAP > best ? up + GAP : best;
    return left + GAP > best ? left + GAP : best;
}

__global__ void one_block(int *table, const char *a, const char *b)
{
    for (int d = 2; d <= 2 * N; d++) {
        for (int i = threadIdx.x + 1; i <= N; i += blockDim.x) {
            int j = d - i;
            if (j >= 1 && j <= N)
                table[i * (N + 1) + j] = best_of(table[(i - 1) * (N + 1) + j - 1], table[(i - 1) * (N + 1) + j],
                                                 table[i * (N + 1) + j - 1], a[i - 1] == b[j - 1]);
        }
        __syncthreads();
    }
}

__global__ void tile_diagonal(int *table, const char *a, const char *b, int diagonal)
{
    __shared__ int tile[TILE + 1][TILE + 1];
    int ti = blockIdx.x + max(0, diagonal - N / TILE + 1), tj = diagonal - ti, t = threadIdx.x;
    int top = ti * TILE, left = tj * TILE;
    for (int k = t; k <= TILE; k += blockDim.x) {
        tile[0][k] = table[top * (N + 1) + left + k];
        tile[k][0] = table[(top + k) * (N + 1) + left];
    }
    __syncthreads();
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int i = t + 1, j = d - t + 1;
        if (t < TILE && j >= 1 && j <= TILE)
            tile[i][j] = best_of(tile[i - 1][j - 1], tile[i - 1][j], tile[i][j - 1], a[top + i - 1] == b[left + j - 1]);
        __syncthreads();
    }
    for (int k = t; k < TILE * TILE; k += blockDim.x)
        table[(top + k / TILE + 1) * (N + 1) + left + k % TILE + 1] = tile[k / TILE + 1][k % TILE + 1];
}

int main(void)
{
    std::vector<char> a(N), b(N);
    std::vector<int> table((N + 1) * (N + 1), 0);
    kit_random random(1);
    for (int i = 0; i < N; i++) {
        a[i] = "ACGT"[random.next() % 4];
        b[i] = random.next() % 3 ? a[i] : "ACGT"[random.next() % 4];
    }
    for (int i = 0; i <= N; i++)
        table[i] = table[i * (N + 1)] = i * GAP;
    int *one = to_device(table), *two = to_device(table);
    char *da = to_device(a), *db = to_device(b);
    one_block<<<1, 64>>>(one, da, db);
    int tiles = N / TILE;
    for (int d = 0; d < 2 * tiles - 1; d++)
        tile_diagonal<<<d < tiles ? d + 1 : 2 * tiles - 1 - d, 32>>>(two, da, db, d);
    CHECK_LAUNCH();
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            table[i * (N + 1) + j] = best_of(table[(i - 1) * (N + 1) + j - 1], table[(i - 1) * (N + 1) + j],
                                             table[i * (N + 1) + j - 1], a[i - 1] == b[j - 1]);
    EXPECT(table == from_device(one, table.size()));
    EXPECT(table == from_device(two, table.size()));
    return finish();
}
