/* pipeline.h - where the time of a stage goes beside its kernels: copies by direction, steps of the host, waiting.
 * Kept while a side is replayed: each operation is told with the host's clock, and has what passes until the next one, less what
 * kernels that it waits for take. Words about it are for stages whose kernels take less than half of the time. */
#ifndef JUDGE_PIPELINE_H
#define JUDGE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum pipeline_part {
    PIPELINE_CALLS,     /* whatever is none of the others */
    PIPELINE_TO_DEVICE, /* copies between host and device */
    PIPELINE_TO_HOST,
    PIPELINE_STEPS, /* of the host */
    PIPELINE_WAITS, /* for streams and events */
    PIPELINE_PARTS
};

/* When an engine, or the host, did something. */
struct pipeline_span {
    double from_us, to_us;
    double bytes;
    unsigned stream;
    unsigned char kind; /* of engines: enum vgpu_span_kind; of the host: enum pipeline_part */
    bool is_host;
    char name[40]; /* of a kernel */
};
enum { PIPELINE_SPANS = 1500 };

struct pipeline {
    double us[PIPELINE_PARTS], bytes[PIPELINE_PARTS];
    double pageable[PIPELINE_PARTS]; /* bytes of host memory that is not pinned */
    unsigned count[PIPELINE_PARTS];
    double kernels_us;

    /* of the operation under way */
    enum pipeline_part part;
    double since_us, pending_us; /* when it began; what kernels have still to do */

    double begin_us;
    struct pipeline_span *spans; /* NULL: nobody wants them; else room for PIPELINE_SPANS */
    unsigned nspans, nlost;
};

void pipeline_begin(struct pipeline *pipeline, double now_us);
/* An operation begins now; bytes: 0 where nothing is copied. */
void pipeline_step(struct pipeline *pipeline, enum pipeline_part part, double bytes, bool is_pinned,
                   double now_us);
void pipeline_launched(struct pipeline *pipeline, double us);
void pipeline_end(struct pipeline *pipeline, double now_us);
/* What an engine did; name: NULL for what is no kernel. */
void pipeline_timed(struct pipeline *pipeline, const struct pipeline_span *span);
/* As JSON: "spans": of engines [kind, stream, from, to, bytes, name], "host": [part, from, to], in us from the begin on. False:
 * there are none. */
bool pipeline_write_spans(const struct pipeline *pipeline, double total_us, FILE *out);
/* Two paragraphs: where the time goes, and what to do about it. False: kernels take most of it, and speak for themselves. */
bool pipeline_write(const struct pipeline *pipeline, double total_us, char *out, size_t size);

#endif
