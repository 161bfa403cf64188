/* batch_plan.c - before a batch begins: where results go, who is in the class, what is submitted, and what of it is to be graded.
 * What the store has of the same text, graded by the same kit on the same machine, is kept; --regrade says what is not. */
#define _GNU_SOURCE
#include "grader/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "grader/course/by_hand.h"
#include "grader/course/csv.h"
#include "grader/course/export_gradebook.h"
#include "grader/files.h"
#include "grader/recorded.h"

#define MOST_SOURCE ((size_t)4 << 20)
#define MOST_ROSTER ((size_t)64 << 20)

/* ------------------------------------------------------------------------------------------- where results go */

/* A report is called as the student is, unless there are several; a name may leave no room for ".json". */
void batch_name_report(const struct batch *batch, int index, char *out, size_t size)
{
    const struct intake *intake = &batch->intake;
    const struct intake_submission *one = &intake->list[index];
    bool is_only = !strchr(one->student, '/') && strcmp(one->student, "..") != 0 && *one->student != '.';
    for (size_t i = 0; i < intake->count; i++)
        is_only = is_only && ((int)i == index || strcmp(intake->list[i].student, one->student) != 0);
    char *name = strdup(is_only ? one->student : one->source);
    for (char *at = name; at && *at; at++)
        *at = *at == '/' || (at == name && *at == '.') ? '_' : *at;
    if (name && strlen(name) > 240)
        snprintf(out, size, "%s/%.200s-%d.json", batch->out, name, index + 1);
    else
        snprintf(out, size, "%s/%s.json", batch->out, name ? name : "?");
    free(name);
}

/* What a batch has begun to write, perhaps no more than its lock. */
static bool holds_results(const char *path)
{
    static const char *const files[] = {"results.db", "results.csv", "lock"};
    char inner[GRADE_PATH + 60];
    bool is_one = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(inner, sizeof inner, "%s/%s", path, files[i]);
        is_one = is_one || access(inner, F_OK) == 0;
    }
    return is_one;
}

/* A folder that others use as well is not closed behind their back. */
static bool is_shared(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & 077) && files_count(path) > 0 &&
           !holds_results(path);
}

/* A student may be called `results`, or have made a link of that name: only what is new, empty or holds results is taken. */
static bool is_for_results(const char *path, const char *lab)
{
    char inner[GRADE_PATH + 60];
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT;
    snprintf(inner, sizeof inner, "%s/%s.cu", path, lab);
    if (!S_ISDIR(status.st_mode) || access(inner, F_OK) == 0)
        return false;
    return files_count(path) <= 0 || holds_results(path);
}

static bool choose_out(struct batch *batch)
{
    static const char *const defaults[] = {"results", "warpstep-results"};
    const struct options *options = batch->session->options;
    snprintf(batch->out, sizeof batch->out, "%s", options->out ? options->out : "");
    if (!*batch->out && intake_is_archive(options->names[0]))
        return session_fail(batch->session, "%s is an archive: say where results go, --out DIR.",
                            options->names[0]);
    for (size_t i = 0; !*batch->out && i < sizeof defaults / sizeof *defaults; i++) {
        snprintf(batch->out, sizeof batch->out, "%.2500s/%s", options->names[0], defaults[i]);
        if (!is_for_results(batch->out, options->lab))
            *batch->out = '\0';
    }
    return *batch->out || session_fail(batch->session, "%s holds other things called results: say --out DIR.",
                                       options->names[0]);
}

/* Two batches in one folder would take turns at overwriting each other. The lock goes with the process, however it ends. */
static bool lock_out(struct batch *batch)
{
    char path[GRADE_PATH + 20];
    snprintf(path, sizeof path, "%s/lock", batch->out);
    batch->lock = files_lock(path);
    if (batch->lock >= 0)
        return true;
    return session_fail(batch->session, "Results in %s cannot be written: %s.", batch->out,
                        errno == EWOULDBLOCK ? "another batch writes them" : strerror(errno));
}

