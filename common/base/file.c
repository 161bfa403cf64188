/* file.c - whole files: see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or the error that forbids reading so much of such a file. */
static int refusal(const struct stat *status, size_t limit)
{
    if (S_ISDIR(status->st_mode))
        return EISDIR;
    if (!S_ISREG(status->st_mode))
        return EINVAL;
    return (size_t)status->st_size > limit ? EFBIG : 0;
}

/* False: an error. A file that has become shorter meanwhile gives what there is. */
static bool fill(int file, char *bytes, size_t room, size_t *used)
{
    for (*used = 0; *used < room;) {
        const ssize_t got = read(file, bytes + *used, room - *used);
        if (got < 0 && errno != EINTR)
            return false;
        if (got == 0)
            break;
        *used += got > 0 ? (size_t)got : 0;
    }
    bytes[*used] = 0;
    return true;
}

static void *read_open(int file, size_t limit, size_t *size)
{
    struct stat status;
    if (fstat(file, &status))
        return NULL;
    const int problem = refusal(&status, limit);
    if (problem) {
        errno = problem;
        return NULL;
    }
    char *bytes = malloc((size_t)status.st_size + 1);
    if (bytes && fill(file, bytes, (size_t)status.st_size, size))
        return bytes;
    free(bytes);
    return NULL;
}

void *file_read(const char *path, size_t limit, bool follows_links, size_t *size)
{
    const int file =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follows_links ? 0 : O_NOFOLLOW));
    if (file < 0)
        return NULL;
    void *bytes = read_open(file, limit, size);
    const int reason = errno;
    close(file);
    errno = reason;
    return bytes;
}
