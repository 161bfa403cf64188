/* main.cu - a program whose own names are also those of the virtual GPU's parts: each side must keep its own. */
#include "../../kit.cuh"

extern "C" int arena_alloc(int value);

__global__ void add_one(int *data)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[63 - threadIdx.x] + 1;
}

int main(void)
{
    std::vector<int> in(64);
    for (int i = 0; i < 64; i++)
        in[i] = arena_alloc(i);
    EXPECT_EQUAL(15, in[0]);
    int *data = to_device(in);
    add_one<<<1, 64>>>(data);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(data, 64);
    for (int i = 0; i < 64; i++)
        EXPECT_EQUAL(in[63 - i] + 1, got[i]);
    return finish();
}
