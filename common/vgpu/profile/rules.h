/* rules.h - what could be done about a launch's time, and what that would gain: rules.c.
 * A rule looks at counters; where they show what it is about, the model says how long the launch would take without it. */
#ifndef VGPU_PROFILE_RULES_H
#define VGPU_PROFILE_RULES_H

#include "vgpu.h"

/* Gains below this are not told as advice: the model is not that exact. */
#define RULE_WORTH_TELLING 1.03

/* The first rule that is worth telling; NULL: none is. */
const struct vgpu_rule *rules_best(const struct vgpu_launch *launch);
/* The gain of a rule; 1: it does not hold. */
double rules_gain(const struct vgpu_launch *launch, const char *name);
/* What to try, in a sentence or two; where no rule is worth telling, that. */
void rules_advice(const struct vgpu_launch *launch, char *out, size_t size);

#endif
