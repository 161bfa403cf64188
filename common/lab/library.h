/* library.h - a library's call that does what a lab's stages do. It is bench/labN.cu's, if there is one, and is linked on machines with
 * a GPU only; a student's kit has no benches. Who can do without it declares both names weak. */
#ifndef LAB_LIBRARY_H
#define LAB_LIBRARY_H

#include "lab/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const char *const library_name;
/* Into the run's own outputs, without waiting for the end. False: the library is not here, which has been said. */
bool library_call(const struct lab_run *run);

#ifdef __cplusplus
}
#endif

#endif
