/* runtime_counters.c - VGPU_COUNTERS: one JSON object per launch, one line each.
 * The format is described in common/vgpu/README.md; keys are only ever added at the end. */
#include <stdio.h>
#include <string.h>

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

static void write_counter(FILE *file, const struct counters *counters, size_t row)
{
    uint64_t value;
    memcpy(&value, (const char *)counters + rows[row].offset, sizeof value);
    fprintf(file, ",\"%s\":%llu", rows[row].name, (unsigned long long)value);
}

static bool is_first_key(const char *name)
{
    for (size_t i = 0; i < FIRST_KEYS; i++)
        if (!strcmp(first_keys[i], name))
            return true;
    return false;
}

static void write_first(FILE *file, const struct counters *counters)
{
    for (size_t i = 0; i < FIRST_KEYS; i++)
        for (size_t row = 0; row < ROWS; row++)
            if (!strcmp(first_keys[i], rows[row].name))
                write_counter(file, counters, row);
}

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fprintf(file, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    fputc('"', file);
}

static void write_dims(FILE *file, const char *key, const uint32_t dims[3])
{
    fprintf(file, ",\"%s\":[%u,%u,%u]", key, dims[0], dims[1], dims[2]);
}

static void write_busy(FILE *file, const struct estimate *estimate)
{
    fprintf(file, ",\"busy\":{");
    for (size_t i = 0; i < estimate->nbusy; i++)
        fprintf(file, "%s\"%s\":%.3f", i ? "," : "", estimate->busy[i].name, estimate->busy[i].part);
    fprintf(file, "}");
}

static void write_waits(FILE *file, const struct estimate *estimate)
{
    fprintf(file, ",\"waits\":{");
    for (size_t i = 0; i < estimate->nwaits; i++)
        fprintf(file, "%s\"%s\":%.3f", i ? "," : "", estimate->waits[i].name, estimate->waits[i].part);
    fprintf(file, "}");
}

static void write_estimate(FILE *file, const struct estimate *estimate)
{
    const struct roofline *roofline = &estimate->roofline;
    fprintf(file, ",\"machine_instructions\":%.0f", estimate->issued);
    fprintf(file, ",\"without_limiter_us\":%.3f,\"launch_us\":%.3f,\"tail\":%.3f", estimate->without_us,
            estimate->launch_us, estimate->tail);
    write_busy(file, estimate);
    write_waits(file, estimate);
    fprintf(file,
            ",\"roofline\":{\"flop\":%.0f,\"bytes\":%.0f,\"intensity\":%.4f,\"gflops\":%.3f,"
            "\"peak_gflops\":%.1f,\"dram_gbs\":%.1f,\"ceiling_gflops\":%.3f}",
            roofline->flop, roofline->bytes, roofline->intensity, roofline->gflops, roofline->peak_gflops,
            roofline->dram_gbs, roofline->ceiling_gflops);
}

static void write_launch(FILE *file, const struct launch *launch, const struct counters *counters,
                         const struct occupancy *occupancy, const struct estimate *estimate)
{
    fprintf(file, "{\"kernel\":");
    write_text(file, launch->kernel_name);
    write_dims(file, "grid", launch->grid);
    write_dims(file, "block", launch->dim);
    write_first(file, counters);
    fprintf(file, ",\"registers_per_thread\":%u,\"occupancy\":%.4f,\"time_us\":%.3f,\"limiter\":\"%s\"",
            launch->kernel->registers, occupancy->fraction, estimate->time_us, estimate->limiter);
    for (size_t row = 0; row < ROWS; row++)
        if (!is_first_key(rows[row].name))
            write_counter(file, counters, row);
    fprintf(file, ",\"shared_bytes_per_block\":%u,\"blocks_per_sm\":%u,\"occupancy_limiter\":\"%s\"",
            launch->kernel->shared_bytes + launch->dynamic_shared, occupancy->blocks_per_sm,
            occupancy->limiter);
    write_estimate(file, estimate);
    fprintf(file, "}\n");
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
