/* main.cu - a program of three CUDA files and one C++ file: each CUDA file brings an image of its own. */
#include "../../kit.cuh"
#include "parts.h"

int main(void)
{
    std::vector<float> in(1000);
    for (int i = 0; i < 1000; i++)
        in[i] = i * 0.25f;
    float *data = to_device(in);
    scale_on_device(data, 2.0f, 1000);
    shift_on_device(data, 1.0f, 1000);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(data, 1000);
    for (int i = 0; i < 1000; i++)
        EXPECT_EQUAL(on_host(in[i]), got[i]);
    return finish();
}
