/* device.h - the kit's own kernels: inputs and comparison where the data is.
 * For sizes at which copies to the host would take longer than the work. Each returns NULL, or CUDA's words
 * for what went wrong. All work goes to the default stream; lab_device_compare() waits for its result. */
#ifndef LAB_DEVICE_H
#define LAB_DEVICE_H

#include <stddef.h>

#include "lab/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of lab_fill() for buffer number `index`, at `device`. */
const char *lab_device_fill(const struct lab_run *run, int index, void *device);
/* How many elements of `got` differ from `expected`, by the rules of lab_compare(); both on the device. Answers
 * are not compared: a kernel of the kit's gives none. */
const char *lab_device_compare(const struct lab_buffer *buffer, const void *got, const void *expected,
                               size_t *wrong);

#ifdef __cplusplus
}
#endif

#endif
