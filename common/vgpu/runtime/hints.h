/* hints.h - what full checking may tell of a program that is checked for bounds only: hints.c. */
#ifndef VGPU_HINTS_H
#define VGPU_HINTS_H

#include "runtime/image.h"

/* True if a launch of this kernel is worth a glance (check/glance.c). Counts it. */
bool hints_are_wanted(struct kernel *kernel, enum check_level check);
/* After a launch: what the glance found leaves its findings, and is remembered for the line at the end. */
void hints_take(struct kernel *kernel, const struct launch *launch);

#endif
