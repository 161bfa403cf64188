/* counters_file.c - VGPU_COUNTERS: one JSON object per launch, one line each.
 * The format is described in common/vgpu/README.md. The lines come last, behind all that is about the whole launch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/names.h"
#include "runtime/counters_file.h"
#include "runtime/runtime.h"

/* The keys that come first, in this order; all other counters follow in the order of counters.def. */
static const char *const first_keys[] = {
    "warp_instructions",
    "thread_instructions",
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_store_requests",
    "shared_store_wavefronts",
    "local_load_sectors",
    "local_store_sectors",
    "branches",
    "divergent_branches",
    "barriers",
    "dram_read_bytes",
    "dram_write_bytes",
    "l2_sectors",
};
enum { FIRST_KEYS = sizeof first_keys / sizeof first_keys[0] };

static const struct {
    const char *name;
    size_t offset;
} rows[] = {
#define COUNTER(name, unit, meaning) {#name, offsetof(struct counters, name)},
#include "core/counters.def"
#undef COUNTER
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void write_counter(struct json *json, const struct counters *counters, size_t row)
{
    uint64_t value;
    memcpy(&value, (const char *)counters + rows[row].offset, sizeof value);
    json_count(json, rows[row].name, value);
}

static bool is_first_key(const char *name)
{
    for (size_t i = 0; i < FIRST_KEYS; i++)
        if (!strcmp(first_keys[i], name))
            return true;
    return false;
}

static void write_first(struct json *json, const struct counters *counters)
{
    for (size_t i = 0; i < FIRST_KEYS; i++)
        for (size_t row = 0; row < ROWS; row++)
            if (!strcmp(first_keys[i], rows[row].name))
                write_counter(json, counters, row);
}

static void write_others(struct json *json, const struct counters *counters)
{
    for (size_t row = 0; row < ROWS; row++)
        if (!is_first_key(rows[row].name))
            write_counter(json, counters, row);
}

/* Only what is not 0: most lines have few of the counters. */
static void write_line(struct json *json, const struct line_counters *line)
{
    char path[400];
    name_of_path(line->file, path, sizeof path);
    json_object(json, NULL);
    json_text(json, "file", path);
    json_count(json, "line", line->line);
    for (size_t row = 0; row < ROWS; row++) {
        uint64_t value;
        memcpy(&value, (const char *)&line->counters + rows[row].offset, sizeof value);
        if (value)
            json_count(json, rows[row].name, value);
    }
    json_end_object(json);
}

static void write_lines(struct json *json, const struct launch *launch)
{
    struct line_list list;
    const bool is_whole = counters_by_line(&list, launch, own_loc);
    json_list(json, "lines");
    for (size_t i = 0; is_whole && i < list.count; i++)
        write_line(json, &list.lines[i]);
    json_end_list(json);
    free(list.lines);
}

static void write_dims(struct json *json, const char *key, const uint32_t dims[3])
{
    json_list(json, key);
    for (int i = 0; i < 3; i++)
        json_count(json, NULL, dims[i]);
    json_end_list(json);
}

static void write_parts(struct json *json, const char *key, const struct estimate_part *parts, size_t count)
{
    json_object(json, key);
    for (size_t i = 0; i < count; i++)
        json_fixed(json, parts[i].name, parts[i].part, 3);
    json_end_object(json);
}

static void write_roofline(struct json *json, const struct roofline *roofline)
{
    json_object(json, "roofline");
    json_fixed(json, "flop", roofline->flop, 0);
    json_fixed(json, "bytes", roofline->bytes, 0);
    json_fixed(json, "intensity", roofline->intensity, 4);
    json_fixed(json, "gflops", roofline->gflops, 3);
    json_fixed(json, "peak_gflops", roofline->peak_gflops, 1);
    json_fixed(json, "dram_gbs", roofline->dram_gbs, 1);
    json_fixed(json, "ceiling_gflops", roofline->ceiling_gflops, 3);
    json_end_object(json);
}

static void write_estimate(struct json *json, const struct estimate *estimate)
{
    json_fixed(json, "machine_instructions", estimate->issued, 0);
    json_fixed(json, "without_limiter_us", estimate->without_us, 3);
    json_fixed(json, "launch_us", estimate->launch_us, 3);
    json_fixed(json, "tail", estimate->tail, 3);
    write_parts(json, "busy", estimate->busy, estimate->nbusy);
    write_parts(json, "waits", estimate->waits, estimate->nwaits);
    write_roofline(json, &estimate->roofline);
}

static void write_launch(FILE *file, const struct launch *launch, const struct counters *counters,
                         const struct occupancy *occupancy, const struct estimate *estimate)
{
    struct json json = {.file = file};
    json_object(&json, NULL);
    json_text(&json, "kernel", launch->kernel_name);
    write_dims(&json, "grid", launch->grid);
    write_dims(&json, "block", launch->dim);
    write_first(&json, counters);
    json_count(&json, "registers_per_thread", launch->kernel->registers);
    json_fixed(&json, "occupancy", occupancy->fraction, 4);
    json_fixed(&json, "time_us", estimate->time_us, 3);
    json_text(&json, "limiter", estimate->limiter);
    write_others(&json, counters);
    json_count(&json, "shared_bytes_per_block", launch->kernel->shared_bytes + launch->dynamic_shared);
    json_count(&json, "blocks_per_sm", occupancy->blocks_per_sm);
    if (launch->kernel->spill_bytes)
        json_count(&json, "spilled_bytes_per_thread", launch->kernel->spill_bytes);
    json_text(&json, "occupancy_limiter", occupancy->limiter);
    write_estimate(&json, estimate);
    write_lines(&json, launch);
    json_end_object(&json);
    fputc('\n', file);
}

/* Opened once; a file that cannot be opened is complained of once. */
static FILE *counters_file(void)
{
    static FILE *file;
    static bool has_failed;
    if (!file && !has_failed) {
        file = fopen(runtime_config()->counters_path, "w");
        has_failed = !file;
        if (has_failed)
            perror("vgpu: warning: VGPU_COUNTERS: cannot write the file");
    }
    return file;
}

void counters_file_add(const struct launch *launch, const struct counters *counters,
                       const struct occupancy *occupancy, const struct estimate *estimate)
{
    FILE *file = runtime_config()->counters_path ? counters_file() : NULL;
    if (!file)
        return;
    write_launch(file, launch, counters, occupancy, estimate);
    fflush(file);
}
