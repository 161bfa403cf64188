/* tasks.h - the five tasks of lab 10: what lies in memory, how entry points are called, and what is right. */
#ifndef TASKS_H
#define TASKS_H

#include "lab/lab.h"
#include "lab10.h"

enum { N, M, KIND }; /* a case's sizes. What KIND means is the task's own. */

/* .own of a stage. */
struct task {
    lab_call_fn *call;
    const char *entries;  /* what m counts in each of n rows; NULL: there are n elements, and no m */
    const char *kinds[4]; /* by KIND % 4; NULL: there are none */
};

#define TASK(name)                                                                                           \
    lab_layout_fn name##_layout;                                                                             \
    extern const struct task name##_task

TASK(scan);      /* n ints */
TASK(histogram); /* n bytes. KIND 2: half of them are equal, 3: all are; else they are uniform */
TASK(compact);   /* n ints. KIND 1: half of them are kept, 2: none, 3: all, 0: one of 16 */
TASK(
    spmv); /* n rows of m entries on average. KIND 1: one row of 32 has half of the entries, 2: all rows are alike,
                    3: one row has all entries, 0: every second row is empty */
TASK(
    softmax); /* n rows of m floats. KIND 2: exp() of most of them overflows, 3: all are large; else they are small */

#undef TASK

lab_reference_fn scan_reference, histogram_reference, compact_reference;
lab_element_fn spmv_element, softmax_element;
lab_recognise_fn scan_recognise, compact_recognise, softmax_recognise;
lab_describe_fn task_describe;

#endif
