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

#endif
