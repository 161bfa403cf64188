/* by_hand.c - see by_hand.h. A line is written at once and reaches the disk before the store changes. */
#define _GNU_SOURCE
#include "grader/course/by_hand.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"

#define MOST_BYTES ((size_t)64 << 20)

enum { COLUMNS = 6 };
static const size_t columns[COLUMNS] = {offsetof(struct by_hand, when),    offsetof(struct by_hand, who),
                                        offsetof(struct by_hand, student), offsetof(struct by_hand, before),
                                        offsetof(struct by_hand, after),   offsetof(struct by_hand, reason)};

static char **cell_of(const struct by_hand *line, int column)
{
    return (char **)((char *)(uintptr_t)line + columns[column]);
}

static void name_file(const char *folder, char *out, size_t size)
{
    snprintf(out, size, "%.2700s/by-hand.log", folder);
}

/* ------------------------------------------------------------------------------------------- points */

void by_hand_write(double points, double bonus, char out[BY_HAND_POINTS])
{
    const int used = snprintf(out, BY_HAND_POINTS, "%g", points);
    if (bonus > 0)
        snprintf(out + used, BY_HAND_POINTS - (size_t)used, "+%g", bonus);
}

/* Whole or half ones. */
static bool read_half(const char *text, char **behind, double *out)
{
    *out = strtod(text, behind);
    return *behind != text && strspn(text, "0123456789.") >= (size_t)(*behind - text) &&
           isdigit((unsigned char)*text) && *out < 100000 && floor(2 * *out) == 2 * *out;
}

bool by_hand_read(const char *text, double *points, double *bonus)
{
    char *behind;
    *bonus = 0;
    return read_half(text, &behind, points) && (*behind != '+' || read_half(behind + 1, &behind, bonus)) &&
           !*behind;
}

/* ------------------------------------------------------------------------------------------- writing */

void by_hand_user(char *out, size_t size)
{
    const char *as = getenv("SUDO_USER");
    const struct passwd *user = getpwuid(getuid());
    if (as && *as && geteuid() == 0)
        snprintf(out, size, "%s", as);
    else if (user)
        snprintf(out, size, "%s", user->pw_name);
    else
        snprintf(out, size, "user %ld", (long)getuid());
}

/* Behind a line that was torn off by whatever wrote it, a new one begins. */
static char *make_text(int file, const struct by_hand *line, size_t *size)
{
    char *text = NULL, last = '\n';
    struct stat before;
    FILE *out = fstat(file, &before) == 0 ? open_memstream(&text, size) : NULL;
    if (!out)
        return NULL;
    if (before.st_size > 0 && pread(file, &last, 1, before.st_size - 1) == 1 && last != '\n')
        fputc('\n', out);
    for (int i = 0; i < COLUMNS; i++) {
        char *plain = utf8_line(*cell_of(line, i));
        fprintf(out, "%s%c", plain ? plain : "", i + 1 < COLUMNS ? '\t' : '\n');
        free(plain);
    }
    return fclose(out) == 0 ? text : NULL;
}

bool by_hand_append(const char *folder, const struct by_hand *line)
{
    char path[2800];
    size_t size = 0;
    name_file(folder, path, sizeof path);
    const int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return false;
    char *text = make_text(file, line, &size);
    errno = ENOSPC;
    const bool is_done = text && write(file, text, size) == (ssize_t)size && fsync(file) == 0;
    const int reason = errno;
    free(text);
    close(file);
    errno = reason;
    return is_done;
}

/* ------------------------------------------------------------------------------------------- reading */

/* Takes a line apart in place. False: it was torn off, or somebody has changed it. */
static bool split(char *text, char *cells[COLUMNS])
{
    double points, bonus;
    int count = 0;
    for (char *cell; count < COLUMNS && (cell = strsep(&text, "\t"));)
        cells[count++] = cell;
    return count == COLUMNS && !text && *cells[2] &&
           (strcmp(cells[4], "none") == 0 || by_hand_read(cells[4], &points, &bonus));
}

static bool add_line(struct by_hand_log *log, char *cells[COLUMNS])
{
    struct by_hand *lines = realloc(log->lines, (log->count + 1) * sizeof *lines);
    bool is_done = lines;
    if (!lines)
        return false;
    log->lines = lines;
    lines[log->count] = (struct by_hand){.when = NULL};
    for (int i = 0; i < COLUMNS; i++)
        is_done = record_set(cell_of(&lines[log->count], i), cells[i]) && is_done;
    log->count++;
    return is_done;
}

bool by_hand_load(struct by_hand_log *log, const char *folder)
{
    char path[2800], *cells[COLUMNS];
    size_t size;
    bool is_done = true;
    *log = (struct by_hand_log){.lines = NULL};
    name_file(folder, path, sizeof path);
    char *text = file_read(path, MOST_BYTES, false, &size), *rest = text;
    if (!text)
        return errno == ENOENT;
    for (char *line; is_done && (line = strsep(&rest, "\n"));) {
        if (*line && split(line, cells))
            is_done = add_line(log, cells);
        else
            log->damaged += *line != '\0';
    }
    free(text);
    return is_done;
}