static bool open_out(struct batch *batch)
{
    const char *folder = batch->session->options->names[0];
    struct stat status;
    if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode) && !intake_is_archive(folder))
        return session_fail(
            batch->session,
            "%s is neither a folder nor an archive by its name: ./grade batch %s DIR wants the folder "
            "of all submissions, or an archive of it.",
            folder, batch->session->options->lab);
    if (access(folder, intake_is_archive(folder) ? R_OK : R_OK | X_OK) != 0)
        return session_fail(batch->session, "The folder %s cannot be read: %s.", folder, strerror(errno));
    if (!choose_out(batch))
        return false;
    if (is_shared(batch->out))
        return session_fail(batch->session,
                            "%s holds other files, and others can read it; results are for you alone: name a "
                            "folder of their own, --out %s/results.",
                            batch->out, batch->out);
    if (!files_make_private(batch->out))
        return session_fail(batch->session, "The folder %s cannot be made: %s.", batch->out, strerror(errno));
    return lock_out(batch);
}

/* ------------------------------------------------------------------------------------------- what the class was told */

static bool store_fail(struct batch *batch)
{
    return session_fail(batch->session, "%s", batch->store.error);
}

/* Deadlines and rules are the class's, and stay until others are told. */
static bool check_rules(struct batch *batch)
{
    const struct options *options = batch->session->options;
    struct course_late rule;
    if (options->deadline &&
        !course_make_deadline(options->deadline, batch->deadline, sizeof batch->deadline))
        return session_fail(batch->session,
                            "--deadline wants a time such as 2026-11-17T23:59+01:00, not `%s`.",
                            options->deadline);
    if (options->late && !course_read_late(options->late, &rule))
        return session_fail(
            batch->session,
            "--late wants a rule such as \"10%%/day, most 50%%\" or \"0 after 2 days\", not `%s`.",
            options->late);
    if (options->take && strcmp(options->take, "last") != 0 && strcmp(options->take, "best") != 0)
        return session_fail(batch->session, "--take wants last or best, not `%s`.", options->take);
    return true;
}

/* True if the batch before was over this folder, too. */
static bool is_folder(struct batch *batch, const char *folder)
{
    char *before = store_get(&batch->store, "folder");
    const bool is_same = before && strcmp(before, folder) == 0;
    free(before);
    return is_same;
}

static bool store_words(struct batch *batch)
{
    const struct options *options = batch->session->options;
    char most[20], folder[4200];
    snprintf(most, sizeof most, "%d", lab_max_points(batch->session->lab));
    snprintf(folder, sizeof folder, "%s", options->names[0]);
    char *whole = realpath(options->names[0], NULL), *stages = recorded_stages(batch->session->lab);
    const struct {
        const char *key, *value;
    } words[] = {{"deadline", options->deadline ? batch->deadline : NULL},
                 {"take", options->take},
                 {"most", most},
                 {"stages", stages ? stages : ""},
                 {"title", batch->session->lab->title},
                 {"folder", whole ? whole : folder}};
    bool is_done = true;
    /* check_late() stores the rule, once it is known what could be late. */
    batch->is_same_folder = is_folder(batch, whole ? whole : folder);
    for (size_t i = 0; i < sizeof words / sizeof *words && is_done; i++)
        is_done = !words[i].value || store_set(&batch->store, words[i].key, words[i].value);
    free(whole);
    free(stages);
    return is_done || store_fail(batch);
}

/* Without SQLite what is told holds for this batch alone. */
static bool note_words(struct batch *batch)
{
    const struct options *options = batch->session->options;
    struct course *course = &batch->course;
    return (recorded_course(batch->session, course) && record_set(&course->take, options->take) &&
            record_set(&course->late, options->late) && record_set(&course->deadline, batch->deadline)) ||
           session_fail(batch->session, "Out of memory.");
}

/* ------------------------------------------------------------------------------------------- who is who */

static bool take_roster(struct batch *batch, struct store_student *students, size_t count)
{
    if (batch->has_store) {
        const bool is_done = store_put_students(&batch->store, students, count);
        intake_free_roster(students, count);
        return is_done || store_fail(batch);
    }
    batch->course.content.students = students;
    batch->course.content.nstudents = count;
    return true;
}

static bool note_roster(struct batch *batch, const char *text)
{
    char *gradebook = export_gradebook_keep(text, batch->session->options->lab);
    const bool is_done = gradebook && store_set(&batch->store, "gradebook", gradebook) &&
                         store_set(&batch->store, "roster", "given");
    free(gradebook);
    return is_done;
}

