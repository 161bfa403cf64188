/* batch.c - a folder of submissions, graded side by side: a store of results, results.csv for the course, NAME.json for each student.
 * Each is graded in a process of its own (crew.h), which writes the report and hands back a record; only this process writes the
 * store and results.csv. Every submission ends in one status, however many are graded at a time. None stops the next one; one that
 * could not be graded by our fault is tried again at the end. Results are on disk at any moment, and a batch that was broken off
 * goes on where it stopped. */
#define _GNU_SOURCE
#include "grader/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/real_time.h"
#include "base/utf8.h"
#include "grader/busy.h"
#include "grader/crew.h"
#include "grader/files.h"
#include "grader/gpus.h"
#include "grader/recorded.h"

enum { AGAIN_AFTER_S = 3, TRIES = 3, MOST_RESERVE = 8 };
#define MOST_SOURCE ((size_t)4 << 20)
#define MOST_REPORT ((size_t)64 << 20)

static bool write_fail(struct batch *batch)
{
    return session_fail(batch->session, "Results cannot be written to %s: %s.", batch->out, strerror(errno));
}

/* ------------------------------------------------------------------------------------------- one submission */

static bool save_json(const struct batch *batch, int index, const struct grading *grading)
{
    char path[GRADE_PATH + 300];
    batch_name_report(batch, index, path, sizeof path);
    return report_save(grading, path);
}

/* What is known of the submission, whoever graded it. */
static bool begin_record(const struct intake_submission *one, struct record *record)
{
    char hash[65], now[RECORDED_TIME];
    batch_hash(one, hash);
    recorded_now(now);
    record->is_late = one->is_late;
    return record_set(&record->source, one->source) && record_set(&record->student, one->student) &&
           record_set(&record->hash, hash) && record_set(&record->note, one->note) &&
           record_set(&record->submitted, one->submitted) && record_set(&record->begun, now);
}

static void grade_source(struct grading *grading, struct session *session,
                         const struct intake_submission *one)
{
    if (one->path)
        grade_submission(grading, session, one->path);
    else if (one->is_ours)
        grading_fail(grading, OUTCOME_OURS, "%s.cu: %s.", session->entry->id, one->flaw);
    else
        grading_refuse(grading, "%s.cu: %s.", session->entry->id, one->flaw);
}

/* Of several GPUs a worker keeps to one, so that all are used; only one judge at a time measures on each (judge/measure.c). */
static void choose_gpu(const struct session *session, int place)
{
    struct gpus gpus;
    gpus_find(&gpus, "/proc/driver/nvidia/gpus", getenv("CUDA_VISIBLE_DEVICES"), session->gpu);
    if (session->has_gpu && gpus.count > 1)
        setenv("CUDA_VISIBLE_DEVICES", gpus.names[place % gpus.count], 1);
}

/* Bytes but for line ends, which platforms and editors change. */
static bool is_same_text(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        i += i < a_size && a[i] == '\r';
        k += k < b_size && b[k] == '\r';
        if (i >= a_size || k >= b_size)
            return i >= a_size && k >= b_size;
        if (a[i] != b[k])
            return false;
    }
}

/* Whoever hands in the skeleton has broken nothing, though kernels of some labs are to be repaired. */
static bool note_skeleton(const struct session *session, const struct intake_submission *one,
                          struct record *record)
{
    char path[GRADE_PATH + 300];
    size_t size, own_size;
    snprintf(path, sizeof path, "%s/common/lab/skeletons/%s/%s.cu", session->kit.root, session->entry->folder,
             session->entry->id);
    const bool is_broken = strcmp(record->status, record_status_names[RECORD_CRASHED]) == 0 ||
                           strcmp(record->status, record_status_names[RECORD_TIMED_OUT]) == 0;
    uint8_t *skeleton = is_broken ? files_read(path, MOST_SOURCE, true, &size) : NULL,
            *own = skeleton && one->path ? files_read(one->path, MOST_SOURCE, false, &own_size) : NULL;
    const bool is_untouched = own && is_same_text(own, own_size, skeleton, size);
    free(skeleton);
    free(own);
    return !is_untouched || (record_set(&record->status, record_status_names[RECORD_GRADED]) &&
                             record_set(&record->message, "the skeleton, as it was handed out") &&
                             record_set(&record->details, ""));
}

