/* pages.h - for model.c: how well a launch uses the pages that DRAM opens. */
#ifndef VGPU_PAGES_H
#define VGPU_PAGES_H

#include "core/record.h"

struct sm_job;

/* The part of the launch's DRAM traffic for which a page is opened that serves one line of 128 bytes only. */
double pages_scatter(const struct launch *launch, const struct sm_job *job);

#endif
