/* batch.c - a folder of submissions, graded side by side: results.csv for the course, NAME.json for each student.
 * Each is graded in a process of its own (crew.h), which writes the report and hands back the row and the line to be shown; only this
 * process writes results.csv. Every name in the folder gets a row, in the folder's order, however many are graded at a time. No
 * submission stops the next one; one that could not be graded by our fault is tried again at the end. Results are on disk at any
 * moment, and a batch that was broken off goes on where it stopped. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/real_time.h"
#include "base/utf8.h"
#include "grader/busy.h"
#include "grader/crew.h"
#include "grader/entries.h"
#include "grader/files.h"
#include "grader/rows.h"

enum { MESSAGE = 300 }; /* of results.csv */
enum { AGAIN_AFTER_S = 3, TRIES = 3 };
#define MOST_SOURCE ((size_t)4 << 20)

struct batch {
    struct session *session;
    char out[GRADE_PATH];
    struct entries entries;
    struct rows rows;
    bool *is_ours; /* by entry: it could not be graded, by our fault */
    int ours, kept;
    int jobs;       /* at a time */
    int done, todo; /* of this round */
    uint64_t begun_ns;
};

/* ------------------------------------------------------------------------------------------- a row */

/* With the end of the line. NULL: out of memory. */
static char *make_head(const struct lab *lab)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fputs("student,points,max,bonus,", file);
    for (int i = 0; i < lab->nstages; i++) {
        if (!lab->stages[i].is_given)
            rows_put_cell(file, lab->stages[i].id, ',');
    }
    fputs("status,message,sandbox\n", file);
    return fclose(file) == 0 ? text : NULL;
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
}

/* Points of the lab's stages, in the order of its table; empty where none were given. */
static void put_stages(FILE *file, const struct lab *lab, const struct grading *grading)
{
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
}

static void put_row(FILE *file, const struct batch *batch, const struct entry *one,
                    const struct grading *grading)
{
    static const char *const words[] = {
        [OUTCOME_GRADED] = "graded", [OUTCOME_STUDENT] = "failed", [OUTCOME_OURS] = "error"};
    const struct lab *lab = batch->session->lab;
    struct totals totals = grading_totals(grading);
    char message[MESSAGE];
    rows_put_cell(file, one->student, ',');
    if (grading->outcome == OUTCOME_OURS)
        fprintf(file, ",%d,,", lab_max_points(lab));
    else
        fprintf(file, "%d,%d,%d,", totals.points, lab_max_points(lab), totals.bonus);
    put_stages(file, lab, grading);
    fprintf(file, "%s,", words[grading->outcome]);
    summarise(grading->trouble ? grading->trouble : "", message, sizeof message);
    rows_put_cell(file, message, ',');
    rows_put_cell(file, batch->session->sandbox.state, '\n');
}

/* A name may leave no room for ".json". */
static bool save_json(const struct batch *batch, int index, const struct grading *grading)
{
    char path[GRADE_PATH + 300];
    const char *student = batch->entries.list[index].student;
    if (strlen(student) > 240)
        snprintf(path, sizeof path, "%s/%.200s-%d.json", batch->out, student, index + 1);
    else
        snprintf(path, sizeof path, "%s/%s.json", batch->out, student);
    return report_save(grading, path);
}

/* ------------------------------------------------------------------------------------------- one submission */

static void put_student(FILE *out, const char *name)
{
    int columns = 0, length;
    for (; *name && columns < 40; name += length, columns++) {
        length = utf8_length((const unsigned char *)name);
        fprintf(out, "%.*s", length, name);
    }
    fprintf(out, "%*s", 41 - columns, "");
}

static void put_result(FILE *out, const struct entry *one, const struct grading *grading)
{
    struct totals totals = grading_totals(grading);
    char message[MESSAGE];
    summarise(grading->trouble ? grading->trouble : "", message, sizeof message);
    char *plain = utf8_plain(message);
    put_student(out, one->student);
    if (grading->outcome == OUTCOME_GRADED)
        fprintf(out, totals.bonus ? "%4d/%d, bonus %d\n" : "%4d/%d\n", totals.points, totals.most,
                totals.bonus);
    else
        fprintf(out, "%s: %s\n", grading->outcome == OUTCOME_OURS ? "error of the kit" : "failed",
                plain ? plain : "");
    free(plain);
}

/* What is graded again if it has changed. */
static uint64_t hash_source(const struct entry *one)
{
    size_t size;
    uint8_t *bytes = one->source ? files_read(one->source, MOST_SOURCE, false, &size) : NULL;
    uint64_t hash = bytes ? hash_bytes(bytes, size) : 0;
    free(bytes);
    return hash;
}

