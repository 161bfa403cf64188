/* crew.h - pieces of work done by processes side by side: each piece in a process of its own, which hands back bytes and ends. What
 * one of them breaks, breaks for none of the others. Knows nothing of labs. */
#ifndef CREW_H
#define CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct crew {
    int size;    /* at most so many at a time */
    int reserve; /* and so many more, while others sleep */
    void (*work)(void *context, int piece, int place,
                 FILE *out); /* in a process of its own; place: 0 to size + reserve - 1, nobody else's now */
    /* In this process, in the order of their ends. is_whole: it came to its end; else the process was killed or broke down. */
    bool (*done)(void *context, int piece, const char *bytes, size_t count,
                 bool is_whole);                               /* false: no further piece */
    void (*turn)(void *context, const int *pieces, int count); /* some times a second: these are at work */
    bool (*is_asleep)(
        pid_t pid); /* neither it nor what it has begun runs or wants to; NULL: nobody ever sleeps */
    bool (*is_stopped)(void); /* all processes are told to end (SIGTERM), and no further piece begins */
    void *context;
};

/* True: every piece was worked on and told. False: it was stopped, or there was no process or no memory to be had (errno). */
bool crew_run(const struct crew *crew, const int *pieces, int count);

#endif
