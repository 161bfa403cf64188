/* output.h - device printf between launch and synchronisation; see runtime_output.c. Guarded by runtime_lock(). */
#ifndef VGPU_OUTPUT_H
#define VGPU_OUTPUT_H

#include "runtime/runtime.h"

void output_hold(const char *text, size_t size);
void output_show(void);
size_t output_held(void);

#endif
