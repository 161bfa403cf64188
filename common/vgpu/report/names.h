/* names.h - names as the programmer wrote them: demangled symbols, kernel parameters, array shapes, host lines.
 * Every function writes NUL-terminated text and falls back to something true when it cannot do better.
 * Nothing here knows what went wrong; report.c does. */
#ifndef VGPU_NAMES_H
#define VGPU_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ptx.h"

struct function;

/* The last part of a variable's name: "tile" of _ZZ1kPfE4tile. */
void name_short(const char *mangled, char *out, size_t size);
/* The unqualified name of a function: "scale" of _ZN3lab5scaleEPfi. */
void name_of_function(const char *mangled, char *out, size_t size);

/* A demangled kernel or variable name, as far as a short demangler goes. */
void name_demangle(const char *mangled, char *out, size_t size);
/* The innermost position of a chain of inlined calls that is in the program's own files; 0: none. */
uint32_t own_loc(const struct ptx_module *module, uint32_t loc);
/* "prog.cu:12", the innermost position that is not in the CUDA toolkit's own headers. */
void name_of_loc(const struct ptx_module *module, uint32_t loc, char *out, size_t size);
/* "shared memory". */
const char *name_of_space(enum ptx_space space);

/* source.c: the program's text, if it can still be read. Safe to call from several threads. Only plain files of some
 * megabytes are read, whatever a line table names. */
/* From now on only this file is read, for lines of the file that line tables call name; see vgpu_set_source(). */
void source_only(const char *path, const char *name);
/* Parameter number index of the kernel, as declared in file. */
bool source_parameter(const char *file, const char *function, unsigned index, char *out, size_t size);
/* The same as numbers, if they can be worked out; returns how many, 0: unknown. */
unsigned source_shape(const char *file, const char *name, uint64_t *dims, unsigned most);
/* True if a statement that begins on line `outer` with if, else, for, while or switch has `inner` in its body. */
bool source_encloses(const char *file, uint32_t outer, uint32_t inner);
/* A line of a file without comments, literals and the blanks around it; false: it is not known, or nothing is left. */
bool source_line(const char *file, uint32_t line, char *out, size_t size);

/* The file in which a function's code begins, "" if unknown. */
const char *source_file_of(const struct function *function);
/* True for files of the CUDA toolkit and the system. */
bool is_toolkit_file(const char *path);
/* A path as people want to read it: relative to the working directory if below it. */
void name_of_path(const char *path, char *out, size_t size);

/* hostline.c: "prog.cu:40" for the first frame that belongs to the program itself; false: only an address is known. */
bool host_line(void *const *frames, size_t nframes, char *out, size_t size);

#endif
