/* reset.c - ./grade reset lab3: the skeleton back in its place, the student's file beside it.
 * The skeleton comes from common/lab/skeletons/, which ships with the kit and which nobody edits: a repository's history may
 * hold the student's own commits, and build/ may have been made after the first edit. Nothing that exists is ever written over:
 * the old file has its new name before the skeleton takes its place. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "grader/files.h"
#include "grader/put.h"

#define MOST_SOURCE ((size_t)64 << 20)
enum { MOST_NAMES = 1000 };

struct reset {
    struct session *session;
    char skeleton[GRADE_PATH + 300], own[GRADE_PATH + 300], kept[GRADE_PATH + 400];
    uint8_t *new_bytes, *old_bytes;
    size_t new_size, old_size;
};

/* Paths as the student types them, from the kit's folder. */
static const char *shown(const struct reset *reset, const char *path)
{
    const size_t length = strlen(reset->session->kit.own);
    return strncmp(path, reset->session->kit.own, length) == 0 && path[length] == '/' ? path + length + 1
                                                                                      : path;
}

static bool read_both(struct reset *reset)
{
    const struct session *session = reset->session;
    const struct labs_entry *entry = session->entry;
    snprintf(reset->skeleton, sizeof reset->skeleton, "%s/common/lab/skeletons/%s/%s.cu", session->kit.root,
             entry->folder, entry->id);
    snprintf(reset->own, sizeof reset->own, "%s/labs/%s/%s.cu", session->kit.own, entry->folder, entry->id);
    reset->new_bytes = files_read(reset->skeleton, MOST_SOURCE, true, &reset->new_size);
    if (!reset->new_bytes)
        return session_fail(
            reset->session,
            "The skeleton of %s cannot be read, so nothing was changed: %s: %s. It is a part of the "
            "kit: take it from where you have the kit from. In a lab that you write, `make skeletons` comes "
            "first.",
            entry->id, shown(reset, reset->skeleton), strerror(errno));
    reset->old_bytes = files_read(reset->own, MOST_SOURCE, true, &reset->old_size);
    if (!reset->old_bytes && errno != ENOENT)
        return session_fail(reset->session, "%s cannot be read, so nothing was changed: %s.",
                            shown(reset, reset->own), strerror(errno));
    return true;
}

/* Where a disk has no second names for a file, a copy. */
static bool copy_to_new(const struct reset *reset)
{
    const int fd = open(reset->kept, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return false;
    const ssize_t written = write(fd, reset->old_bytes, reset->old_size);
    const bool is_done = written == (ssize_t)reset->old_size && fsync(fd) == 0;
    const int reason = written >= 0 && !is_done ? ENOSPC : errno;
    close(fd);
    if (!is_done)
        unlink(reset->kept);
    errno = reason;
    return is_done;
}

/* Both ways refuse a name that is there already. */
static bool keep_under(const struct reset *reset)
{
    return link(reset->own, reset->kept) == 0 ||
           (errno != EEXIST && errno != EROFS && errno != ENOSPC && copy_to_new(reset));
}

/* lab3.2026-11-17-091233.cu; a second reset in the same second gets a number. */
static bool keep_old(struct reset *reset)
{
    const struct session *session = reset->session;
    const time_t now = time(NULL);
    char when[40] = "old", number[16] = "";
    struct tm parts;
    bool is_kept = false;
    if (localtime_r(&now, &parts))
        strftime(when, sizeof when, "%Y-%m-%d-%H%M%S", &parts);
    for (int i = 1; i < MOST_NAMES && !is_kept; i++) {
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        snprintf(reset->kept, sizeof reset->kept, "%s/labs/%s/%s.%s%s.cu", session->kit.own,
                 session->entry->folder, session->entry->id, when, number);
        is_kept = keep_under(reset);
        if (!is_kept && errno != EEXIST)
            break;
    }
    return is_kept || session_fail(reset->session, "%s cannot be kept as %s, so nothing was changed: %s.",
                                   shown(reset, reset->own), shown(reset, reset->kept), strerror(errno));
}

static bool is_skeleton(const struct reset *reset)
{
    return reset->old_bytes && reset->old_size == reset->new_size &&
           memcmp(reset->old_bytes, reset->new_bytes, reset->new_size) == 0;
}

static bool replace(struct reset *reset)
{
    if (reset->old_bytes && !keep_old(reset))
        return false;
    if (files_replace(reset->own, reset->new_bytes, reset->new_size))
        return true;
    const int reason = errno;
    if (*reset->kept)
        unlink(reset->kept); /* the student's file is still in its place */
    return session_fail(reset->session, "%s cannot be written, and is as it was: %s.",
                        shown(reset, reset->own), strerror(reason));
}

static void report(const struct reset *reset)
{
    const char *id = reset->session->entry->id;
    printf("%s is the skeleton again.\n", shown(reset, reset->own));
    if (!*reset->kept)
        return;
    printf("%s is what you had.\n", shown(reset, reset->kept));
    put_words(0, "Your best points stay. To grade what you had: ./grade %s --file %s", id,
              shown(reset, reset->kept));
}

enum outcome reset_run(struct session *session)
{
    struct reset reset = {.session = session};
    bool is_done = read_both(&reset);
    if (is_done && is_skeleton(&reset)) {
        printf("%s is the skeleton: there is nothing to put back.\n", shown(&reset, reset.own));
    } else if (is_done) {
        is_done = replace(&reset);
        if (is_done)
            report(&reset);
    }
    if (!is_done)
        fprintf(stderr, "grade: %s\n", session->error);
    free(reset.new_bytes);
    free(reset.old_bytes);
    return is_done ? OUTCOME_GRADED : OUTCOME_OURS;
}
