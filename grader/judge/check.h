/* check.h - are the results right? Answered on the virtual GPU, under full checking. */
#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include "grader/judge/judge.h"
#include "vgpu/vgpu.h"

/* Every case of the stage, with inputs of the judge's own; adds cases and messages to the verdict. */
void judge_check(struct judge *judge);

/* One case, LAB_MIDDLE or LAB_TIMED, executed as a whole and compared in full. True: it is right, or the stage has no such
 * case; else *one says what is wrong. covered: what its kernels executed is added to it; may be NULL. */
bool judge_check_whole(struct judge *judge, uint32_t number, enum vgpu_check check, struct verdict_case *one,
                       struct coverage *covered);

/* From here on, as many instructions as the middle or the timed case may take. */
void judge_allow_work(uint32_t number);

#endif
