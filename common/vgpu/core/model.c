/* model.c - a first estimate of a kernel's time: the slowest of the resources it uses, plus the cost of a launch.
 * A pure function of counters, profile, launch shape and occupancy: the same inputs give the same time everywhere.
 * It knows no latencies of single loads and no ptxas scheduling; a finer model takes its place behind the same seam. */
#include "core/counters.h"
#include "model/model.h"

/* What one SM can draw from L2, in bytes per clock: an SM's port to the crossbar (Volta and later). */
#define SM_PORT_BYTES 64.0
/* A warp issues a dependent instruction every four clocks: the latency of the arithmetic pipes. */
#define DEPENDENT_ISSUE_CLOCKS 4.0
/* A wavefront of shared memory, or four sectors of L1, pass per clock and SM. */
#define L1_SECTORS_PER_CLOCK 4.0
/* Integer division is a subroutine of about this many instructions. */
#define DIVISION_INSTRUCTIONS 20.0
/* A 64-bit integer operation is two 32-bit ones. */
#define INT64_INSTRUCTIONS 2.0

struct shape {
    double busiest; /* the part of all blocks that the busiest SM executes */
    double sms;     /* SMs that have work */
    double waves;   /* rounds of resident blocks, whole */
    double warps;   /* of the launch */
    double clock_hz;
};

static double ceil_div(uint64_t a, uint64_t b)
{
    return (double)(b ? a / b + (a % b != 0) : a);
}

static struct shape shape_of(const struct launch *launch, const struct occupancy *occupancy)
{
    const struct gpu *gpu = launch->gpu;
    uint64_t asked =
        (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]; /* a sample executes fewer */
    uint64_t blocks = asked ? asked : 1;
    uint64_t sms = gpu->sms ? gpu->sms : 1;
    uint64_t resident = sms * (occupancy->blocks_per_sm ? occupancy->blocks_per_sm : 1);
    uint32_t threads = launch->dim[0] * launch->dim[1] * launch->dim[2];
    return (struct shape){
        .busiest = ceil_div(blocks, sms) / (double)blocks,
        .sms = (double)(blocks < sms ? blocks : sms),
        .waves = ceil_div(blocks, resident),
        .warps = (double)blocks * ceil_div(threads, 32),
        .clock_hz = gpu->clock_mhz * 1e6,
    };
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Seconds to move bytes at the device's rate, or at what the SMs with work can draw. */
static double memory_seconds(const struct shape *shape, double bytes, double gbs)
{
    return bytes / least(gbs * 1e9, shape->sms * SM_PORT_BYTES * shape->clock_hz);
}

/* Seconds for the busiest SM to do its part of an amount, at a rate per clock. */
static double sm_seconds(const struct shape *shape, double amount, double per_clock)
{
    return amount * shape->busiest / per_clock / shape->clock_hz;
}

static double pipe_seconds(const struct shape *shape, double warp_instructions, uint32_t lanes)
{
    return sm_seconds(shape, warp_instructions * LANES, lanes);
}

static double integer_work(const struct counters *c)
{
    return (double)c->int_instructions + (double)c->imul_instructions +
           INT64_INSTRUCTIONS * (double)c->int64_instructions +
           DIVISION_INSTRUCTIONS * (double)c->idiv_instructions;
}

static double issued(const struct counters *c)
{
    return (double)c->warp_instructions + (INT64_INSTRUCTIONS - 1) * (double)c->int64_instructions +
           (DIVISION_INSTRUCTIONS - 1) * (double)c->idiv_instructions;
}

static double wavefronts(const struct counters *c)
{
    return (double)c->shared_load_wavefronts + (double)c->shared_store_wavefronts +
           (double)c->shared_atomic_wavefronts;
}

static double l1_sectors(const struct counters *c)
{
    return (double)c->global_load_sectors + (double)c->global_store_sectors +
           (double)c->global_atomic_sectors + (double)c->local_load_sectors + (double)c->local_store_sectors +
           (double)c->texture_sectors;
}

/* skipped: what the warp that waited longest for a clock would have issued meanwhile. */
static double chain_seconds(const struct counters *c, const struct shape *shape, uint64_t skipped)
{
    double chain = issued(c) / shape->warps + (double)skipped;
    return chain * shape->waves * DEPENDENT_ISSUE_CLOCKS / shape->clock_hz;
}

void model_forget(struct module *module)
{
    (void)module;
}

void model_estimate(struct estimate *out, const struct launch *launch, const struct occupancy *occupancy,
                    bool is_explained)
{
    (void)is_explained;
    *out = (struct estimate){0};
    struct counters counters, *c = &counters;
    counters_collect(c, launch);
    const struct gpu *gpu = launch->gpu;
    struct shape shape = shape_of(launch, occupancy);
    const struct {
        const char *name;
        double seconds;
    } limits[] = {
        {"dram",
         memory_seconds(&shape, (double)c->dram_read_bytes + (double)c->dram_write_bytes, gpu->dram_gbs)},
        {"l2", memory_seconds(&shape, 32.0 * (double)c->l2_sectors, gpu->l2_gbs)},
        {"shared", sm_seconds(&shape, wavefronts(c), 1)},
        {"l1", sm_seconds(&shape, l1_sectors(c), L1_SECTORS_PER_CLOCK)},
        {"issue", sm_seconds(&shape, issued(c), gpu->schedulers_per_sm)},
        {"fp32", pipe_seconds(&shape, (double)c->fp32_instructions, gpu->fp32_lanes)},
        {"int", pipe_seconds(&shape, integer_work(c), gpu->int_lanes)},
        {"fp64", pipe_seconds(&shape, (double)c->fp64_instructions, gpu->fp64_lanes)},
        {"fp16", pipe_seconds(&shape, (double)c->fp16_instructions, gpu->fp16_lanes)},
        {"sfu", pipe_seconds(&shape, (double)c->sfu_instructions, gpu->sfu_lanes)},
        {"latency", chain_seconds(c, &shape, launch->skipped)},
    };
    size_t slowest = 0;
    for (size_t i = 1; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].seconds > limits[slowest].seconds)
            slowest = i;
    double time_us = limits[slowest].seconds * 1e6;
    out->time_us = time_us + gpu->launch_overhead_us;
    out->limiter = time_us < gpu->launch_overhead_us ? "launch" : limits[slowest].name;
}
