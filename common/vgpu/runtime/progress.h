/* progress.h - one line on the terminal behind stderr while a kernel takes long: how many of its blocks are done, and how much of its
 * budget a block has used. It is gone when the launch ends, and never there in a pipe or a file. */
#ifndef VGPU_PROGRESS_H
#define VGPU_PROGRESS_H

#include "core/machine.h"

/* Around the execution of a launch; launches may overlap, and the latest is shown. */
void progress_begin(const struct launch *launch);
void progress_end(const struct launch *launch);

#endif
