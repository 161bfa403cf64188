/* inline_ptx.cu - PTX written by hand: operands of every size, predicates, special registers, carries, loops and labels,
 * byte permutation, bit fields, vector loads, cache operators. */
#include "../kit.cuh"

__device__ unsigned lane_by_ptx(void)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ unsigned long long add_with_carry(unsigned long long a, unsigned long long b)
{
    unsigned low, high;
    asm("{\n\t.reg .u32 a0, a1, b0, b1;\n\t"
        "mov.b64 {a0, a1}, %2;\n\tmov.b64 {b0, b1}, %3;\n\t"
        "add.cc.u32 %0, a0, b0;\n\taddc.u32 %1, a1, b1;\n\t}"
        : "=r"(low), "=r"(high)
        : "l"(a), "l"(b));
    return (unsigned long long)high << 32 | low;
}

__device__ int sum_to(int n)
{
    int sum;
    asm volatile("{\n\t.reg .pred p;\n\t.reg .s32 i;\n\tmov.s32 %0, 0;\n\tmov.s32 i, %1;\n"
                 "again:\n\tsetp.le.s32 p, i, 0;\n\t@p bra done;\n\tadd.s32 %0, %0, i;\n\tsub.s32 i, i, 1;\n\t"
                 "bra.uni again;\ndone:\n\t}"
                 : "=&r"(sum)
                 : "r"(n));
    return sum;
}

__global__ void by_hand(unsigned *out, const uint4 *in)
{
    unsigned t = threadIdx.x, a, b, c, d, r;
    unsigned *o = out + t * 16;
    o[0] = lane_by_ptx();
    asm("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(r) : "r"(0x33221100u + t), "r"(0x77665544u));
    o[1] = r;
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(r) : "r"(0xabcd1234u + t));
    o[2] = r;
    asm("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(r) : "r"(t), "r"(0xffffffffu));
    o[3] = r;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(t), "r"(0x55u), "r"(0x33u));
    o[4] = r;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in + t));
    o[5] = a + b + c + d;
    unsigned long long wide = add_with_carry(0xffffffffull + t, 0x100000001ull);
    o[6] = (unsigned)wide;
    o[7] = (unsigned)(wide >> 32);
    asm("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, 15;\n\tselp.u32 %0, 100, 200, p;\n\t}" : "=r"(r) : "r"(t));
    o[8] = r;
    asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(t << 20), "r"(1u << 20), "r"(5u));
    o[9] = r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x80000000u), "r"(t), "r"(5));
    o[10] = r;
    o[11] = sum_to(t);
    float f;
    asm("fma.rz.f32 %0, %1, %1, %2;" : "=f"(f) : "f"((float)t), "f"(0.5f));
    o[12] = __float_as_uint(f);
    asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(o + 13), "r"(t * 3) : "memory");
    asm("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %1, 3;\n\tmov.u32 %0, 1;\n\t@p mov.u32 %0, 2;\n\t@!p add.u32 %0, %0, 8;\n\t}"
        : "=r"(r)
        : "r"(t));
    o[14] = r;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x01020304u), "r"(0x04030201u), "r"(t));
    o[15] = r;
}

int main(void)
{
    std::vector<uint4> in(32);
    for (unsigned t = 0; t < 32; t++)
        in[t] = make_uint4(t, 2 * t, 3, 4);
    unsigned *out = device_new<unsigned>(32 * 16);
    by_hand<<<1, 32>>>(out, to_device(in));
    CHECK_LAUNCH();
    std::vector<unsigned> got = from_device(out, 32 * 16);
    for (unsigned t = 0; t < 32; t++) {
        unsigned long long wide = 0xffffffffull + t + 0x100000001ull;
        float f = (float)(t * t) + 0.5f;
        unsigned bits, low = 0x33221100u + t;
        memcpy(&bits, &f, 4);
        unsigned want[16] = {t,
                             (low & 0xff) | 0x44u << 8 | (low >> 8 & 0xff) << 16 | 0x55u << 24,
                             (0xabcd1234u + t) >> 4 & 0xff,
                             0xffff00ffu | t << 8,
                             (t & 0x55) | (t & 0x33) | (0x55 & 0x33),
                             3 * t + 7,
                             (unsigned)wide,
                             (unsigned)(wide >> 32),
                             t > 15 ? 100u : 200u,
                             (unsigned)(((unsigned long long)(t << 20) << 20) >> 32) + 5,
                             t << 5 | 0x10,
                             t * (t + 1) / 2,
                             bits,
                             t * 3,
                             t == 3 ? 2u : 9u,
                             t + 3 + 1 + 1 + 3};
        for (int k = 0; k < 16; k++)
            if (!EXPECT_EQUAL(want[k], got[t * 16 + k]))
                printf("  case %d, lane %u\n", k, t);
    }
    return finish();
}
