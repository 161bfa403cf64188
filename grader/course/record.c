/* record.c - rows by tables: see record.h. As bytes a number is its digits and a blank, a text its length, a colon and itself. */
#define _GNU_SOURCE
#include "grader/course/record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- the tables */

#define X(name, text) text,
const char *const record_status_names[RECORD_NSTATUSES] = {RECORD_STATUSES(X)};
#undef X

#define TEXT(type, name)                                                                                     \
    {                                                                                                        \
#name, RECORD_TEXT, offsetof(struct type, name)                                                      \
    }
#define INTEGER(type, name)                                                                                  \
    {                                                                                                        \
#name, RECORD_INTEGER, offsetof(struct type, name)                                                   \
    }
#define REAL(type, name)                                                                                     \
    {                                                                                                        \
#name, RECORD_REAL, offsetof(struct type, name)                                                      \
    }
#define SHAPE(name, type, fields)                                                                            \
    {                                                                                                        \
        name, sizeof(struct type), fields, sizeof fields / sizeof *fields                                    \
    }

static const struct record_field of_environment[] = {
    TEXT(record_environment, lab), TEXT(record_environment, stages), TEXT(record_environment, backend),
    TEXT(record_environment, gpu), TEXT(record_environment, driver), TEXT(record_environment, toolkit),
    TEXT(record_environment, kit), TEXT(record_environment, sandbox)};
static const struct record_field of_record[] = {
    TEXT(record, source),    TEXT(record, student),    TEXT(record, hash),    TEXT(record, note),
    TEXT(record, submitted), INTEGER(record, is_late), TEXT(record, status),  TEXT(record, message),
    TEXT(record, details),   INTEGER(record, points),  INTEGER(record, most), INTEGER(record, bonus),
    TEXT(record, seed),      TEXT(record, begun),      REAL(record, took_s),  REAL(record, compiler_s)};
static const struct record_field of_stage[] = {
    INTEGER(record_stage, row),      TEXT(record_stage, id),          TEXT(record_stage, title),
    INTEGER(record_stage, points),   INTEGER(record_stage, most),     INTEGER(record_stage, is_bonus),
    INTEGER(record_stage, is_right), INTEGER(record_stage, is_clean), INTEGER(record_stage, has_concept),
    REAL(record_stage, speedup),     REAL(record_stage, needed),      REAL(record_stage, time_us),
    REAL(record_stage, baseline_us), TEXT(record_stage, symptom),     TEXT(record_stage, hint),
    TEXT(record_stage, message)};
static const struct record_field of_case[] = {INTEGER(record_case, stage), TEXT(record_case, name),
                                              INTEGER(record_case, is_right), TEXT(record_case, symptom),
                                              TEXT(record_case, text)};
static const struct record_field of_finding[] = {
    INTEGER(record_finding, stage), TEXT(record_finding, severity), TEXT(record_finding, symptom),
    TEXT(record_finding, title),    TEXT(record_finding, place),    TEXT(record_finding, text)};
static const struct record_field of_measurement[] = {
    INTEGER(record_measurement, stage), TEXT(record_measurement, name), REAL(record_measurement, value)};

const struct record_shape record_environment_shape = SHAPE("environment", record_environment, of_environment);
const struct record_shape record_shape = SHAPE("attempt", record, of_record);
static const struct record_shape stage_shape = SHAPE("stage", record_stage, of_stage),
                                 case_shape = SHAPE("testcase", record_case, of_case),
                                 finding_shape = SHAPE("finding", record_finding, of_finding),
                                 measurement_shape = SHAPE("measurement", record_measurement, of_measurement);
const struct record_part record_parts[RECORD_PARTS] = {
    {&stage_shape, offsetof(struct record, stages), offsetof(struct record, nstages)},
    {&case_shape, offsetof(struct record, cases), offsetof(struct record, ncases)},
    {&finding_shape, offsetof(struct record, findings), offsetof(struct record, nfindings)},
    {&measurement_shape, offsetof(struct record, measurements), offsetof(struct record, nmeasurements)}};

/* ------------------------------------------------------------------------------------------- rows */

static void **list_of(const struct record *record, const struct record_part *part)
{
    return (void **)((char *)(uintptr_t)record + part->list);
}

static size_t *count_of(const struct record *record, const struct record_part *part)
{
    return (size_t *)((char *)(uintptr_t)record + part->count);
}

static void *row_of(const struct record *record, const struct record_part *part, size_t i)
{
    return (char *)*list_of(record, part) + i * part->shape->size;
}

bool record_set(char **field, const char *text)
{
    char *copy = strdup(text ? text : "");
    if (copy) {
        free(*field);
        *field = copy;
    }
    return copy;
}