static void grade_source(struct grading *grading, struct session *session, const struct entry *one)
{
    if (one->source)
        grade_submission(grading, session, one->source);
    else
        grading_fail(grading, one->is_ours ? OUTCOME_OURS : OUTCOME_STUDENT, "%s.cu: %s.", session->entry->id,
                     one->flaw);
}

/* What a worker hands back: a line of numbers, the line that is shown, the row. */
struct result_head {
    int outcome, error; /* errno: why the report could not be written */
    size_t shown, row;
};

static void put_results(FILE *out, const struct batch *batch, const struct entry *one,
                        const struct grading *grading, int error)
{
    char *shown = NULL, *row = NULL;
    size_t shown_bytes = 0, row_bytes = 0;
    FILE *file = open_memstream(&shown, &shown_bytes);
    if (file) {
        put_result(file, one, grading);
        fclose(file);
    }
    file = open_memstream(&row, &row_bytes);
    if (file) {
        put_row(file, batch, one, grading);
        fclose(file);
    }
    if (shown && row)
        fprintf(out, "%d %d %zu %zu\n%s%s", (int)grading->outcome, error, shown_bytes, row_bytes, shown, row);
    free(shown);
    free(row);
}

/* In a process of its own, with its share of the machine. The hash of what is graded is the parent's business. */
static void grade_entry(void *context, int index, int place, FILE *out)
{
    struct batch *batch = context;
    struct session *session = batch->session;
    const struct entry *one = &batch->entries.list[index];
    struct grading grading = {.session = session};
    busy_close();
    close(batch->rows.journal); /* else it would keep the lock if the batch were killed */
    sandbox_share(&session->sandbox, (unsigned)place, (unsigned)batch->jobs);
    session->cores = session->cores > batch->jobs ? session->cores / batch->jobs : 1;
    grade_source(&grading, session, one);
    if (!sandbox_is_stopped()) {
        const int error = save_json(batch, index, &grading) ? 0 : errno;
        put_results(out, batch, one, &grading, error);
    }
    if (*grading.safe)
        files_remove_tree(grading.safe);
    grading_free(&grading);
}

/* ------------------------------------------------------------------------------------------- all of them */

/* A worker that was killed, or had no memory, has said nothing: nobody knows why, and it is not the student's fault. */
static bool put_broken(FILE *out, const struct batch *batch, int index)
{
    struct grading grading = {.session = batch->session};
    grading_fail(&grading, OUTCOME_OURS, "The process that graded it was killed, or ran out of memory.");
    const int error = save_json(batch, index, &grading) ? 0 : errno;
    put_results(out, batch, &batch->entries.list[index], &grading, error);
    grading_free(&grading);
    return fclose(out) == 0;
}

static bool take_results(struct batch *batch, int index, const char *bytes, size_t count)
{
    struct result_head head;
    const struct entry *one = &batch->entries.list[index];
    const char *line = memchr(bytes, '\n', count); /* behind it a name may begin with blanks */
    if (!line || sscanf(bytes, "%d %d %zu %zu", &head.outcome, &head.error, &head.shown, &head.row) != 4)
        return session_fail(batch->session, "A process handed back nothing that can be read.");
    const size_t at = (size_t)(line + 1 - bytes);
    if (at + head.shown + head.row != count)
        return session_fail(batch->session, "A process handed back a part of its results.");
    fwrite(bytes + at, 1, head.shown, stdout);
    fflush(stdout);
    busy_spoke();
    batch->is_ours[index] = head.outcome == OUTCOME_OURS;
    const uint64_t hash = hash_source(one);
    errno = head.error;
    return (!head.error && rows_replace(&batch->rows, one->student, bytes + at + head.shown,
                                        batch->is_ours[index] ? NULL : &hash)) ||
           session_fail(batch->session, "Results cannot be written to %s: %s.", batch->out, strerror(errno));
}

static bool take_worker(void *context, int index, const char *bytes, size_t count, bool is_whole)
{
    struct batch *batch = context;
    char *own = NULL;
    size_t size;
    batch->done++;
    if (is_whole && count)
        return take_results(batch, index, bytes, count);
    FILE *file = open_memstream(&own, &size);
    const bool is_taken = file && put_broken(file, batch, index) && take_results(batch, index, own, size);
    free(own);
    return is_taken;
}

