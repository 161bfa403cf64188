/* explain_reference.c - what the kit's own solution counts in a stage: numbers to compare with, never its code.
 * Those of an H200 lie with the lab, in reference.csv (`make references` writes it), so that students have them, too. Where they do
 * not, as in a new lab or for another GPU, the solution is compiled and judged once; the verdict is kept in
 * build/labs/labN/reference, as long as nothing that it comes from is newer. Without a solution there is nothing to compare with. */
#define _GNU_SOURCE
#include "grader/explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/course/csv.h"
#include "grader/files.h"

/* ------------------------------------------------------------------------------------------- with the lab */

enum { MOST_TABLE = 1 << 20 };

/* NULL: the stage is not in it. */
static struct verdict *take_column(const struct csv *table, const char *stage)
{
    const int column = csv_column(table, stage);
    struct verdict *verdict = column > 0 ? verdict_new() : NULL;
    for (size_t i = 1; verdict && i < table->nrows; i++) {
        const char *value = csv_cell(table, i, (size_t)column);
        if (*value)
            verdict_add_counter(verdict, csv_cell(table, i, 0), strtod(value, NULL));
    }
    return verdict;
}

/* NULL: there is no table, or the stage is not in it. */
static struct verdict *read_table(const struct session *session, const struct lab_stage *stage)
{
    char path[GRADE_PATH + 600];
    size_t size;
    struct csv table;
    struct verdict *verdict = NULL;
    if (strcmp(session->model, REFERENCE_GPU) != 0)
        return NULL;
    snprintf(path, sizeof path, "%s/labs/%s/reference.csv", session->kit.root, session->entry->folder);
    char *text = (char *)files_read(path, MOST_TABLE, false, &size);
    if (text && csv_read(&table, text)) {
        verdict = take_column(&table, stage->id);
        csv_free(&table);
    }
    free(text);
    return verdict;
}

/* ------------------------------------------------------------------------------------------- asked and kept */

static time_t time_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mtime : 0;
}

static bool find_paths(const struct session *session, const struct lab_stage *stage, char *source, char *kept,
                       size_t size)
{
    const struct labs_entry *entry = session->entry;
    snprintf(source, size, "%s/solutions/%s/%s.cu", session->kit.root, entry->folder, entry->id);
    snprintf(kept, size, "%s/labs/%s/reference/%s-%s", session->kit.cache, entry->id, stage->id,
             session->model);
    return access(source, R_OK) == 0;
}

/* NULL: it was never asked, or what it comes from has changed since. */
static struct verdict *read_kept(const struct session *session, const char *source, const char *kept)
{
    char judge[GRADE_PATH + 40], table[GRADE_PATH + 80];
    snprintf(judge, sizeof judge, "%s/judge-virtual", session->kit.build);
    snprintf(table, sizeof table, "%s/labs/%s/lab.so", session->kit.build, session->entry->id);
    const time_t own = time_of(kept);
    FILE *file =
        own > time_of(source) && own > time_of(judge) && own > time_of(table) ? fopen(kept, "r") : NULL;
    if (!file)
        return NULL;
    struct verdict *verdict = verdict_read(file);
    fclose(file);
    if (verdict && verdict->is_complete && !*verdict->failure)
        return verdict;
    verdict_free(verdict);
    return NULL;
}

static void keep(const struct verdict *verdict, const char *kept)
{
    char folder[GRADE_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(kept, '/') - kept), kept);
    FILE *file = files_make_folder(folder) ? fopen(kept, "w") : NULL;
    if (!file)
        return;
    verdict_write(verdict, file);
    if (fclose(file) != 0)
        unlink(kept);
}

static struct verdict *ask(struct session *session, const struct lab_stage *stage, const char *source)
{
    struct grading grading = {.is_for_check = true};
    struct stages_cell cell = {.stage = stage, .step = stage};
    struct verdict *verdict = NULL;
    grade_submission(&grading, session, source);
    if (!grading.trouble && stages_record_cells(&grading, &cell, 1) && cell.is_recorded)
        verdict = stages_ask(&grading,
                             &(struct stages_question){.stage = stage, .step = stage, .is_explained = true});
    grading_free(&grading);
    if (!verdict || (verdict->is_complete && !*verdict->failure && verdict->time.is_known))
        return verdict;
    verdict_free(verdict);
    return NULL;
}

struct verdict *explain_reference(struct session *session, const struct lab_stage *stage)
{
    char source[GRADE_PATH + 600], kept[GRADE_PATH + 600];
    struct verdict *verdict = read_table(session, stage);
    if (verdict)
        return verdict;
    if (stage->is_given || !find_paths(session, stage, source, kept, sizeof source))
        return NULL;
    verdict = read_kept(session, source, kept);
    if (verdict)
        return verdict;
    verdict = ask(session, stage, source);
    if (verdict)
        keep(verdict, kept);
    return verdict;
}
