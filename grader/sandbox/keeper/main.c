/* main.c - the keeper: the one program of ours inside a job's room. It starts the job's program with fewer rights than its own,
 * waits for it, ends what is left of it, hands its product out, and tells how it ended.
 * Its command line stands in parts.h. It trusts nothing that lies in the room, and prints nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/sandbox/keeper/keeper.h"
#include "grader/sandbox/parts.h"

struct order {
    rlim_t processes;
    off_t most_bytes; /* of the product */
    const char *product, *flags;
    char *readable[MOST_ARGUMENTS], *writable[MOST_ARGUMENTS];
    char **program;
};

static bool has(const struct order *order, char flag)
{
    return strchr(order->flags, flag) != NULL;
}

static bool read_order(struct order *order, char **words)
{
    char **readable = order->readable, **writable = order->writable;
    for (int i = 1; i < 5; i++) {
        if (!words[i])
            return false;
    }
    order->processes = (rlim_t)atol(words[1]);
    order->most_bytes = atoll(words[2]);
    order->product = words[3];
    order->flags = words[4];
    for (words += 5; words[0] && words[1] && strcmp(words[0], "--") != 0; words += 2) {
        if (strcmp(words[0], "-r") == 0)
            *readable++ = words[1];
        else
            *writable++ = words[1];
    }
    order->program = words[0] ? words + 1 : words;
    return order->program[0] != NULL;
}

/* ------------------------------------------------------------------------------------------- the program */

static bool give_up(const struct order *order)
{
    const struct rlimit limit = {order->processes, order->processes};
    const bool has_namespace = !has(order, KEEPER_NAMESPACE) || confine_users();
    if (order->processes && has_namespace && setrlimit(RLIMIT_NPROC, &limit) != 0)
        return false;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (has(order, KEEPER_LANDLOCK) && !confine_files(order->readable, order->writable))
        return false;
    return !has(order, KEEPER_SECCOMP) || confine_calls(has(order, KEEPER_NETLESS));
}

/* Never returns: becomes the program, or says why not. */
static void become(const struct order *order, int problem)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!has(order, KEEPER_REPORTS))
        fcntl(REPORT + 1, F_SETFD, FD_CLOEXEC);
    if (give_up(order))
        execv(order->program[0], order->program);
    const int reason = errno ? errno : EPERM;
    if (write(problem, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* The program's pid; 0: *error says why there is none. */
static pid_t start(const struct order *order, int32_t *error)
{
    int ends[2], reason = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = errno;
        return 0;
    }
    const pid_t pid = fork();
    if (pid == 0)
        become(order, ends[1]);
    if (pid < 0)
        *error = errno;
    close(ends[1]);
    if (pid > 0 && read(ends[0], &reason, sizeof reason) == (ssize_t)sizeof reason)
        *error = reason;
    close(ends[0]);
    return *error ? 0 : pid;
}

/* As process 1 of a room it gets everybody's orphans as well. */
static int wait_for(pid_t program)
{
    int status;
    for (;;) {
        const pid_t ended = waitpid(-1, &status, 0);
        if (ended == program)
            return status;
        if (ended < 0 && errno != EINTR)
            return SIGKILL;
    }
}

/* One signal reaches all of them at once, and a process that is being killed forks no more. Orphans come here to be waited
 * for: at the end there is none. */
static void end_others(const struct order *order, pid_t program)
{
    kill(-program, SIGKILL);
    if (has(order, KEEPER_ALONE))
        kill(-1, SIGKILL);
    while (waitpid(-1, NULL, has(order, KEEPER_ALONE) ? 0 : WNOHANG) > 0 || errno == EINTR)
        errno = 0;
}

/* ------------------------------------------------------------------------------------------- what it leaves */

static int copy(int from)
{
    char bytes[1 << 16];
    for (ssize_t got; (got = read(from, bytes, sizeof bytes)) != 0;) {
        for (ssize_t put, done = 0; done < got; done += put) {
            put = write(REPORT + 1, bytes + done, (size_t)(got - done));
            if (put < 0)
                return errno;
        }
        if (got < 0)
            return errno;
    }
    return 0;
}

/* 0, or errno. A link, a pipe or a device is no product. */
static int hand_out(const struct order *order)
{
    struct stat status;
    const int fd = open(order->product, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = fstat(fd, &status)                   ? errno
                : !S_ISREG(status.st_mode)           ? EINVAL
                : status.st_size > order->most_bytes ? EFBIG
                                                     : copy(fd);
    close(fd);
    return error;
}

static int64_t used_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return 1000 * (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static int probe(void)
{
    int found = 0;
    char *root[] = {"/", NULL}, *none[] = {NULL};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    found |= confine_files(root, none) ? KEEPER_HAS_LANDLOCK : 0;
    found |= confine_calls(false) ? KEEPER_HAS_SECCOMP : 0;
    return found;
}

int main(int argc, char **argv)
{
    static struct order order;
    struct keeper_word word = {.magic = KEEPER_MAGIC};
    if (argc == 2 && strcmp(argv[1], "--probe") == 0)
        return probe();
    if (!read_order(&order, argv))
        return 2;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* its descriptors are nobody else's */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(KEEPER_DESCRIPTOR, F_SETFD, FD_CLOEXEC);
    if (has(&order, KEEPER_ALONE))
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const pid_t program = start(&order, &word.error);
    if (program) {
        word.status = wait_for(program);
        end_others(&order, program);
        word.cpu_ms = used_ms();
        if (word.status == 0 && *order.product)
            word.product_error = hand_out(&order);
    }
    return write(KEEPER_DESCRIPTOR, &word, sizeof word) == (ssize_t)sizeof word ? 0 : 2;
}
