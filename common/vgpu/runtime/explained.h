/* explained.h - VGPU_EXPLAIN: what each kernel of a program did and what limits it, told when the program ends: explained.c. */
#ifndef VGPU_EXPLAINED_H
#define VGPU_EXPLAINED_H

#include "vgpu.h"

/* Keeps the words about the longest launch of each kernel. The launch has lines and a profile. */
void explained_add(const struct vgpu_launch *launch);

#endif
