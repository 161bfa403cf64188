/* device_classes.cu - C++ on the device: classes with virtual functions, templates and specialisations, function
 * pointers, lambdas, operators, recursion. Objects are made on the device, where their tables of functions live.
 * Compared with the same code on the host. */
// options: --extended-lambda
#include "../kit.cuh"

class shape {
public:
    __host__ __device__ virtual ~shape() {}
    __host__ __device__ virtual int area() const = 0;
    __host__ __device__ virtual int corners() const { return 4; }
};

class square : public shape {
    int side;

public:
    __host__ __device__ explicit square(int s) : side(s) {}
    __host__ __device__ int area() const override { return side * side; }
};

class triangle : public shape {
    int base, height;

public:
    __host__ __device__ triangle(int b, int h) : base(b), height(h) {}
    __host__ __device__ int area() const override { return base * height / 2; }
    __host__ __device__ int corners() const override { return 3; }
};

__host__ __device__ shape *make_shape(int i)
{
    if (i % 2)
        return new square(i);
    return new triangle(i, i + 2);
}

__global__ void measure_shapes(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    shape *object = make_shape(i);
    out[i] = object->area() * 10 + object->corners();
    delete object;
}

struct vec3 {
    float x, y, z;
    __host__ __device__ vec3 operator+(const vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    __host__ __device__ vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
    __host__ __device__ bool operator==(const vec3 &o) const { return x == o.x && y == o.y && z == o.z; }
};

template <class T> struct zero_of {
    __host__ __device__ static T value() { return T(); }
};
template <> struct zero_of<vec3> {
    __host__ __device__ static vec3 value() { return {0, 0, 0}; }
};

template <class T, int N> __host__ __device__ T weighted(const T (&items)[N])
{
    T sum = zero_of<T>::value();
    for (int i = 0; i < N; i++)
        sum = sum + items[i] * (float)(i + 1);
    return sum;
}

__global__ void sum_vectors(vec3 *out)
{
    float f = threadIdx.x;
    vec3 items[3] = {{f, 1, 2}, {f + 1, 0, f}, {2, f, f}};
    out[threadIdx.x] = weighted(items);
}

typedef int (*binary_fn)(int, int);
__device__ int plus(int a, int b)
{
    return a + b;
}
__device__ int minus(int a, int b)
{
    return a - b;
}
__device__ int larger(int a, int b)
{
    return a > b ? a : b;
}
__device__ binary_fn functions[] = {plus, minus, larger};

__global__ void call_pointers(int *out)
{
    int i = threadIdx.x;
    out[i] = functions[i % 3](i * 7, 100);
}

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__device__ unsigned long long fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recurse(unsigned long long *out)
{
    out[threadIdx.x] = threadIdx.x < 16 ? fibonacci(threadIdx.x) : ackermann(2, threadIdx.x - 16);
}

template <class F> __global__ void apply(int *out, F f)
{
    out[threadIdx.x] = f(threadIdx.x);
}

static void test_shapes(void)
{
    int *out = device_new<int>(100);
    measure_shapes<<<2, 64>>>(out, 100);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 100);
    for (int i = 0; i < 100; i++) {
        shape *object = make_shape(i);
        EXPECT_EQUAL(object->area() * 10 + object->corners(), got[i]);
        delete object;
    }
}

static void test_vectors(void)
{
    vec3 *out = device_new<vec3>(32);
    sum_vectors<<<1, 32>>>(out);
    CHECK_LAUNCH();
    std::vector<vec3> got = from_device(out, 32);
    for (int i = 0; i < 32; i++) {
        float f = i;
        vec3 items[3] = {{f, 1, 2}, {f + 1, 0, f}, {2, f, f}};
        EXPECT(weighted(items) == got[i]);
    }
}

static void test_calls(void)
{
    int *out = device_new<int>(64);
    call_pointers<<<1, 64>>>(out);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 64);
    for (int i = 0; i < 64; i++) {
        int want[] = {i * 7 + 100, i * 7 - 100, i * 7 > 100 ? i * 7 : 100};
        EXPECT_EQUAL(want[i % 3], got[i]);
    }
    unsigned long long *numbers = device_new<unsigned long long>(24);
    recurse<<<1, 24>>>(numbers);
    CHECK_LAUNCH();
    std::vector<unsigned long long> seen = from_device(numbers, 24);
    unsigned long long a = 0, b = 1;
    for (int i = 0; i < 16; i++, b += a, a = b - a)
        EXPECT_EQUAL(a, seen[i]);
    for (int n = 0; n < 8; n++)
        EXPECT_EQUAL(2ull * n + 3, seen[16 + n]);
}

static void test_lambda(void)
{
    int *out = device_new<int>(32), factor = 5, table[3] = {1, 10, 100};
    apply<<<1, 32>>>(out, [=] __device__(int i) { return factor * i + table[i % 3]; });
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 32);
    for (int i = 0; i < 32; i++)
        EXPECT_EQUAL(factor * i + table[i % 3], got[i]);
}

int main(void)
{
    test_shapes();
    test_vectors();
    test_calls();
    test_lambda();
    return finish();
}
