/* follow.h - what launches and copies did is kept, where somebody wants to know which of it mattered: vgpu_follow(). */
#ifndef VGPU_FOLLOW_H
#define VGPU_FOLLOW_H

#include "core/machine.h"

/* The steps that a launch is to keep in trails. */
uint32_t follow_wants(const struct launch *launch);
/* What of it fed something in global memory, for those who tell about it. */
void follow_explain(struct launch *launch, double time_us);
/* After it was executed. */
void follow_launch(struct launch *launch, double time_us);
/* Bytes went from one place to another: device memory, or else the host's. */
void follow_copy(const void *to, const void *from, uint64_t bytes);
/* The memory is gone that it was about. */
void follow_forget(void);

#endif