/* "[#####-----] 34 of 200, 12 a minute, 14 min left: anna, ben". */
static void show_progress(void *context, const int *pieces, int count)
{
    enum { BAR = 10 };
    const struct batch *batch = context;
    const double passed_s = 1e-9 * (double)(real_ns() - batch->begun_ns),
                 each_s = batch->done ? passed_s / batch->done : 0;
    const int full = batch->todo ? BAR * batch->done / batch->todo : 0;
    char names[100] = "", rate[60] = "";
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.20s", i ? ", " : "",
                 batch->entries.list[pieces[i]].student);
    }
    if (batch->done)
        snprintf(rate, sizeof rate, ", %.3g a minute, %.0f min left", 60 / each_s,
                 each_s * (batch->todo - batch->done) / 60);
    busy_about("[%.*s%.*s] %d of %d%s", full, "##########", BAR - full, "----------", batch->done,
               batch->todo, rate);
    busy_doing("%s", names);
    busy_turn(NULL, false);
}

static bool run_crew(struct batch *batch, const int *pieces, int count)
{
    const struct crew crew = {.size = batch->jobs,
                              .work = grade_entry,
                              .done = take_worker,
                              .turn = show_progress,
                              .is_stopped = sandbox_is_stopped,
                              .context = batch};
    batch->done = 0;
    batch->todo = count;
    batch->begun_ns = real_ns();
    const bool is_done = crew_run(&crew, pieces, count);
    busy_turn(NULL, true);
    if (!is_done && !sandbox_is_stopped() && !*batch->session->error)
        session_fail(batch->session, "No process can be started: %s.", strerror(errno));
    return is_done || sandbox_is_stopped();
}

static bool grade_all(struct batch *batch)
{
    int *pieces = calloc((size_t)batch->entries.count, sizeof *pieces), count = 0;
    if (!pieces)
        return session_fail(batch->session, "Out of memory.");
    for (int i = 0; i < batch->entries.count; i++) {
        if (rows_is_done(&batch->rows, batch->entries.list[i].student, hash_source(&batch->entries.list[i])))
            batch->kept++;
        else
            pieces[count++] = i;
    }
    const bool is_fine = run_crew(batch, pieces, count);
    free(pieces);
    return is_fine;
}

/* What fails beside a full disk or too many processes often works some seconds later. */
static void pause_before_again(void)
{
    const struct timespec tick = {.tv_nsec = 100 * 1000 * 1000};
    busy_about("%s", "");
    busy_doing("waiting a little before another try");
    for (int i = 0; i < AGAIN_AFTER_S * 10 && !sandbox_is_stopped(); i++) {
        busy_turn(NULL, false);
        nanosleep(&tick, NULL);
    }
    busy_turn(NULL, true);
}

static int list_ours(const struct batch *batch, int *pieces)
{
    int count = 0;
    for (int i = 0; i < batch->entries.count; i++)
        if (batch->is_ours[i])
            pieces[count++] = i;
    return count;
}

static bool grade_again(struct batch *batch)
{
    int *pieces = calloc((size_t)batch->entries.count, sizeof *pieces);
    bool is_fine = pieces || session_fail(batch->session, "Out of memory.");
    for (int i = 1; i < TRIES && is_fine && !sandbox_is_stopped() && list_ours(batch, pieces); i++) {
        pause_before_again();
        if (!sandbox_is_stopped())
            is_fine = run_crew(batch, pieces, list_ours(batch, pieces));
    }
    batch->ours = pieces ? list_ours(batch, pieces) : 0;
    free(pieces);
    return is_fine;
}

/* In the folder's order, whoever was done first. */
static bool sort_rows(struct batch *batch)
{
    const char **students = calloc((size_t)batch->entries.count, sizeof *students);
    for (int i = 0; students && i < batch->entries.count; i++)
        students[i] = batch->entries.list[i].student;
    const bool is_done = students && rows_sort(&batch->rows, students, batch->entries.count);
    free(students);
    return is_done ||
           session_fail(batch->session, "Results cannot be written to %s: %s.", batch->out, strerror(errno));
}

/* What a batch has begun to write, perhaps no more than its journal. */
static bool holds_results(const char *path)
{
    static const char *const files[] = {"results.csv", "unfinished"};
    char inner[GRADE_PATH + 60];
    bool is_one = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(inner, sizeof inner, "%s/%s", path, files[i]);
        is_one = is_one || access(inner, F_OK) == 0;
    }
    return is_one;
}

