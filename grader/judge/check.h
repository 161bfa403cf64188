/* check.h - are the results right? Answered on the virtual GPU, under full checking. */
#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include "grader/judge/pass.h"
#include "vgpu/vgpu.h"

/* Every case of the stage, with inputs of the judge's own; adds cases and messages to the verdict. */
void judge_check(struct judge *judge);

/* One case, LAB_MIDDLE or LAB_TIMED, executed as a whole and compared in full; the timed one is timed. True: it is right, or the stage
 * has no such case; most: warp instructions that it may take; else out->one says what is wrong. */
bool judge_check_whole(struct judge *judge, uint32_t number, enum vgpu_check check, uint64_t most,
                       struct pass *out);

#endif
