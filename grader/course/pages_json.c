/* pages_json.c - what pages of a class show, as JSON: see pages.h. Facts of the store alone; the scripts count. */
#define _GNU_SOURCE
#include "grader/course/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* ------------------------------------------------------------------------------------------- members */

static const char *status_of(const struct course_member *member)
{
    return course_status(member);
}

static void put_name(struct json *json, const struct pages *pages, const struct course_member *member,
                     bool is_named)
{
    char name[PAGES_NAME];
    pages_pseudonym(pages->salt, member->id, name);
    json_text(json, "name", is_named ? member->name : name);
    if (is_named && strcmp(member->name, member->id) != 0)
        json_text(json, "id", member->id);
}

static void put_override(struct json *json, const struct store_override *override, bool is_named)
{
    if (!override)
        return;
    json_object(json, "override");
    json_text(json, "reason", is_named ? override->reason : "");
    json_text(json, "made", override->made);
    json_end_object(json);
}

static void put_points(struct json *json, const struct course *course, const struct course_member *member)
{
    json_text(json, "status", status_of(member));
    if (member->has_grade) {
        json_number(json, "points", member->points);
        json_number(json, "bonus", member->bonus);
        json_integer(json, "earned", member->earned);
        json_integer(json, "earnedBonus", member->earned_bonus);
    }
    json_bool(json, "isLate", member->is_late);
    json_integer(json, "lateSeconds", member->late_s);
    json_integer(json, "submissions", member->submissions);
    json_bool(json, "isClosed", course_is_closed(course, member));
}

static void put_stage(struct json *json, const struct record_stage *stage, bool has_words)
{
    json_object(json, NULL);
    json_integer(json, "row", stage->row);
    json_integer(json, "points", stage->points);
    json_integer(json, "most", stage->most);
    json_bool(json, "isRight", stage->is_right);
    json_bool(json, "isClean", stage->is_clean);
    json_bool(json, "hasConcept", stage->has_concept);
    json_number(json, "speedup", stage->speedup);
    json_number(json, "needed", stage->needed);
    json_text(json, "symptom", stage->symptom);
    if (has_words) {
        json_text(json, "id", stage->id);
        json_text(json, "title", stage->title);
        json_bool(json, "isBonus", stage->is_bonus);
        json_number(json, "time", stage->time_us);
        json_number(json, "baseline", stage->baseline_us);
        json_text(json, "hint", stage->hint);
        json_text(json, "message", stage->message);
    }
    json_end_object(json);
}

static void put_stages(struct json *json, const struct record *record, bool has_words)
{
    json_list(json, "stages");
    for (size_t i = 0; record && i < record->nstages; i++)
        put_stage(json, &record->stages[i], has_words);
    json_end_list(json);
}