static bool read_roster(struct batch *batch)
{
    const char *path = batch->session->options->roster;
    struct store_student *students = NULL;
    size_t size, count = 0;
    char why[300];
    if (!path)
        return true;
    void *bytes = files_read(path, MOST_ROSTER, true, &size);
    char *text = bytes ? csv_text(bytes, size) : NULL;
    free(bytes);
    if (!text)
        return session_fail(batch->session, "The roster %s cannot be read: %s.", path, strerror(errno));
    const bool is_read = intake_read_roster(text, &students, &count, why, sizeof why);
    const bool is_noted = !is_read || !batch->has_store || note_roster(batch, text);
    free(text);
    if (!is_noted)
        return store_fail(batch);
    batch->has_roster = is_read && take_roster(batch, students, count);
    return is_read ? batch->has_roster : session_fail(batch->session, "The roster %s: %s", path, why);
}

static bool read_list(struct batch *batch)
{
    const char *path = batch->session->options->list;
    if (path)
        batch->list = (char *)files_read(path, MOST_ROSTER, true, &batch->list_bytes);
    return !path || batch->list ||
           session_fail(batch->session, "The list %s cannot be read: %s.", path, strerror(errno));
}

/* A part of a class has none of its own: it is taken over when it is done. */
bool batch_back_up(struct batch *batch)
{
    char now[RECORDED_TIME];
    recorded_now(now);
    return !batch->has_store || batch->list || store_backup(&batch->store, now) || store_fail(batch);
}

/* Every batch leaves a backup; before one stands only where none was left yet. */
static bool check_store(struct batch *batch)
{
    return batch->list || store_is_empty(&batch->store) ||
           (store_check(&batch->store) ? store_has_backup(&batch->store) || batch_back_up(batch)
                                       : store_fail(batch));
}

static bool open_store(struct batch *batch)
{
    store_name(&batch->store, batch->out);
    batch->has_store = store_is_built_in();
    if (!batch->has_store && batch->session->options->is_slurm)
        return session_fail(batch->session, "--slurm wants a store, and this kit was built without SQLite.");
    if (!batch->has_store)
        return note_words(batch) && read_roster(batch);
    if (!check_store(batch))
        return false;
    batch->is_new_store = store_is_empty(&batch->store);
    if (!store_make(&batch->store, batch->session->options->lab) || !store_words(batch) ||
        !read_roster(batch))
        return *batch->session->error ? false : store_fail(batch);
    /* Of a store that is new by_hand.log says what is to be put back: put_back_by_hand(). */
    return (batch->is_new_store ? course_load(&batch->course, &batch->store)
                                : by_hand_load_course(&batch->course, &batch->store)) ||
           store_fail(batch);
}

/* ------------------------------------------------------------------------------------------- what is submitted */

/* An archive of a class is unpacked, for as long as the batch takes. */
static bool find_folder(struct batch *batch, const char *file)
{
    const char *named = batch->session->options->names[0];
    const bool is_archive = intake_is_archive(named);
    char unpacked[GRADE_PATH + 20], *flaw = NULL;
    snprintf(unpacked, sizeof unpacked, "%s/unpacked", batch->session->folder);
    if (is_archive && (!files_make_private(unpacked) || !intake_unpack(named, unpacked, &flaw))) {
        session_fail(batch->session, "The archive %s cannot be unpacked: %s.", named,
                     flaw ? flaw : strerror(errno));
        free(flaw);
        return false;
    }
    batch->folder = intake_find_top(is_archive ? unpacked : named, file, is_archive);
    return batch->folder || session_fail(batch->session, "Out of memory.");
}

static bool read_submissions(struct batch *batch)
{
    const struct options *options = batch->session->options;
    char file[64], work[GRADE_PATH + 20];
    snprintf(file, sizeof file, "%s.cu", options->lab);
    snprintf(work, sizeof work, "%s/taken", batch->session->folder);
    if (!find_folder(batch, file))
        return false;
    const struct intake_order order = {.folder = batch->folder,
                                       .file = file,
                                       .results = batch->out,
                                       .work = work,
                                       .roster = batch->course.content.students,
                                       .nroster = batch->course.content.nstudents};
    if (!files_make_folder(work) || !intake_read(&batch->intake, &order))
        return session_fail(batch->session, "The folder %s cannot be read: %s.", options->names[0],
                            strerror(errno));
    if (!batch->intake.count)
        return session_fail(batch->session,
                            "There is no submission in %s: no folder with %s, no file NAME.cu, no archive.",
                            options->names[0], file);
    batch->is_todo = calloc(batch->intake.count, sizeof *batch->is_todo);
    batch->is_ours = calloc(batch->intake.count, sizeof *batch->is_ours);
    batch->twin = calloc(batch->intake.count, sizeof *batch->twin);
    return (batch->is_todo && batch->is_ours && batch->twin) ||
           session_fail(batch->session, "Out of memory.");
}

