/* files.c - whole files, folders and text.
 * Reading opens without blocking and takes regular files only: a FIFO or a device in a submission's place is refused.
 * Failures come back as false or NULL with errno set; nothing is printed. */
#define _GNU_SOURCE
#include "grader/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static uint8_t *read_open(int fd, size_t most, size_t *size)
{
    struct stat status;
    if (fstat(fd, &status))
        return NULL;
    if (!S_ISREG(status.st_mode) || (size_t)status.st_size > most) {
        errno = S_ISREG(status.st_mode) ? EFBIG : S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    size_t used = 0, room = (size_t)status.st_size;
    uint8_t *bytes = malloc(room + 1);
    for (ssize_t got = 1; bytes && used < room && got > 0; used += got > 0 ? (size_t)got : 0)
        got = read(fd, bytes + used, room - used);
    if (bytes)
        bytes[used] = 0;
    *size = used;
    return bytes;
}

uint8_t *files_read(const char *path, size_t most, bool follows_links, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follows_links ? 0 : O_NOFOLLOW));
    if (fd < 0)
        return NULL;
    uint8_t *bytes = read_open(fd, most, size);
    int reason = errno;
    close(fd);
    errno = reason;
    return bytes;
}

static bool write_as(const char *path, const void *bytes, size_t size, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    size_t used = 0;
    if (fd < 0)
        return false;
    if (fchmod(fd, mode) != 0 && errno != EPERM) { /* a device such as /dev/null is not ours */
        close(fd);
        return false;
    }
    for (ssize_t put = 1; used < size && put > 0; used += put > 0 ? (size_t)put : 0)
        put = write(fd, (const char *)bytes + used, size - used);
    return close(fd) == 0 && used == size;
}

static mode_t users_mask = 077;

void files_keep_private(void)
{
    users_mask = umask(077);
}

void files_show(const char *path)
{
    chmod(path, 0666 & ~users_mask);
}

bool files_write(const char *path, const void *bytes, size_t size)
{
    return write_as(path, bytes, size, 0600);
}

bool files_give(const char *path, const void *bytes, size_t size)
{
    return write_as(path, bytes, size, 0644);
}

bool files_replace(const char *path, const void *bytes, size_t size)
{
    char part[4200];
    int length = snprintf(part, sizeof part, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (files_write(part, bytes, size) && rename(part, path) == 0)
        return true;
    int reason = errno;
    unlink(part);
    errno = reason;
    return false;
}

static bool make_one_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0700) == 0)
        return true;
    return errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool files_make_folder(const char *path)
{
    char part[4096];
    if (make_one_folder(path))
        return true;
    if (errno != ENOENT || strlen(path) >= sizeof part)
        return false;
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!make_one_folder(part))
            return false;
        *slash = '/';
    }
    return make_one_folder(path);
}

int files_count(const char *path)
{
    struct dirent **names = NULL;
    const int count = scandir(path, &names, NULL, NULL);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return count - 2; /* itself, and the one above */
}

bool files_make_private(const char *path)
{
    struct stat status;
    if (!files_make_folder(path) || stat(path, &status) != 0)
        return false;
    return !(status.st_mode & 077) || status.st_uid != geteuid() || chmod(path, 0700) == 0 || errno == EROFS;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    remove(path);
    return 0;
}

/* A folder that its owner closed would keep what is in it. */
static int open_folder(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)where;
    if (type == FTW_DNR || type == FTW_D)
        chmod(path, 0700);
    return 0;
}

/* Waits for a program of the system's; its output goes nowhere. */
static void run_quietly(char *const *argv)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (posix_spawn_file_actions_init(&actions))
        return;
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&child, argv[0], &actions, NULL, argv, environ) == 0)
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&actions);
}

/* Folders nested deeper than a path can name are left over: rm goes down step by step and gets at them. */
void files_remove_tree(const char *path)
{
    nftw(path, open_folder, 32, FTW_PHYS);
    nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS);
    if (access(path, F_OK) != 0)
        return;
    run_quietly((char *[]){"chmod", "-R", "u+rwx", "--", (char *)path, NULL});
    run_quietly((char *[]){"rm", "-rf", "--", (char *)path, NULL});
}

int files_lock(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0)
        return file;
    const int reason = errno;
    close(file);
    errno = reason;
    return -1;
}

char *files_substitute(const char *text, const char *what, const char *by)
{
    size_t count = 0, length = strlen(what), longer = strlen(by);
    for (const char *at = text; (at = strstr(at, what)); at += length)
        count++;
    char *out = malloc(strlen(text) + count * longer + 1), *to = out;
    if (!out)
        return NULL;
    for (const char *at; (at = strstr(text, what)); text = at + length) {
        to = mempcpy(to, text, (size_t)(at - text));
        to = mempcpy(to, by, longer);
    }
    memcpy(to, text, strlen(text) + 1);
    return out;
}

size_t files_cut_lines(char *text, size_t most)
{
    size_t lines = 0, rest = 0;
    char *cut = NULL;
    for (char *at = text; *at; at++) {
        if (*at != '\n')
            continue;
        lines++;
        if (lines == most)
            cut = at + 1;
        else if (lines > most)
            rest++;
    }
    if (cut && rest)
        *cut = '\0';
    return rest;
}
