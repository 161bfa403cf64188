/* initialisers.cu - device variables with initial values of every kind: scalars, arrays, structures, strings, pointers to
 * other variables, tables of constants; and copies to and from symbols at offsets. */
#include "../kit.cuh"

struct record {
    char tag;
    short small;
    int number;
    double value;
    const char *name;
    float list[3];
};

__device__ int plain = 41;
__device__ int numbers[5] = {1, -2, 3};
__device__ double fractions[] = {0.5, -1e300, 3.25};
__constant__ unsigned char bytes[8] = {1, 2, 255, 4};
__constant__ float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ const char greeting[] = "hello";
__device__ struct record records[2] = {{'a', -7, 100000, 2.5, greeting, {1, 2, 3}}, {'b', 9, -1, -0.125, "literal", {4, 5, 6}}};
__device__ int *pointer = &numbers[2];
__device__ long long big = -1234567890123456789ll;
__constant__ int *const table[2] = {&plain, &numbers[1]};
static __device__ bool flag = true;

__global__ void read_all(double *out)
{
    int n = 0;
    out[n++] = plain;
    out[n++] = numbers[1] + numbers[4];
    out[n++] = fractions[2];
    out[n++] = bytes[2];
    out[n++] = weights[1][2];
    out[n++] = greeting[4];
    out[n++] = records[1].tag + records[0].small;
    out[n++] = records[0].number + records[1].value;
    out[n++] = records[0].name[1];
    out[n++] = records[1].name[6];
    out[n++] = records[1].list[2];
    out[n++] = *pointer;
    out[n++] = (double)(big % 1000);
    out[n++] = *table[0] + *table[1];
    out[n++] = flag;
}

int main(void)
{
    double want[] = {41, -2, 3.25, 255, 6, 'o', 'b' - 7, 100000 - 0.125, 'e', 'l', 6, 3, -789, 39, 1};
    int count = sizeof want / sizeof want[0];
    double *out = device_new<double>(count);
    read_all<<<1, 1>>>(out);
    CHECK_LAUNCH();
    std::vector<double> got = from_device(out, count);
    for (int i = 0; i < count; i++)
        if (!EXPECT_EQUAL(want[i], got[i]))
            printf("  value %d\n", i);
    int two[2] = {70, 80}, back[5];
    CHECK(cudaMemcpyToSymbol(numbers, two, sizeof two, 2 * sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(back, numbers, sizeof back));
    EXPECT(back[0] == 1 && back[1] == -2 && back[2] == 70 && back[3] == 80 && back[4] == 0);
    size_t size;
    CHECK(cudaGetSymbolSize(&size, records));
    EXPECT_EQUAL(sizeof(struct record) * 2, size);
    void *address;
    CHECK(cudaGetSymbolAddress(&address, plain));
    int changed = 1000;
    CHECK(cudaMemcpy(address, &changed, sizeof changed, cudaMemcpyHostToDevice));
    read_all<<<1, 1>>>(out);
    CHECK_LAUNCH();
    EXPECT_EQUAL(1000.0, from_device(out, 1)[0]);
    EXPECT_EQUAL(70.0, from_device(out, 12)[11]);
    return finish();
}
