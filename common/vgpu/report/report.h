/* report.h - diagnostics in words: what happened, where, to which array, and the likely cause.
 * A diagnostic is found while a block runs, kept with its block, merged in block order when the block is done, and
 * printed when the launch ends, so that output does not depend on host threads. Repeats of one place are counted.
 * Host-side findings (double free, leaks, bad copies) are printed at once. */
#ifndef VGPU_REPORT_H
#define VGPU_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"

enum severity { SEVERITY_ERROR, SEVERITY_RACE, SEVERITY_WARNING };

/* One finding. key_* tell repeats: same severity, title, loc and other_loc are one place. */
struct diagnostic {
    enum severity severity;
    const char *title;  /* static text: "out of bounds read in shared memory" */
    uint32_t loc;       /* index into the module's locs: the instruction at fault */
    uint32_t other_loc; /* the other access of a race; 0: none */
    uint64_t block;     /* linear block number */
    uint32_t thread;    /* linear thread number in the block */
    char array[80];     /* the array's name, for the first line; "" for none */
    char what[512];     /* "writes 4 bytes at tile[32][0], 4 bytes past the end of tile (float[32][32])" */
    char cause[240];    /* one sentence, printed after "likely cause: "; "" for none */
};

struct diagnostics *diagnostics_new(void);
void diagnostics_free(struct diagnostics *list);
/* Adds it, or counts a repeat. At most some hundred places are kept; more are only counted. */
void diagnostics_add(struct diagnostics *list, const struct diagnostic *diagnostic);
/* Moves all of from to the end of into, merging repeats. */
void diagnostics_merge(struct diagnostics *into, struct diagnostics *from);
uint64_t diagnostics_count(const struct diagnostics *list); /* places */
bool diagnostics_has_errors(const struct diagnostics *list);
/* Prints a launch's findings to stderr, each as a block. */
void diagnostics_print(const struct diagnostics *list, const struct launch *launch);

/* A whole message for whoever watches instead of stderr; NULL: stderr again. */
struct report {
    const char *severity, *title, *place, *cause, *text;
};
typedef void report_sink(const struct report *report, void *context);
/* What failed assertions said, in CUDA's own words. */
void report_text(const char *text, size_t size);
void report_set_sink(report_sink *sink, void *context);

/* Convenience for handlers: fills in block, thread and loc and adds to the block's list. */
void report_at(struct warp *warp, const struct insn *insn, int lane, enum severity severity,
               const char *title, const char *cause, const char *what, ...)
    __attribute__((format(printf, 7, 8)));

/* An access outside every allocation, misaligned, to freed memory, or the wrong space; address is a generic or space
 * address. Finds the array's name and the index and writes the sentence. */
enum bad_access { BAD_BOUNDS, BAD_ALIGNMENT, BAD_FREED, BAD_NULL, BAD_HOST_POINTER, BAD_READ_ONLY };
void report_access(struct warp *warp, const struct insn *insn, int lane, enum bad_access bad,
                   enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write);

/* Names for messages. name_of_address writes "`tile[3][4]`"-like text for an address in a space (kernel argument names
 * are read from the source file if it is there). */
void name_of_address(const struct warp *warp, enum ptx_space space, uint64_t address, uint32_t element_bytes,
                     char *out, size_t size);
/* "prog.cu:12", the innermost position that is not in the CUDA toolkit's own headers. */
void name_of_loc(const struct ptx_module *module, uint32_t loc, char *out, size_t size);
/* A demangled kernel or variable name, as far as a short demangler goes. */
void name_demangle(const char *mangled, char *out, size_t size);

/* Host side: severity, title and sentence; frames are host return addresses (backtrace()), resolved to file:line with
 * addr2line if it is there. */
void report_host(enum severity severity, const char *title, void *const *frames, size_t nframes,
                 const char *cause, const char *what, ...) __attribute__((format(printf, 6, 7)));
/* The host call chain of whoever called into the runtime. */
void report_frames(void **frames, size_t count);

#endif
