/* gpus.h - which GPUs a batch may use: all of the machine that are of one kind, each by the name that CUDA_VISIBLE_DEVICES takes. */
#ifndef GPUS_H
#define GPUS_H

enum { GPUS_MOST = 32 };

struct gpus {
    char names[GPUS_MOST][64]; /* "GPU-0a1b...", or as CUDA_VISIBLE_DEVICES named them */
    int count;
};

/* `visible`: CUDA_VISIBLE_DEVICES, or NULL; what it names is taken, for somebody has chosen it. Else what the driver tells in `proc`
 * ("/proc/driver/nvidia/gpus") of GPUs of this model: points must not depend on whose turn it was. */
void gpus_find(struct gpus *gpus, const char *proc, const char *visible, const char *model);

#endif
