/* batch.c - a folder of submissions, graded one after another: results.csv for the course, NAME.json for each student.
 * Names are data: any bytes that a file system allows. Links are not followed. No submission stops the next one, and the
 * results of those already graded are on disk at any moment. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/files.h"

enum { MESSAGE = 300 }; /* of results.csv */

struct submission {
    char *student;    /* name of the folder, or of the file without .cu */
    char *source;     /* path of the file to grade; NULL: there is none */
    const char *flaw; /* why not */
};

struct batch {
    struct session *session;
    char out[GRADE_PATH];
    struct submission *list;
    int count;
    char *rows; /* of results.csv so far */
    size_t rows_bytes;
    int ours; /* gradings that failed by our fault */
};

/* ------------------------------------------------------------------------------------------- finding submissions */

static bool is_regular(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_same_folder(const struct stat *status, const char *path)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == status->st_dev && other.st_ino == status->st_ino;
}

static bool ends_in_cu(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

/* Results of an earlier batch may lie among the submissions. */
static bool holds_results(const char *path)
{
    char file[GRADE_PATH];
    snprintf(file, sizeof file, "%s/results.csv", path);
    return access(file, F_OK) == 0;
}

static void read_folder(const struct batch *batch, const char *path, const char *name, struct submission *out)
{
    char *inner;
    if (asprintf(&inner, "%s/%s.cu", path, batch->session->options->lab) < 0)
        return;
    bool is_there = is_regular(inner);
    if (!is_there && holds_results(path)) {
        free(inner);
        return;
    }
    out->student = strdup(name);
    out->source = is_there ? strdup(inner) : NULL;
    out->flaw = is_there ? NULL : "the file is missing, or not a plain file";
    free(inner);
}

static void read_file(const char *path, const char *name, bool is_regular, struct submission *out)
{
    out->student = strndup(name, strlen(name) - (ends_in_cu(name) ? 3 : 0));
    out->source = is_regular ? strdup(path) : NULL;
    out->flaw = is_regular ? NULL : "not a plain file";
}

/* False: the entry is no submission. */
static bool read_submission(const struct batch *batch, const char *name, struct submission *out)
{
    char *path;
    struct stat status;
    *out = (struct submission){.student = NULL};
    if (name[0] == '.' || asprintf(&path, "%s/%s", batch->session->options->folder, name) < 0)
        return false;
    bool is_there = lstat(path, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode) && !is_same_folder(&status, batch->out))
        read_folder(batch, path, name, out);
    else if (is_there && !S_ISDIR(status.st_mode) && (ends_in_cu(name) || S_ISLNK(status.st_mode)))
        read_file(path, name, S_ISREG(status.st_mode), out);
    free(path);
    if (!out->student)
        free(out->source);
    return out->student != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct submission *)a)->student, ((const struct submission *)b)->student);
}

static bool find_submissions(struct batch *batch)
{
    DIR *folder = opendir(batch->session->options->folder);
    if (!folder)
        return false;
    for (struct dirent *one; (one = readdir(folder));) {
        struct submission found;
        if (!read_submission(batch, one->d_name, &found))
            continue;
        struct submission *list = realloc(batch->list, (size_t)(batch->count + 1) * sizeof *list);
        if (!list) {
            free(found.student);
            free(found.source);
            break;
        }
        batch->list = list;
        batch->list[batch->count++] = found;
    }
    closedir(folder);
    if (batch->count)
        qsort(batch->list, (size_t)batch->count, sizeof *batch->list, by_name);
    return true;
}

/* ------------------------------------------------------------------------------------------- results.csv */

static void put_field(FILE *file, const char *text, char end)
{
    bool is_plain = !text[strcspn(text, ",\"\r\n")];
    if (!is_plain)
        fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    if (!is_plain)
        fputc('"', file);
    fputc(end, file);
}

static void put_head(const struct batch *batch, FILE *file)
{
    const struct lab *lab = batch->session->lab;
    fputs("student,points,max,bonus,", file);
    for (int i = 0; i < lab->nstages; i++) {
        if (!lab->stages[i].is_given)
            put_field(file, lab->stages[i].id, ',');
    }
    fputs("status,message\n", file);
}

/* The line of the first error among the compiler's words; NULL: there is none. */
static const char *first_error(const char *text)
{
    const char *error = strstr(text, ": error");
    if (!error)
        error = strstr(text, "error");
    while (error && error > text && error[-1] != '\n')
        error--;
    return error;
}

/* The first line of what went wrong; where it only announces the compiler's words, with the first error of them. */
static void summarise(const char *text, char *out, size_t size)
{
    size_t length = strcspn(text, "\n");
    bool is_announcement = text[length] && length && text[length - 1] == ':';
    const char *error = is_announcement ? first_error(text + length + 1) : NULL;
    snprintf(out, size, "%.*s%s%.*s", (int)length, text, error ? " " : "",
             error ? (int)strcspn(error, "\n") : 0, error ? error : "");
    for (; *out; out++) {
        if ((unsigned char)*out < 0x20 || *out == 0x7f)
            *out = '?';
    }
}

