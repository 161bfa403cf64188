/* inline.cu - hand-written PTX: nested scopes, labels of their own, comments, odd literals. */
__global__ void by_hand(unsigned *out, unsigned n)
{
    unsigned result, clock_bits;
    asm volatile("{\n"
                 "  .reg .pred p, q;           // predicates\n"
                 "  .reg .u32 t<3>;            /* a range */\n"
                 "  setp.ne.and.u32 p|q, %1, 0, 1;\n"
                 "  @p bra skip;\n"
                 "  mov.u32 t1, 0x1F;\n"
                 "  { .reg .u32 t1; mov.u32 t1, 017; add.u32 t1, t1, 0b101; skip2: @!q bra skip2; }\n"
                 "skip:\n"
                 "  vadd.u32.u32.u32 t0, %1.b0, t1.h1, 4;\n"
                 "  lop3.b32 %0, t0, t1, WARP_SZ, (0x80|0x08)&~1;\n"
                 "}\n"
                 : "=r"(result)
                 : "r"(n));
    asm volatile("{ .reg .u64 a; mov.u64 a, %%globaltimer; cvt.u32.u64 %0, a; }" : "=r"(clock_bits));
    out[threadIdx.x] = result + __shfl_down_sync(~0u, n, 1) + clock_bits;
}
