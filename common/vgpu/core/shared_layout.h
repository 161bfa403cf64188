/* shared_layout.h - where in a block's shared memory the variables of a module lie. */
#ifndef VGPU_SHARED_LAYOUT_H
#define VGPU_SHARED_LAYOUT_H

#include <stdbool.h>

struct module;

/* Gives places to the .shared variables of all symbols and functions, and to every kernel its shared_arrays and shared_bytes. The
 * functions' local_offsets exist already. False: no memory. */
bool shared_layout(struct module *module);

#endif
