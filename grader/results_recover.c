/* results_recover.c - ./grade results DIR --recover: a store that is damaged, made whole as far as that can be done, and in words what
 * was recovered and what was not. The table of results that lay beside it is what it is held against; points by hand come from their
 * log, which is a plain file. */
#define _GNU_SOURCE
#include "grader/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/course/by_hand.h"
#include "grader/course/csv.h"
#include "grader/files.h"
#include "grader/recorded.h"

#define MOST_TABLE ((size_t)64 << 20)

struct rescue {
    struct session *session;
    const char *folder;
    struct store store;
    struct store_recovery found;
    struct course course;
    struct csv table; /* results.csv as it was */
    bool has_table, was_damaged;
    int lost; /* rows of the table that are others now, points by hand that nobody could be given */
};

static bool store_fail(struct rescue *rescue)
{
    return session_fail(rescue->session, "%s", rescue->store.error);
}

static bool load(struct rescue *rescue)
{
    course_free(&rescue->course);
    return course_load(&rescue->course, &rescue->store) || store_fail(rescue);
}

/* ------------------------------------------------------------------------------------------- the store */

static void tell_store(const struct rescue *rescue)
{
    const struct store_recovery *found = &rescue->found;
    printf("The damaged store is kept in %s/%s.\n", rescue->folder, found->aside);
    if (found->bad_backups)
        printf("%d newer backup%s damaged, too.\n", found->bad_backups,
               found->bad_backups == 1 ? " is" : "s are");
    if (*found->backup)
        printf("Recovered from %s/%s", rescue->folder, found->backup);
    else if (found->has_store)
        printf("There is no backup: recovered from the damaged file alone");
    if (found->has_store)
        printf(", %s%ld grading%s of the damaged file could be read.\n", *found->backup ? "and over it " : "",
               found->attempts, found->attempts == 1 ? "" : "s");
    else
        printf(
            "Nothing can be recovered: there is no backup that is whole. Run ./grade batch again, with the "
            "same --roster, --deadline and --late; then ./grade results %s --recover puts points by hand "
            "back. results.csv as it was is in %s/%s.\n",
            rescue->folder, rescue->folder, found->aside);
}

static bool recover_store(struct rescue *rescue)
{
    char now[RECORDED_TIME];
    if (store_check(&rescue->store))
        return true;
    if (!rescue->store.is_damaged)
        return store_fail(rescue);
    rescue->was_damaged = true;
    recorded_now(now);
    if (!store_recover(&rescue->store, now, &rescue->found))
        return store_fail(rescue);
    tell_store(rescue);
    return true;
}

/* ------------------------------------------------------------------------------------------- points by hand */

static bool put_back_all(struct rescue *rescue)
{
    struct by_hand_log log;
    struct by_hand_return done = {.count = 0};
    bool is_done =
        by_hand_load(&log, rescue->folder) ||
        session_fail(rescue->session, "%s/by-hand.log cannot be read: %s.", rescue->folder, strerror(errno));
    is_done =
        is_done && (by_hand_put_back(&log, &rescue->course, &rescue->store, &done) || store_fail(rescue));
    rescue->lost += done.unknown;
    by_hand_free(&log);
    return is_done && (!done.count || load(rescue));
}

/* ------------------------------------------------------------------------------------------- the table */

/* As it lies beside the store before anything is done. */
static void read_table(struct rescue *rescue)
{
    char path[GRADE_PATH + 20];
    size_t size;
    snprintf(path, sizeof path, "%s/results.csv", rescue->folder);
    char *text = (char *)files_read(path, MOST_TABLE, false, &size);
    rescue->has_table = text && csv_read(&rescue->table, text) && csv_column(&rescue->table, "student") >= 0;
    free(text);
}

static const char *cell(const struct csv *table, size_t row, const char *heading)
{
    const int column = csv_column(table, heading);
    return column < 0 || row >= table->nrows ? "" : csv_cell(table, row, (size_t)column);
}

