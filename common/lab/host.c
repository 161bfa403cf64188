/* host.c - steps of the host: work between kernels that a submission leaves to the CPU.
 * They are the kit's functions, so that they can be recorded by name and done again by whoever replays the recording. */
#include "lab/lab.h"
#include "vgpu/vgpu.h"

/* Defined where the virtual GPU is linked. */
#pragma weak vgpu_host_spend

static lab_host_heard_fn *listener;

void lab_hear_hosts(lab_host_heard_fn *heard)
{
    listener = heard;
}

void lab_host(const struct lab *of, int number, void *to, size_t to_bytes, const void *from,
              size_t from_bytes)
{
    const struct lab_host *host = &of->hosts[number];
    if (listener)
        listener((uint32_t)number, to, to_bytes, from, from_bytes);
    host->function(to, to_bytes, from, from_bytes);
    if (vgpu_host_spend)
        vgpu_host_spend(1e-3 * host->ns_per_byte * (double)from_bytes);
}
