/* clues.h - what the text of a submission tells about a wrong or slow stage that no checker and no counter sees: a variable without an
 * initial value, a kernel that nobody launches. Reads text only; it is no parser of C++, and says nothing where it is not sure. */
#ifndef CLUES_H
#define CLUES_H

#include <stdbool.h>
#include <stddef.h>

struct lab;
struct lab_stage;

/* Of the functions that the stage's entry point reaches: "`sum` has no initial value (line 45), and line 47 adds to it: ...". */
bool clues_find_unset(const char *source, const struct lab_stage *stage, char *out, size_t size);
/* Of a kernel that the skeleton has for the stage: "reduce_sequential launches `tree_strided`, which is stage 3's kernel; `tree_sequential` is never launched." */
bool clues_find_other_kernel(const char *source, const char *skeleton, const struct lab *lab,
                             const struct lab_stage *stage, char *out, size_t size);

#endif
