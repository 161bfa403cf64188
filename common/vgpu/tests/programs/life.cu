/* life.cu - Conway's game of life: byte cells on a torus, and bit cells 32 to a word with ballots.
 * A glider and noise; both forms against the host. */
#include "../kit.cuh"

enum { SIDE = 96, ROUNDS = 10 };

__global__ void life_bytes(unsigned char *out, const unsigned char *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
    if (x >= SIDE || y >= SIDE)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                n += in[(y + dy + SIDE) % SIDE * SIDE + (x + dx + SIDE) % SIDE];
    out[y * SIDE + x] = n == 3 || (n == 2 && in[y * SIDE + x]);
}

__device__ int bit(const unsigned *in, int x, int y)
{
    x = (x + SIDE) % SIDE;
    y = (y + SIDE) % SIDE;
    return in[y * (SIDE / 32) + x / 32] >> (x % 32) & 1;
}

__global__ void life_bits(unsigned *out, const unsigned *in)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y, n = 0;
    for (int k = 0; k < 9; k++)
        n += k == 4 ? 0 : bit(in, x + k % 3 - 1, y + k / 3 - 1);
    unsigned word = __ballot_sync(~0u, n == 3 || (n == 2 && bit(in, x, y)));
    if (threadIdx.x == 0)
        out[y * (SIDE / 32) + blockIdx.x] = word;
}

static std::vector<unsigned char> next_on_host(const std::vector<unsigned char> &in)
{
    std::vector<unsigned char> out(in.size());
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int n = -in[y * SIDE + x];
            for (int k = 0; k < 9; k++)
                n += in[(y + k / 3 - 1 + SIDE) % SIDE * SIDE + (x + k % 3 - 1 + SIDE) % SIDE];
            out[y * SIDE + x] = n == 3 || (n == 2 && in[y * SIDE + x]);
        }
    return out;
}

int main(void)
{
    std::vector<unsigned char> cells(SIDE * SIDE);
    std::vector<unsigned> words(SIDE * SIDE / 32);
    kit_random random(6);
    for (unsigned char &cell : cells)
        cell = random.next() % 3 == 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        words[i / 32] |= (unsigned)cells[i] << i % 32;
    unsigned char *a = to_device(cells), *b = device_new<unsigned char>(cells.size());
    unsigned *c = to_device(words), *d = device_new<unsigned>(words.size());
    dim3 block(24, 8), grid(SIDE / 24, SIDE / 8), rows(SIDE / 32, SIDE);
    for (int round = 0; round < ROUNDS; round++) {
        life_bytes<<<grid, block>>>(b, a);
        life_bits<<<rows, 32>>>(d, c);
        std::swap(a, b);
        std::swap(c, d);
        cells = next_on_host(cells);
    }
    CHECK_LAUNCH();
    EXPECT(cells == from_device(a, cells.size()));
    words = from_device(c, words.size());
    for (int i = 0; i < SIDE * SIDE; i++)
        EXPECT_EQUAL((int)cells[i], words[i / 32] >> i % 32 & 1);
    return finish();
}
