/* floor.h - the time that no kernel can go below, and whether a submission did.
 * Bytes that the result depends on have to come from memory, at its rate at best; instructions have to be issued. Whoever is
 * faster has done less, or has found a way past the clock. Uses the CUDA runtime API only, the real one or ours. */
#ifndef JUDGE_FLOOR_H
#define JUDGE_FLOOR_H

#include "grader/judge/judge.h"

/* Least time of the timed case; 0: nothing is known of it. */
double floor_us(const struct judge *judge, const struct lab_run *run);
/* False: the time is below it, and one says so. */
bool floor_holds(const struct judge *judge, const struct lab_run *run, double student_us,
                 struct lab_outcome *one);
/* GFLOP/s of nothing but multiplications with additions; 0: not known. */
double floor_peak(void);

#endif
