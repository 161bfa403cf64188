/* bench.h - what bench.c is linked with: the GPU's peak of multiply-adds, and what a lab's file here knows of a library (library.h). */
#ifndef LAB_BENCH_H
#define LAB_BENCH_H

#include "lab/library.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel of multiply-adds that do not depend on each other, enough of them for every lane (peak.cu). */
size_t bench_fma_bytes(void);
double bench_fma_operations(void); /* a multiply-add is two */
void bench_fma(void *out);

#ifdef __cplusplus
}
#endif

#endif
