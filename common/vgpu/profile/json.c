/* json.c - vgpu_profile_json(): a launch as one JSON object, for pages and tools.
 * Numbers are those of the launch; nothing is rounded but shares of time. What has a default is left out. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "profile/code.h"
#include "profile/elsewhere.h"
#include "profile/occupancy.h"
#include "profile/profile.h"
#include "profile/rules.h"
#include "profile/traffic.h"
#include "profile/waves.h"
#include "profile/words.h"
#include "report/names.h"

/* ------------------------------------------------------------------------------------------- the launch */

static void put_dim(struct json *json, const char *key, const unsigned dim[3])
{
    json_list(json, key);
    for (int i = 0; i < 3; i++)
        json_count(json, NULL, dim[i]);
    json_end_list(json);
}

static void put_head(struct json *json, const struct vgpu_launch *launch, const char *gpu)
{
    char kernel[200], advice[1000], sample[160];
    const char *limiter = waves_limiter(launch);
    const struct limit_words *words = words_of_limit(limiter);
    name_of_function(launch->kernel, kernel, sizeof kernel);
    json_text(json, "kernel", kernel);
    json_text(json, "gpu", gpu);
    put_dim(json, "grid", launch->grid);
    put_dim(json, "block", launch->block);
    json_count(json, "sms", launch->profile->sms);
    json_number(json, "time_us", launch->time_us);
    json_text(json, "limiter", launch->limiter);
    json_text(json, "limited_by", words->what);
    rules_advice(launch, advice, sizeof advice);
    json_text(json, "advice", advice);
    if (words_of_sample(launch, sample, sizeof sample))
        json_text(json, "sample", sample);
}

static void put_parts(struct json *json, const struct vgpu_profile *profile)
{
    json_number(json, "launch_us", profile->launch_us);
    json_fixed(json, "tail", profile->tail, 4);
    json_number(json, "without_us", profile->without_us);
    json_object(json, "busy");
    for (size_t i = 0; i < profile->nbusy; i++)
        json_fixed(json, profile->busy[i].name, profile->busy[i].part, 4);
    json_end_object(json);
    json_list(json, "spent_on");
    for (int on = 0; on < VGPU_SPENTS; on++)
        json_text(json, NULL, words_of_spent((enum vgpu_spent)on));
    json_end_list(json);
    json_list(json, "spent");
    for (int on = 0; on < VGPU_SPENTS; on++)
        json_fixed(json, NULL, profile->spent_on[on], 5);
    json_end_list(json);
    json_object(json, "roofline");
    json_number(json, "flop", profile->flop);
    json_number(json, "bytes", profile->bytes);
    json_number(json, "peak_gflops", profile->peak_gflops);
    json_number(json, "dram_gbs", profile->dram_gbs);
    json_end_object(json);
}

static void put_counters(struct json *json, const struct vgpu_launch *launch, const double *values)
{
    json_object(json, "counters");
    for (size_t i = 0; i < launch->ncounters; i++)
        if (values[i] != 0)
            json_number(json, launch->names[i], values[i]);
    json_end_object(json);
}

/* Nsight Compute's names, of the counters that it has as well. */
static void put_metrics(struct json *json, const struct vgpu_launch *launch)
{
    json_object(json, "metrics");
    for (size_t i = 0; i < launch->ncounters; i++)
        if (metric_of_counter(launch->names[i]))
            json_text(json, launch->names[i], metric_of_counter(launch->names[i]));
    json_end_object(json);
}

/* ------------------------------------------------------------------------------------------- lines, accesses */

static void put_lines(struct json *json, struct code_files *files, const struct vgpu_launch *launch)
{
    json_list(json, "lines");
    for (size_t i = 0; i < launch->nlines; i++) {
        json_line(json);
        json_object(json, NULL);
        json_count(json, "file", code_file(files, launch->lines[i].file));
        json_count(json, "line", launch->lines[i].line);
        json_list(json, "spent");
        for (int on = 0; on < VGPU_SPENTS; on++)
            json_fixed(json, NULL, launch->profile->spent[i][on], 5);
        json_end_list(json);
        put_counters(json, launch, launch->lines[i].values);
        json_end_object(json);
    }
    json_end_list(json);
}

/* Addresses from the first line of 128 bytes on; null for lanes that take no part. */
static void put_picture(struct json *json, const char *key, const struct vgpu_picture *picture)
{
    uint64_t base = UINT64_MAX;
    for (int lane = 0; lane < 32; lane++)
        if (picture->mask >> lane & 1 && picture->address[lane] < base)
            base = picture->address[lane];
    base = base == UINT64_MAX ? 0 : base / 128 * 128;
    json_object(json, key);
    json_count(json, "block", picture->block);
    json_count(json, "warp", picture->warp);
    json_count(json, "bytes", picture->bytes);
    json_count(json, "cost", picture->cost);
    json_count(json, "base", base);
    json_list(json, "at");
    for (int lane = 0; lane < 32; lane++)
        if (picture->mask >> lane & 1)
            json_count(json, NULL, picture->address[lane] - base);
        else
            json_null(json, NULL);
    json_end_list(json);
    json_end_object(json);
}

