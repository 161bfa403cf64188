/* cores.h - how many cores this process may use: not those of the machine where a container or a job of a cluster has fewer. */
#ifndef BASE_CORES_H
#define BASE_CORES_H

/* At least 1. The affinity of the process, and the quotas of its cgroups, rounded up. */
int cores_usable(void);

/* The smallest quota of the cgroups at or above `path`, "/a/b", below the folder where they are mounted: cpu.max of version 2,
 * cpu.cfs_quota_us of version 1. 0: there is none. */
int cores_of_cgroup(const char *mount, const char *path);

#endif
