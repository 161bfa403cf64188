/* pass.c - see pass.h. */
#include "grader/judge/pass.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>

#include "grader/judge/told.h"
#include "vgpu/vgpu.h"

/* Warp instructions: ten times what honest kernels need in the middle case, and what two minutes are enough for. */
const uint64_t pass_most_middle = 1000000000, pass_most_timed = 20000000000;

void pass_start_afresh(void)
{
    vgpu_start_afresh();
    vgpu_set_work(pass_most_middle);
}

/* To the nanosecond, and a sum to the picosecond: what a difference of doubles has beyond that depends on what ran before. */
static double rounded(double value, double parts)
{
    return round(value * parts) / parts;
}

/* What filled the buffers is over then, whatever stream comes first. */
bool pass_run(struct pass *pass, struct judge_side *side, char *error, size_t size)
{
    cudaDeviceSynchronize();
    const double begin = vgpu_time_us(), work = vgpu_work_us();
    const bool is_followed = mattered_begin(pass->findings.judge, side, pass->findings.which);
    told_begin(side);
    const bool is_done = judge_side_run(side, error, size);
    pass->results_read = told_end();
    pass->time_us = rounded(vgpu_time_us() - begin, 1e3);
    pass->work_us = rounded(vgpu_work_us() - work, 1e6);
    if (is_followed)
        mattered_end(side, &pass->mattered);
    return is_done;
}

void pass_explain_stop(struct pass *pass, bool is_loaded, const char *error)
{
    const struct findings *findings = &pass->findings;
    const bool is_found = findings->told.symptom != LAB_NO_SYMPTOM;
    pass->one.is_right = false;
    pass->one.symptom = is_found ? findings_symptom(findings) : is_loaded ? LAB_STOPPED : LAB_LAUNCH;
    snprintf(pass->one.text, sizeof pass->one.text, "%s", is_found ? findings->told.text : error);
}

void pass_free(struct pass *pass)
{
    touched_free(pass->touched);
    findings_free(&pass->findings);
}