/* What the reader is told of: findings with a title. */
static void put_findings(struct json *json, const struct record *record, bool has_words)
{
    json_list(json, "findings");
    for (size_t i = 0; record && i < record->nfindings; i++) {
        const struct record_finding *one = &record->findings[i];
        if (!*one->title)
            continue;
        json_object(json, NULL);
        json_integer(json, "stage", one->stage);
        json_text(json, "severity", one->severity);
        json_text(json, "title", one->title);
        if (has_words) {
            json_text(json, "place", one->place);
            json_text(json, "text", one->text);
        }
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_cases(struct json *json, const struct record *record)
{
    json_list(json, "cases");
    for (size_t i = 0; record && i < record->ncases; i++) {
        const struct record_case *one = &record->cases[i];
        json_object(json, NULL);
        json_integer(json, "stage", one->stage);
        json_text(json, "name", one->name);
        json_bool(json, "isRight", one->is_right);
        json_text(json, "text", one->text);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_environment(struct json *json, const char *key, const struct record_environment *one)
{
    json_object(json, key);
    json_text(json, "backend", one->backend);
    json_text(json, "gpu", one->gpu);
    json_text(json, "driver", one->driver);
    json_text(json, "toolkit", one->toolkit);
    json_text(json, "kit", one->kit);
    json_text(json, "sandbox", one->sandbox);
    json_end_object(json);
}

static void put_record(struct json *json, const struct record *record, bool is_named)
{
    if (!record)
        return;
    json_text(json, "begun", record->begun);
    json_number(json, "took", record->took_s);
    if (is_named) {
        json_text(json, "submitted", record->submitted);
        json_text(json, "message", record->message);
        json_text(json, "note", record->note);
        json_text(json, "source", record->source);
    }
}

static void put_member(struct json *json, const struct pages *pages, const struct course_member *member)
{
    const bool is_named = !pages->is_anonymous;
    char file[PAGES_NAME];
    pages_file_name(pages->salt, member->id, file);
    json_line(json);
    json_object(json, NULL);
    put_name(json, pages, member, is_named);
    if (is_named && member->who && *member->who->section)
        json_text(json, "section", member->who->section);
    put_points(json, pages->course, member);
    put_override(json, member->override, is_named);
    put_record(json, member->record, is_named);
    if (member->environment) {
        json_text(json, "backend", member->environment->backend);
        json_text(json, "gpu", member->environment->gpu);
    }
    if (is_named && pages->has_page && pages->has_page(pages, file))
        json_text(json, "page", file);
    put_stages(json, member->record, false);
    put_findings(json, member->record, false);
    json_end_object(json);
}

/* ------------------------------------------------------------------------------------------- the class */

enum { MOST_STAGES = 64 };

/* The lab's stages, as anybody was graded in them. */
static void put_lab_stages(struct json *json, const struct course *course)
{
    const struct record_stage *of[MOST_STAGES + 1] = {NULL};
    for (size_t i = 0; i < course->content.nrecords; i++) {
        const struct record *record = &course->content.records[i];
        for (size_t s = 0; s < record->nstages; s++)
            if (record->stages[s].row >= 1 && record->stages[s].row <= MOST_STAGES)
                of[record->stages[s].row] = &record->stages[s];
    }
    json_list(json, "lab_stages");
    for (int i = 1; i <= MOST_STAGES; i++) {
        if (!of[i])
            continue;
        json_object(json, NULL);
        json_integer(json, "row", i);
        json_text(json, "id", of[i]->id);
        json_text(json, "title", of[i]->title);
        json_integer(json, "most", of[i]->most);
        json_bool(json, "isBonus", of[i]->is_bonus);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_references(struct json *json, const struct pages *pages)
{
    json_object(json, "reference");
    json_text(json, "backend", pages->backend);
    json_text(json, "gpu", pages->gpu);
    json_text(json, "measured", pages->measured);
    json_object(json, "stages");
    for (size_t i = 0; i < pages->nreferences; i++) {
        json_object(json, pages->references[i].stage);
        json_number(json, "speedup", pages->references[i].speedup);
        json_number(json, "library", pages->references[i].library);
        json_end_object(json);
    }
    json_end_object(json);
    json_end_object(json);
}

static void put_course(struct json *json, const struct pages *pages, const char *kind)
{
    const struct course *course = pages->course;
    json_text(json, "kind", kind);
    json_text(json, "lab", course->lab);
    json_text(json, "title", course->title);
    json_integer(json, "most", course->most);
    json_text(json, "deadline", course->deadline);
    json_text(json, "late", course->late);
    json_text(json, "take", course->take);
    json_bool(json, "isAnonymous", pages->is_anonymous);
    put_lab_stages(json, course);
    put_references(json, pages);
}

/* Each way of grading once. */
static void put_environments(struct json *json, const struct store_content *content)
{
    json_list(json, "environments");
    for (size_t i = 0; i < content->nrecords; i++) {
        size_t before = 0;
        while (before < i &&
               !store_is_same_environment(&content->environments[before], &content->environments[i]))
            before++;
        if (before == i)
            put_environment(json, NULL, &content->environments[i]);
    }
    json_end_list(json);
}

struct sorted {
    const struct course_member *member;
    char name[PAGES_NAME];
};

static int by_pseudonym(const void *a, const void *b)
{
    return strcmp(((const struct sorted *)a)->name, ((const struct sorted *)b)->name);
}

/* Without names the roster's order would give them away: pseudonyms stand by themselves. To be freed; NULL: out of memory. */
static struct sorted *sort_members(const struct pages *pages, bool is_by_pseudonym)
{
    const struct course *course = pages->course;
    struct sorted *list = calloc(course->nmembers + 1, sizeof *list);
    for (size_t i = 0; list && i < course->nmembers; i++) {
        list[i].member = &course->members[i];
        pages_pseudonym(pages->salt, course->members[i].id, list[i].name);
    }
    if (list && is_by_pseudonym)
        qsort(list, course->nmembers, sizeof *list, by_pseudonym);
    return list;
}

/* Closes what is open and gives the text; NULL: something of it is missing. */
static char *finish(struct json *json, char **text, bool is_whole)
{
    json_end_object(json);
    is_whole = fclose(json->file) == 0 && is_whole;
    if (is_whole)
        return *text;
    free(*text);
    return NULL;
}

char *pages_class(const struct pages *pages)
{
    char *text = NULL;
    size_t size;
    struct json json = {.file = open_memstream(&text, &size)};
    struct sorted *list = sort_members(pages, pages->is_anonymous);
    if (!json.file)
        return NULL;
    json_object(&json, NULL);
    put_course(&json, pages, "class");
    put_environments(&json, &pages->course->content);
    json_list(&json, "students");
    for (size_t i = 0; list && i < pages->course->nmembers; i++)
        put_member(&json, pages, list[i].member);
    json_end_list(&json);
    const bool is_whole = list;
    free(list);
    return finish(&json, &text, is_whole);
}

/* ------------------------------------------------------------------------------------------- one student */

static void put_links(struct json *json, const struct pages_link *links, size_t count)
{
    json_list(json, "explained");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_integer(json, "stage", links[i].stage);
        json_text(json, "href", links[i].href);
        json_text(json, "text", links[i].text);
        json_end_object(json);
    }
    json_end_list(json);
}

char *pages_student(const struct pages *pages, const struct course_member *member,
                    const struct pages_link *links, size_t nlinks)
{
    char *text = NULL, pseudonym[PAGES_NAME];
    size_t size;
    struct json json = {.file = open_memstream(&text, &size)};
    if (!json.file)
        return NULL;
    pages_pseudonym(pages->salt, member->id, pseudonym);
    json_object(&json, NULL);
    put_course(&json, pages, "student");
    json_object(&json, "student");
    put_name(&json, pages, member, true);
    json_text(&json, "pseudonym", pseudonym);
    put_points(&json, pages->course, member);
    char *uncounted = course_uncounted(pages->course, member);
    json_text(&json, "uncounted", uncounted ? uncounted : "");
    free(uncounted);
    put_override(&json, member->override, true);
    put_record(&json, member->record, true);
    if (member->environment)
        put_environment(&json, "environment", member->environment);
    put_stages(&json, member->record, true);
    put_findings(&json, member->record, true);
    put_cases(&json, member->record);
    put_links(&json, links, nlinks);
    json_end_object(&json);
    return finish(&json, &text, true);
}

/* ------------------------------------------------------------------------------------------- the fastest */

static bool is_named(struct pages_named *named, size_t count, const char *id)
{
    bool is_found = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(named[i].id, id) == 0)
            is_found = named[i].is_known = true;
    }
    return is_found;
}

/* Points and names of others are nobody's business here. */
static void put_runner(struct json *json, const struct pages *pages, const struct course_member *member,
                       bool has_name)
{
    const struct record *record = member->record;
    json_line(json);
    json_object(json, NULL);
    char name[PAGES_NAME];
    pages_pseudonym(pages->salt, member->id, name);
    json_text(json, "name", has_name ? member->name : name);
    json_bool(json, "isNamed", has_name);
    json_text(json, "backend", member->environment->backend);
    json_text(json, "gpu", member->environment->gpu);
    json_list(json, "stages");
    for (size_t i = 0; i < record->nstages; i++) {
        const struct record_stage *stage = &record->stages[i];
        if (!course_is_ranked(stage))
            continue;
        json_object(json, NULL);
        json_integer(json, "row", stage->row);
        json_number(json, "speedup", stage->speedup);
        json_number(json, "time", stage->time_us);
        json_end_object(json);
    }
    json_end_list(json);
    json_end_object(json);
}

char *pages_board(const struct pages *pages, struct pages_named *named, size_t count)
{
    char *text = NULL;
    size_t size;
    struct json json = {.file = open_memstream(&text, &size)};
    struct sorted *list = sort_members(pages, true);
    if (!json.file)
        return NULL;
    json_object(&json, NULL);
    put_course(&json, pages, "board");
    json_list(&json, "runners");
    for (size_t i = 0; list && i < pages->course->nmembers; i++) {
        const bool has_name = is_named(named, count, list[i].member->id);
        if (list[i].member->record)
            put_runner(&json, pages, list[i].member, has_name);
    }
    json_end_list(&json);
    const bool is_whole = list;
    free(list);
    return finish(&json, &text, is_whole);
}
