/* explain_reference.c - what the kit's own solution counts in a stage: numbers to compare with, never its code.
 * It is compiled and judged once; the verdict is kept in build/labs/labN/reference, as long as nothing that it comes from is
 * newer. Where the kit has no solutions, as for students, there is nothing to compare with. */
#define _GNU_SOURCE
#include "grader/explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/files.h"

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
    if (!grading.trouble && stages_record_cell(&grading, &cell) && cell.is_recorded)
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
    if (!find_paths(session, stage, source, kept, sizeof source))
        return NULL;
    struct verdict *verdict = read_kept(session, source, kept);
    if (verdict)
        return verdict;
    verdict = ask(session, stage, source);
    if (verdict)
        keep(verdict, kept);
    return verdict;
}
