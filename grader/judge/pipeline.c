/* pipeline.c - see pipeline.h. Knows nothing of recordings and of CUDA. */
#include "grader/judge/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void pipeline_begin(struct pipeline *pipeline, double now_us)
{
    *pipeline = (struct pipeline){.part = PIPELINE_CALLS, .since_us = now_us};
}

/* What has passed is the kernels' first: whoever waits, waits for them. */
static void close_step(struct pipeline *pipeline, double now_us)
{
    const double passed = now_us - pipeline->since_us, of_kernels = fmin(passed, pipeline->pending_us);
    pipeline->pending_us -= of_kernels;
    pipeline->us[pipeline->part] += passed - of_kernels;
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
