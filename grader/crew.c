/* crew.c - see crew.h. One loop: begin what there is room for, read what comes, tell what has ended. Who only waits, for a limit
 * that will end it or for good, keeps nobody else from working: another one begins meanwhile. */
#define _GNU_SOURCE
#include "grader/crew.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/real_time.h"

enum { TURN_MS = 60, PIECE = 1 << 16, STOPPED_STATUS = 3 };

struct worker {
    pid_t pid; /* 0: nobody */
    int fd, piece;
    int quiet; /* times in a row that it was found asleep */
    char *bytes;
    size_t count;
};

struct shift {
    const struct crew *crew;
    struct worker *workers; /* by place */
    int places;
    uint64_t looked_ns; /* when it was last seen who sleeps */
    bool goes_on;       /* further pieces may begin */
    bool is_fine;
};

/* ------------------------------------------------------------------------------------------- a worker */

/* If whoever began it ends, nobody wants the result any more. */
static void work(const struct crew *crew, int piece, int place, int fd, pid_t parent)
{
    FILE *out = fdopen(fd, "w");
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!out || getppid() != parent)
        _exit(1);
    crew->work(crew->context, piece, place, out);
    const bool is_whole = fclose(out) == 0;
    _exit(crew->is_stopped() ? STOPPED_STATUS : is_whole ? 0 : 1);
}

static bool begin(struct shift *shift, int place, int piece)
{
    int ends[2];
    const pid_t parent = getpid();
    if (pipe(ends) != 0)
        return false;
    fflush(NULL); /* what is waiting to be printed must not be printed twice */
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        for (int i = 0; i < shift->places; i++)
            if (shift->workers[i].pid)
                close(shift->workers[i].fd);
        work(shift->crew, piece, place, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    shift->workers[place] = (struct worker){.pid = pid, .fd = ends[0], .piece = piece};
    return true;
}

/* False: there is no more to come. */
static bool read_some(struct worker *worker)
{
    char *more = realloc(worker->bytes, worker->count + PIECE + 1);
    if (!more)
        return false;
    worker->bytes = more;
    const ssize_t got = read(worker->fd, worker->bytes + worker->count, PIECE);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    worker->count += (size_t)got;
    worker->bytes[worker->count] = '\0';
    return got > 0;
}

static void end(struct shift *shift, struct worker *worker)
{
    int status = 0;
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    const bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const bool is_stopped = WIFEXITED(status) && WEXITSTATUS(status) == STOPPED_STATUS;
    const struct worker ended = *worker;
    close(ended.fd);
    *worker = (struct worker){.pid = 0};
    if (!is_stopped && !shift->crew->is_stopped() &&
        !shift->crew->done(shift->crew->context, ended.piece, ended.bytes ? ended.bytes : "", ended.count,
                           is_whole))
        shift->goes_on = shift->is_fine = false;
    free(ended.bytes);
}

/* ------------------------------------------------------------------------------------------- all of them */

static int list_workers(const struct shift *shift, struct pollfd *polled, int *places, int *pieces)
{
    int count = 0;
    for (int i = 0; i < shift->places; i++)
        if (shift->workers[i].pid) {
            polled[count] = (struct pollfd){.fd = shift->workers[i].fd, .events = POLLIN};
            places[count] = i;
            pieces[count++] = shift->workers[i].piece;
        }
    return count;
}

static void tell_to_end(const struct shift *shift)
{
    for (int i = 0; i < shift->places; i++)
        if (shift->workers[i].pid)
            kill(shift->workers[i].pid, SIGTERM);
}

/* A turn of those that are at work; false: nobody is. */
static bool attend(struct shift *shift, struct pollfd *polled, int *places, int *pieces)
{
    const int count = list_workers(shift, polled, places, pieces);
    if (count == 0)
        return false;
    if (shift->crew->turn)
        shift->crew->turn(shift->crew->context, pieces, count);
    if (poll(polled, (nfds_t)count, TURN_MS) <= 0)
        return true;
    for (int i = 0; i < count; i++) {
        struct worker *worker = &shift->workers[places[i]];
        if (polled[i].revents && !read_some(worker))
            end(shift, worker);
    }
    return true;
}

enum { LOOK_MS = 250, QUIET = 6 }; /* a compiler that waits for a disk, say, is not quiet for so long */

static void look_who_sleeps(struct shift *shift)
{
    const uint64_t now_ns = real_ns();
    if (!shift->crew->is_asleep || now_ns - shift->looked_ns < LOOK_MS * 1000000ull)
        return;
    shift->looked_ns = now_ns;
    for (int i = 0; i < shift->places; i++) {
        struct worker *worker = &shift->workers[i];
        if (worker->pid)
            worker->quiet = shift->crew->is_asleep(worker->pid) ? worker->quiet + 1 : 0;
    }
}

/* Where another one can begin; -1: as many as there may be are awake. */
static int free_place(const struct shift *shift)
{
    int awake = 0, place = -1;
    for (int i = shift->places - 1; i >= 0; i--) {
        if (!shift->workers[i].pid)
            place = i;
        else
            awake += shift->workers[i].quiet < QUIET;
    }
    return awake < shift->crew->size ? place : -1;
}

bool crew_run(const struct crew *crew, const int *pieces, int count)
{
    const size_t size = (size_t)(crew->size + crew->reserve);
    struct shift shift = {.crew = crew,
                          .workers = calloc(size, sizeof *shift.workers),
                          .places = (int)size,
                          .goes_on = true,
                          .is_fine = true};
    struct pollfd *polled = calloc(size, sizeof *polled);
    int *lists = calloc(2 * size, sizeof *lists), next = 0, place, error = 0;
    bool is_told = false;
    if (!shift.workers || !polled || !lists)
        shift.goes_on = shift.is_fine = false;
    do {
        if (crew->is_stopped())
            shift.goes_on = shift.is_fine = false;
        if (shift.goes_on)
            look_who_sleeps(&shift);
        while (shift.goes_on && next < count && (place = free_place(&shift)) >= 0)
            if (!begin(&shift, place, pieces[next++])) {
                error = errno;
                shift.goes_on = shift.is_fine = false;
            }
        if (!is_told && crew->is_stopped()) {
            tell_to_end(&shift);
            is_told = true;
        }
    } while (shift.workers && attend(&shift, polled, lists, lists + size));
    free(shift.workers);
    free(polled);
    free(lists);
    errno = error;
    return shift.is_fine;
}