static void put_access(struct json *json, struct code_files *files, const struct vgpu_access *access)
{
    json_line(json);
    json_object(json, NULL);
    json_count(json, "file", code_file(files, access->file));
    json_count(json, "line", access->line);
    json_text(json, "space", access->space);
    json_text(json, "verb", access->verb);
    json_text(json, "array", access->array);
    json_count(json, "bytes", access->bytes);
    json_number(json, "requests", access->requests);
    json_number(json, "parts", access->parts);
    json_number(json, "ideal", access->ideal);
    json_fixed(json, "spent", access->spent, 5);
    if (access->unused > 0)
        json_fixed(json, "unused", access->unused, 3);
    json_count(json, "seen", access->seen);
    if (access->seen) {
        put_picture(json, "first", &access->first);
        put_picture(json, "worst", &access->worst);
        put_picture(json, "typical", &access->typical);
    }
    json_end_object(json);
}

static void put_accesses(struct json *json, struct code_files *files, const struct vgpu_profile *profile)
{
    json_list(json, "accesses");
    for (size_t i = 0; i < profile->naccesses; i++)
        put_access(json, files, &profile->accesses[i]);
    json_end_list(json);
}

/* Those that gain most first; gain: how many times as fast. What gains less than the model can tell is not worth a word. */
static void put_rules(struct json *json, struct code_files *files, const struct vgpu_launch *launch)
{
    const struct vgpu_rule *rules;
    const size_t count = vgpu_rules(launch, &rules);
    json_list(json, "rules");
    for (size_t i = 0; i < count && rules[i].gain >= RULE_WORTH_TELLING; i++) {
        json_line(json);
        json_object(json, NULL);
        json_text(json, "name", rules[i].name);
        if (rules[i].line) {
            json_count(json, "file", code_file(files, rules[i].file));
            json_count(json, "line", rules[i].line);
        }
        if (rules[i].array[0])
            json_text(json, "array", rules[i].array);
        json_fixed(json, "gain", rules[i].gain, 3);
        json_text(json, "words", rules[i].words);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_files(struct json *json, const struct code_files *files)
{
    json_list(json, "files");
    for (size_t i = 0; i < files->count; i++)
        json_text(json, NULL, files->names[i]);
    json_end_list(json);
}

/* ------------------------------------------------------------------------------------------- the timeline */

/* A letter for each bin of a warp: '.' where there is none, else 'a' and on, in the order of spent_on. */
static void put_warp(struct json *json, const struct timeline *timeline, uint32_t warp, uint32_t bins)
{
    char letters[TIMELINE_BINS + 1];
    for (uint32_t bin = 0; bin < bins; bin++) {
        const int most = timeline_most(timeline, warp, bin);
        letters[bin] = (char)(most < 0 ? '.' : 'a' + most);
    }
    letters[bins] = '\0';
    json_text(json, NULL, letters);
}

static uint32_t used_bins(const struct timeline *timeline)
{
    uint32_t used = 0;
    for (uint32_t warp = 0; warp < timeline->warps; warp++)
        for (uint32_t bin = used; bin < TIMELINE_BINS; bin++)
            if (timeline_most(timeline, warp, bin) >= 0)
                used = bin + 1;
    return used;
}

static void put_timeline(struct json *json, const struct timeline *timeline, uint32_t clock_mhz)
{
    const double clock = (double)timeline->clock;
    const uint32_t bins = used_bins(timeline);
    json_object(json, "timeline");
    json_count(json, "clock_mhz", clock_mhz);
    json_number(json, "bin_clocks", (double)timeline->width / clock);
    json_count(json, "warps_per_block", timeline->warps_per_block);
    json_list(json, "warps");
    for (uint32_t warp = 0; warp < timeline->warps; warp++)
        put_warp(json, timeline, warp, bins);
    json_end_list(json);
    json_list(json, "blocks");
    for (uint32_t i = 0; i < timeline->nstays; i++) {
        json_list(json, NULL);
        json_count(json, NULL, timeline->stays[i].place);
        json_count(json, NULL, timeline->stays[i].number);
        json_fixed(json, NULL, (double)timeline->stays[i].from / clock, 0);
        json_fixed(json, NULL, (double)timeline->stays[i].to / clock, 0);
        json_end_list(json);
    }
    json_end_list(json);
    json_end_object(json);
}

/* ------------------------------------------------------------------------------------------- the whole */

void vgpu_profile_json(FILE *out, const struct vgpu_launch *launch, bool is_whole)
{
    struct json json = {.file = out};
    struct code_files files = {.names = NULL};
    const struct profile *inside = launch->profile ? launch->profile->inside : NULL;
    if (!inside)
        return;
    struct elsewhere *elsewhere = is_whole ? elsewhere_begin(inside) : NULL;
    json_object(&json, NULL);
    put_head(&json, launch, inside->launch->gpu->id);
    put_parts(&json, launch->profile);
    put_counters(&json, launch, launch->values);
    put_metrics(&json, launch);
    occupancy_put(&json, inside);
    traffic_put(&json, inside->launch, inside->estimate);
    put_lines(&json, &files, launch);
    put_accesses(&json, &files, launch->profile);
    put_rules(&json, &files, launch);
    if (is_whole)
        code_put(&json, &files, inside);
    if (is_whole && inside->timeline)
        put_timeline(&json, inside->timeline, inside->launch->gpu->clock_mhz);
    elsewhere_put(&json, elsewhere);
    put_files(&json, &files);
    json_end_object(&json);
    free(files.names);
}
