/* findings.h - from what the virtual GPU finds to the symptom that a student is told about: one table, for the judge and for
 * build/lab3 alike. Of the virtual GPU only the names of its findings are used; nothing of it is linked. */
#ifndef LAB_FINDINGS_H
#define LAB_FINDINGS_H

#include "lab/lab.h"
#include "vgpu/vgpu.h"

/* LAB_NO_SYMPTOM: nothing that a stage could be blamed for. */
enum lab_symptom lab_symptom_of(enum vgpu_finding kind);

#endif