/* A student may be called `results`, or have made a link of that name: only what is new, empty or holds results is taken. */
static bool is_for_results(const char *path, const char *lab)
{
    char inner[GRADE_PATH + 60];
    struct stat status;
    struct dirent **names = NULL;
    if (lstat(path, &status) != 0)
        return errno == ENOENT;
    snprintf(inner, sizeof inner, "%s/%s.cu", path, lab);
    if (!S_ISDIR(status.st_mode) || access(inner, F_OK) == 0)
        return false;
    int count = scandir(path, &names, NULL, NULL);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return count <= 2 || holds_results(path);
}

static bool choose_out(struct batch *batch)
{
    static const char *const defaults[] = {"results", "warpstep-results"};
    const struct options *options = batch->session->options;
    snprintf(batch->out, sizeof batch->out, "%s", options->out ? options->out : "");
    for (size_t i = 0; !*batch->out && i < sizeof defaults / sizeof *defaults; i++) {
        snprintf(batch->out, sizeof batch->out, "%.2500s/%s", options->names[0], defaults[i]);
        if (!is_for_results(batch->out, options->lab))
            *batch->out = '\0';
    }
    return *batch->out || session_fail(batch->session, "%s holds other things called results: say --out DIR.",
                                       options->names[0]);
}

static bool open_rows(struct batch *batch)
{
    const struct options *options = batch->session->options;
    char order[400], *head = make_head(batch->session->lab);
    snprintf(order, sizeof order, "%s stage %.250s on %.60s", options->lab,
             options->stage ? options->stage : "-",
             batch->session->has_gpu ? batch->session->gpu : batch->session->model);
    bool is_done = head && rows_open(&batch->rows, batch->out, head, order);
    bool is_locked = !is_done && errno == EWOULDBLOCK;
    if (!is_done)
        session_fail(batch->session, "Results in %s cannot be read: %s.", batch->out,
                     is_locked ? "another batch writes them" : strerror(errno));
    free(head);
    return is_done;
}

static bool open_entries(struct batch *batch)
{
    const struct options *options = batch->session->options;
    char file[64];
    snprintf(file, sizeof file, "%s.cu", options->lab);
    if (!entries_read(&batch->entries, options->names[0], file, batch->out))
        return session_fail(batch->session, "The folder %s cannot be read: %s.", options->names[0],
                            strerror(errno));
    if (!batch->entries.count)
        return session_fail(batch->session,
                            "There is no submission in %s: neither a folder with %s nor a file NAME.cu.",
                            options->names[0], file);
    batch->is_ours = calloc((size_t)batch->entries.count, sizeof *batch->is_ours);
    return batch->is_ours || session_fail(batch->session, "Out of memory.");
}

static bool open_batch(struct batch *batch)
{
    struct session *session = batch->session;
    const char *folder = session->options->names[0];
    if (!session->sandbox.is_isolated && !session->options->needs_no_sandbox)
        return session_fail(session,
                            "Nothing here keeps submissions from reading this machine's files (sandbox: %s). "
                            "Install bubblewrap, or say --no-sandbox.",
                            session->sandbox.state);
    if (access(folder, R_OK | X_OK) != 0)
        return session_fail(session, "The folder %s cannot be read: %s.", folder, strerror(errno));
    if (!choose_out(batch))
        return false;
    if (!files_make_folder(batch->out))
        return session_fail(session, "The folder %s cannot be made: %s.", batch->out, strerror(errno));
    return open_entries(batch) && open_rows(batch);
}

static void put_end(const struct batch *batch)
{
    const int count = batch->entries.count, ours = batch->ours;
    if (batch->kept)
        printf("%d of them graded before the last batch was broken off\n", batch->kept);
    printf("%d submission%s, %d error%s of the kit: %s/results.csv\n", count, count == 1 ? "" : "s", ours,
           ours == 1 ? "" : "s", batch->out);
}

enum outcome batch_run(struct session *session)
{
    struct batch batch = {.session = session,
                          .rows.journal = -1,
                          .jobs = session->options->jobs ? atoi(session->options->jobs) : session->cores};
    bool is_fine = open_batch(&batch) && grade_all(&batch) && grade_again(&batch) && sort_rows(&batch);
    const bool is_finished = is_fine && !sandbox_is_stopped();
    if (!is_fine)
        fprintf(stderr, "grade: %s\n", session->error);
    else if (is_finished)
        put_end(&batch);
    rows_close(&batch.rows, is_finished);
    entries_free(&batch.entries);
    free(batch.is_ours);
    return is_finished && !batch.ours ? OUTCOME_GRADED : OUTCOME_OURS;
}
