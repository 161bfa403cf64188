/* cores.c - see cores.h. Without it a container with half a core on a machine of 64 would have 64 processes at work in its
 * memory. */
#define _GNU_SOURCE
#include "base/cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int of_affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    const long count = sysconf(_SC_NPROCESSORS_ONLN); /* more than a set has room for */
    return count > 0 ? (int)count : 1;
}

/* Two numbers out of one file or two; "max" and -1 are no quota. 0: none. */
static int of_folder(const char *folder)
{
    char path[4200];
    long long quota = 0, period = 0;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE *file = fopen(path, "r");
    bool is_known = file && fscanf(file, "%lld %lld", &quota, &period) == 2;
    if (file)
        fclose(file);
    const struct {
        const char *name;
        long long *value;
    } old[] = {{"cpu.cfs_quota_us", &quota}, {"cpu.cfs_period_us", &period}};
    for (int i = 0; !is_known && i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, old[i].name);
        file = fopen(path, "r");
        if (!file || fscanf(file, "%lld", old[i].value) != 1)
            *old[i].value = 0;
        if (file)
            fclose(file);
    }
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

int cores_of_cgroup(const char *mount, const char *path)
{
    char folder[4100];
    int least = 0;
    const size_t top =
        (size_t)snprintf(folder, sizeof folder, "%s%s", mount, strcmp(path, "/") == 0 ? "" : path);
    if (top >= sizeof folder)
        return 0;
    for (;;) {
        const int here = of_folder(folder);
        if (here && (!least || here < least))
            least = here;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= strlen(mount) || !slash)
            return least;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: "0::/a" of version 2, "3:cpu,cpuacct:/a" of version 1. */
static int of_line(char *line)
{
    char *kinds = strchr(line, ':'), *path = kinds ? strchr(kinds + 1, ':') : NULL;
    if (!path)
        return 0;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    kinds++;
    if (!*kinds)
        return cores_of_cgroup("/sys/fs/cgroup", path);
    char mount[120];
    snprintf(mount, sizeof mount, "/sys/fs/cgroup/%.90s", kinds);
    const bool is_cpu =
        strcmp(kinds, "cpu") == 0 || strncmp(kinds, "cpu,", 4) == 0 || strstr(kinds, ",cpu") != NULL;
    return is_cpu ? cores_of_cgroup(mount, path) : 0;
}

int cores_usable(void)
{
    char line[4096];
    int cores = of_affinity();
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        const int quota = of_line(line);
        if (quota && quota < cores)
            cores = quota;
    }
    if (file)
        fclose(file);
    return cores;
}