static size_t find_row(const struct csv *table, const char *student)
{
    size_t row = 1;
    while (row < table->nrows && strcmp(csv_meant(cell(table, row, "student")), student) != 0)
        row++;
    return row;
}

static bool is_same_cell(const struct csv *before, size_t row, const struct csv *now, size_t other,
                         const char *heading)
{
    return strcmp(cell(before, row, heading), cell(now, other, heading)) == 0;
}

/* "100 points (graded)". */
static void put_row(const struct csv *table, size_t row)
{
    const char *points = cell(table, row, "points"), *status = cell(table, row, "status");
    printf("%s points (%s)", *points ? points : "no", *status ? status : "not in the class");
}

/* Points that were given by hand since then are others, and right. */
static bool has_lost_points(const struct rescue *rescue, size_t row, const struct csv *now, size_t other)
{
    const struct csv *before = &rescue->table;
    if (!*cell(before, row, "points"))
        return other >= now->nrows;
    if (!rescue->was_damaged || !is_same_cell(before, row, now, other, "override"))
        return !*cell(now, other, "points");
    return !is_same_cell(before, row, now, other, "points") ||
           !is_same_cell(before, row, now, other, "bonus") ||
           !is_same_cell(before, row, now, other, "status");
}

/* Returns what of the roster is gone, as a list of headings. */
static void find_lost_words(const struct csv *before, size_t row, const struct csv *now, size_t other,
                            char *out, size_t size)
{
    static const char *const headings[] = {"name", "email", "section"};
    *out = '\0';
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        const size_t used = strlen(out);
        if (*cell(before, row, headings[i]) && !*cell(now, other, headings[i]))
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", headings[i]);
    }
}

static void compare_tables(struct rescue *rescue, const struct csv *now)
{
    const struct csv *before = &rescue->table;
    size_t same = 0;
    char words[40];
    for (size_t row = 1; row < before->nrows; row++) {
        const char *student = csv_meant(cell(before, row, "student"));
        const size_t other = find_row(now, student);
        if (!*student)
            continue;
        const bool has_lost = has_lost_points(rescue, row, now, other);
        find_lost_words(before, row, now, other, words, sizeof words);
        same += !has_lost && !*words;
        rescue->lost += has_lost || *words;
        if (has_lost) {
            printf("Not recovered: %s had ", student);
            put_row(before, row);
            printf(" in results.csv, and has ");
            put_row(now, other);
            printf(" now.\n");
        } else if (*words)
            printf("Not recovered: %s has lost %s.\n", student, words);
    }
    if (rescue->was_damaged)
        printf("%zu student%s as results.csv had them.\n", same, same == 1 ? " is" : "s are");
}

static void tell_table(struct rescue *rescue)
{
    struct csv now = {.rows = NULL};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        course_put_csv(&rescue->course, file);
        fclose(file);
    }
    if (rescue->has_table && text && csv_read(&now, text))
        compare_tables(rescue, &now);
    else if (rescue->was_damaged)
        printf("There is no results.csv to hold it against.\n");
    csv_free(&now);
    free(text);
}

/* ------------------------------------------------------------------------------------------- who is in the class */

static bool is_in_roster(const struct course *course, const char *id)
{
    const struct course_member *member = course_find_id(course, id);
    return member && member->who;
}

/* Those whom the store has lost, as the table knows them; behind those whom it has. */
static bool put_back_students(struct rescue *rescue)
{
    const struct csv *table = &rescue->table;
    const struct store_content *content = &rescue->course.content;
    struct store_student *list = calloc(content->nstudents + table->nrows + 1, sizeof *list);
    size_t count = content->nstudents;
    if (!list)
        return session_fail(rescue->session, "Out of memory.");
    for (size_t i = 0; i < count; i++)
        list[i] = content->students[i];
    for (size_t row = 1; row < table->nrows; row++) {
        const char *id = csv_meant(cell(table, row, "student")), *name = csv_meant(cell(table, row, "name")),
                   *email = csv_meant(cell(table, row, "email")),
                   *section = csv_meant(cell(table, row, "section"));
        const bool is_known = is_in_roster(&rescue->course, id) ||
                              (course_find_id(&rescue->course, id) && !*name && !*email && !*section);
        if (*id && !is_known)
            list[count++] = (struct store_student){.id = (char *)(uintptr_t)id,
                                                   .name = (char *)(uintptr_t)name,
                                                   .email = (char *)(uintptr_t)email,
                                                   .section = (char *)(uintptr_t)section,
                                                   .place = (long)row,
                                                   .submitted = ""};
    }
    const size_t added = count - content->nstudents;
    const bool is_done = !added || store_put_students(&rescue->store, list, count) || store_fail(rescue);
    free(list);
    if (is_done && added)
        printf("The names of %zu student%s come from results.csv.\n", added, added == 1 ? "" : "s");
    return is_done && (!added || load(rescue));
}

