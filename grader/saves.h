/* saves.h - when has a file been saved? Editors write in place, write several times, or put a new file in the old one's place.
 * inotify on the file's folder wakes us at once where it works; the file's time is looked at once a second all the same, because
 * disks of other machines tell nothing. */
#ifndef SAVES_H
#define SAVES_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* What changes when a file is saved. */
struct saves_stamp {
    bool can_read;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec when;
};

struct saves {
    char path[3200], folder[3200];
    const char *name; /* in path */
    int events;       /* inotify's descriptor; -1: there is none */
    struct saves_stamp seen;
    double looked_s;
    bool is_pending;        /* something was written, but it may not be all */
    double begun_s, last_s; /* the first and the last we heard of that */
};

/* What is there now counts as seen. saves_close() always. */
void saves_open(struct saves *saves, const char *path);
void saves_close(struct saves *saves);
/* Returns at once. True: it was saved, can be read, and nobody has written for a moment; once for each save. */
bool saves_look(struct saves *saves);
/* Until there is news, or for `wait_ms`; a signal ends it too. */
void saves_wait(const struct saves *saves, int wait_ms);
bool saves_can_read(const struct saves *saves);
/* Seconds of the clock by which begun_s counts. */
double saves_now_s(void);

#endif
