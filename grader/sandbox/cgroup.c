/* cgroup.c - a cgroup (version 2) for each job, where one may be made: limits of memory and processes for the whole tree, its
 * CPU time, and one word that kills all of it. Jobs stay below the cgroup that this process was started in: who limits or
 * ends that one limits and ends them too. What the kernel does not offer here is left out; the other limits hold without. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "grader/sandbox/parts.h"

static bool write_word(const char *cgroup, const char *file, const char *word)
{
    char path[SANDBOX_PATH + 128];
    snprintf(path, sizeof path, "%s/%s", cgroup, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_done = fd >= 0 && write(fd, word, strlen(word)) == (ssize_t)strlen(word);
    if (fd >= 0)
        close(fd);
    return is_done;
}

static bool write_number(const char *cgroup, const char *file, size_t number)
{
    char word[32];
    snprintf(word, sizeof word, "%zu", number);
    return write_word(cgroup, file, word);
}

static void read_words(const char *cgroup, const char *file, char *out, size_t size)
{
    char path[SANDBOX_PATH + 128];
    snprintf(path, sizeof path, "%s/%s", cgroup, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, out, size - 1) : 0;
    if (fd >= 0)
        close(fd);
    out[got > 0 ? got : 0] = '\0';
}

/* ------------------------------------------------------------------------------------------- where */

static bool find_mount(char *out, size_t size)
{
    char line[4096], path[2048], type[64];
    FILE *file = fopen("/proc/self/mounts", "re");
    bool is_found = false;
    while (file && !is_found && fgets(line, sizeof line, file)) {
        is_found = sscanf(line, "%*s %2047s %63s", path, type) == 2 && strcmp(type, "cgroup2") == 0;
        if (is_found)
            snprintf(out, size, "%s", path);
    }
    if (file)
        fclose(file);
    return is_found;
}

static bool find_own(char *out, size_t size)
{
    char line[2048];
    FILE *file = fopen("/proc/self/cgroup", "re");
    bool is_found = false;
    while (file && !is_found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        is_found = strncmp(line, "0::/", 4) == 0 && !strstr(line, "/..");
        if (is_found)
            snprintf(out, size, "%s", strcmp(line, "0::/") == 0 ? "" : line + 3);
    }
    if (file)
        fclose(file);
    return is_found;
}

/* Where this process goes, if it has to leave the cgroup that it was started in. */
static void name_own(char *out, size_t size, const char *folder)
{
    snprintf(out, size, "%s/warpstep-%d-grader", folder, (int)getpid());
}

/* Limits can be set below a cgroup only if it says so, and it may say so only if it holds no process itself. If there is but
 * this one in it, it goes a step down. Both words at once: the second alone would make the cgroup one of threads. */
static void ask_for_limits(const char *folder)
{
    char own[SANDBOX_PATH + 64];
    name_own(own, sizeof own, folder);
    if (write_word(folder, "cgroup.subtree_control", "+memory +pids") || errno != EBUSY ||
        mkdir(own, 0755) != 0)
        return;
    cgroup_enter(own);
    if (!write_word(folder, "cgroup.subtree_control", "+memory +pids"))
        cgroup_close(folder);
}

