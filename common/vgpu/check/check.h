/* check.h - the checkers of each level: what the runtime chooses from.
 * Core and handlers know them through core/checker.h only; what the full one is made of stands in shadow.h. */
#ifndef VGPU_CHECK_H
#define VGPU_CHECK_H

#include "core/checker.h"

/* By enum check_level. */
extern const struct checker check_levels[];
/* As bounds, and notes which words are used. A launch with it has the level CHECK_FULL. */
extern const struct checker check_used;
/* As bounds, and the first blocks are checked fully for a while: what only the full checker finds is for a hint, not to be told
 * as if it had been asked for. A launch with it has the level CHECK_BOUNDS. */
extern const struct checker check_glance;

#endif
