/* beside.h - kernels that run beside the host: those that may wait for something that the host does.
 * A launch returns when its kernel is over, as ever, or when it only waits; then the host goes on, and the kernel with it. */
#ifndef VGPU_BESIDE_H
#define VGPU_BESIDE_H

#include <driver_types.h>
#include <stdbool.h>

struct beside;

/* Runs run(context, job) on a thread of its own and returns when it is over, or waits for the host. Behind a job of its stream
 * that is not over it returns at once. False: there is no thread to be had. */
bool beside_run(void (*run)(void *context, struct beside *job), void *context, cudaStream_t stream);
/* One kernel at a time is executed; not counting those that wait. Around each execution. */
void beside_take_device(void);
void beside_give_device(void);
/* A job's kernel can only be helped by the host: lets the host and other kernels go on for a moment. False: nobody will help,
 * since the host has been waiting for the kernel for long. is_first: it has got on since the last time. */
bool beside_wait_for_host(struct beside *job, bool is_first);

/* The host may have gone on before the job was over. */
bool beside_has_waited(struct beside *job);

/* Waits until the jobs that work on this stream must follow are over; NULL: all jobs. */
void beside_wait(cudaStream_t stream);
bool beside_is_busy(cudaStream_t stream);

#endif
