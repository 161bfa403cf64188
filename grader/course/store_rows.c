/* store_rows.c - the part of the store that needs no SQLite: its own shapes, its name, what is freed and found. */
#include "grader/course/store.h"

#include <stdlib.h>
#include <string.h>

static const struct record_field of_student[] = {
    {"id", RECORD_TEXT, offsetof(struct store_student, id)},
    {"name", RECORD_TEXT, offsetof(struct store_student, name)},
    {"email", RECORD_TEXT, offsetof(struct store_student, email)},
    {"section", RECORD_TEXT, offsetof(struct store_student, section)},
    {"submitted", RECORD_TEXT, offsetof(struct store_student, submitted)},
    {"place", RECORD_INTEGER, offsetof(struct store_student, place)}};
static const struct record_field of_override[] = {
    {"student", RECORD_TEXT, offsetof(struct store_override, student)},
    {"points", RECORD_REAL, offsetof(struct store_override, points)},
    {"bonus", RECORD_REAL, offsetof(struct store_override, bonus)},
    {"reason", RECORD_TEXT, offsetof(struct store_override, reason)},
    {"made", RECORD_TEXT, offsetof(struct store_override, made)}};
const struct record_shape store_student_shape = {"student", sizeof(struct store_student), of_student,
                                                 sizeof of_student / sizeof *of_student};
const struct record_shape store_override_shape = {"override", sizeof(struct store_override), of_override,
                                                  sizeof of_override / sizeof *of_override};

void store_name(struct store *store, const char *folder)
{
    *store = (struct store){.error = ""};
    snprintf(store->path, sizeof store->path, "%.2700s/results.db", folder);
}

static void free_rows(const struct record_shape *shape, void *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        record_free_row(shape, (char *)rows + i * shape->size);
    free(rows);
}

void store_content_free(struct store_content *content)
{
    for (size_t i = 0; i < content->nrecords; i++)
        record_free(&content->records[i]);
    free(content->records);
    free_rows(&record_environment_shape, content->environments, content->nrecords);
    free_rows(&store_student_shape, content->students, content->nstudents);
    free_rows(&store_override_shape, content->overrides, content->noverrides);
    for (size_t i = 0; i < content->nwaiting; i++)
        free(content->waiting[i]);
    free(content->waiting);
    free(content->attempts);
    *content = (struct store_content){.records = NULL};
}

static bool copy_environment(struct record_environment *to, const struct record_environment *from)
{
    bool is_done = true;
    for (int i = 0; i < record_environment_shape.nfields; i++) {
        const size_t at = record_environment_shape.fields[i].offset;
        is_done = is_done && record_set((char **)((char *)to + at),
                                        from ? *(char *const *)((const char *)from + at) : NULL);
    }
    return is_done;
}

bool store_content_add(struct store_content *content, const struct record_environment *environment)
{
    const size_t n = content->nrecords + 1;
    struct record *records = realloc(content->records, n * sizeof *records);
    content->records = records ? records : content->records;
    struct record_environment *environments = realloc(content->environments, n * sizeof *environments);
    content->environments = environments ? environments : content->environments;
    long *attempts = realloc(content->attempts, n * sizeof *attempts);
    content->attempts = attempts ? attempts : content->attempts;
    if (!records || !environments || !attempts)
        return false;
    records[n - 1] = (struct record){.source = NULL};
    environments[n - 1] = (struct record_environment){.lab = NULL};
    attempts[n - 1] = 1;
    content->nrecords = n;
    return copy_environment(&environments[n - 1], environment);
}

const struct record *store_find(const struct store_content *content, const char *source, size_t *index)
{
    for (size_t i = 0; i < content->nrecords; i++) {
        if (strcmp(content->records[i].source, source) == 0) {
            *index = i;
            return &content->records[i];
        }
    }
    return NULL;
}

bool store_is_same_environment(const struct record_environment *a, const struct record_environment *b)
{
    bool is_same = true;
    for (int i = 0; i < record_environment_shape.nfields; i++) {
        const size_t at = record_environment_shape.fields[i].offset;
        is_same = is_same &&
                  strcmp(*(char *const *)((const char *)a + at), *(char *const *)((const char *)b + at)) == 0;
    }
    return is_same;
}

bool store_has(const struct store_content *content, const struct record_environment *environment,
               const char *source, const char *hash)
{
    size_t i;
    const struct record *there = store_find(content, source, &i);
    return there && strcmp(there->hash, hash) == 0 &&
           strcmp(there->status, record_status_names[RECORD_ERROR]) != 0 &&
           store_is_same_environment(&content->environments[i], environment);
}
