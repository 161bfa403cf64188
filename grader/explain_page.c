/* explain_page.c - ./grade explain lab3.2 --html FILE: the stage on a page for a browser.
 * What the kernels did comes as JSON from the judge; around it stand the source, the step before, the reference's counters and the
 * student's attempts. common/page draws all of it. */
#define _GNU_SOURCE
#include "grader/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "grader/files.h"
#include "grader/history.h"
#include "page/page.h"

enum { LARGEST_SOURCE = 4 << 20, SHOWN_ATTEMPTS = 20, LARGEST_PAGE = 1900000 };

/* ------------------------------------------------------------------------------------------- finding out */

static void read_source(struct explained *explained)
{
    char path[GRADE_PATH + 80];
    size_t size;
    snprintf(path, sizeof path, "%s/%s.cu", explained->grading->safe, explained->grading->session->entry->id);
    explained->source = file_read(path, LARGEST_SOURCE, false, &size);
}

void explain_look_further(struct explained *explained)
{
    const struct lab_stage *steps[] = {explained->stage, explained->before};
    struct stages_question questions[2];
    struct verdict *verdicts[2] = {NULL, NULL};
    const int count = explained->before ? 2 : 1;
    for (int i = 0; i < count; i++)
        questions[i] = (struct stages_question){.stage = steps[i],
                                                .step = steps[i],
                                                .is_explained = true,
                                                .is_profiled = true,
                                                .is_brief = i > 0};
    read_source(explained); /* before the reference takes its place */
    stages_ask_all(explained->grading, questions, count, verdicts);
    explained->verdict = verdicts[0];
    explained->before_verdict = verdicts[1];
    explained->reference = explain_reference(explained->grading->session, explained->stage);
}

/* ------------------------------------------------------------------------------------------- JSON */

/* Words and JSON of a kernel are messages side by side. */
static void put_kernels(struct json *json, const struct verdict *verdict)
{
    const char *words = "";
    json_list(json, "kernels");
    for (uint32_t i = 0; i < verdict->nmessages; i++) {
        const struct verdict_message *one = &verdict->messages[i];
        struct page_kernel kernel = {.profile = one->text};
        words = strcmp(one->severity, VERDICT_EXPLAINED) == 0 ? one->text : words;
        if (strcmp(one->severity, VERDICT_PROFILED) != 0 ||
            !explain_read_title(one, &kernel.launches, &kernel.total_us))
            continue;
        kernel.words = words;
        page_put_kernel(json, &kernel);
    }
    json_end_list(json);
}

/* A small case in which something was found wrong. */
static void put_moment(struct json *json, const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->nmessages; i++) {
        const struct verdict_message *one = &verdict->messages[i];
        char words[200];
        if (strcmp(one->severity, VERDICT_MOMENT) != 0 || !*one->text)
            continue;
        snprintf(words, sizeof words, "Found in a small case: %s. The step in which it happens:", one->title);
        json_object(json, "moment");
        json_text(json, "words", words);
        json_raw(json, "profile", one->text);
        json_end_object(json);
    }
}

/* Where the time goes that is not the kernels': in words, and over time. */
static void put_pipeline(struct json *json, const struct verdict *verdict)
{
    const struct verdict_message *words = explain_find_pipeline(verdict), *spans = NULL;
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        spans = strcmp(verdict->messages[i].severity, VERDICT_SPANS) == 0 ? &verdict->messages[i] : spans;
    json_list(json, "pipeline_words");
    for (const char *line = words ? words->text : ""; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        char text[1200];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        json_text(json, NULL, text);
    }
    json_end_list(json);
    if (spans)
        json_raw(json, "pipeline", spans->text);
}

static size_t bytes_of(const struct verdict *verdict)
{
    size_t bytes = 0;
    for (uint32_t i = 0; verdict && i < verdict->nmessages; i++)
        bytes += strlen(verdict->messages[i].text);
    return bytes;
}

/* It is left out where a page would become too large with it. */
static void put_before(struct json *json, const struct explained *explained)
{
    char title[200];
    const struct verdict *verdict = explained->before_verdict;
    bool has_kernel = false;
    for (uint32_t i = 0; verdict && i < verdict->nmessages; i++)
        has_kernel = has_kernel || strcmp(verdict->messages[i].severity, VERDICT_PROFILED) == 0;
    if (!has_kernel || bytes_of(verdict) + bytes_of(explained->verdict) > LARGEST_PAGE)
        return;
    snprintf(title, sizeof title, "Before: %s", explained->before->id);
    json_object(json, "before");
    json_text(json, "title", title);
    put_kernels(json, verdict);
    json_end_object(json);
}

static void put_stage(struct json *json, const struct explained *explained)
{
    char text[600];
    json_object(json, "stage");
    json_text(json, "lab", explained->grading->session->lab->id);
    json_text(json, "id", explained->stage->id);
    explain_write_wrong(explained, text, sizeof text);
    json_text(json, "wrong", text);
    if (explain_write_time(explained, explained->verdict, text, sizeof text))
        json_text(json, "time", text);
    explain_write_next(explained, text, sizeof text);
    json_text(json, "next", text);
    json_end_object(json);
}

static void put_source(struct json *json, const struct explained *explained)
{
    char name[80];
    snprintf(name, sizeof name, "%s.cu", explained->grading->session->entry->id);
    json_object(json, "sources");
    if (explained->source)
        json_text(json, name, explained->source);
    json_end_object(json);
}

static void put_counters(struct json *json, const char *key, const struct verdict *verdict)
{
    json_object(json, key);
    for (uint32_t i = 0; i < verdict->ncounters; i++)
        json_number(json, verdict->counters[i].name, verdict->counters[i].value);
    json_end_object(json);
}

