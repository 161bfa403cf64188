/* watch.c - what a tree of processes does and uses, as /proc tells.
 * Where /proc tells nothing, it counts as asleep and as using nothing. Reads only. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grader/sandbox/parts.h"

enum { DEEPEST = 32 };

static size_t read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t used = file ? fread(text, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    text[used] = '\0';
    return used;
}

/* The letter behind a name that ends in a bracket: the thread runs or wants to, or waits for a disk. */
static bool is_thread_awake(int pid, const char *thread)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", pid, thread);
    read_text(path, text, sizeof text);
    const char *name_end = strrchr(text, ')');
    return name_end && (strncmp(name_end, ") R", 3) == 0 || strncmp(name_end, ") D", 3) == 0);
}

/* Fields 14 to 17 are ticks of this process and of its children that it has waited for. */
static void add_cpu(int pid, struct usage *usage)
{
    char path[40], text[512];
    unsigned long own, kernel;
    long children, children_kernel;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    read_text(path, text, sizeof text);
    const char *name_end = strrchr(text, ')');
    if (name_end && sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &own,
                           &kernel, &children, &children_kernel) == 4)
        usage->cpu_s += (double)(own + kernel + (unsigned long)(children + children_kernel)) /
                        (double)sysconf(_SC_CLK_TCK);
}

/* Pages of files that are only mapped can be had back at any time; anonymous and shared ones cannot. */
static void add_memory(int pid, struct usage *usage)
{
    static const char *const rows[] = {"\nRssAnon:", "\nRssShmem:"};
    char path[40], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    read_text(path, text, sizeof text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = strstr(text, rows[i]);
        size_t kilobytes;
        if (at && sscanf(at + strlen(rows[i]), "%zu", &kilobytes) == 1)
            usage->memory_bytes += kilobytes << 10;
    }
}

static void add_process(int pid, int depth, struct usage *usage);

static void add_children(int pid, const char *thread, int depth, struct usage *usage)
{
    char path[80];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", pid, thread);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1)
        add_process(child, depth + 1, usage);
    if (file)
        fclose(file);
}

static void add_process(int pid, int depth, struct usage *usage)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = depth < DEEPEST ? opendir(path) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        usage->is_awake = usage->is_awake || is_thread_awake(pid, entry->d_name);
        add_children(pid, entry->d_name, depth, usage);
    }
    if (folder)
        closedir(folder);
    usage->processes++;
    add_cpu(pid, usage);
    add_memory(pid, usage);
}

void watch_tree(pid_t pid, struct usage *usage)
{
    *usage = (struct usage){.is_awake = false};
    add_process((int)pid, 0, usage);
}

bool sandbox_is_asleep(pid_t pid)
{
    struct usage usage;
    watch_tree(pid, &usage);
    return !usage.is_awake;
}

long watch_machine_kills(void)
{
    char line[128];
    long kills = 0;
    FILE *file = fopen("/proc/vmstat", "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "oom_kill %ld", &kills) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kills;
}
