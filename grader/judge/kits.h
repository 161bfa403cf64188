/* kits.h - what the kit's own kernels take at the timed size: the same for every submission, so it is found out once, when
 * the kit is built, and read from a file. Whatever the file does not have is found out again. */
#ifndef JUDGE_KITS_H
#define JUDGE_KITS_H

#include "grader/judge/sample.h"

/* All stages of the lab, as lines of text. False: some kernel of the kit's cannot be sampled; the verdict says why. */
bool kits_write(struct judge *judge, FILE *out);
/* From judge->kits, if it has this segment for this GPU. */
bool kits_find(const struct judge *judge, const char *name, struct pass *out);

#endif
