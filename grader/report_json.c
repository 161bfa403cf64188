/* report_json.c - a grading as one JSON object, for machines.
 * base/json.h sees to it that the output is valid, whatever bytes a message holds. Decides nothing about points. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grader/files.h"

/* ------------------------------------------------------------------------------------------- a stage */

/* A number that is not known is null. */
static void put_known(struct json *json, const char *key, bool is_known, double value)
{
    if (is_known)
        json_number(json, key, value);
    else
        json_null(json, key);
}

static void put_counters(struct json *json, const struct verdict *verdict)
{
    json_object(json, "counters");
    for (uint32_t i = 0; verdict && i < verdict->ncounters; i++)
        json_number(json, verdict->counters[i].name, verdict->counters[i].value);
    json_end_object(json);
}

/* The command that runs a case by hand. */
static void put_replay(struct json *json, const struct grading *grading, const struct stage_result *result,
                       uint32_t which)
{
    char command[300];
    grading_write_replay(grading, result, which, command, sizeof command);
    json_text(json, "by_hand", command);
}

static void put_cases(struct json *json, const struct grading *grading, const struct stage_result *result)
{
    const struct verdict *verdict = result->verdict;
    char name[300];
    json_list(json, "cases");
    for (uint32_t i = 0; verdict && i < verdict->ncases; i++) {
        const struct lab_outcome *one = &verdict->cases[i];
        grading_describe_case(grading->session->lab, result->stage, one->which, grading->seed, name,
                              sizeof name);
        json_object(json, NULL);
        json_text(json, "case", name);
        json_bool(json, "correct", one->is_right);
        json_text(json, "symptom", lab_symptom_name(one->symptom));
        json_text(json, "text", one->text);
        json_text(json, "looks_like", one->known);
        put_replay(json, grading, result, one->which);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_message(struct json *json, const struct verdict_message *message)
{
    json_object(json, NULL);
    json_text(json, "severity", message->severity);
    json_text(json, "symptom", lab_symptom_name(message->symptom));
    json_text(json, "title", message->title);
    json_text(json, "place", message->place);
    json_text(json, "text", message->text);
    json_end_object(json);
}

static void put_messages(struct json *json, const struct stage_result *result)
{
    const struct verdict *verdict = result->verdict;
    const struct verdict_message trouble = {.symptom = result->score.symptom,
                                            .severity = "error",
                                            .title = "the host code did not come to its end",
                                            .text = result->trouble};
    json_list(json, "messages");
    for (uint32_t i = 0; verdict && i < verdict->nmessages; i++)
        put_message(json, &verdict->messages[i]);
    if (result->trouble)
        put_message(json, &trouble);
    json_end_list(json);
}

static void put_parts(struct json *json, const struct score *score)
{
    const struct {
        const char *name;
        struct score_part part;
    } parts[] = {{"correct", score->correct},
                 {"clean", score->clean},
                 {"concept", score->concept},
                 {"speed", score->speed}};
    json_object(json, "parts");
    for (int i = 0; i < LAB_COUNT(parts); i++) {
        json_object(json, parts[i].name);
        json_integer(json, "points", parts[i].part.points);
        json_integer(json, "max_points", parts[i].part.most);
        json_end_object(json);
    }
    json_end_object(json);
}

static void put_score(struct json *json, const struct stage_result *result)
{
    const struct score *score = &result->score;
    json_integer(json, "points", score->all.points);
    json_integer(json, "max_points", lab_stage_points(result->stage));
    json_bool(json, "bonus", result->stage->is_bonus);
    json_bool(json, "given", result->stage->is_given);
    json_bool(json, "correct", score->is_right);
    json_bool(json, "clean", score->is_right && score->is_clean);
    json_bool(json, "concept", score->is_right && score->has_concept);
    put_parts(json, score);
    put_known(json, "speedup", score->has_speedup, score->speedup);
    put_known(json, "needed", score->needed > 0, score->needed);
    json_bool(json, "by_luck", score->is_right && score->is_grave);
    json_bool(json, "step_shown", score->is_right && !score->is_earlier);
    json_text(json, "earlier_step", score->earlier ? score->earlier->id : "");
    json_text(json, "symptom", lab_symptom_name(score->symptom));
    json_text(json, "hint", score->hint);
}

/* A bound that is not there, or a counter that was not measured, is null. */
static void put_bounds(struct json *json, const struct score *score)
{
    json_list(json, "bounds");
    for (int i = 0; i < LAB_BOUNDS && score->bounds[i].bound; i++) {
        const struct score_bound *one = &score->bounds[i];
        json_object(json, NULL);
        json_text(json, "meaning", one->bound->meaning);
        put_known(json, "now", one->is_known, one->value);
        put_known(json, "at_least", one->bound->at_least > 0, one->bound->at_least);
        put_known(json, "at_most", one->bound->at_most > 0, one->bound->at_most);
        json_bool(json, "holds", one->holds);
        json_end_object(json);
    }
    json_end_list(json);
}

/* Whose step the speedup is over, and how near to what the GPU can do. */
static void put_scale(struct json *json, const struct grading *grading, const struct stage_result *result)
{
    struct lab_scale scale = {.us = 0};
    const bool is_known = grading_find_scale(grading, result, &scale);
    json_text(json, "base", is_known && scale.base ? scale.base : "");
    put_known(json, "time_us", is_known, scale.us);
    put_known(json, "baseline_us", is_known, is_known ? result->verdict->time.baseline_us : 0);
    put_known(json, "rate", is_known, scale.rate);
    json_text(json, "unit", is_known && scale.unit ? scale.unit : "");
    put_known(json, "share", is_known && scale.attainable, scale.share);
    json_text(json, "share_of", scale.attainable ? scale.attainable : "");
    put_known(json, "gain", scale.gain > 0, scale.gain);
    put_known(json, "gain_over_row", scale.gain > 0, scale.before);
}

static void put_stage(struct json *json, const struct grading *grading, const struct stage_result *result)
{
    json_line(json);
    json_object(json, NULL);
    json_text(json, "id", result->stage->id);
    json_text(json, "title", result->stage->title);
    put_score(json, result);
    if (result->here.is_known) {
        json_text(json, "decided_on", REFERENCE_GPU);
        json_number(json, "speedup_here", result->here.speedup);
    }
    put_scale(json, grading, result);
    put_bounds(json, &result->score);
    put_counters(json, result->verdict);
    put_cases(json, grading, result);
    put_messages(json, result);
    json_end_object(json);
}

/* ------------------------------------------------------------------------------------------- the whole */

static const char *const outcomes[] = {
    [OUTCOME_GRADED] = "graded", [OUTCOME_STUDENT] = "failed", [OUTCOME_OURS] = "error"};

void report_json(const struct grading *grading, FILE *file)
{
    struct totals totals = grading_totals(grading);
    bool is_gpu = grading->backend == SCORE_GPU;
    struct json json = {.file = file};
    json_object(&json, NULL);
    json_text(&json, "lab", grading->session->lab->id);
    json_integer(&json, "points", totals.points);
    json_integer(&json, "max_points", totals.most);
    json_integer(&json, "bonus", totals.bonus);
    json_text(&json, "status", outcomes[grading->outcome]);
    json_text(&json, "message", grading->trouble);
    json_text(&json, "file", grading->shown);
    json_text(&json, "backend", is_gpu ? "gpu" : "virtual");
    json_text(&json, "gpu", is_gpu ? grading->session->gpu : grading->session->model);
    json_text(&json, "sandbox", grading->session->sandbox.state);
    json_text(&json, "warnings", grading->warnings);
    json_list(&json, "stages");
    for (int i = 0; i < grading->nstages; i++)
        put_stage(&json, grading, &grading->stages[i]);
    json_end_list(&json);
    json_end_object(&json);
    fputc('\n', file);
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
