/* entry.h - how a lab's header declares the entry points that a student writes.
 * For the driver they are weak: the judge links no student object, and a student may have deleted one. */
#ifndef LAB_ENTRY_H
#define LAB_ENTRY_H

#ifdef __CUDACC__
#define LAB_ENTRY extern "C"
#else
#define LAB_ENTRY extern __attribute__((weak))
#endif

#endif