/* In a process of its own, with its share of the machine. What it writes to `out`: why the report could not be written (0: it
 * was), and the record. */
static void grade_entry(void *context, int index, int place, FILE *out)
{
    struct batch *batch = context;
    struct session *session = batch->session;
    const struct intake_submission *one = &batch->intake.list[index];
    struct grading grading = {.session = session};
    struct record record = {.source = NULL};
    const uint64_t begun_ns = real_ns();
    snprintf(grading.shown, sizeof grading.shown, "%s.cu",
             session->entry->id); /* whatever a platform made of it */
    busy_close();
    close(batch->lock); /* else it would stay if the batch were killed */
    sandbox_share(&session->sandbox, (unsigned)place, (unsigned)(batch->jobs + batch->reserve));
    session->cores = session->cores > batch->jobs ? session->cores / batch->jobs : 1;
    choose_gpu(session, place);
    const bool is_begun = begin_record(one, &record);
    grade_source(&grading, session, one);
    record.took_s = 1e-9 * (double)(real_ns() - begun_ns);
    if (!sandbox_is_stopped() && is_begun && recorded_grading(&grading, &record) &&
        note_skeleton(session, one, &record)) {
        fprintf(out, "%d ", save_json(batch, index, &grading) ? 0 : errno);
        record_write(&record, out);
    }
    record_free(&record);
    if (*grading.safe)
        files_remove_tree(grading.safe);
    grading_free(&grading);
}

/* ------------------------------------------------------------------------------------------- what comes of them */

/* The text goes first: a record is never there without it. */
static bool store_record(struct batch *batch, const struct intake_submission *one,
                         const struct record *record)
{
    size_t size;
    if (!batch->has_store)
        return true;
    uint8_t *text = one->path ? files_read(one->path, MOST_SOURCE, false, &size) : NULL;
    const bool is_done =
        (!text || !*record->hash || store_put_text(&batch->store, record->hash, text, size)) &&
        store_put(&batch->store, &batch->environment, record);
    free(text);
    return is_done || session_fail(batch->session, "%s", batch->store.error);
}

/* In memory it takes the place of the one before. An error of the kit takes no grade away from the same text. */
static bool keep_record(struct batch *batch, struct record *record)
{
    struct store_content *content = &batch->course.content;
    size_t at;
    struct record *there = (struct record *)(uintptr_t)store_find(content, record->source, &at);
    const bool is_error = strcmp(record->status, record_status_names[RECORD_ERROR]) == 0;
    if (there && is_error && strcmp(there->hash, record->hash) == 0 &&
        strcmp(there->status, record_status_names[RECORD_ERROR]) != 0) {
        record_free(record);
        return true;
    }
    if (!there) {
        if (!store_content_add(content, &batch->environment))
            return session_fail(batch->session, "Out of memory.");
        at = content->nrecords - 1;
        there = &content->records[at];
    }
    record_free(there);
    *there = *record;
    return true;
}

static bool save_csv(struct batch *batch)
{
    if (!course_arrange(&batch->course))
        return session_fail(batch->session, "Out of memory.");
    return recorded_save_csv(&batch->course, batch->out) || write_fail(batch);
}

/* The best is known when all are graded; the last is known at once. */
static bool is_followed(const struct batch *batch, const struct record *record)
{
    bool is_found = false;
    for (size_t i = 0; i < batch->intake.count && !is_found; i++) {
        const struct intake_submission *one = &batch->intake.list[i];
        const struct record other = {.source = one->source, .submitted = one->submitted};
        is_found = strcmp(one->student, record->student) == 0 && course_is_later(&other, record);
    }
    return is_found && strcmp(batch->course.take, "best") != 0;
}

