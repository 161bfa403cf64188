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
/* Nothing is known but that values are wrong. */
bool verify_is_about_values(const struct lab_outcome *one);

#endif
