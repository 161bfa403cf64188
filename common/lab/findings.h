/* findings.h - from what the virtual GPU finds to the symptom that a student is told about: one table, for the judge and for
 * build/lab3 alike. Of the virtual GPU only the names of its findings are used; nothing of it is linked. */
#ifndef LAB_FINDINGS_H
#define LAB_FINDINGS_H

#include "lab/lab.h"
#include "vgpu/vgpu.h"

/* LAB_NO_SYMPTOM: nothing that a stage could be blamed for. */
enum lab_symptom lab_symptom_of(enum vgpu_finding kind);
/* A launch's counter; 0: it has none of this name. */
double lab_counter_of(const struct vgpu_launch *launch, const char *name);

/* Of two symptoms of one run, in the order in which they came: the one to be told, which is the graver one, but for a kernel
 * that is stopped after threads got out of order or read what nobody wrote. That is what stopped it. */
enum lab_symptom lab_told_of(enum lab_symptom earlier, enum lab_symptom later);

/* Of all that is found in a run, what is to be told. Messages come in the order of time. */
struct lab_found {
    enum lab_symptom symptom; /* LAB_NO_SYMPTOM: nothing so far */
    bool is_within_warp;      /* a race of lanes of one warp: one of several warps is told instead */
    char text[320];           /* "lab3.cu:41: out of bounds write in global memory" */
};
/* True if this one is to be told from now on. */
bool lab_keep_found(struct lab_found *found, enum lab_symptom symptom, const char *place, const char *title);

/* A call must not live on what the one before left, nor on the order of blocks: those after a small case's first have other
 * inputs, and where places of results depend on other blocks, or blocks wait for each other, another order on the virtual GPU. */
enum { LAB_FURTHER_CALLS = 2 };
int lab_further_calls(const struct lab_stage *stage, enum vgpu_order orders[LAB_FURTHER_CALLS]);
/* "Right in the first call, wrong in a second one": begins what is told of such a call. */
const char *lab_words_of_call(enum vgpu_order order);
/* A GPU begins with the first blocks, and has room for many: who relies on that has right results, though nobody has promised
 * them. Only the finding is told then. */
bool lab_is_mere_finding(enum vgpu_order order, enum lab_symptom symptom);

#endif