/* What is told has been written. */
static void tell(const struct batch *batch, const struct intake_submission *one)
{
    size_t at;
    const struct record *record = store_find(&batch->course.content, one->source, &at);
    if (record)
        recorded_put_line(record, course_find(&batch->course, one->student), is_followed(batch, record));
}

static bool take_record(struct batch *batch, int index, struct record *record, int error)
{
    const struct intake_submission *one = &batch->intake.list[index];
    const bool is_ours = strcmp(record->status, record_status_names[RECORD_ERROR]) == 0;
    batch->is_ours[index] = is_ours;
    if (is_ours) /* it may take nobody's place */
        recorded_put_line(record, NULL, false);
    errno = error;
    if (error) {
        record_free(record);
        return write_fail(batch);
    }
    const bool is_stored = store_record(batch, one, record);
    if (!is_stored)
        record_free(record);
    const bool is_done = is_stored && keep_record(batch, record) && save_csv(batch);
    if (is_done && !is_ours)
        tell(batch, one);
    return is_done;
}

/* A worker that was killed, or had no memory, has said nothing: nobody knows why, and it is not the student's fault. */
static bool take_broken(struct batch *batch, int index)
{
    struct grading grading = {.session = batch->session};
    struct record record = {.source = NULL};
    grading_fail(&grading, OUTCOME_OURS, "The process that graded it was killed, or ran out of memory.");
    const int error = save_json(batch, index, &grading) ? 0 : errno;
    const bool is_made =
        begin_record(&batch->intake.list[index], &record) && recorded_grading(&grading, &record);
    grading_free(&grading);
    return is_made ? take_record(batch, index, &record, error)
                   : session_fail(batch->session, "Out of memory.");
}

/* The report of one is that of another as well: errno says why not. */
static bool copy_report(const struct batch *batch, int from, int to)
{
    char path[GRADE_PATH + 300];
    size_t size;
    batch_name_report(batch, from, path, sizeof path);
    void *text = files_read(path, MOST_REPORT, false, &size);
    batch_name_report(batch, to, path, sizeof path);
    const bool is_done = text && files_replace(path, text, size);
    free(text);
    return is_done;
}

/* Of `index` itself, or of one with the same text, for which it was graded: then only the result is the same. */
static bool take_result(struct batch *batch, int index, int graded, const char *bytes, size_t count)
{
    struct record record;
    char *behind;
    int error = (int)strtol(bytes, &behind, 10);
    if (behind == bytes || *behind != ' ' ||
        !record_read(&record, behind + 1, count - (size_t)(behind + 1 - bytes)))
        return session_fail(batch->session, "A process handed back nothing that can be read.");
    if (index != graded) {
        record.took_s = record.compiler_s = 0;
        if (!begin_record(&batch->intake.list[index], &record)) {
            record_free(&record);
            return session_fail(batch->session, "Out of memory.");
        }
        if (!error && !copy_report(batch, graded, index))
            error = errno;
    }
    return take_record(batch, index, &record, error);
}

static bool take_worker(void *context, int graded, const char *bytes, size_t count, bool is_whole)
{
    struct batch *batch = context;
    bool is_fine = true;
    for (size_t i = 0; i < batch->intake.count && is_fine; i++) {
        if ((int)i != graded && batch->twin[i] != graded)
            continue;
        batch->done++;
        is_fine =
            is_whole && count ? take_result(batch, (int)i, graded, bytes, count) : take_broken(batch, (int)i);
    }
    return is_fine;
}

