/* rows.c - results.csv and the journal beside it: see rows.h. */
#define _GNU_SOURCE
#include "grader/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/utf8.h"
#include "grader/files.h"

#define MOST_BYTES ((size_t)256 << 20)

struct rows_row {
    char *cell; /* the first one as it stands in the file, with its comma */
    char *text; /* the whole line */
};

/* ------------------------------------------------------------------------------------------- cells */

/* Spreadsheets take a cell that begins so for a formula; behind a ' it is text. */
static bool is_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text);
}

void rows_put_cell(FILE *file, const char *text, char end)
{
    char *plain = utf8_plain(text);
    const char *at = plain ? plain : "";
    const bool is_plain = !at[strcspn(at, ",\"\r\n\t")];
    if (!is_plain)
        fputc('"', file);
    if (is_formula(at))
        fputc('\'', file);
    for (; *at; at++) {
        if (*at == '"')
            fputc('"', file);
        fputc(*at, file);
    }
    if (!is_plain)
        fputc('"', file);
    fputc(end, file);
    free(plain);
}

static char *cell_of(const char *student)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    rows_put_cell(file, student, ',');
    return fclose(file) == 0 ? text : NULL;
}

/* ------------------------------------------------------------------------------------------- rows in memory */

/* The end of a line, or of a cell: line breaks and commas between quotes are text. */
static const char *find_end(const char *at, char end)
{
    for (bool is_quoted = false; *at && (is_quoted || *at != end); at++) {
        if (*at == '"')
            is_quoted = !is_quoted;
    }
    return *at ? at + 1 : at;
}

static bool add_row(struct rows *rows, char *cell, char *text)
{
    struct rows_row *list = realloc(rows->list, (size_t)(rows->count + 1) * sizeof *list);
    if (list)
        rows->list = list;
    if (!list || !cell || !text) {
        free(cell);
        free(text);
        errno = ENOMEM;
        return false;
    }
    rows->list[rows->count++] = (struct rows_row){cell, text};
    return true;
}

static bool read_rows(struct rows *rows, const char *text)
{
    bool is_done = true;
    for (const char *at = text, *end; is_done && *at; at = end) {
        end = find_end(at, '\n');
        const char *comma = find_end(at, ',');
        if (comma < end)
            is_done = add_row(rows, strndup(at, (size_t)(comma - at)), strndup(at, (size_t)(end - at)));
    }
    return is_done;
}

/* Rows of another lab are kept, but not among these. */
static bool load(struct rows *rows, const char *folder)
{
    char aside[2750];
    size_t size;
    char *text = (char *)files_read(rows->path, MOST_BYTES, false, &size);
    if (!text)
        return errno == ENOENT;
    bool is_same = strncmp(text, rows->head, strlen(rows->head)) == 0;
    snprintf(aside, sizeof aside, "%s/results.old.csv", folder);
    bool is_done = is_same ? read_rows(rows, text + strlen(rows->head)) : rename(rows->path, aside) == 0;
    free(text);
    return is_done;
}

static bool save(const struct rows *rows)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    fputs(rows->head, file);
    for (int i = 0; i < rows->count; i++)
        fputs(rows->list[i].text, file);
    bool is_done = fclose(file) == 0 && files_replace(rows->path, text, size);
    free(text);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the journal */

/* Its first line is the order; then a line per student: a hash of the text, a blank, the name. */
static bool open_journal(struct rows *rows, const char *order)
{
    size_t size, length = strlen(order);
    rows->journal = open(rows->journal_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0644);
    if (rows->journal < 0 || flock(rows->journal, LOCK_EX | LOCK_NB) != 0)
        return false;
    rows->done = (char *)files_read(rows->journal_path, MOST_BYTES, false, &size);
    if (rows->done && size > length && strncmp(rows->done, order, length) == 0 && rows->done[length] == '\n')
        return true;
    free(rows->done);
    rows->done = NULL;
    return ftruncate(rows->journal, 0) == 0 && dprintf(rows->journal, "%s\n", order) > 0;
}

static char *journal_line(const char *student, uint64_t hash)
{
    char *line;
    return asprintf(&line, "\n%016" PRIx64 " %s\n", hash, student) < 0 ? NULL : line;
}

bool rows_is_done(const struct rows *rows, const char *student, uint64_t hash)
{
    char *line = rows->done ? journal_line(student, hash) : NULL, *cell = cell_of(student);
    bool is_done = line && strstr(rows->done, line), has_row = false;
    for (int i = 0; cell && i < rows->count; i++)
        has_row = has_row || strcmp(rows->list[i].cell, cell) == 0;
    free(line);
    free(cell);
    return is_done && has_row;
}

/* ------------------------------------------------------------------------------------------- open, replace, close */

bool rows_open(struct rows *rows, const char *folder, const char *head, const char *order)
{
    *rows = (struct rows){.journal = -1, .head = strdup(head)};
    snprintf(rows->path, sizeof rows->path, "%s/results.csv", folder);
    snprintf(rows->journal_path, sizeof rows->journal_path, "%s/unfinished", folder);
    return rows->head && open_journal(rows, order) && load(rows, folder);
}

bool rows_replace(struct rows *rows, const char *student, const char *row, const uint64_t *hash)
{
    char *cell = cell_of(student), *text = strdup(row), *line = journal_line(student, hash ? *hash : 0);
    int i = 0;
    while (cell && i < rows->count && strcmp(rows->list[i].cell, cell) != 0)
        i++;
    bool is_done = cell && text && line;
    if (is_done && i < rows->count) {
        free(rows->list[i].text);
        rows->list[i].text = text;
        free(cell);
    } else {
        is_done = add_row(rows, cell, text) && is_done;
    }
    is_done = is_done && save(rows) && (!hash || dprintf(rows->journal, "%s", line + 1) > 0);
    free(line);
    return is_done;
}

bool rows_sort(struct rows *rows, const char *const *students, int count)
{
    int sorted = 0;
    for (int s = 0; s < count; s++) {
        char *cell = cell_of(students[s]);
        int i = sorted;
        while (cell && i < rows->count && strcmp(rows->list[i].cell, cell) != 0)
            i++;
        if (cell && i < rows->count) {
            const struct rows_row row = rows->list[i];
            memmove(rows->list + sorted + 1, rows->list + sorted, (size_t)(i - sorted) * sizeof row);
            rows->list[sorted++] = row;
        }
        free(cell);
    }
    return save(rows);
}

void rows_close(struct rows *rows, bool is_finished)
{
    if (is_finished)
        unlink(rows->journal_path);
    if (rows->journal >= 0)
        close(rows->journal);
    for (int i = 0; i < rows->count; i++) {
        free(rows->list[i].cell);
        free(rows->list[i].text);
    }
    free(rows->list);
    free(rows->head);
    free(rows->done);
    *rows = (struct rows){.journal = -1};
}