/* Of graders that were killed. One that still holds a process cannot be removed, and stays. */
static void remove_stale(const char *folder)
{
    char path[SANDBOX_PATH + 300];
    DIR *names = opendir(folder);
    for (struct dirent *entry; names && (entry = readdir(names));) {
        int pid;
        if (sscanf(entry->d_name, "warpstep-%d-", &pid) != 1 || kill(pid, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        rmdir(path);
    }
    if (names)
        closedir(names);
}

void cgroup_close(const char *folder)
{
    char own[SANDBOX_PATH + 64];
    name_own(own, sizeof own, folder);
    remove_stale(folder); /* of processes of ours that were killed */
    if (!*folder || access(own, F_OK) != 0)
        return;
    write_word(folder, "cgroup.subtree_control", "-memory -pids");
    cgroup_enter(folder);
    rmdir(own);
}

bool cgroup_find(char *folder, size_t size)
{
    char mount[2048], own[2048], trial[SANDBOX_PATH + 64];
    *folder = '\0';
    if (!find_mount(mount, sizeof mount) || !find_own(own, sizeof own))
        return false;
    snprintf(folder, size, "%s%s", mount, own);
    snprintf(trial, sizeof trial, "%s/warpstep-%d", folder, (int)getpid());
    bool is_ours = mkdir(trial, 0755) == 0 && rmdir(trial) == 0;
    if (is_ours) {
        remove_stale(folder);
        ask_for_limits(folder);
    } else {
        *folder = '\0';
    }
    return is_ours;
}

void cgroup_limits(const char *folder, char *out, size_t size)
{
    char words[512];
    read_words(folder, "cgroup.subtree_control", words, sizeof words);
    snprintf(out, size, "%s%s", strstr(words, "memory") ? " memory" : "",
             strstr(words, "pids") ? " pids" : "");
}

/* ------------------------------------------------------------------------------------------- one job's */

bool cgroup_make(const char *folder, const char *name, const struct sandbox_profile *profile, char *out,
                 size_t size)
{
    snprintf(out, size, "%s/warpstep-%d-%s", folder, (int)getpid(), name);
    if (!*folder || mkdir(out, 0755) != 0) {
        *out = '\0';
        return false;
    }
    cgroup_limit(out, profile);
    return true;
}

/* The keeper and bubblewrap's own two processes are in it as well. */
void cgroup_limit(const char *cgroup, const struct sandbox_profile *profile)
{
    enum { OURS = 3 };
    if (profile->memory_bytes) {
        write_number(cgroup, "memory.max", profile->memory_bytes);
        write_number(cgroup, "memory.swap.max", 0);
        write_number(cgroup, "memory.oom.group", 1);
    }
    if (profile->processes)
        write_number(cgroup, "pids.max", (size_t)profile->processes + OURS);
}

void cgroup_enter(const char *cgroup)
{
    if (*cgroup)
        write_word(cgroup, "cgroup.procs", "0");
}

/* The number behind a name that begins a line; 0: there is none. */
static double read_number(const char *cgroup, const char *file, const char *name)
{
    char words[1024] = "\n", line[40];
    double number = 0;
    snprintf(line, sizeof line, "\n%s ", name);
    if (*cgroup)
        read_words(cgroup, file, words + 1, sizeof words - 1);
    const char *at = strstr(words, line);
    return at && sscanf(at + strlen(line), "%lf", &number) == 1 ? number : 0;
}

bool cgroup_is_over(const char *cgroup)
{
    return read_number(cgroup, "memory.events", "oom_kill") > 0;
}

double cgroup_cpu_s(const char *cgroup)
{
    return 1e-6 * read_number(cgroup, "cpu.stat", "usage_usec");
}

/* Before Linux 5.14 there is no cgroup.kill; then each is killed, until none is left. */
void cgroup_kill(const char *cgroup)
{
    char words[4096];
    if (write_word(cgroup, "cgroup.kill", "1"))
        return;
    read_words(cgroup, "cgroup.procs", words, sizeof words);
    for (char *at = words, *end; *at; at = end + (*end == '\n')) {
        long pid = strtol(at, &end, 10);
        if (end == at)
            break;
        kill((pid_t)pid, SIGKILL);
    }
}

void cgroup_remove(const char *cgroup)
{
    enum { ROUNDS = 2000 };
    const struct timespec a_moment = {0, 1000000};
    for (int i = 0; *cgroup && i < ROUNDS && rmdir(cgroup) != 0 && errno == EBUSY; i++) {
        cgroup_kill(cgroup);
        nanosleep(&a_moment, NULL);
    }
}
