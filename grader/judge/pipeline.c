/* pipeline.c - see pipeline.h. Knows nothing of recordings and of CUDA. */
#include "grader/judge/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

void pipeline_begin(struct pipeline *pipeline, double now_us)
{
    *pipeline = (struct pipeline){
        .part = PIPELINE_CALLS, .since_us = now_us, .begin_us = now_us, .spans = pipeline->spans};
}

/* What has passed is the kernels' first: whoever waits, waits for them. */
static void close_step(struct pipeline *pipeline, double now_us)
{
    const double passed = now_us - pipeline->since_us, of_kernels = fmin(passed, pipeline->pending_us);
    pipeline->pending_us -= of_kernels;
    pipeline->us[pipeline->part] += passed - of_kernels;
    if (passed > 0)
        pipeline_timed(pipeline, &(struct pipeline_span){.is_host = true,
                                                         .kind = (unsigned char)pipeline->part,
                                                         .from_us = pipeline->since_us,
                                                         .to_us = now_us});
    pipeline->since_us = now_us;
}

void pipeline_step(struct pipeline *pipeline, enum pipeline_part part, double bytes, bool is_pinned,
                   double now_us)
{
    close_step(pipeline, now_us);
    pipeline->part = part;
    pipeline->count[part]++;
    pipeline->bytes[part] += bytes;
    pipeline->pageable[part] += is_pinned ? 0 : bytes;
}

void pipeline_launched(struct pipeline *pipeline, double us)
{
    pipeline->kernels_us += us;
    pipeline->pending_us += us;
}

void pipeline_end(struct pipeline *pipeline, double now_us)
{
    close_step(pipeline, now_us);
    pipeline->part = PIPELINE_CALLS;
}

/* ------------------------------------------------------------------------------------------- over time */

/* What the host does goes on where it did the same just before. */
void pipeline_timed(struct pipeline *pipeline, const struct pipeline_span *span)
{
    struct pipeline_span *last =
        pipeline->spans && pipeline->nspans ? &pipeline->spans[pipeline->nspans - 1] : NULL;
    if (last && span->is_host && last->is_host && last->kind == span->kind && last->to_us >= span->from_us)
        last->to_us = span->to_us;
    else if (pipeline->spans && pipeline->nspans < PIPELINE_SPANS)
        pipeline->spans[pipeline->nspans++] = *span;
    else
        pipeline->nlost++;
}

static void put_spans(const struct pipeline *pipeline, struct json *json, bool is_host)
{
    json_list(json, is_host ? "host" : "spans");
    for (unsigned i = 0; i < pipeline->nspans; i++) {
        const struct pipeline_span *span = &pipeline->spans[i];
        if (span->is_host != is_host)
            continue;
        json_list(json, NULL);
        json_count(json, NULL, span->kind);
        if (!is_host)
            json_count(json, NULL, span->stream);
        json_fixed(json, NULL, span->from_us - pipeline->begin_us, 3);
        json_fixed(json, NULL, span->to_us - pipeline->begin_us, 3);
        if (!is_host) {
            json_number(json, NULL, span->bytes);
            json_text(json, NULL, span->name);
        }
        json_end_list(json);
    }
    json_end_list(json);
}

bool pipeline_write_spans(const struct pipeline *pipeline, double total_us, FILE *out)
{
    struct json json = {.file = out};
    if (!pipeline->nspans)
        return false;
    json_object(&json, NULL);
    json_number(&json, "total_us", total_us);
    json_count(&json, "lost", pipeline->nlost);
    put_spans(pipeline, &json, true);
    put_spans(pipeline, &json, false);
    json_end_object(&json);
    return true;
}

/* ------------------------------------------------------------------------------------------- words */

