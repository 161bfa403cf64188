/* bench.h - what bench.c is linked with: the GPU's peak of multiply-adds, and what a lab's file here knows of a library. */
#ifndef LAB_BENCH_H
#define LAB_BENCH_H

#include "lab/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel of multiply-adds that do not depend on each other, enough of them for every lane (peak.cu). */
size_t bench_fma_bytes(void);
double bench_fma_operations(void); /* a multiply-add is two */
void bench_fma(void *out);

/* bench/labN.cu, if there is one, and only on a GPU: a library's call that does what the lab's stages do, into the run's own
 * outputs. It runs without waiting for the end. False: the library is not here, which has been said. */
extern const char *const library_name;
bool library_call(const struct lab_run *run);

#ifdef __cplusplus
}
#endif

#endif
