/* runtime_public.c - the functions of vgpu.h.
 * They only look: nothing that a program does through them changes what it computes.
 * The CUDA runtime API is in the other runtime files. */
#include "runtime/clock.h"
#include "vgpu.h"

const char *vgpu_version(void)
{
    return VGPU_VERSION;
}

const char *vgpu_gpu(void)
{
    runtime_begin();
    return runtime_config()->gpu->id;
}

double vgpu_time_us(void)
{
    runtime_lock();
    double time = (double)clock_host() / PS_PER_US;
    runtime_unlock();
    return time;
}
