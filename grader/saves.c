/* saves.c - see saves.h. Events say that it may be worth looking; what the file is decides. Prints nothing. */
#define _GNU_SOURCE
#include "grader/saves.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVERY_S 1.0
/* Who writes several times does so within a few milliseconds. A file of no bytes was most likely only just emptied. */
#define SETTLE_S       0.05
#define SETTLE_EMPTY_S 1.0

/* A file is whole when its writer closes it, or when it is moved to its place. The others only say that something is new. */
enum {
    SAVED = IN_CLOSE_WRITE | IN_MOVED_TO,
    TOUCHED = IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_Q_OVERFLOW
};

double saves_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct saves_stamp stamp_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode) || access(path, R_OK))
        return (struct saves_stamp){.can_read = false};
    return (struct saves_stamp){true, status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

static bool is_same(const struct saves_stamp *a, const struct saves_stamp *b)
{
    return a->can_read == b->can_read && a->device == b->device && a->inode == b->inode &&
           a->size == b->size && a->when.tv_sec == b->when.tv_sec && a->when.tv_nsec == b->when.tv_nsec;
}

/* Again and again: it does nothing where it is watched already, and finds a folder that has come in the place of another. */
static void watch_folder(const struct saves *saves)
{
    if (saves->events >= 0)
        inotify_add_watch(saves->events, saves->folder, SAVED | TOUCHED);
}

void saves_open(struct saves *saves, const char *path)
{
    *saves = (struct saves){.events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), .looked_s = saves_now_s()};
    snprintf(saves->path, sizeof saves->path, "%s", path);
    const char *slash = strrchr(saves->path, '/');
    saves->name = slash ? slash + 1 : saves->path;
    if (slash)
        snprintf(saves->folder, sizeof saves->folder, "%.*s", (int)(slash - saves->path) + 1, saves->path);
    else
        snprintf(saves->folder, sizeof saves->folder, ".");
    watch_folder(saves);
    saves->seen = stamp_of(saves->path);
}

void saves_close(struct saves *saves)
{
    if (saves->events >= 0)
        close(saves->events);
    saves->events = -1;
}

bool saves_can_read(const struct saves *saves)
{
    return stamp_of(saves->path).can_read;
}

/* What has happened to the file: a sum of IN_*. */
static uint32_t read_events(const struct saves *saves)
{
    char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
    uint32_t happened = 0;
    ssize_t got;
    while (saves->events >= 0 && (got = read(saves->events, buffer, sizeof buffer)) > 0) {
        for (char *at = buffer; at < buffer + got;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            if (event->mask & IN_Q_OVERFLOW || (event->len && strcmp(event->name, saves->name) == 0))
                happened |= event->mask;
            at += sizeof *event + event->len;
        }
    }
    return happened;
}

static void hear(struct saves *saves, double now)
{
    if (!saves->is_pending)
        saves->begun_s = now;
    saves->is_pending = true;
    saves->last_s = now;
}

/* True: it is another than the one that was seen. */
static bool look_again(struct saves *saves, double now)
{
    const struct saves_stamp stamp = stamp_of(saves->path);
    const bool is_new = !is_same(&stamp, &saves->seen);
    saves->seen = stamp;
    if (is_new)
        hear(saves, now);
    return is_new;
}

bool saves_look(struct saves *saves)
{
    const double now = saves_now_s();
    const uint32_t happened = read_events(saves);
    if (happened & SAVED)
        hear(saves, now);
    if (now - saves->looked_s >= EVERY_S)
        watch_folder(saves);
    if (happened || now - saves->looked_s >= EVERY_S) {
        saves->looked_s = now;
        look_again(saves, now);
    }
    if (!saves->is_pending || now - saves->last_s < (saves->seen.size ? SETTLE_S : SETTLE_EMPTY_S) ||
        look_again(saves, now) || !saves->seen.can_read)
        return false;
    saves->is_pending = false;
    return true;
}

void saves_wait(const struct saves *saves, int wait_ms)
{
    struct pollfd one = {.fd = saves->events, .events = POLLIN};
    const int settle_ms = (int)(1000 * SETTLE_S) / 2;
    poll(&one, 1, saves->is_pending && wait_ms > settle_ms ? settle_ms : wait_ms);
}