/* A rule that can touch nobody is a slip: without a deadline only platforms say who is late. */
static bool check_late(struct batch *batch)
{
    const char *late = batch->session->options->late;
    struct course_late rule;
    bool has_late = *batch->course.deadline;
    if (!late)
        return true;
    for (size_t i = 0; i < batch->intake.count && !has_late; i++)
        has_late = batch->intake.list[i].is_late;
    if (!has_late && course_read_late(late, &rule) && (rule.unit_s || rule.closed_s))
        return session_fail(batch->session, "--late wants a --deadline: without one nothing in %s is late.",
                            batch->session->options->names[0]);
    return (!batch->has_store || store_set(&batch->store, "late", late) || store_fail(batch)) &&
           (record_set(&batch->course.late, late) || session_fail(batch->session, "Out of memory."));
}

/* Names and addresses from the platform's metadata, where no roster has been given. They are known as such, so that the next batch adds
 * to them and a roster takes their place. */
#define FROM_METADATA "metadata"
static bool add_student(struct store_student *list, size_t *count, const struct intake_submission *one)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i].id, one->student) == 0)
            return true;
    }
    struct store_student *student = &list[(*count)++];
    student->place = (long)*count;
    return record_set(&student->id, one->student) && record_set(&student->name, one->name) &&
           record_set(&student->email, one->email) && record_set(&student->section, "") &&
           record_set(&student->submitted, "");
}

static bool copy_student(struct store_student *list, size_t *count, const struct store_student *one)
{
    struct store_student *student = &list[(*count)++];
    student->place = one->place;
    return record_set(&student->id, one->id) && record_set(&student->name, one->name) &&
           record_set(&student->email, one->email) && record_set(&student->section, one->section) &&
           record_set(&student->submitted, one->submitted);
}

static bool take_names(struct batch *batch)
{
    const struct store_content *content = &batch->course.content;
    char *kind = batch->has_store ? store_get(&batch->store, "roster") : strdup("");
    const bool is_open =
        kind && !batch->session->options->roster && (!content->nstudents || strcmp(kind, FROM_METADATA) == 0);
    free(kind);
    struct store_student *list =
        is_open ? calloc(content->nstudents + batch->intake.count, sizeof *list) : NULL;
    size_t count = 0, known = 0;
    bool is_done = list;
    for (size_t i = 0; i < content->nstudents && is_done; i++)
        is_done = copy_student(list, &count, &content->students[i]);
    for (size_t i = 0; i < batch->intake.count && is_done; i++) {
        const struct intake_submission *one = &batch->intake.list[i];
        known += *one->name || *one->email;
        is_done = !(*one->name || *one->email) || add_student(list, &count, one);
    }
    if (!is_done || !known) {
        intake_free_roster(list, count);
        return !is_open || is_done || session_fail(batch->session, "Out of memory.");
    }
    return (!batch->has_store || store_set(&batch->store, "roster", FROM_METADATA) || store_fail(batch)) &&
           take_roster(batch, list, count);
}

bool batch_reload(struct batch *batch)
{
    course_free(&batch->course);
    return course_load(&batch->course, &batch->store) || store_fail(batch);
}

static bool log_line(struct batch *batch, const struct store_override *one, const char *student,
                     const char *after, const char *reason)
{
    char who[100];
    by_hand_user(who, sizeof who);
    const struct by_hand line = {.when = one->made,
                                 .who = who,
                                 .student = (char *)(uintptr_t)student,
                                 .before = "-",
                                 .after = (char *)(uintptr_t)after,
                                 .reason = (char *)(uintptr_t)reason};
    return by_hand_append(batch->out, &line) ||
           session_fail(batch->session, "%s/by-hand.log cannot be written: %s.", batch->out, strerror(errno));
}

static bool is_same_override(const struct store_override *a, const struct store_override *b)
{
    return strcmp(a->made, b->made) == 0 && strcmp(a->reason, b->reason) == 0 && a->points == b->points &&
           a->bonus == b->bonus;
}

