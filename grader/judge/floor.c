/* floor.c - see floor.h. */
#include "grader/judge/floor.h"

#include <cuda_runtime_api.h>

#include "lab/scale.h"

static double attribute(enum cudaDeviceAttr name)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, 0) == cudaSuccess ? value : 0;
}

/* Two transfers per clock. What the L2 cache holds may be there from before. */
static double bytes_us(double bytes)
{
    const double per_us =
        2 * attribute(cudaDevAttrMemoryClockRate) * 1e-3 * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    const double rest = bytes - attribute(cudaDevAttrL2CacheSize);
    return per_us > 0 && rest > 0 ? rest / per_us : 0;
}

/* A multiprocessor issues four instructions per clock, each for 32 threads. */
static double instructions_us(double count)
{
    const double per_us =
        128 * attribute(cudaDevAttrMultiProcessorCount) * attribute(cudaDevAttrClockRate) * 1e-3;
    return per_us > 0 ? count / per_us : 0;
}

double floor_peak(void)
{
    return lab_fma_gflops((int)attribute(cudaDevAttrComputeCapabilityMajor),
                          (int)attribute(cudaDevAttrComputeCapabilityMinor),
                          (int)attribute(cudaDevAttrMultiProcessorCount), attribute(cudaDevAttrClockRate));
}

static double least_instructions(const struct lab_run *run)
{
    const double each = run->stage->least > 0 ? run->stage->least : run->lab->least;
    return each * lab_work(run) * 1e9;
}

double floor_us(const struct judge *judge, const struct lab_run *run)
{
    const double moved = bytes_us(judge->needed), issued = instructions_us(least_instructions(run));
    return moved > issued ? moved : issued;
}

bool floor_holds(const struct judge *judge, const struct lab_run *run, double student_us,
                 struct lab_outcome *one)
{
    const double least = floor_us(judge, run), moved = bytes_us(judge->needed);
    if (student_us >= least)
        return true;
    one->is_right = false;
    one->symptom = LAB_WRONG;
    if (moved >= least)
        snprintf(
            one->text, sizeof one->text,
            "%.1f us are less than the %.1f us that this GPU's memory takes for the %.0f MB that the result "
            "depends on: what was timed is not all of the work.",
            student_us, least, judge->needed * 1e-6);
    else
        snprintf(one->text, sizeof one->text,
                 "%.1f us are less than the %.1f us that this GPU takes to issue the %.3g instructions that "
                 "the result "
                 "needs at least: what was timed is not all of the work.",
                 student_us, least, least_instructions(run));
    return false;
}