static void put_row(FILE *file, const struct batch *batch, const struct submission *one,
                    const struct grading *grading)
{
    static const char *const words[] = {
        [OUTCOME_GRADED] = "graded", [OUTCOME_STUDENT] = "failed", [OUTCOME_OURS] = "error"};
    const struct lab *lab = batch->session->lab;
    struct totals totals = grading_totals(grading);
    char message[MESSAGE];
    put_field(file, one->student, ',');
    if (grading->outcome == OUTCOME_OURS)
        fprintf(file, ",%d,,", lab_max_points(lab));
    else
        fprintf(file, "%d,%d,%d,", totals.points, lab_max_points(lab), totals.bonus);
    for (int i = 0, k = 0; i < lab->nstages; i++) {
        while (k < grading->nstages && grading->stages[k].row < i + 1)
            k++;
        bool is_graded = k < grading->nstages && grading->stages[k].row == i + 1;
        if (lab->stages[i].is_given)
            continue;
        if (is_graded && grading->outcome != OUTCOME_OURS)
            fprintf(file, "%d", grading->stages[k].score.all.points);
        fputc(',', file);
    }
    fprintf(file, "%s,", words[grading->outcome]);
    summarise(grading->trouble ? grading->trouble : "", message, sizeof message);
    put_field(file, message, '\n');
}

static bool add_row(struct batch *batch, const struct submission *one, const struct grading *grading)
{
    char path[GRADE_PATH + 20], *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    if (batch->rows)
        fwrite(batch->rows, 1, batch->rows_bytes, file);
    else
        put_head(batch, file);
    put_row(file, batch, one, grading);
    if (fclose(file)) {
        free(text);
        return false;
    }
    free(batch->rows);
    batch->rows = text;
    batch->rows_bytes = size;
    snprintf(path, sizeof path, "%s/results.csv", batch->out);
    return files_replace(path, text, size);
}

/* ------------------------------------------------------------------------------------------- one submission */

/* A folder and a file may carry the same name, and a name may leave no room for ".json". */
static bool save_json(const struct batch *batch, int index, const struct grading *grading)
{
    char path[GRADE_PATH + 300];
    const char *student = batch->list[index].student;
    bool is_second = index > 0 && strcmp(batch->list[index - 1].student, student) == 0;
    if (is_second || strlen(student) > 240)
        snprintf(path, sizeof path, "%s/%.200s-%d.json", batch->out, student, index + 1);
    else
        snprintf(path, sizeof path, "%s/%s.json", batch->out, student);
    return report_save(grading, path);
}

static void put_progress(const struct batch *batch, int index, bool is_done)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, is_done ? "\r%*s\r" : "\r%*s%d of %d ...", is_done ? 40 : 0, "", index + 1,
                batch->count);
}

static void put_student(const char *name)
{
    int columns = 0;
    for (; *name && columns < 40; name++, columns++)
        putchar((unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
    printf("%*s", 41 - columns, "");
}

static void put_result(const struct submission *one, const struct grading *grading)
{
    struct totals totals = grading_totals(grading);
    char message[MESSAGE];
    summarise(grading->trouble ? grading->trouble : "", message, sizeof message);
    put_student(one->student);
    if (grading->outcome == OUTCOME_GRADED)
        printf(totals.bonus ? "%4d/%d, bonus %d\n" : "%4d/%d\n", totals.points, totals.most, totals.bonus);
    else
        printf("%s: %s\n", grading->outcome == OUTCOME_OURS ? "error of the kit" : "failed", message);
    fflush(stdout);
}

static bool grade_entry(struct batch *batch, int index)
{
    const struct submission *one = &batch->list[index];
    struct grading grading = {.session = batch->session};
    put_progress(batch, index, false);
    if (one->source)
        grade_submission(&grading, batch->session, one->source);
    else
        grading_fail(&grading, OUTCOME_STUDENT, "%s.cu: %s.", batch->session->entry->id, one->flaw);
    put_progress(batch, index, true);
    bool is_kept = true;
    if (!sandbox_is_stopped()) {
        put_result(one, &grading);
        is_kept = save_json(batch, index, &grading);
        is_kept = add_row(batch, one, &grading) && is_kept;
        batch->ours += grading.outcome == OUTCOME_OURS;
    }
    grading_free(&grading);
    return is_kept;
}

/* ------------------------------------------------------------------------------------------- all of them */

static bool open_batch(struct batch *batch)
{
    const struct options *options = batch->session->options;
    if (options->out)
        snprintf(batch->out, sizeof batch->out, "%s", options->out);
    else
        snprintf(batch->out, sizeof batch->out, "%s/results", options->folder);
    if (access(options->folder, R_OK | X_OK) != 0)
        return session_fail(batch->session, "The folder %s cannot be read: %s.", options->folder,
                            strerror(errno));
    if (!files_make_folder(batch->out))
        return session_fail(batch->session, "The folder %s cannot be made: %s.", batch->out, strerror(errno));
    if (!find_submissions(batch))
        return session_fail(batch->session, "The folder %s cannot be read: %s.", options->folder,
                            strerror(errno));
    return batch->count > 0 ||
           session_fail(batch->session,
                        "There is no submission in %s: neither a folder with %s.cu nor a file NAME.cu.",
                        options->folder, options->lab);
}

static void close_batch(struct batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        free(batch->list[i].student);
        free(batch->list[i].source);
    }
    free(batch->list);
    free(batch->rows);
}

enum outcome batch_run(struct session *session)
{
    struct batch batch = {.session = session};
    bool is_fine = open_batch(&batch);
    for (int i = 0; is_fine && i < batch.count && !sandbox_is_stopped(); i++)
        is_fine = grade_entry(&batch, i) ||
                  session_fail(session, "Results cannot be written to %s: %s.", batch.out, strerror(errno));
    if (!is_fine)
        fprintf(stderr, "grade: %s\n", session->error);
    else if (!sandbox_is_stopped())
        printf("%d submission%s, %d error%s of the kit: %s/results.csv\n", batch.count,
               batch.count == 1 ? "" : "s", batch.ours, batch.ours == 1 ? "" : "s", batch.out);
    bool has_failed = !is_fine || batch.ours || sandbox_is_stopped();
    close_batch(&batch);
    return has_failed ? OUTCOME_OURS : OUTCOME_GRADED;
}
