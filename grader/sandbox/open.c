/* open.c - what this machine offers for a sandbox: found out by trying, told in a few words. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/sandbox/parts.h"

static bool find_program(const char *name, char *out, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(out, size, "%.*s/%s", (int)length, at, name);
        if (*at == '/' && access(out, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    *out = '\0';
    return false;
}

/* Others of the group may write into it; nobody removes what is not theirs. */
bool sandbox_own(const struct sandbox *sandbox, const char *path)
{
    if (mkdir(path, 0700) && errno != EEXIST)
        return false;
    return !sandbox->drops_root ||
           (chown(path, geteuid(), sandbox->first_user) == 0 && chmod(path, 01770) == 0);
}

bool sandbox_show(const struct sandbox *sandbox, const char *path)
{
    return !sandbox->drops_root ||
           (chown(path, geteuid(), sandbox->first_user) == 0 && chmod(path, 0750) == 0);
}

/* Can a job write a file into its folder, and is it handed back? */
static bool probe(struct sandbox *sandbox, const char *folder)
{
    char box[SANDBOX_PATH];
    snprintf(box, sizeof box, "%s/probe", folder);
    if (!sandbox_own(sandbox, box))
        return false;
    char *argv[] = {"/bin/sh", "-c", "echo works >works", NULL};
    struct sandbox_profile profile = sandbox_scout;
    struct sandbox_job job = {.profile = &profile, .argv = argv, .folder = box, .product = "works"};
    struct sandbox_result result;
    sandbox_run(sandbox, &job, &result, 1, 1, NULL, NULL);
    bool works = result.report && strcmp(result.report, "works\n") == 0;
    sandbox_free(&result);
    strncat(box, "/works", sizeof box - strlen(box) - 1);
    unlink(box);
    *strrchr(box, '/') = '\0';
    rmdir(box);
    return works;
}

/* The keeper tries on itself what the kernel has. */
static int ask_keeper(const char *keeper)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execl(keeper, keeper, "--probe", (char *)NULL);
        _exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* Users that nobody else on this machine has, as the number of this process is nobody else's; where there are not so many, a
 * range that distributions leave free; else the one that everybody shares. */
static bool choose_users(struct sandbox *sandbox, const char *folder)
{
    const struct {
        uid_t first;
        unsigned count;
    } ranges[] = {{UINT32_C(0x70000000) + (uid_t)getpid() * MOST_JOBS, MOST_JOBS},
                  {61184 + (uid_t)(getpid() % 64) * MOST_JOBS, MOST_JOBS},
                  {NOBODY, 1}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        sandbox->first_user = ranges[i].first;
        sandbox->user_count = ranges[i].count;
        if (probe(sandbox, folder))
            return true;
        if (!sandbox->drops_root)
            return false;
    }
    return false;
}

static bool try_all(struct sandbox *sandbox, const char *folder)
{
    if (find_program("bwrap", sandbox->bwrap, sizeof sandbox->bwrap) && choose_users(sandbox, folder))
        return true;
    *sandbox->bwrap = '\0';
    return choose_users(sandbox, folder);
}

void sandbox_share(struct sandbox *sandbox, unsigned part, unsigned parts)
{
    const unsigned each = parts ? sandbox->user_count / parts : 0;
    if (each == 0)
        return; /* they share what there is */
    sandbox->first_user += part * each;
    sandbox->user_count = each;
}

static void describe(struct sandbox *sandbox, bool works)
{
    char limits[32] = "";
    if (*sandbox->cgroup)
        cgroup_limits(sandbox->cgroup, limits, sizeof limits);
    snprintf(sandbox->state, sizeof sandbox->state, "%s%s%s%s%s%s",
             !works                  ? "none"
             : *sandbox->bwrap       ? "bubblewrap"
             : sandbox->has_landlock ? "landlock (no bubblewrap)"
                                     : "limits only (no bubblewrap, no landlock)",
             sandbox->has_seccomp ? " + seccomp" : "",
             sandbox->drops_root && sandbox->user_count > 1 ? " + users of their own" : "",
             *sandbox->cgroup ? " + cgroup" : "", *limits ? " of" : "", limits);
}

void sandbox_open(struct sandbox *sandbox, const char *folder, const char *keeper)
{
    *sandbox = (struct sandbox){.drops_root = geteuid() == 0, .user_count = 1};
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    snprintf(sandbox->keeper, sizeof sandbox->keeper, "%s", keeper);
    const int has = ask_keeper(keeper);
    sandbox->has_seccomp = has & KEEPER_HAS_SECCOMP;
    sandbox->has_landlock = has & KEEPER_HAS_LANDLOCK;
    cgroup_find(sandbox->cgroup, sizeof sandbox->cgroup);
    bool works = try_all(sandbox, folder);
    if (!works && sandbox->drops_root) {
        sandbox->drops_root = false;
        works = choose_users(sandbox, folder);
    }
    sandbox->is_isolated = works && (*sandbox->bwrap || sandbox->has_landlock);
    describe(sandbox, works);
}

void sandbox_close(const struct sandbox *sandbox)
{
    cgroup_close(sandbox->cgroup);
}