static void add(char *out, size_t size, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

/* No bus brings so much: the host has not waited for these copies. */
static bool is_beside(const struct pipeline *pipeline, enum pipeline_part part)
{
    const double bytes_per_us = 200e3;
    return pipeline->us[part] < pipeline->bytes[part] / bytes_per_us;
}

static void write_copies(const struct pipeline *pipeline, enum pipeline_part part, char *out, size_t size)
{
    const double pageable = pipeline->pageable[part], bytes = pipeline->bytes[part];
    const char *memory = pageable == 0       ? "pinned memory"
                         : pageable == bytes ? "pageable memory"
                                             : "memory that is pinned in part";
    char time[60] = "which the host does not wait for", text[200];
    if (pipeline->count[part] == 0)
        return;
    if (!is_beside(pipeline, part))
        snprintf(time, sizeof time, "%.2f us", pipeline->us[part]);
    snprintf(text, sizeof text, " %u cop%s to the %s: %.3g MB %s %s, %s.", pipeline->count[part],
             pipeline->count[part] == 1 ? "y" : "ies", part == PIPELINE_TO_HOST ? "host" : "device",
             bytes * 1e-6, part == PIPELINE_TO_HOST ? "to" : "from", memory, time);
    add(out, size, text);
}

static void write_other(const char *what, double us, char *out, size_t size)
{
    char text[120];
    if (us < 0.005)
        return;
    snprintf(text, sizeof text, " %s: %.2f us.", what, us);
    add(out, size, text);
}

/* What takes more than half of what kernels leave; the first that fits. */
static const char *find_advice(const struct pipeline *pipeline, double rest_us)
{
    const double copies = pipeline->us[PIPELINE_TO_DEVICE] + pipeline->us[PIPELINE_TO_HOST];
    const double pageable =
        (pipeline->pageable[PIPELINE_TO_DEVICE] > 0 ? pipeline->us[PIPELINE_TO_DEVICE] : 0) +
        (pipeline->pageable[PIPELINE_TO_HOST] > 0 ? pipeline->us[PIPELINE_TO_HOST] : 0);
    const struct {
        double us;
        const char *advice;
    } rows[] = {{pageable, "But kernels are not what takes most of the time here: copies of pageable memory "
                           "do, which the driver copies "
                           "a second time on the host. Copy less, or from and to pinned memory."},
                {copies, "But kernels are not what takes most of the time here: copies do. Move fewer bytes, "
                         "or let copies and "
                         "kernels overlap."},
                {pipeline->us[PIPELINE_STEPS], "But kernels are not what takes most of the time here: the "
                                               "host's own work does. Could a kernel do that?"},
                {pipeline->us[PIPELINE_WAITS], "But kernels are not what takes most of the time here: the "
                                               "host waits for streams. Which of their work could "
                                               "run at the same time?"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].us > 0.5 * rest_us)
            return rows[i].advice;
    return "But kernels are not what takes most of the time here: launches and other calls do. Make fewer of "
           "them, or "
           "larger ones, or a graph.";
}

bool pipeline_write(const struct pipeline *pipeline, double total_us, char *out, size_t size)
{
    const double half = 0.5, rest_us = total_us - pipeline->kernels_us;
    double known_us = pipeline->kernels_us;
    if (!(total_us > 0) || pipeline->kernels_us >= half * total_us)
        return false;
    snprintf(out, size, "Kernels take %.2f of %.2f us, %.0f %%.", pipeline->kernels_us, total_us,
             100 * pipeline->kernels_us / total_us);
    write_copies(pipeline, PIPELINE_TO_DEVICE, out, size);
    write_copies(pipeline, PIPELINE_TO_HOST, out, size);
    write_other("The host's own work", pipeline->us[PIPELINE_STEPS], out, size);
    write_other("Waiting for streams", pipeline->us[PIPELINE_WAITS], out, size);
    for (int part = PIPELINE_CALLS + 1; part < PIPELINE_PARTS; part++)
        known_us += pipeline->us[part];
    write_other("Launches, other calls and the rest", total_us - known_us, out, size);
    add(out, size, "\n");
    add(out, size, find_advice(pipeline, rest_us));
    return true;
}
