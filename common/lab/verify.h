/* verify.h - is a case right? The one engine that prepares buffers, has the work done, compares, and says what a wrong result looks
 * like. Whoever uses it says how work is done: build/lab3 calls the entry point, the judge plays a trace. So both say the same of
 * the same fault. Each case starts from nothing: new buffers, outputs poisoned, scratch memory never written. */
#ifndef LAB_VERIFY_H
#define LAB_VERIFY_H

#include "lab/lab.h"

/* What was found while work was done. */
struct verify_seen {
    enum lab_symptom symptom; /* LAB_NO_SYMPTOM: nothing was */
    const char *text;         /* "lab3.cu:41: out of bounds write in global memory"; "": nothing was found */
    enum lab_symptom if_stopped; /* what else explains that it did not come to its end */
    bool is_refused;             /* a call was: what it should have done is missing */
    bool has_host_read;          /* what host code gave the device may come from what it read there before */
};

enum verify_call {
    VERIFY_FIRST,   /* with device variables as the compiler left them */
    VERIFY_FURTHER, /* with those of the call before, on the same buffers */
    VERIFY_ASIDE    /* as the first, only to see more of what is known to be wrong */
};

struct verify_way {
    /* Does the work on these buffers and waits for it. False: it did not come to its end, and error says why. */
    bool (*run)(void *context, enum verify_call call, struct lab_run *run, struct verify_seen *seen,
                char *error, size_t size);
    /* Nothing more is run on them: what else it took is given back. NULL: nothing is to be done, as below. */
    void (*finish)(void *context);
    /* The first call is right; its results are on the host. */
    void (*was_right)(void *context, const struct lab_run *run);
    /* Writes output `index` as it should be. NULL: lab_reference(). */
    const char *(*expect)(void *context, const struct lab_run *run, int index, void *expected);
};

enum verify_end {
    VERIFY_DONE,
    VERIFY_LOST, /* the work did not come to its end: the device can be of no more use before it is reset */
    VERIFY_OURS  /* *problem says what failed; nothing is known of the case */
};

/* Of a run that has begun and has no memory yet; it has none afterwards. one->which: the number of the case, or 0 where it has none.
 * is_twice: called again, with other inputs and maybe in other orders of its blocks. */
enum verify_end verify_case(const struct verify_way *way, void *context, struct lab_run *run, bool is_twice,
                            struct lab_outcome *one, const char **problem);
/* Looks at one small case of a stage: one->which is its number. False: no others are to be looked at. */
typedef bool verify_look_fn(void *context, const struct lab_case *which, bool is_twice,
                            struct lab_outcome *one);
/* All small cases of a stage, until too many have failed, and what they say together. Regular sizes come first: they tell a kernel
 * that is wrong from one that is wrong at the edges only; narrow ones come last, when it is known what others do. The first is
 * called twice. draw: the seed of those that are drawn. cases: from verify_new_cases(), by number; returns how many there may be. */
uint32_t verify_cases(const struct lab *lab, const struct lab_stage *stage, uint64_t draw, int most_failures,
                      verify_look_fn *look, void *context, struct lab_outcome *cases);
struct lab_outcome *verify_new_cases(const struct lab *lab); /* to be freed; NULL: out of memory */
bool verify_is_known(const struct lab_outcome *one);         /* the case was looked at */

#endif
