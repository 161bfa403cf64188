/* entries.c - what lies in a folder of submissions: see entries.h. */
#define _GNU_SOURCE
#include "grader/entries.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/utf8.h"

enum { MOST_SHOWN = 5 };

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcasecmp(name + length - tail, end) == 0;
}

static const char *kind_of(mode_t mode)
{
    return S_ISLNK(mode)    ? "a link, and links are not followed"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISDIR(mode)  ? "a folder"
                            : "a device";
}

/* ------------------------------------------------------------------------------------------- what was found instead */

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* "it holds Lab3.cu, notes.txt and 3 more". */
static void list_names(FILE *file, struct dirent **names, int count)
{
    fputs(count ? "it holds " : "it is empty", file);
    for (int i = 0; i < count && i < MOST_SHOWN; i++)
        fprintf(file, "%s%s", i ? ", " : "", names[i]->d_name);
    if (count > MOST_SHOWN)
        fprintf(file, " and %d more", count - MOST_SHOWN);
}

/* A folder without the file. */
static void describe_folder(const char *path, const char *wanted, struct entry *out)
{
    struct dirent **names = NULL;
    size_t size;
    int count = scandir(path, &names, is_no_dot, alphasort);
    FILE *file = open_memstream(&out->flaw, &size);
    out->is_ours = count < 0;
    if (file && count < 0)
        fprintf(file, "the folder cannot be read: %s", strerror(errno));
    else if (file) {
        fprintf(file, "there is no %s in the folder: ", wanted);
        list_names(file, names, count);
    }
    if (file)
        fclose(file);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static const char *describe_file(const char *name)
{
    static const char *const archives[] = {".zip", ".tar", ".gz", ".tgz", ".bz2",
                                           ".xz",  ".zst", ".7z", ".rar"};
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        if (ends_in(name, archives[i]))
            return "an archive: unpack it into a folder of its own";
    }
    return "neither a folder nor a file NAME.cu";
}

/* ------------------------------------------------------------------------------------------- one entry */

static void read_folder(const char *path, const char *wanted, struct entry *out)
{
    char *inner;
    struct stat status;
    if (asprintf(&inner, "%s/%s", path, wanted) < 0)
        return;
    if (lstat(inner, &status) != 0) {
        describe_folder(path, wanted, out);
        free(inner);
    } else if (S_ISREG(status.st_mode)) {
        out->source = inner;
    } else {
        if (asprintf(&out->flaw, "%s is %s", wanted, kind_of(status.st_mode)) < 0)
            out->flaw = NULL;
        free(inner);
    }
}

static bool is_same(const struct stat *status, const char *path)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == status->st_dev && other.st_ino == status->st_ino;
}

/* False: no submission, but the folder of results. */
static bool read_entry(const char *folder, const char *name, const char *wanted, const char *results,
                       struct entry *out)
{
    char *path;
    struct stat status;
    *out = (struct entry){.student = utf8_name(name)};
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return true;
    bool is_there = lstat(path, &status) == 0, is_results = false;
    if (is_there && S_ISDIR(status.st_mode)) {
        read_folder(path, wanted, out);
        is_results = !out->source && is_same(&status, results);
    } else if (is_there && S_ISREG(status.st_mode) && ends_in(name, ".cu")) {
        out->source = strdup(path);
    } else {
        out->flaw = strdup(!is_there                 ? "it cannot be looked at"
                           : S_ISREG(status.st_mode) ? describe_file(name)
                                                     : kind_of(status.st_mode));
        out->is_ours = !is_there;
    }
    free(path);
    return !is_results;
}

/* ------------------------------------------------------------------------------------------- all of them */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->student, ((const struct entry *)b)->student);
}

static bool is_taken(const struct entries *entries, const char *student, size_t length)
{
    for (int i = 0; i < entries->count; i++) {
        if (strlen(entries->list[i].student) == length &&
            strncmp(entries->list[i].student, student, length) == 0)
            return true;
    }
    return false;
}

/* bob.cu is bob's, unless there is a folder bob, or bob.CU, as well. */
static void shorten_names(struct entries *entries)
{
    for (int i = 0; i < entries->count; i++) {
        char *student = entries->list[i].student;
        if (ends_in(student, ".cu") && !is_taken(entries, student, strlen(student) - 3))
            student[strlen(student) - 3] = '\0';
    }
}

static void free_entry(struct entry *entry)
{
    free(entry->student);
    free(entry->source);
    free(entry->flaw);
}

static bool add_entry(struct entries *entries, struct entry *found)
{
    struct entry *list = realloc(entries->list, (size_t)(entries->count + 1) * sizeof *list);
    if (!list || !found->student || !(found->source || found->flaw)) {
        entries->list = list ? list : entries->list;
        free_entry(found);
        errno = ENOMEM;
        return false;
    }
    entries->list = list;
    entries->list[entries->count++] = *found;
    return true;
}

bool entries_read(struct entries *entries, const char *folder, const char *file, const char *results)
{
    *entries = (struct entries){.list = NULL};
    struct dirent **names = NULL;
    int count = scandir(folder, &names, is_no_dot, alphasort);
    bool is_done = count >= 0;
    for (int i = 0; i < count; i++) {
        struct entry found;
        if (is_done && !read_entry(folder, names[i]->d_name, file, results, &found))
            free_entry(&found);
        else if (is_done)
            is_done = add_entry(entries, &found);
        free(names[i]);
    }
    free(names);
    shorten_names(entries);
    if (entries->count)
        qsort(entries->list, (size_t)entries->count, sizeof *entries->list, by_name);
    return is_done;
}

void entries_free(struct entries *entries)
{
    for (int i = 0; i < entries->count; i++)
        free_entry(&entries->list[i]);
    free(entries->list);
    *entries = (struct entries){.list = NULL};
}
