/* report_json.c - a grading as one JSON object, for machines; and the last one of a lab, kept for `./grade`.
 * Whatever bytes a message holds, the output is valid JSON in UTF-8. Numbers that JSON cannot write become null.
 * Decides nothing about points. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/files.h"

/* ------------------------------------------------------------------------------------------- values */

/* Bytes of the UTF-8 sequence that begins here, as Unicode defines it; 0: none does. */
static int sequence(const unsigned char *s)
{
    static const struct {
        unsigned char from, to, second_from, second_to;
        int length;
    } rows[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (*s < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s[0] < rows[i].from || s[0] > rows[i].to || s[1] < rows[i].second_from ||
            s[1] > rows[i].second_to)
            continue;
        for (int k = 2; k < rows[i].length; k++) {
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        }
        return rows[i].length;
    }
    return 0;
}

void report_json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        int length = sequence(s);
        if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", file);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(file, "\\u%04x", *s);
        else if (length)
            fwrite(s, 1, (size_t)length, file);
        else
            fputs("\\ufffd", file);
        s += length ? length : 1;
    }
    fputc('"', file);
}

static void put_text(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\":", name);
    report_json_string(file, text);
}

static void put_number(FILE *file, const char *name, bool is_known, double value)
{
    fprintf(file, "\"%s\":", name);
    if (is_known && isfinite(value))
        fprintf(file, "%.10g", value);
    else
        fputs("null", file);
}

static const char *truth(bool is_true)
{
    return is_true ? "true" : "false";
}

/* ------------------------------------------------------------------------------------------- a stage */

static void put_counters(FILE *file, const struct verdict *verdict)
{
    fputs("\"counters\":{", file);
    for (uint32_t i = 0; verdict && i < verdict->ncounters; i++) {
        fputs(i ? "," : "", file);
        report_json_string(file, verdict->counters[i].name);
        fputc(':', file);
        if (isfinite(verdict->counters[i].value))
            fprintf(file, "%.10g", verdict->counters[i].value);
        else
            fputs("null", file);
    }
    fputc('}', file);
}

static void put_cases(FILE *file, const struct lab *lab, const struct stage_result *result)
{
    const struct verdict *verdict = result->verdict;
    char name[300];
    fputs("\"cases\":[", file);
    for (uint32_t i = 0; verdict && i < verdict->ncases; i++) {
        const struct verdict_case *one = &verdict->cases[i];
        grading_describe_case(lab, result->stage, one->which, name, sizeof name);
        fputs(i ? ",{" : "{", file);
        put_text(file, "case", name);
        fprintf(file, ",\"correct\":%s,", truth(one->is_right));
        put_text(file, "symptom", lab_symptom_name(one->symptom));
        fputc(',', file);
        put_text(file, "text", one->text);
        fputc(',', file);
        put_text(file, "looks_like", one->known);
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_messages(FILE *file, const struct stage_result *result)
{
    const struct verdict *verdict = result->verdict;
    fputs("\"messages\":[", file);
    for (uint32_t i = 0; verdict && i < verdict->nmessages; i++) {
        const struct verdict_message *one = &verdict->messages[i];
        fputs(i ? ",{" : "{", file);
        put_text(file, "severity", one->severity);
        fputc(',', file);
        put_text(file, "title", one->title);
        fputc(',', file);
        put_text(file, "place", one->place);
        fputc(',', file);
        put_text(file, "text", one->text);
        fputc('}', file);
    }
    if (result->trouble) {
        fputs(verdict && verdict->nmessages ? ",{" : "{", file);
        fputs("\"severity\":\"error\",\"title\":\"the host code did not come to its end\",\"place\":\"\",",
              file);
        put_text(file, "text", result->trouble);
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_parts(FILE *file, const struct score *score)
{
    const struct {
        const char *name;
        struct score_part part;
    } parts[] = {{"correct", score->correct},
                 {"clean", score->clean},
                 {"concept", score->concept},
                 {"speed", score->speed}};
    fputs("\"parts\":{", file);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fprintf(file, "%s\"%s\":{\"points\":%d,\"max_points\":%d}", i ? "," : "", parts[i].name,
                parts[i].part.points, parts[i].part.most);
    fputs("},", file);
}

static void put_stage(FILE *file, const struct grading *grading, const struct stage_result *result)
{
    const struct score *score = &result->score;
    fputc('{', file);
    put_text(file, "id", result->stage->id);
    fputc(',', file);
    put_text(file, "title", result->stage->title);
    fprintf(file, ",\"points\":%d,\"max_points\":%d,\"bonus\":%s,\"given\":%s,", score->all.points,
            lab_stage_points(result->stage), truth(result->stage->is_bonus), truth(result->stage->is_given));
    fprintf(file, "\"correct\":%s,\"clean\":%s,\"concept\":%s,", truth(score->is_right),
            truth(score->is_right && score->is_clean), truth(score->is_right && score->has_concept));
    put_parts(file, score);
    put_number(file, "speedup", score->has_speedup, score->speedup);
    fputc(',', file);
    put_number(file, "needed", score->needed > 0, score->needed);
    fputc(',', file);
    fprintf(file, "\"step_shown\":%s,", truth(score->is_right && !score->is_earlier));
    put_text(file, "earlier_step", score->earlier ? score->earlier->id : "");
    fputc(',', file);
    put_text(file, "symptom", lab_symptom_name(score->symptom));
    fputc(',', file);
    put_text(file, "hint", score->hint);
    fputc(',', file);
    put_counters(file, result->verdict);
    fputc(',', file);
    put_cases(file, grading->session->lab, result);
    fputc(',', file);
    put_messages(file, result);
    fputc('}', file);
}

/* ------------------------------------------------------------------------------------------- the whole */

static const char *const outcomes[] = {
    [OUTCOME_GRADED] = "graded", [OUTCOME_STUDENT] = "failed", [OUTCOME_OURS] = "error"};

void report_json(const struct grading *grading, FILE *file)
{
    struct totals totals = grading_totals(grading);
    bool is_gpu = grading->backend == SCORE_GPU;
    fputc('{', file);
    put_text(file, "lab", grading->session->lab->id);
    fprintf(file, ",\"points\":%d,\"max_points\":%d,\"bonus\":%d,", totals.points, totals.most, totals.bonus);
    put_text(file, "status", outcomes[grading->outcome]);
    fputc(',', file);
    put_text(file, "message", grading->trouble);
    fputc(',', file);
    put_text(file, "file", grading->shown);
    fputc(',', file);
    put_text(file, "backend", is_gpu ? "gpu" : "virtual");
    fputc(',', file);
    put_text(file, "gpu", is_gpu ? grading->session->gpu : grading->session->model);
    fputs(",\"stages\":[", file);
    for (int i = 0; i < grading->nstages; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_stage(file, grading, &grading->stages[i]);
    }
    fputs("]}\n", file);
}

bool report_save(const struct grading *grading, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    report_json(grading, file);
    bool is_done = fclose(file) == 0 && files_replace(path, text, size);
    free(text);
    return is_done;
}

/* Of our own files only the head is read, whose form is known. */
bool report_last(const struct kit *kit, const char *lab, int *points, int *most)
{
    char path[GRADE_PATH];
    size_t size;
    snprintf(path, sizeof path, "%s/results/%s.json", kit->build, lab);
    char *text = (char *)files_read(path, (size_t)64 << 20, true, &size);
    const char *at = text ? strstr(text, "\"points\":") : NULL;
    bool is_read = at && sscanf(at, "\"points\":%d,\"max_points\":%d", points, most) == 2;
    free(text);
    return is_read;
}