void by_hand_free(struct by_hand_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        for (int k = 0; k < COLUMNS; k++)
            free(*cell_of(&log->lines[i], k));
    }
    free(log->lines);
    *log = (struct by_hand_log){.lines = NULL};
}

const struct by_hand *by_hand_last(const struct by_hand_log *log, const char *student)
{
    for (size_t i = log->count; i-- > 0;) {
        if (strcmp(log->lines[i].student, student) == 0)
            return &log->lines[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------- the log and the store */

static bool is_same(const struct store_override *there, const struct by_hand *line)
{
    char points[BY_HAND_POINTS];
    if (!there)
        return strcmp(line->after, "none") == 0;
    by_hand_write(there->points, there->bonus, points);
    return strcmp(points, line->after) == 0 && strcmp(there->reason, line->reason) == 0;
}

bool by_hand_is_kept(const struct by_hand_log *log, const struct by_hand *line, const struct course *course)
{
    const struct course_member *member = course_find_id(course, line->student);
    const struct store_override *there = member ? member->override : NULL;
    bool is_kept = by_hand_last(log, line->student) != line || is_same(there, line) ||
                   (there && strcmp(there->made, line->when) > 0);
    for (size_t i = 0; i < course->content.noverrides && !is_kept; i++) {
        const struct store_override *other = &course->content.overrides[i];
        is_kept = !there && strcmp(other->made, line->when) == 0 && is_same(other, line);
    }
    return is_kept;
}

static bool put_back(struct store *store, const struct by_hand *line)
{
    struct store_override one = {.student = line->student, .reason = line->reason, .made = line->when};
    if (strcmp(line->after, "none") == 0)
        return store_drop_override(store, line->student);
    return by_hand_read(line->after, &one.points, &one.bonus) && store_put_override(store, &one);
}

/* The last word about each student is what counts. */
bool by_hand_put_back(const struct by_hand_log *log, const struct course *course, struct store *store,
                      struct by_hand_return *done)
{
    bool is_done = true;
    *done = (struct by_hand_return){.count = 0};
    for (size_t i = 0; i < log->count && is_done; i++) {
        const struct by_hand *line = &log->lines[i];
        if (by_hand_is_kept(log, line, course))
            continue;
        if (!course_find_id(course, line->student)) {
            printf("Nobody is called %s now: %s by hand (%s) is not put back.\n", line->student, line->after,
                   line->reason);
            done->unknown++;
            continue;
        }
        is_done = put_back(store, line);
        done->count += is_done;
        if (is_done)
            printf("By hand, put back: %s %s, by %s on %s: %s\n", line->student, line->after, line->who,
                   line->when, line->reason);
    }
    if (log->damaged)
        printf("%zu line%s of by-hand.log cannot be read.\n", log->damaged, log->damaged == 1 ? "" : "s");
    return is_done;
}

/* The first line about somebody in the class that the store has not; NULL: it has all. */
static const struct by_hand *find_lost(const struct by_hand_log *log, const struct course *course)
{
    for (size_t i = 0; i < log->count; i++) {
        if (!by_hand_is_kept(log, &log->lines[i], course) && course_find_id(course, log->lines[i].student))
            return &log->lines[i];
    }
    return NULL;
}

static bool agrees(const struct course *course, struct store *store)
{
    const int length = (int)(strrchr(store->path, '/') - store->path);
    char folder[sizeof store->path];
    struct by_hand_log log;
    snprintf(folder, sizeof folder, "%.*s", length, store->path);
    bool is_done = by_hand_load(&log, folder);
    const struct by_hand *lost = is_done ? find_lost(&log, course) : NULL;
    if (!is_done)
        snprintf(store->error, sizeof store->error, "%.400s/by-hand.log cannot be read: %s.", folder,
                 strerror(errno));
    if (lost)
        snprintf(
            store->error, sizeof store->error,
            "%.200s has not what by-hand.log says: %.60s %.40s by hand, %.30s. It is an older copy, or a "
            "change was cut off. `./grade results %.200s --recover` puts it back.",
            store->path, lost->student, lost->after, lost->when, folder);
    by_hand_free(&log);
    return is_done && !lost;
}

/* Somebody who gives points at this moment has written the log first: then a second look finds both. */
bool by_hand_load_course(struct course *course, struct store *store)
{
    const struct timespec moment = {.tv_nsec = 400 * 1000 * 1000};
    if (!course_load(course, store))
        return false;
    if (agrees(course, store))
        return true;
    nanosleep(&moment, NULL);
    course_free(course);
    return course_load(course, store) && agrees(course, store);
}
