/* integer_intrinsics.cu - the integer functions of the language against plain C on the host: bits, wide products,
 * permutations, funnel shifts, averages, dot products of bytes, SIMD in a word, 128-bit arithmetic. */
#include "../kit.cuh"

enum { CASES = 24, INPUTS = 512 };

__global__ void compute(unsigned *out, const uint3 *in)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[t].x, b = in[t].y, c = in[t].z, *o = out + t * CASES;
    unsigned long long wide = (unsigned long long)a << 32 | b;
    unsigned __int128 product = (unsigned __int128)wide * ((unsigned long long)c << 32 | a);
    unsigned values[CASES] = {
        (unsigned)__popc(a),
        (unsigned)__popcll(wide),
        (unsigned)__clz(a),
        (unsigned)__clzll(wide),
        (unsigned)__ffs(a),
        (unsigned)__ffsll(wide),
        __brev(a),
        (unsigned)(__brevll(wide) >> 32),
        (unsigned)__mulhi((int)a, (int)b),
        __umulhi(a, b),
        (unsigned)__umul64hi(wide, wide),
        (unsigned)__mul24((int)(a << 8) >> 8, (int)(b << 8) >> 8),
        __byte_perm(a, b, c & 0x7777),
        __funnelshift_l(a, b, c),
        __funnelshift_r(a, b, c),
        (unsigned)__hadd((int)a, (int)b),
        __urhadd(a, b),
        __usad(a, b, c),
        (unsigned)__dp4a((int)a, (int)b, (int)c),
        __vadd4(a, b),
        __vabsdiffu4(a, b),
        __vcmpgtu4(a, b),
        (unsigned)(product >> 64),
        (unsigned)(product >> 96) ^ (unsigned)(wide / (c | 1)) ^ (unsigned)((long long)wide % (int)(b | 1)),
    };
    for (int k = 0; k < CASES; k++)
        o[k] = values[k];
}

static unsigned byte_of(unsigned long long word, int i)
{
    return word >> 8 * i & 0xff;
}

static unsigned per_byte(unsigned a, unsigned b, unsigned (*f)(unsigned, unsigned))
{
    unsigned out = 0;
    for (int i = 0; i < 4; i++)
        out |= (f(byte_of(a, i), byte_of(b, i)) & 0xff) << 8 * i;
    return out;
}

static unsigned reversed(unsigned a)
{
    unsigned out = 0;
    for (int i = 0; i < 32; i++)
        out |= (a >> i & 1) << (31 - i);
    return out;
}

static void expected(unsigned *o, unsigned a, unsigned b, unsigned c)
{
    unsigned long long wide = (unsigned long long)a << 32 | b, pair = (unsigned long long)b << 32 | a;
    unsigned __int128 product = (unsigned __int128)wide * ((unsigned long long)c << 32 | a);
    int dot = (int)c;
    unsigned perm = 0;
    for (int i = 0; i < 4; i++) {
        dot += (signed char)byte_of(a, i) * (signed char)byte_of(b, i);
        perm |= byte_of(pair, c >> 4 * i & 7) << 8 * i;
    }
    unsigned values[CASES] = {
        (unsigned)__builtin_popcount(a),
        (unsigned)__builtin_popcountll(wide),
        a ? (unsigned)__builtin_clz(a) : 32u,
        wide ? (unsigned)__builtin_clzll(wide) : 64u,
        (unsigned)__builtin_ffs(a),
        (unsigned)__builtin_ffsll(wide),
        reversed(a),
        reversed(b),
        (unsigned)((long long)(int)a * (int)b >> 32),
        (unsigned)((unsigned long long)a * b >> 32),
        (unsigned)((unsigned __int128)wide * wide >> 64),
        (unsigned)(((int)(a << 8) >> 8) * (long long)((int)(b << 8) >> 8)),
        perm,
        (unsigned)(pair << (c & 31) >> 32),
        (unsigned)(pair >> (c & 31)),
        (unsigned)(((long long)(int)a + (int)b) >> 1),
        (unsigned)(((unsigned long long)a + b + 1) >> 1),
        (a > b ? a - b : b - a) + c,
        (unsigned)dot,
        per_byte(a, b, [](unsigned x, unsigned y) { return x + y; }),
        per_byte(a, b, [](unsigned x, unsigned y) { return x > y ? x - y : y - x; }),
        per_byte(a, b, [](unsigned x, unsigned y) { return x > y ? 0xffu : 0u; }),
        (unsigned)(product >> 64),
        (unsigned)(product >> 96) ^ (unsigned)(wide / (c | 1)) ^ (unsigned)((long long)wide % (int)(b | 1)),
    };
    memcpy(o, values, sizeof values);
}

int main(void)
{
    const unsigned special[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xff00ff00, 0x12345678};
    std::vector<uint3> in(INPUTS);
    kit_random random(1);
    for (int i = 0; i < INPUTS; i++)
        in[i] = i < 64 ? make_uint3(special[i % 8], special[i / 8], special[(i * 5 + 3) % 8])
                       : make_uint3(random.next(), random.next(), random.next());
    unsigned *out = device_new<unsigned>(INPUTS * CASES), want[CASES];
    compute<<<INPUTS / 64, 64>>>(out, to_device(in));
    CHECK_LAUNCH();
    std::vector<unsigned> got = from_device(out, INPUTS * CASES);
    for (int i = 0; i < INPUTS; i++) {
        expected(want, in[i].x, in[i].y, in[i].z);
        for (int k = 0; k < CASES; k++)
            if (!EXPECT_EQUAL(want[k], got[i * CASES + k]))
                printf("  case %d of %08x %08x %08x\n", k, in[i].x, in[i].y, in[i].z);
    }
    return finish();
}
