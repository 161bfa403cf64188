/* counters_file.h - the file that VGPU_COUNTERS names: counters_file.c. */
#ifndef VGPU_COUNTERS_FILE_H
#define VGPU_COUNTERS_FILE_H

#include "core/counters.h"
#include "model/model.h"

/* Adds a line, if the program was told to write them. */
void counters_file_add(const struct launch *launch, const struct counters *counters,
                       const struct occupancy *occupancy, const struct estimate *estimate);

#endif
