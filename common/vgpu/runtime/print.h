/* print.h - what kernels printed, until it is shown. All under runtime_lock(). */
#ifndef VGPU_PRINT_H
#define VGPU_PRINT_H

#include <stddef.h>

void print_keep(const char *text, size_t size);
void print_show(void); /* the host waits for the device now */

#endif