/* ------------------------------------------------------------------------------------------- attempts */

static double need_of(const struct lab_stage *stage)
{
    double need = 0;
    for (int i = 0; i < LAB_TIERS && stage->speed[i].points; i++)
        need = stage->speed[i].speedup > need ? stage->speed[i].speedup : need;
    return need;
}

static const struct history_stage *latest(const struct history *history, const char *id)
{
    for (int i = history->count; i-- > 0;) {
        const struct history_stage *found = history_find(&history->list[i], id);
        if (found)
            return found;
    }
    return NULL;
}

/* As they were graded last; the one that the page is about as it is now. */
static void put_stages(struct json *json, const struct explained *explained, const struct history *history)
{
    const struct lab *lab = explained->grading->session->lab;
    json_list(json, "stages");
    for (int i = 0; i < lab->nstages; i++) {
        const struct lab_stage *stage = &lab->stages[i];
        const struct history_stage *last = latest(history, stage->id);
        const bool is_now = stage == explained->stage;
        const bool is_same_clock = strcmp(explained->grading->session->model, REFERENCE_GPU) == 0;
        const double speedup = is_now && is_same_clock ? explained->verdict->time.speedup
                               : last                  ? last->speedup
                                                       : 0;
        json_object(json, NULL);
        json_text(json, "name", stage->id);
        if (last)
            json_integer(json, "points", last->points);
        json_integer(json, "most", lab_stage_points(stage));
        json_number(json, "speedup", speedup);
        json_number(json, "need", need_of(stage));
        json_bool(json, "isNow", is_now);
        json_end_object(json);
    }
    json_end_list(json);
}

/* For the roofline: the other stages, as they were graded last. */
static void put_points(struct json *json, const struct explained *explained, const struct history *history)
{
    const struct lab *lab = explained->grading->session->lab;
    json_list(json, "points");
    for (int i = 0; i < lab->nstages; i++) {
        const struct lab_stage *stage = &lab->stages[i];
        const struct history_stage *last = latest(history, stage->id);
        if (!last || !(last->time_us > 0) || stage == explained->stage || stage == explained->before)
            continue;
        json_object(json, NULL);
        json_text(json, "name", stage->id);
        json_number(json, "time_us", last->time_us);
        json_number(json, "flop", last->flop);
        json_number(json, "bytes", last->bytes);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_attempt(struct json *json, const struct history_attempt *attempt,
                        const struct history_stage *now, const struct history_stage *before)
{
    char when[40] = "", changed[100] = "";
    struct tm parts;
    if (localtime_r(&attempt->when, &parts))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &parts);
    if (before && before->points != now->points)
        snprintf(changed, sizeof changed, "%+d points", now->points - before->points);
    json_object(json, NULL);
    json_text(json, "when", when);
    json_integer(json, "points", now->points);
    json_integer(json, "most", now->most);
    json_number(json, "speedup", now->speedup);
    json_text(json, "changed", changed);
    json_end_object(json);
}

static void put_history(struct json *json, const struct explained *explained, const struct history *history)
{
    const struct history_stage *before = NULL;
    const int first = history->count > SHOWN_ATTEMPTS ? history->count - SHOWN_ATTEMPTS : 0;
    json_list(json, "history");
    for (int i = 0; i < history->count; i++) {
        const struct history_stage *now = history_find(&history->list[i], explained->stage->id);
        if (now && i >= first)
            put_attempt(json, &history->list[i], now, before);
        before = now ? now : before;
    }
    json_end_list(json);
}

/* Attempts are of the student's own file. */
static void put_attempts(struct json *json, const struct explained *explained)
{
    const struct session *session = explained->grading->session;
    struct history history = {.list = NULL};
    char path[GRADE_PATH];
    snprintf(path, sizeof path, "%s/%s.history", session->kit.results, session->entry->id);
    const bool is_own = !session->options->file && !session->options->is_solution;
    if (is_own && history_load(&history, path))
        put_history(json, explained, &history);
    put_stages(json, explained, &history);
    put_points(json, explained, &history);
    history_free(&history);
}

/* ------------------------------------------------------------------------------------------- the page */

static char *make_json(const struct explained *explained, const char *title)
{
    char *text = NULL;
    size_t size;
    struct json json = {.file = open_memstream(&text, &size)};
    if (!json.file)
        return NULL;
    json_object(&json, NULL);
    json_text(&json, "title", title);
    json_text(&json, "back", getenv(EXPLAIN_BACK)); /* a page beside it, from which a reader came */
    json_text(&json, "gpu", explained->grading->session->model);
    put_stage(&json, explained);
    put_kernels(&json, explained->verdict);
    put_moment(&json, explained->verdict);
    put_pipeline(&json, explained->verdict);
    put_before(&json, explained);
    put_source(&json, explained);
    put_counters(&json, "counters", explained->verdict);
    if (explained->reference)
        put_counters(&json, "reference", explained->reference);
    put_attempts(&json, explained);
    json_end_object(&json);
    fclose(json.file);
    return text;
}

/* There are words about a kernel. */
bool explain_write_page(const struct explained *explained, const char *path)
{
    const struct lab *lab = explained->grading->session->lab;
    char title[400];
    snprintf(title, sizeof title, "%s.%d %s: %s", lab->id, explain_row(lab, explained->stage),
             explained->stage->id, explained->grading->shown);
    char *json = make_json(explained, title);
    const struct page page = {
        .title = title, .json = json, .plain = explain_find_words(explained->verdict)->text};
    const bool is_written = page_save(path, &page);
    if (is_written)
        files_show(path);
    if (is_written)
        printf("  The page is %s.\n", path);
    else
        fprintf(stderr, "grade: %s cannot be written: %s.\n", path, strerror(errno));
    free(json);
    return is_written;
}
