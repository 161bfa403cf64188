/* explained.h - VGPU_EXPLAIN and VGPU_REPORT: what each kernel of a program did and what limits it, told when the program ends,
 * as text and as a page for a browser: explained.c. */
#ifndef VGPU_EXPLAINED_H
#define VGPU_EXPLAINED_H

#include "vgpu.h"

/* Keeps what is to be said of the longest launch of each kernel. The launch has lines and a profile. */
bool explained_wants_spans(void);
void explained_span(const struct vgpu_span *span);
void explained_add(const struct vgpu_launch *launch);

#endif
