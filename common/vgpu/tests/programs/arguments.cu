/* arguments.cu - kernel arguments of every size and alignment, large structures by value, vector types in memory, arrays
 * of structures, references to members, default and many parameters. */
#include "../kit.cuh"

struct mixed {
    char a;
    double b;
    short c[3];
    float4 d;
    bool e;
    int3 f;
    unsigned long long g;
};

struct large {
    int values[500];
};

__global__ void scalars(double *out, signed char a, short b, int c, long long d, float e, double f, bool g, unsigned char h,
                        const double *p, unsigned short i, int *const *q)
{
    out[0] = (double)a + b + c + d + e + f + g + h + *p + i + **q;
}

__global__ void structures(double *out, struct mixed m, struct large l, char last)
{
    double sum = m.a + m.b + m.c[0] + m.c[1] + m.c[2] + m.d.x + m.d.y + m.d.z + m.d.w + m.e + m.f.x + m.f.y + m.f.z + m.g;
    for (int i = threadIdx.x; i < 500; i += blockDim.x)
        sum += l.values[i];
    out[threadIdx.x] = sum + last;
}

__global__ void vectors(double *out, const char3 *c, const short4 *s, const int3 *i, const float2 *f, const double2 *d,
                        const ulonglong2 *u, const uchar4 *b)
{
    int t = threadIdx.x;
    out[t] = c[t].x + c[t].y + c[t].z + s[t].x + s[t].w + i[t].y + i[t].z + f[t].x + f[t].y + d[t].x + d[t].y + u[t].x +
             u[t].y + b[t].w;
}

__device__ __noinline__ struct mixed change(struct mixed m, int by)
{
    m.f.y += by;
    m.c[by % 3] = (short)by;
    return m;
}

__global__ void by_value(struct mixed *data)
{
    data[threadIdx.x] = change(data[threadIdx.x], threadIdx.x);
}

int main(void)
{
    double *out = device_new<double>(64);
    double *p = to_device(std::vector<double>(1, 0.5));
    int **q = to_device(std::vector<int *>(1, to_device(std::vector<int>(1, 1000000))));
    scalars<<<1, 1>>>(out, -1, -2, 3, 1ll << 40, 0.25f, 0.125, true, 200, p, 60000, q);
    CHECK_LAUNCH();
    EXPECT_EQUAL(-1 - 2 + 3 + (double)(1ll << 40) + 0.25 + 0.125 + 1 + 200 + 0.5 + 60000 + 1000000, from_device(out, 1)[0]);

    struct mixed m = {'x', 2.5, {1, -2, 3}, make_float4(1, 2, 3, 4), true, make_int3(7, 8, 9), 1ull << 35};
    struct large l;
    double base = 'x' + 2.5 + 2 + 10 + 1 + 24 + (double)(1ull << 35) + 'z';
    for (int i = 0; i < 500; i++)
        l.values[i] = i * i;
    structures<<<1, 50>>>(out, m, l, 'z');
    CHECK_LAUNCH();
    std::vector<double> got = from_device(out, 50);
    for (int t = 0; t < 50; t++) {
        double want = base;
        for (int i = t; i < 500; i += 50)
            want += i * i;
        EXPECT_EQUAL(want, got[t]);
    }

    std::vector<struct mixed> many(32, m);
    struct mixed *data = to_device(many);
    by_value<<<1, 32>>>(data);
    CHECK_LAUNCH();
    many = from_device(data, 32);
    for (int t = 0; t < 32; t++)
        EXPECT(many[t].f.y == 8 + t && many[t].c[t % 3] == t && many[t].g == m.g && many[t].d.w == 4);

    std::vector<char3> c(32, make_char3(-1, 2, 3));
    std::vector<short4> s(32, make_short4(-100, 0, 0, 7));
    std::vector<int3> i(32, make_int3(1, 20, 300));
    std::vector<float2> f(32, make_float2(0.5f, 0.25f));
    std::vector<double2> d(32, make_double2(1e6, -1));
    std::vector<ulonglong2> u(32, make_ulonglong2(1ull << 33, 5));
    std::vector<uchar4> b(32, make_uchar4(1, 2, 3, 250));
    vectors<<<1, 32>>>(out, to_device(c), to_device(s), to_device(i), to_device(f), to_device(d), to_device(u), to_device(b));
    CHECK_LAUNCH();
    for (double value : from_device(out, 32))
        EXPECT_EQUAL(4 - 93 + 320 + 0.75 + 999999 + (double)(1ull << 33) + 5 + 250, value);
    return finish();
}
