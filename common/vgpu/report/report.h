/* report.h - findings in words: what happened, where, to which array, and the likely cause.
 * Kernels' findings are told when their launch ends; those of host calls (double free, bad copies, leaks) at once.
 * Messages go to stderr, or to whoever watches. Titles and causes are those of findings.def. */
#ifndef VGPU_REPORT_H
#define VGPU_REPORT_H

#include <stddef.h>

#include "core/findings.h"

/* Tells a launch's findings, each as a block of lines. */
void report_launch(const struct findings *list, const struct launch *launch);
/* What failed assertions said, in CUDA's own words. */
void report_assertions(const char *text, size_t size);

/* A finding on the host's side. frames are host return addresses (report_frames()), resolved to file:line where
 * possible; cause NULL: the kind's own. */
void report_host(enum vgpu_finding kind, void *const *frames, size_t nframes, const char *cause,
                 const char *what, ...) __attribute__((format(printf, 5, 6)));
/* The host call chain of whoever called into the runtime. */
void report_frames(void **frames, size_t count);
/* Calls of this thread are made on behalf of this place, "lab3.cu:41", which frames stand for from now on; NULL: of whoever
 * makes them. */
void report_set_caller(const char *place);
/* A finding about two places of the host's side. */
struct report_pair {
    enum vgpu_finding kind;
    const char *place, *other;
    const char *array; /* "" if unknown */
    const char *what;  /* one sentence */
    const char *cause; /* NULL: the kind's own */
};
void report_pair(const struct report_pair *pair);

/* Whole messages for whoever watches instead of stderr; NULL: stderr again. */
typedef void report_sink(const struct vgpu_message *message, void *context);
void report_set_sink(report_sink *sink, void *context);
/* Whoever keeps what is told on stderr, for a page; NULL: nobody. */
void report_set_keeper(report_sink *keeper, void *context);

/* By kind: "out-of-bounds"; its severity; and "error", "race", "warning". */
const char *report_name(enum vgpu_finding kind);
enum vgpu_severity report_severity(enum vgpu_finding kind);
const char *report_severity_name(enum vgpu_severity severity);
/* "out of bounds read in global memory". */
void report_title(const struct finding *finding, char *out, size_t size);

#endif