/* Points by hand that went along with an id, in the log as well: taken from the one, given to the other. */
static bool log_moves(struct batch *batch, const struct store_content *before)
{
    const struct store_content *now = &batch->course.content;
    bool is_done = true;
    for (size_t i = 0; i < before->noverrides && is_done; i++) {
        const struct store_override *old = &before->overrides[i], *moved = NULL;
        bool is_there = false;
        for (size_t k = 0; k < now->noverrides; k++) {
            is_there = is_there || strcmp(now->overrides[k].student, old->student) == 0;
            if (is_same_override(&now->overrides[k], old))
                moved = &now->overrides[k];
        }
        if (is_there || !moved)
            continue;
        char words[200], points[BY_HAND_POINTS];
        snprintf(words, sizeof words, "the id is %.150s now", moved->student);
        by_hand_write(moved->points, moved->bonus, points);
        is_done = log_line(batch, moved, moved->student, points, moved->reason) &&
                  log_line(batch, moved, old->student, "none", words);
    }
    return is_done;
}

/* The report of a submission goes with its student's id. */
static void move_reports(const struct batch *batch, const struct store_content *before)
{
    for (size_t i = 0; i < batch->intake.count; i++) {
        const struct intake_submission *one = &batch->intake.list[i];
        size_t at;
        const struct record *old = store_find(before, one->source, &at);
        char from[GRADE_PATH + 300], to[GRADE_PATH + 300];
        if (!old || strcmp(old->student, one->student) == 0 || strchr(old->student, '/') ||
            *old->student == '.' || course_find_id(&batch->course, old->student))
            continue;
        snprintf(from, sizeof from, "%s/%.240s.json", batch->out, old->student);
        batch_name_report(batch, (int)i, to, sizeof to);
        rename(from, to);
    }
}

static bool is_handed_in(const struct batch *batch, const char *source)
{
    bool is_there = false;
    for (size_t i = 0; i < batch->intake.count && !is_there; i++)
        is_there = strcmp(batch->intake.list[i].source, source) == 0;
    return is_there;
}

/* NAME.json of a submission that is gone, unless it is another's by now. */
static void remove_report(const struct batch *batch, const char *name)
{
    char path[GRADE_PATH + 300], other[GRADE_PATH + 300];
    bool is_used = strchr(name, '/') || *name == '.';
    snprintf(path, sizeof path, "%s/%.240s.json", batch->out, name);
    for (size_t i = 0; i < batch->intake.count && !is_used; i++) {
        batch_name_report(batch, (int)i, other, sizeof other);
        is_used = strcmp(path, other) == 0;
    }
    if (!is_used)
        unlink(path);
}

/* A graded submission that has left the folder takes its report along; whose points went with it is told at the end. */
static bool take_leave(struct batch *batch, const struct course *before)
{
    const struct store_content *content = &before->content;
    bool is_done = true;
    for (size_t i = 0; i < content->nrecords && is_done; i++) {
        const struct record *record = &content->records[i];
        size_t at;
        if (is_handed_in(batch, record->source) || store_find(&batch->course.content, record->source, &at))
            continue;
        const struct course_member *was = course_find_id(before, record->student),
                                   *is = course_find_id(&batch->course, record->student);
        remove_report(batch, record->source);
        remove_report(batch, record->student);
        if (!was || was->record != record || !was->has_grade || (is && (is->has_grade || is->is_waiting)))
            continue;
        char **name = list_push(&batch->gone, sizeof *name);
        is_done = name && (*name = strdup(record->student));
    }
    return is_done || session_fail(batch->session, "Out of memory.");
}

/* Who has left the folder is no longer in the class's results. What came from another folder stays, and with --only the rest is
 * nobody's business. */
static bool put_submissions(struct batch *batch)
{
    const bool is_all = batch->is_same_folder && !batch->session->options->only && !batch->list;
    struct store_submission *list = calloc(batch->intake.count, sizeof *list);
    for (size_t i = 0; list && i < batch->intake.count; i++)
        list[i] = (struct store_submission){batch->intake.list[i].source, batch->intake.list[i].student};
    const bool is_done = list && store_put_submissions(&batch->store, list, batch->intake.count, is_all);
    free(list);
    if (!is_done)
        return store_fail(batch);
    struct course before = batch->course;
    batch->course = (struct course){.members = NULL};
    const bool is_known =
        batch_reload(batch) && log_moves(batch, &before.content) && take_leave(batch, &before);
    if (is_known)
        move_reports(batch, &before.content);
    course_free(&before);
    return is_known;
}