void *record_add(struct record *record, const struct record_shape *shape)
{
    for (int p = 0; p < RECORD_PARTS; p++) {
        const struct record_part *part = &record_parts[p];
        if (part->shape != shape)
            continue;
        size_t *count = count_of(record, part);
        void *list = realloc(*list_of(record, part), (*count + 1) * shape->size);
        if (!list)
            return NULL;
        *list_of(record, part) = list;
        return memset(row_of(record, part, (*count)++), 0, shape->size);
    }
    return NULL;
}

void record_free_row(const struct record_shape *shape, void *row)
{
    for (int i = 0; i < shape->nfields; i++) {
        char **text = (char **)((char *)row + shape->fields[i].offset);
        if (shape->fields[i].kind == RECORD_TEXT) {
            free(*text);
            *text = NULL;
        }
    }
}

void record_drop(struct record *record, const struct record_part *part)
{
    for (size_t i = 0; i < *count_of(record, part); i++)
        record_free_row(part->shape, row_of(record, part, i));
    free(*list_of(record, part));
    *list_of(record, part) = NULL;
    *count_of(record, part) = 0;
}

void record_free(struct record *record)
{
    for (int p = 0; p < RECORD_PARTS; p++)
        record_drop(record, &record_parts[p]);
    record_free_row(&record_shape, record);
    *record = (struct record){.source = NULL};
}

/* ------------------------------------------------------------------------------------------- as bytes */

static void write_row(const struct record_shape *shape, const void *row, FILE *file)
{
    for (int i = 0; i < shape->nfields; i++) {
        const void *field = (const char *)row + shape->fields[i].offset;
        const char *text = shape->fields[i].kind == RECORD_TEXT ? *(char *const *)field : NULL;
        if (shape->fields[i].kind == RECORD_INTEGER)
            fprintf(file, "%ld ", *(const long *)field);
        else if (shape->fields[i].kind == RECORD_REAL)
            fprintf(file, "%a ", *(const double *)field);
        else
            fprintf(file, "%zu:%s", text ? strlen(text) : 0, text ? text : "");
    }
}

bool record_write(const struct record *record, FILE *file)
{
    write_row(&record_shape, record, file);
    for (int p = 0; p < RECORD_PARTS; p++) {
        const size_t count = *count_of(record, &record_parts[p]);
        fprintf(file, "%zu ", count);
        for (size_t i = 0; i < count; i++)
            write_row(record_parts[p].shape, row_of(record, &record_parts[p], i), file);
    }
    return !ferror(file);
}

struct bytes {
    const char *at, *end; /* a NUL stands at the end */
    bool is_bad;
};

static void take(struct bytes *bytes, const char *behind, char sign)
{
    bytes->is_bad = bytes->is_bad || behind == bytes->at || behind >= bytes->end || *behind != sign;
    bytes->at = bytes->is_bad ? bytes->at : behind + 1;
}

static long read_integer(struct bytes *bytes, char sign)
{
    char *behind;
    const long value = strtol(bytes->at, &behind, 10);
    take(bytes, behind, sign);
    return value;
}

static double read_real(struct bytes *bytes)
{
    char *behind;
    const double value = strtod(bytes->at, &behind);
    take(bytes, behind, ' ');
    return value;
}

static char *read_text(struct bytes *bytes)
{
    const long length = read_integer(bytes, ':');
    bytes->is_bad = bytes->is_bad || length < 0 || length > bytes->end - bytes->at;
    char *text = bytes->is_bad ? NULL : strndup(bytes->at, (size_t)length);
    bytes->is_bad = !text;
    bytes->at += text ? length : 0;
    return text;
}

static void read_row(const struct record_shape *shape, void *row, struct bytes *bytes)
{
    for (int i = 0; i < shape->nfields && !bytes->is_bad; i++) {
        void *field = (char *)row + shape->fields[i].offset;
        if (shape->fields[i].kind == RECORD_INTEGER)
            *(long *)field = read_integer(bytes, ' ');
        else if (shape->fields[i].kind == RECORD_REAL)
            *(double *)field = read_real(bytes);
        else
            *(char **)field = read_text(bytes);
    }
}

bool record_read(struct record *record, const char *text, size_t size)
{
    struct bytes bytes = {text, text + size, false};
    *record = (struct record){.source = NULL};
    read_row(&record_shape, record, &bytes);
    for (int p = 0; p < RECORD_PARTS && !bytes.is_bad; p++) {
        const long count = read_integer(&bytes, ' ');
        for (long i = 0; i < count && !bytes.is_bad; i++) {
            void *row = record_add(record, record_parts[p].shape);
            bytes.is_bad = !row;
            if (row)
                read_row(record_parts[p].shape, row, &bytes);
        }
    }
    return !bytes.is_bad && bytes.at == bytes.end;
}
