/* code.h - the instructions that were executed and the tape of one block, as JSON: code.c.
 * Instructions are numbered in the order of the code; the tape's steps name them by number. */
#ifndef VGPU_PROFILE_CODE_H
#define VGPU_PROFILE_CODE_H

#include "base/json.h"
#include "profile/profile.h"

/* Names of files, each once; others refer to them by number. */
struct code_files {
    const char **names;
    size_t count, capacity;
};
/* The number of a file, which is new or not. */
size_t code_file(struct code_files *files, const char *name);

/* True if the tape goes through something that was found wrong. */
bool code_has_marks(const struct launch *launch);

/* "code": [...] and, where a block was taped, "tape": {...}. */
void code_put(struct json *json, struct code_files *files, const struct profile *profile);

#endif
