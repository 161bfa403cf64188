/* tools.h - where this machine has compilers, make and other programs. Looks only; starts nothing. */
#ifndef TOOLS_H
#define TOOLS_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOLS_PATH = 2600 };

struct toolchain {
    char nvcc[TOOLS_PATH], cxx[TOOLS_PATH];
    char root[TOOLS_PATH]; /* of the CUDA Toolkit */
    char cxx_root[TOOLS_PATH];
};

/* A program by its name; `out` is its path. */
bool tools_on_path(const char *name, char *out, size_t size);
bool tools_find_make(char *out, size_t size);
bool tools_find_cxx(char *out, size_t size);
/* False: *error says what is missing, in a sentence. */
bool tools_find_nvcc(char *out, size_t size, char *error, size_t error_size);
/* The folder above the bin/ in which a tool lies. */
void tools_find_root(const char *tool, char *out, size_t size);
/* All that grading needs. False: *error says what is missing, and who knows more. */
bool tools_find(struct toolchain *tools, char *error, size_t size);

#endif
