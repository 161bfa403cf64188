/* labs.c - finds the kit, its labs and their tables.
 * Nothing is compiled here: whether it would have to be is judged by the times of files alone.
 * A lab's table comes out of a shared object of the kit's own, never out of a submission. */
#define _GNU_SOURCE
#include "grader/labs.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef GRADE_BUILD
#define GRADE_BUILD "build"
#endif

/* ------------------------------------------------------------------------------------------- finding */

/* Of a path, in place. */
static bool cut_last_part(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* The kit's own folder has both as well, and is nobody's. */
static bool is_students_folder(const struct kit *kit, const char *folder, const char *program)
{
    char path[PATH_MAX + 10], real[PATH_MAX];
    if (strcmp(folder, kit->root) == 0)
        return false;
    snprintf(path, sizeof path, "%s/grade", folder);
    if (!realpath(path, real) || strcmp(real, program) != 0)
        return false;
    snprintf(path, sizeof path, "%s/labs", folder);
    return access(path, R_OK | X_OK) == 0;
}

/* Where the program was called, ./grade or ~/warpstep/grade, or at or above the working folder. */
static void find_own(struct kit *kit, const char *program)
{
    char called[PATH_MAX], folder[PATH_MAX];
    const char *name = (const char *)getauxval(AT_EXECFN);
    snprintf(called, sizeof called, "%s", name ? name : "");
    if (!strchr(called, '/') || !cut_last_part(called) || !realpath(*called ? called : "/", folder) ||
        !is_students_folder(kit, folder, program)) {
        bool goes_on = getcwd(folder, sizeof folder) != NULL;
        while (goes_on && !is_students_folder(kit, folder, program))
            goes_on = cut_last_part(folder);
        if (!goes_on)
            *folder = '\0';
    }
    snprintf(kit->own, sizeof kit->own, "%.2000s", folder);
}

/* Of whoever uses a shared kit without a folder of their own, to grade others' files. */
static void choose_home(struct kit *kit)
{
    const char *home = getenv("HOME");
    if (home && *home == '/')
        snprintf(kit->cache, sizeof kit->cache, "%.2000s/.warpstep", home);
}

static void choose_places(struct kit *kit, const char *program)
{
    char mark[2100];
    const char *results = getenv("WARPSTEP_RESULTS");
    snprintf(mark, sizeof mark, "%s/installed", kit->root);
    kit->is_shared = access(mark, F_OK) == 0;
    if (kit->is_shared)
        find_own(kit, program);
    else
        snprintf(kit->own, sizeof kit->own, "%s", kit->root);
    if (!kit->is_shared)
        snprintf(kit->cache, sizeof kit->cache, "%s", kit->build);
    else if (*kit->own)
        snprintf(kit->cache, sizeof kit->cache, "%s/build", kit->own);
    else
        choose_home(kit);
    snprintf(kit->results, sizeof kit->results, "%s/results", *kit->cache ? kit->cache : "/nonexistent");
    if (results && *results)
        snprintf(kit->results, sizeof kit->results, "%.2200s", results);
}

bool labs_find_kit(struct kit *kit, char *error, size_t size)
{
    char program[2048], labs[2100];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    *kit = (struct kit){.make_build = "BUILD=" GRADE_BUILD};
    program[length > 0 ? length : 0] = '\0';
    snprintf(kit->root, sizeof kit->root, "%s", program);
    const bool is_path = cut_last_part(kit->root);
    snprintf(kit->build, sizeof kit->build, "%s%s%s", *GRADE_BUILD == '/' ? "" : kit->root,
             *GRADE_BUILD == '/' ? "" : "/", GRADE_BUILD);
    choose_places(kit, program);
    snprintf(labs, sizeof labs, "%s/labs", kit->root);
    if (is_path && access(labs, R_OK | X_OK) == 0)
        return true;
    snprintf(error, size, "There is no folder %s: this program must stay in the folder of the kit.", labs);
    return false;
}

static int by_number(const void *a, const void *b)
{
    const struct labs_entry *x = a, *y = b;
    int nx = atoi(x->id + strcspn(x->id, "0123456789")), ny = atoi(y->id + strcspn(y->id, "0123456789"));
    return nx != ny ? (nx > ny) - (nx < ny) : strcmp(x->id, y->id);
}

/* The id is the name up to the first '-'; a header of that name must be there: a shared kit has no drivers' sources. */
static bool read_entry(const struct kit *kit, const char *name, struct labs_entry *entry)
{
    char header[2600];
    size_t length = strcspn(name, "-");
    if (name[0] == '.' || length == 0 || length >= sizeof entry->id || strlen(name) >= sizeof entry->folder)
        return false;
    snprintf(entry->id, sizeof entry->id, "%.*s", (int)length, name);
    snprintf(entry->folder, sizeof entry->folder, "%s", name);
    snprintf(header, sizeof header, "%s/labs/%s/%s.h", kit->root, name, entry->id);
    return access(header, R_OK) == 0;
}

void labs_find(const struct kit *kit, struct labs *labs)
{
    char path[2100];
    labs->count = 0;
    snprintf(path, sizeof path, "%s/labs", kit->root);
    DIR *folder = opendir(path);
    for (struct dirent *one; folder && labs->count < LABS_MOST && (one = readdir(folder));)
        labs->count += read_entry(kit, one->d_name, &labs->list[labs->count]);
    if (folder)
        closedir(folder);
    qsort(labs->list, (size_t)labs->count, sizeof *labs->list, by_number);
}

const struct labs_entry *labs_by_id(const struct labs *labs, const char *id)
{
    for (int i = 0; i < labs->count; i++) {
        if (strcmp(labs->list[i].id, id) == 0)
            return &labs->list[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------- is it made? */

/* nftw() has no room for a context. */
static struct {
    struct timespec limit;
    char submission[64]; /* "lab3.": lab3.cu, and what `./grade reset` has put aside, are the student's */
    bool is_newer;
} walk;

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static bool is_source(const char *name)
{
    static const char *const ends[] = {".c", ".h", ".cu", ".cuh", ".def", ".mk", ".gpu", ".ptx"};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++) {
        if (strcmp(end, ends[i]) == 0)
            return strncmp(name, walk.submission, strlen(walk.submission)) != 0 || strcmp(end, ".cu") != 0;
    }
    return false;
}

static int look_at(const char *path, const struct stat *status, int type, struct FTW *where)
{
    const char *name = path + where->base;
    if (type == FTW_D && strcmp(name, "tests") == 0)
        return FTW_SKIP_SUBTREE;
    if (type == FTW_F && is_source(name) && is_later(status->st_mtim, walk.limit))
        walk.is_newer = true;
    return walk.is_newer ? FTW_STOP : FTW_CONTINUE;
}

static void ready_path(const struct kit *kit, const struct labs_entry *entry, char *out, size_t size)
{
    snprintf(out, size, "%s/labs/%s/ready", kit->build, entry->id);
}

bool labs_is_ready(const struct kit *kit, const struct labs_entry *entry)
{
    char path[2600], own[300];
    struct stat status;
    ready_path(kit, entry, path, sizeof path);
    if (stat(path, &status))
        return false;
    if (kit->is_shared)
        return true;
    walk.limit = status.st_mtim;
    walk.is_newer = false;
    snprintf(walk.submission, sizeof walk.submission, "%s.", entry->id);
    snprintf(own, sizeof own, "labs/%s", entry->folder);
    const char *const folders[] = {own, "common", "grader"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !walk.is_newer; i++) {
        snprintf(path, sizeof path, "%s/%s", kit->root, folders[i]);
        nftw(path, look_at, 16, FTW_PHYS | FTW_ACTIONRETVAL);
    }
    return !walk.is_newer;
}

void labs_mark_ready(const struct kit *kit, const struct labs_entry *entry)
{
    char path[2600];
    ready_path(kit, entry, path, sizeof path);
    utimensat(AT_FDCWD, path, NULL, 0);
}

/* ------------------------------------------------------------------------------------------- the table */

const struct lab *labs_open(const struct kit *kit, const struct labs_entry *entry, char *error, size_t size)
{
    char path[2600];
    snprintf(path, sizeof path, "%s/labs/%s/lab.so", kit->build, entry->id);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct lab *lab = library ? dlsym(library, "lab") : NULL;
    if (!lab)
        snprintf(error, size, "The lab's table cannot be read: %s.", dlerror());
    return lab;
}
