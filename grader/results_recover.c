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
    bool was_damaged;
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
        printf("Nothing can be recovered: there is no backup that is whole. Run ./grade batch again; then "
               "./grade results %s --recover puts points by hand back.\n",
               rescue->folder);
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

static bool is_same(const struct store_override *there, const struct by_hand *line)
{
    char points[BY_HAND_POINTS];
    if (!there)
        return strcmp(line->after, "none") == 0;
    by_hand_write(there->points, there->bonus, points);
    return strcmp(points, line->after) == 0 && strcmp(there->reason, line->reason) == 0;
}

static bool put_back(struct rescue *rescue, const struct by_hand *line)
{
    struct store_override one = {.student = line->student, .reason = line->reason, .made = line->when};
    if (strcmp(line->after, "none") == 0)
        return store_drop_override(&rescue->store, line->student) || store_fail(rescue);
    return by_hand_read(line->after, &one.points, &one.bonus) &&
           (store_put_override(&rescue->store, &one) || store_fail(rescue));
}

/* The last word about each student is what counts. */
static bool put_back_all(struct rescue *rescue)
{
    struct by_hand_log log;
    bool is_done =
        by_hand_load(&log, rescue->folder) ||
        session_fail(rescue->session, "%s/by-hand.log cannot be read: %s.", rescue->folder, strerror(errno));
    int count = 0;
    for (size_t i = 0; i < log.count && is_done; i++) {
        const struct by_hand *line = &log.lines[i];
        const struct course_member *member = course_find_id(&rescue->course, line->student);
        if (by_hand_last(&log, line->student) != line || is_same(member ? member->override : NULL, line))
            continue;
        if (!member) {
            printf("Nobody is called %s now: %s by hand (%s) is not put back.\n", line->student, line->after,
                   line->reason);
            rescue->lost++;
            continue;
        }
        is_done = put_back(rescue, line);
        count += is_done;
        if (is_done)
            printf("By hand, put back: %s %s, by %s on %s: %s\n", line->student, line->after, line->who,
                   line->when, line->reason);
    }
    if (log.damaged)
        printf("%zu line%s of by-hand.log cannot be read.\n", log.damaged, log.damaged == 1 ? "" : "s");
    by_hand_free(&log);
    return is_done && (!count || load(rescue));
}

/* ------------------------------------------------------------------------------------------- the table */

static bool read_table(const char *text, struct csv *table)
{
    return text && csv_read(table, text);
}

static const char *cell(const struct csv *table, size_t row, const char *heading)
{
    const int column = csv_column(table, heading);
    return column < 0 ? "" : csv_cell(table, row, (size_t)column);
}

static size_t find_row(const struct csv *table, const char *student)
{
    size_t row = 1;
    while (row < table->nrows && strcmp(cell(table, row, "student"), student) != 0)
        row++;
    return row;
}

static bool is_same_row(const struct csv *before, size_t row, const struct csv *now, size_t other)
{
    static const char *const headings[] = {"points", "bonus", "status"};
    bool is_one = true;
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        is_one = is_one && strcmp(cell(before, row, headings[i]), cell(now, other, headings[i])) == 0;
    return is_one;
}

static void put_row(const struct csv *table, size_t row)
{
    const char *points = cell(table, row, "points"), *status = cell(table, row, "status");
    printf("%s%s%s", points, *points ? " points, " : "", *status ? status : "nothing");
}

static void compare_tables(struct rescue *rescue, const struct csv *before, const struct csv *now)
{
    size_t same = 0;
    for (size_t row = 1; row < before->nrows; row++) {
        const char *student = cell(before, row, "student");
        const size_t other = find_row(now, student);
        if (!*student)
            continue;
        if (is_same_row(before, row, now, other)) {
            same++;
            continue;
        }
        printf("Not recovered: %s, who had ", student);
        put_row(before, row);
        printf(" in results.csv, and has ");
        put_row(now, other);
        putchar('\n');
        rescue->lost++;
    }
    printf("%zu student%s as results.csv had them.\n", same, same == 1 ? " is" : "s are");
}

static void tell_table(struct rescue *rescue)
{
    struct csv before = {.rows = NULL}, now = {.rows = NULL};
    char path[GRADE_PATH + 100], *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s/results.csv", rescue->folder, rescue->found.aside);
    char *old = (char *)files_read(path, MOST_TABLE, false, &size);
    FILE *file = open_memstream(&text, &size);
    if (file) {
        course_put_csv(&rescue->course, file);
        fclose(file);
    }
    if (read_table(old, &before) && read_table(text, &now))
        compare_tables(rescue, &before, &now);
    else
        printf("There is no results.csv to hold it against.\n");
    csv_free(&before);
    csv_free(&now);
    free(old);
    free(text);
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
    if (!recover_store(rescue))
        return false;
    if (rescue->was_damaged && !rescue->found.has_store) {
        rescue->lost++;
        return true;
    }
    if (!load(rescue) || !put_back_all(rescue))
        return false;
    if (rescue->was_damaged)
        tell_table(rescue);
    else
        printf("%s is whole.\n", rescue->store.path);
    if (rescue->lost && rescue->was_damaged)
        printf("Run ./grade batch again: it grades what is missing.\n");
    return save_table(rescue);
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
    return is_done && !rescue.lost ? OUTCOME_GRADED : OUTCOME_OURS;
}