/* Whose submission is lost has handed in, and is not missing: a batch grades it. */
static bool put_back_submissions(struct rescue *rescue)
{
    const struct course *course = &rescue->course;
    bool is_done = true, is_changed = false;
    for (size_t i = 0; i < course->nmembers && is_done; i++) {
        const struct course_member *member = &course->members[i];
        const size_t row = find_row(&rescue->table, member->id);
        const char *status = cell(&rescue->table, row, "status"),
                   *source = csv_meant(cell(&rescue->table, row, "source"));
        const bool was_there = row < rescue->table.nrows ? *status && strcmp(status, COURSE_MISSING) != 0
                                                         : rescue->found.lost_submissions;
        const struct store_submission one = {*source ? source : member->id, member->id};
        if (strcmp(course_status(member), COURSE_MISSING) != 0 || !was_there)
            continue;
        is_changed = true;
        is_done = store_put_submissions(&rescue->store, &one, 1, false) || store_fail(rescue);
    }
    return is_done && (!is_changed || load(rescue));
}

/* What nobody can put back. */
static void tell_words(struct rescue *rescue)
{
    if (!rescue->found.lost_words || *rescue->found.backup)
        return;
    printf("Not recovered: what the class was told, as the deadline and the rule for late submissions.\n");
    rescue->lost++;
}

/* ------------------------------------------------------------------------------------------- the command */

static bool save_table(struct rescue *rescue)
{
    return recorded_save_csv(&rescue->course, rescue->folder) ||
           session_fail(rescue->session, "%s/results.csv cannot be written: %s.", rescue->folder,
                        strerror(errno));
}

static bool recover(struct rescue *rescue)
{
    read_table(rescue);
    if (!recover_store(rescue))
        return false;
    if (rescue->was_damaged && !rescue->found.has_store) {
        rescue->lost++;
        return true;
    }
    if (!load(rescue) ||
        (rescue->was_damaged && (!put_back_students(rescue) || !put_back_submissions(rescue))) ||
        !put_back_all(rescue))
        return false;
    const int unknown = rescue->lost;
    tell_words(rescue);
    tell_table(rescue);
    if (!rescue->was_damaged)
        printf("%s is whole.\n", rescue->store.path);
    if (rescue->lost == unknown)
        return save_table(rescue);
    printf("results.csv stays as it was. Run ./grade batch again, with the same --roster, --deadline and "
           "--late: it grades what is missing.\n");
    return true;
}

enum outcome results_recover(struct session *session, const char *folder)
{
    struct rescue rescue = {.session = session, .folder = folder};
    char path[GRADE_PATH + 20];
    store_name(&rescue.store, folder);
    snprintf(path, sizeof path, "%s/lock", folder);
    const int lock = files_lock(path);
    const bool is_done = lock >= 0
                             ? recover(&rescue)
                             : session_fail(session, "Results in %s cannot be recovered: %s.", folder,
                                            errno == EWOULDBLOCK ? "a batch writes them" : strerror(errno));
    if (!is_done)
        fprintf(stderr, "grade: %s\n", session->error);
    if (lock >= 0)
        close(lock);
    course_free(&rescue.course);
    csv_free(&rescue.table);
    return is_done && !rescue.lost ? OUTCOME_GRADED : OUTCOME_OURS;
}