/* ------------------------------------------------------------------------------------------- all of them */

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
                 batch->intake.list[pieces[i]].student);
    }
    if (batch->done)
        snprintf(rate, sizeof rate, ", %.3g a minute, %.0f min left", 60 / each_s,
                 each_s * (batch->todo - batch->done) / 60);
    busy_about("[%.*s%.*s] %d of %d%s", full, "##########", BAR - full, "----------", batch->done,
               batch->todo, rate);
    busy_doing("%s", names);
    busy_turn(NULL, false);
}

/* Those who are wanted and must be graded themselves; *all: with those who get the same. */
static int list_where(const struct batch *batch, const bool *is_wanted, int *pieces, int *all)
{
    int count = 0;
    *all = 0;
    for (size_t i = 0; i < batch->intake.count; i++) {
        *all += is_wanted[i];
        if (is_wanted[i] && batch->twin[i] < 0)
            pieces[count++] = (int)i;
    }
    return count;
}

static bool run_crew(struct batch *batch, const bool *is_wanted, int *pieces)
{
    const struct crew crew = {.size = batch->jobs,
                              .reserve = batch->reserve,
                              .is_asleep = sandbox_is_asleep,
                              .work = grade_entry,
                              .done = take_worker,
                              .turn = show_progress,
                              .is_stopped = sandbox_is_stopped,
                              .context = batch};
    const int count = list_where(batch, is_wanted, pieces, &batch->todo);
    batch->done = 0;
    batch->begun_ns = real_ns();
    const bool is_done = crew_run(&crew, pieces, count);
    busy_turn(NULL, true);
    if (!is_done && !sandbox_is_stopped() && !*batch->session->error)
        session_fail(batch->session, "No process can be started: %s.", strerror(errno));
    return is_done || sandbox_is_stopped();
}

static int count_ours(const struct batch *batch)
{
    int count = 0;
    for (size_t i = 0; i < batch->intake.count; i++)
        count += batch->is_ours[i];
    return count;
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

static bool grade_here(struct batch *batch)
{
    int *pieces = calloc(batch->intake.count, sizeof *pieces);
    if (!pieces)
        return session_fail(batch->session, "Out of memory.");
    bool is_fine = run_crew(batch, batch->is_todo, pieces);
    for (int i = 1; i < TRIES && is_fine && !sandbox_is_stopped() && count_ours(batch); i++) {
        pause_before_again();
        if (!sandbox_is_stopped())
            is_fine = run_crew(batch, batch->is_ours, pieces);
    }
    batch->ours = count_ours(batch);
    free(pieces);
    return is_fine;
}

/* What was told or done by hand meanwhile stands in the store. */
static bool grade_all(struct batch *batch)
{
    const bool is_fine = batch->session->options->is_slurm ? batch_slurm(batch) : grade_here(batch);
    return is_fine && (!batch->has_store || batch_reload(batch)) && save_csv(batch) && batch_back_up(batch);
}

/* For whoever waits for this part of a class. */
static bool mark_finished(struct batch *batch)
{
    char path[GRADE_PATH + 20];
    snprintf(path, sizeof path, "%s/finished", batch->out);
    return !batch->session->options->list || files_write(path, "", 0) || write_fail(batch);
}

/* ------------------------------------------------------------------------------------------- the command */

static bool check_sandbox(struct session *session)
{
    if (session->sandbox.is_isolated || session->options->needs_no_sandbox)
        return true;
    return session_fail(session,
                        "Nothing here keeps submissions from reading this machine's files (sandbox: %s). "
                        "Install bubblewrap, or say --no-sandbox.",
                        session->sandbox.state);
}

static void put_errors(const struct batch *batch)
{
    for (size_t i = 0; i < batch->intake.count; i++) {
        if (batch->is_ours[i])
            printf("not graded: %s\n", batch->intake.list[i].student);
    }
}

/* "In the class: 7 students, 6 graded, 1 missing", and who must be looked after. */
static void put_class(const struct batch *batch)
{
    const struct course *course = &batch->course;
    const struct course_member **members = calloc(course->nmembers + 1, sizeof *members);
    for (size_t i = 0; members && i < course->nmembers; i++)
        members[i] = &course->members[i];
    printf("In the class: ");
    if (members)
        course_put_counts(course, members, course->nmembers, stdout);
    free(members);
    if (*course->deadline)
        printf("Deadline %s; late: %s.\n", course->deadline,
               *course->late ? course->late : "nothing is lost");
    course_put_absent(course, stdout);
}

/* "2 that were graded are no longer in class: anna, ben. Their points are gone; ..." */
static void put_gone(const struct batch *batch)
{
    char *const *names = batch->gone.items;
    const size_t count = batch->gone.count;
    if (!count)
        return;
    printf("%zu that %s graded %s no longer in %s: ", count, count == 1 ? "was" : "were",
           count == 1 ? "is" : "are", batch->session->options->names[0]);
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? ", " : "", names[i]);
    printf(". Their points are gone from results.csv. Put the files back and run this again, or grade the "
           "rest from a "
           "folder of its own, with the same --out.\n");
}

