/* roofline.h - where a launch stands under the roof of its GPU: roofline.c. */
#ifndef VGPU_ROOFLINE_H
#define VGPU_ROOFLINE_H

#include "model/model.h"

void roofline_place(struct roofline *out, const struct launch *launch, double time_us);

#endif
