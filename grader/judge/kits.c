/* kits.c - see kits.h. A line holds the GPU's name, the segment's, the time in us, and what is used of each buffer, in sectors,
 * bytes and stripes. */
#include "grader/judge/kits.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1000 };

static bool name_gpu(char *out, size_t size)
{
    struct cudaDeviceProp properties;
    const bool is_done = cudaGetDeviceProperties(&properties, 0) == cudaSuccess;
    if (is_done)
        snprintf(out, size, "%s", properties.name);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- writing */

static bool write_line(struct judge *judge, const char *gpu, const char *name, FILE *out)
{
    struct pass sample;
    const bool is_done = sample_kits(judge, name, &sample);
    if (is_done)
        fprintf(out, "%s\t%s\t%.17g", gpu, name, sample.time_us);
    for (const struct used *one = sample.used; is_done && one < sample.used + sample.run.nbuffers; one++)
        fprintf(out, "\t%.17g\t%.17g\t%.17g", one->sectors, one->bytes, one->stripes);
    if (is_done)
        fputc('\n', out);
    else
        judge_fail(judge, "%s of the kit cannot be timed: %s", name, sample.one.text);
    pass_free(&sample);
    return is_done;
}

bool kits_write(struct judge *judge, FILE *out)
{
    char gpu[256], name[64];
    bool is_done = name_gpu(gpu, sizeof gpu);
    for (int i = 0; is_done && i < judge->lab->nstages; i++) {
        judge->stage = &judge->lab->stages[i];
        for (int role = 0; is_done && role < SCOUT_ROLES; role++) {
            scout_segment(judge->stage, (enum scout_role)role, name, sizeof name);
            if (scout_entry(judge->lab, judge->stage, (enum scout_role)role))
                is_done = write_line(judge, gpu, name, out);
        }
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- reading */

static bool read_number(char **at, double *out)
{
    char *end;
    if (**at != '\t')
        return false;
    *out = strtod(*at + 1, &end);
    const bool is_read = end != *at + 1;
    *at = end;
    return is_read;
}

/* True if the line is about this segment and whole. */
static bool read_line(char *line, const char *begin, struct pass *out)
{
    char *at = line + strlen(begin);
    if (strncmp(line, begin, strlen(begin)) != 0 || !read_number(&at, &out->time_us))
        return false;
    for (struct used *one = out->used; one < out->used + out->run.nbuffers; one++)
        if (!read_number(&at, &one->sectors) || !read_number(&at, &one->bytes) ||
            !read_number(&at, &one->stripes))
            return false;
    return *at == '\n';
}

bool kits_find(const struct judge *judge, const char *name, struct pass *out)
{
    char gpu[256], begin[400], line[LONGEST_LINE];
    bool is_found = false;
    FILE *file = judge->kits && name_gpu(gpu, sizeof gpu) ? fopen(judge->kits, "r") : NULL;
    if (!file)
        return false;
    snprintf(begin, sizeof begin, "%s\t%s", gpu, name);
    lab_begin_run(&out->run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), SCOUT_SEED);
    while (!is_found && fgets(line, sizeof line, file))
        is_found = read_line(line, begin, out);
    fclose(file);
    return is_found;
}