static void put_end(const struct batch *batch)
{
    const size_t count = batch->intake.count;
    const int ours = batch->ours;
    if (batch->kept)
        printf("%d of them unchanged since they were graded\n", batch->kept);
    put_errors(batch);
    put_class(batch);
    put_gone(batch);
    printf("%zu submission%s, %d error%s of the kit: %s/results.csv\n", count, count == 1 ? "" : "s", ours,
           ours == 1 ? "" : "s", batch->out);
    if (!batch->has_store)
        printf("%s\n", "There is no store: this kit was built without SQLite.");
}

/* What is graded stays graded. */
static void put_stopped(const struct batch *batch)
{
    fprintf(stderr, "\nStopped. What was graded is kept in %s: the same command goes on.\n", batch->out);
}

static void close_batch(struct batch *batch)
{
    if (batch->lock >= 0)
        close(batch->lock);
    course_free(&batch->course);
    intake_free(&batch->intake);
    record_free_row(&record_environment_shape, &batch->environment);
    for (size_t i = 0; i < batch->gone.count; i++)
        free(((char **)batch->gone.items)[i]);
    list_free(&batch->gone);
    free(batch->list);
    free(batch->folder);
    free(batch->is_todo);
    free(batch->is_ours);
    free(batch->twin);
}

/* With a GPU, most of those that sleep wait for it. Nobody shares the users of another one (sandbox_share()): there are as many as
 * jobs at most. */
static int reserve_for(const struct session *session, int jobs)
{
    const int left = larger_of(OPTIONS_JOBS - jobs, 0);
    return session->has_gpu ? 0 : smaller_of(smaller_of(jobs, (int)MOST_RESERVE), left);
}

void batch_put_failure(const struct session *session, bool has_roster)
{
    const char *roster = session->options->roster;
    fprintf(stderr, "grade: %s\n", session->error);
    if (roster && !has_roster)
        fprintf(stderr, "The roster %s is not stored: give it again.\n", roster);
}

enum outcome batch_run(struct session *session)
{
    struct batch batch = {.session = session,
                          .lock = -1,
                          .jobs = session->options->jobs ? atoi(session->options->jobs) : session->cores};
    batch.reserve = reserve_for(session, batch.jobs);
    const bool is_planned = check_sandbox(session) && batch_plan(&batch);
    const bool is_fine = is_planned && grade_all(&batch);
    const bool is_finished = is_fine && !sandbox_is_stopped() && mark_finished(&batch);
    if (is_finished)
        put_end(&batch);
    else if (is_planned && sandbox_is_stopped())
        put_stopped(&batch);
    else
        batch_put_failure(session, batch.has_roster);
    const bool is_clean = is_finished && !batch.ours;
    close_batch(&batch);
    return is_clean ? OUTCOME_GRADED : OUTCOME_OURS;
}
