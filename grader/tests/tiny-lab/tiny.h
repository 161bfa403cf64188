/* tiny.h - the entry points of the judge's test lab: out[i] = 2 * in[i] + 1 for n elements. */
#ifndef TINY_H
#define TINY_H

#include "lab/entry.h"

#define STAGE(name, symptom, words)                                                                          \
    LAB_ENTRY void tiny_##name(float *out, const float *in, float *scratch, int n);
#include "tiny.def"
#undef STAGE

#endif
