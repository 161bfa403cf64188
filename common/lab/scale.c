/* scale.c - see scale.h. A unit whose most is known is a row of a table. */
#include "lab/scale.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- what is attainable */

/* Lanes for floats of an SM, by compute capability: CUDA Programming Guide, throughput of native arithmetic instructions. */
static const struct {
    int capability, lanes;
} fp32[] = {{60, 64},  {61, 128}, {62, 128}, {70, 64},   {72, 64},   {75, 64},   {80, 64},  {86, 128},
            {87, 128}, {89, 128}, {90, 128}, {100, 128}, {103, 128}, {120, 128}, {121, 128}};

double lab_fma_gflops(int major, int minor, int sms, double clock_khz)
{
    for (int i = 0; i < LAB_COUNT(fp32); i++)
        if (fp32[i].capability == 10 * major + minor)
            return 2e-6 * fp32[i].lanes * sms * clock_khz;
    return 0;
}

static const struct {
    const char *unit, *name;
    size_t most; /* its place in struct lab_most */
} attainable[] = {{"GB/s", "a copy", offsetof(struct lab_most, copy)},
                  {"GFLOP/s", "FMA peak", offsetof(struct lab_most, fma)}};

bool lab_is_share(const char *unit)
{
    for (int i = 0; i < LAB_COUNT(attainable); i++)
        if (unit && !strcmp(attainable[i].unit, unit))
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------- one stage */

const char *lab_base(const struct lab *lab, const struct lab_stage *stage)
{
    static const char prefix[] = "baseline_";
    const char *name = lab_baseline(lab, stage);
    return name && !strncmp(name, prefix, strlen(prefix)) ? name + strlen(prefix) : name;
}

static double highest_need(const struct lab_stage *stage)
{
    double need = 0;
    for (int i = 0; i < LAB_TIERS; i++)
        if (stage->speed[i].points && stage->speed[i].speedup > need)
            need = stage->speed[i].speedup;
    return need;
}

void lab_find_scale(const struct lab *lab, const struct lab_stage *stage, const struct lab_most *most,
                    double work, double us, double base_us, struct lab_scale *out)
{
    *out = (struct lab_scale){.us = us, .unit = lab_unit(lab, stage), .need = highest_need(stage)};
    out->rate = us > 0 ? work / (us * 1e-6) : 0;
    for (int i = 0; i < LAB_COUNT(attainable); i++) {
        const double limit = *(const double *)((const char *)most + attainable[i].most);
        if (limit > 0 && out->unit && !strcmp(attainable[i].unit, out->unit)) {
            out->attainable = attainable[i].name;
            out->share = out->rate / limit;
        }
    }
    if (base_us > 0 && us > 0) {
        out->speedup = base_us / us;
        out->base = lab_base(lab, stage);
    }
}

/* ------------------------------------------------------------------------------------------- words */

void lab_write_times(double value, char *out, size_t size)
{
    snprintf(out, size, value < 0.095 ? "%.1gx" : "%.2fx", value);
}

void lab_write_share(const struct lab_scale *scale, char *out, size_t size)
{
    if (scale->attainable)
        snprintf(out, size,
                 scale->share < 0.0005 ? "%.1g %% of %s"
                 : scale->share < 0.1  ? "%.1f %% of %s"
                                       : "%.0f %% of %s",
                 100 * scale->share, scale->attainable);
    else
        snprintf(out, size, "%.4g %s", scale->rate, scale->unit ? scale->unit : "");
}

void lab_write_scale(const struct lab_scale *scale, char *out, size_t size)
{
    char share[80], speedup[32], gain[32];
    lab_write_share(scale, share, sizeof share);
    lab_write_times(scale->speedup, speedup, sizeof speedup);
    lab_write_times(scale->gain, gain, sizeof gain);
    const bool has_gain = scale->gain > 0 && !(scale->base && strcmp(speedup, gain) == 0);
    size_t used = (size_t)snprintf(out, size, "%.2f us%s%s", scale->us, scale->unit ? ", " : "",
                                   scale->unit ? share : "");
    if (scale->base && used < size)
        used += (size_t)snprintf(out + used, size - used, "; %s%s%s", scale->is_told ? "baseline " : speedup,
                                 scale->is_told ? "" : " over the kit's ", scale->base);
    if (has_gain && used < size)
        snprintf(out + used, size - used, "%s %s over stage %d", scale->base ? "," : ";", gain,
                 scale->before);
}
