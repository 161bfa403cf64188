/* roofline.c - where a launch stands under the roof of its GPU: flop per byte of DRAM traffic, flop per second.
 * Operations are counted as the literature does: an add or a multiply is one, a fused multiply-add two, comparisons,
 * moves and integers none. The roof is that of the precision which does most of them. */
#include "model/roofline.h"

enum precision { SINGLE, DOUBLE, HALF, PRECISIONS };

static const uint8_t precision_of[CLASS_COUNT] = {
    [CLASS_FP32] = SINGLE + 1, [CLASS_SFU] = SINGLE + 1, [CLASS_FP64] = DOUBLE + 1, [CLASS_FP16] = HALF + 1};

static void add_function(double flop[PRECISIONS], const struct launch *launch,
                         const struct function *function)
{
    for (uint32_t i = 0; function->code && i < function->ncode; i++) {
        const struct insn *insn = &function->code[i];
        const uint8_t precision = insn->id ? precision_of[insn->class] : 0;
        if (!precision)
            continue;
        const struct insn_stat *stat = launch_stat(launch, insn->id);
        flop[precision - 1] += insn->flops * (double)(stat->warps * LANES - stat->idle);
    }
}

static double peak_gflops(const struct gpu *gpu, enum precision precision)
{
    const double lanes[PRECISIONS] = {gpu->fp32_lanes, gpu->fp64_lanes, 2.0 * gpu->fp16_lanes};
    return 2 * lanes[precision] * gpu->sms * gpu->clock_mhz / 1e3;
}

void roofline_place(struct roofline *out, const struct launch *launch, double time_us)
{
    const struct module *module = launch->kernel->module;
    const struct traffic *traffic = &launch->traffic;
    double flop[PRECISIONS] = {0};
    for (uint32_t f = 0; launch->stats && f < module->nfunctions; f++)
        add_function(flop, launch, &module->functions[f]);
    enum precision most = SINGLE;
    for (int p = 0; p < PRECISIONS; p++)
        most = flop[p] > flop[most] ? (enum precision)p : most;
    out->flop = flop[SINGLE] + flop[DOUBLE] + flop[HALF];
    out->bytes = 32.0 * (double)(traffic->dram_read_sectors + traffic->dram_write_sectors);
    out->intensity = out->bytes > 0 ? out->flop / out->bytes : 0;
    out->gflops = out->flop / (time_us * 1e3);
    out->peak_gflops = peak_gflops(launch->gpu, most);
    out->dram_gbs = launch->gpu->dram_gbs;
    const double slope = out->intensity * out->dram_gbs;
    out->ceiling_gflops = out->bytes > 0 && slope < out->peak_gflops ? slope : out->peak_gflops;
}
