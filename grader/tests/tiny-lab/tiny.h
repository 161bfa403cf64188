/* tiny.h - the entry points of the judge's test lab: out[i] = 2 * in[i] + 1 for n elements. */
#ifndef TINY_H
#define TINY_H

#include "lab/entry.h"

typedef void tiny_fn(float *out, const float *in, float *scratch, int n);

#define STAGE(name, symptom, words) LAB_ENTRIES(tiny_fn, tiny_##name);
#include "tiny.def"
#undef STAGE

#endif
