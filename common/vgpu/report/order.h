/* order.h - what comes first in a program, as far as its control flow can tell. */
#ifndef VGPU_ORDER_H
#define VGPU_ORDER_H

#include "core/machine.h"

/* True if a thread that has executed instruction `from` can come to instruction `to` without a barrier of the block. Both are
 * ids; false also where they belong to different functions. */
bool order_reaches(const struct module *module, uint32_t from, uint32_t to);

#endif