/* The log beside the store outlives it: points by hand are in the new one as they were in the old. */
static bool put_back_by_hand(struct batch *batch)
{
    struct by_hand_log log;
    struct by_hand_return done = {.count = 0};
    if (!batch->has_store || !batch->is_new_store || batch->list)
        return true;
    bool is_done =
        by_hand_load(&log, batch->out) ||
        session_fail(batch->session, "%s/by-hand.log cannot be read: %s.", batch->out, strerror(errno));
    is_done = is_done && (by_hand_put_back(&log, &batch->course, &batch->store, &done) || store_fail(batch));
    by_hand_free(&log);
    return is_done && (!done.count || batch_reload(batch));
}

void batch_hash(const struct intake_submission *one, char out[65])
{
    size_t size;
    uint8_t digest[SHA256_BYTES];
    uint8_t *bytes = one->path ? files_read(one->path, MOST_SOURCE, false, &size) : NULL;
    *out = '\0';
    if (bytes)
        sha256_of(bytes, size, digest);
    for (int i = 0; bytes && i < SHA256_BYTES; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    free(bytes);
}

/* ------------------------------------------------------------------------------------------- what is to be graded */

static bool is_same_word(const char *a, const char *b)
{
    return a && *a && strcasecmp(a, b) == 0;
}

/* By id, by the submission's own name, or by what the roster says. */
static bool is_named(const struct batch *batch, const struct intake_submission *one, const char *who)
{
    bool is_one = strcasecmp(one->student, who) == 0 || strcmp(one->source, who) == 0;
    for (size_t i = 0; i < batch->course.content.nstudents && !is_one; i++) {
        const struct store_student *known = &batch->course.content.students[i];
        is_one = strcmp(known->id, one->student) == 0 &&
                 (is_same_word(known->name, who) || is_same_word(known->email, who));
    }
    return is_one;
}

/* Of names in a list the longest at its beginning that is a submission's: a name may hold a comma. "": it is nobody's. To be freed. */
static char *first_name(const struct batch *batch, const char *names)
{
    for (size_t length = strlen(names); length;) {
        char *who = strndup(names, length);
        bool is_one = false;
        for (size_t i = 0; who && i < batch->intake.count && !is_one; i++)
            is_one = is_named(batch, &batch->intake.list[i], who);
        if (!who || is_one)
            return who;
        free(who);
        while (length && names[--length] != ',')
            continue;
    }
    return strdup("");
}

/* A list: "anna,ben". check_names() has seen that each is somebody. */
static bool is_among(const struct batch *batch, const struct intake_submission *one, const char *names)
{
    bool is_one = false, goes_on = true;
    while (!is_one && goes_on && *(names += strspn(names, " ,"))) {
        char *who = first_name(batch, names);
        goes_on = who && *who;
        is_one = goes_on && is_named(batch, one, who);
        names += goes_on ? strlen(who) : 0;
        free(who);
    }
    return is_one;
}

/* On a cluster other machines measure: their GPU, driver and sandbox are not known here. */
static bool is_same_kit(const struct record_environment *a, const struct record_environment *b)
{
    return strcmp(a->lab, b->lab) == 0 && strcmp(a->stages, b->stages) == 0 && strcmp(a->kit, b->kit) == 0;
}

/* What the store has of it, if that still holds; NULL: it must be graded. So must one whose report is gone: it had left the folder. */
static const struct record *find_kept(const struct batch *batch, size_t index)
{
    const struct store_content *content = &batch->course.content;
    const struct intake_submission *one = &batch->intake.list[index];
    char hash[65], report[GRADE_PATH + 300];
    size_t at;
    const struct record *record = store_find(content, one->source, &at);
    batch_name_report(batch, (int)index, report, sizeof report);
    if (!record || (!batch->list && access(report, F_OK) != 0))
        return NULL;
    const bool is_elsewhere =
        batch->session->options->is_slurm && is_same_kit(&content->environments[at], &batch->environment);
    batch_hash(one, hash);
    return store_has(content, is_elsewhere ? &content->environments[at] : &batch->environment, one->source,
                     hash)
               ? record
               : NULL;
}

/* "failed": no full report yet; others are names. "changed" is what any batch does. */
static bool is_regraded(const struct batch *batch, const struct record *record,
                        const struct intake_submission *one, const char *what)
{
    if (!what || strcmp(what, "changed") == 0)
        return false;
    if (strcmp(what, "failed") == 0)
        return strcmp(record->status, record_status_names[RECORD_GRADED]) != 0;
    return strcmp(what, "all") == 0 || is_among(batch, one, what);
}

static bool is_word(const char *what)
{
    return strcmp(what, "all") == 0 || strcmp(what, "failed") == 0 || strcmp(what, "changed") == 0;
}

static bool fail_nobody(const struct batch *batch, const char *names, bool is_regrade)
{
    const char *folder = batch->session->options->names[0];
    char who[200];
    snprintf(who, sizeof who, "%.*s", (int)strcspn(names, ","), names);
    if (course_find(&batch->course, who))
        return session_fail(batch->session,
                            "`%s` is in the class, and has no submission in %s: there is nothing to grade.",
                            who, folder);
    return session_fail(batch->session,
                        "Nobody in %s is called `%s`: say an id, a name or an address of the roster, or "
                        "the name of a file%s.",
                        folder, who, is_regrade ? "; or all, failed, changed" : "");
}

/* --only and --regrade name students that are there. */
static bool check_names(const struct batch *batch)
{
    const struct options *options = batch->session->options;
    const char *const lists[] = {options->only,
                                 options->regrade && !is_word(options->regrade) ? options->regrade : NULL};
    for (int l = 0; l < 2; l++) {
        const char *names = lists[l] ? lists[l] : "";
        if (lists[l] && !names[strspn(names, " ,")])
            return fail_nobody(batch, names, l);
        while (*(names += strspn(names, " ,"))) {
            char *who = first_name(batch, names);
            const size_t length = who ? strlen(who) : 0;
            free(who);
            if (!length)
                return fail_nobody(batch, names, l);
            names += length;
        }
    }
    return true;
}

/* --list: a part of a class, by the names of its submissions. */
static bool is_listed(const struct batch *batch, const char *source)
{
    for (const char *at = batch->list; at && at < batch->list + batch->list_bytes; at += strlen(at) + 1) {
        if (strcmp(at, source) == 0)
            return true;
    }
    return !batch->list;
}

static bool is_asked_for(const struct batch *batch, const struct intake_submission *one)
{
    const struct options *options = batch->session->options;
    const bool names_some = options->regrade && !is_word(options->regrade);
    return is_listed(batch, one->source) && (!options->only || is_among(batch, one, options->only)) &&
           (!names_some || is_among(batch, one, options->regrade));
}

/* The same bytes have the same inputs and the same grade: of those that are to be graded, the first stands for the others. */
static bool find_twins(struct batch *batch)
{
    const size_t count = batch->intake.count;
    char(*hashes)[65] = calloc(count, sizeof *hashes);
    for (size_t i = 0; hashes && i < count; i++) {
        batch->twin[i] = -1;
        if (batch->is_todo[i])
            batch_hash(&batch->intake.list[i], hashes[i]);
        for (size_t k = 0; k < i && *hashes[i] && batch->twin[i] < 0; k++)
            if (batch->twin[k] < 0 && strcmp(hashes[k], hashes[i]) == 0)
                batch->twin[i] = (int)k;
    }
    free(hashes);
    return hashes || session_fail(batch->session, "Out of memory.");
}

bool batch_choose(struct batch *batch)
{
    batch->kept = 0;
    for (size_t i = 0; i < batch->intake.count; i++) {
        const struct intake_submission *one = &batch->intake.list[i];
        const bool is_asked = is_asked_for(batch, one);
        const struct record *kept = is_asked ? find_kept(batch, i) : NULL;
        batch->is_todo[i] =
            is_asked && (!kept || is_regraded(batch, kept, one, batch->session->options->regrade));
        batch->kept += is_asked && !batch->is_todo[i];
    }
    return find_twins(batch);
}

bool batch_plan(struct batch *batch)
{
    if (!check_rules(batch) || !read_list(batch) || !open_out(batch) || !open_store(batch) ||
        !read_submissions(batch))
        return false;
    if (!check_late(batch) || !take_names(batch))
        return false;
    if (!recorded_environment(batch->session, &batch->environment))
        return session_fail(batch->session, "Out of memory.");
    if (!check_names(batch) || (batch->has_store && !batch->list && !put_submissions(batch)) ||
        !put_back_by_hand(batch))
        return false;
    return batch_choose(batch);
}
