/* drawing.h - pictures in text: lanes over sectors, lanes over banks, a roofline. drawing.c. */
#ifndef VGPU_PROFILE_DRAWING_H
#define VGPU_PROFILE_DRAWING_H

#include <stdio.h>

#include "vgpu.h"

/* Each line of 128 bytes that the lanes touch: words that are used, and those that come along with their sectors. */
void draw_sectors(FILE *out, int indent, const struct vgpu_picture *picture);
/* How many words the lanes want of each bank at a time, and who wants those of the fullest bank. */
void draw_banks(FILE *out, int indent, const struct vgpu_picture *picture);
/* The roof of a GPU and a kernel's place below it. */
void draw_roofline(FILE *out, int indent, const struct vgpu_profile *profile, double time_us);

#endif
