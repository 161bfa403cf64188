/* turn.c - see turn.h. */
#define _GNU_SOURCE
#include "grader/judge/turn.h"

#include <cuda_runtime_api.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The sandbox shows this folder to all judges that measure, and makes it if there is none. */
#define LOCKS "/tmp/warpstep-locks"
enum { READY = 4 };

static struct {
    char bus[32];     /* which GPU */
    int line, device; /* locks that we hold */
} turn = {.line = -1, .device = -1};

/* The file may belong to somebody else: reading is all that a lock needs. */
static int open_lock(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    return descriptor >= 0 ? descriptor : open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

static void unlock(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* number 0: there is one of them. how: LOCK_NB, or 0 to wait. -1: somebody else has it, or the judge has failed. */
static int lock(struct judge *judge, const char *what, int number, int how)
{
    char path[100];
    int status;
    snprintf(path, sizeof path, LOCKS "/gpu-%s.%s%.0d", turn.bus, what, number);
    int descriptor = open_lock(path);
    if (descriptor < 0) {
        judge_fail(judge, "%s cannot be opened: %s.", path, strerror(errno));
        return -1;
    }
    do
        status = flock(descriptor, LOCK_EX | how);
    while (status != 0 && errno == EINTR);
    if (status != 0)
        unlock(&descriptor);
    return descriptor;
}

/* All processes of a sandbox may have the same number: the clock tells them apart. */
static int any_of(int count)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(now.tv_nsec / 1000 % count);
}

bool turn_line_up(struct judge *judge)
{
    if (mkdir(LOCKS, 01777) == 0)
        chmod(LOCKS, 01777);
    if (cudaDeviceGetPCIBusId(turn.bus, sizeof turn.bus, 0) != cudaSuccess) {
        judge_fail(judge, "There is no GPU.");
        return false;
    }
    for (int i = 1; i <= READY && turn.line < 0 && !judge_has_failed(judge); i++)
        turn.line = lock(judge, "next", i, LOCK_NB);
    if (turn.line < 0 && !judge_has_failed(judge))
        turn.line = lock(judge, "next", 1 + any_of(READY), 0);
    return !judge_has_failed(judge);
}

void turn_take(struct judge *judge)
{
    turn.device = lock(judge, "lock", 0, 0);
    unlock(&turn.line);
}

void turn_end(void)
{
    unlock(&turn.device);
}
