/* intake_take.c - the lab's file of one submission: in a folder, or unpacked from an archive into the work folder.
 * Links are not followed; what is written has a name of ours. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "grader/course/intake_parts.h"

/* ------------------------------------------------------------------------------------------- names in a folder */

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int intake_scan(const char *folder, struct dirent ***names)
{
    *names = NULL;
    return scandir(folder, names, is_no_dot, by_bytes);
}

void intake_scan_free(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

const char *intake_kind(mode_t mode)
{
    static const struct {
        mode_t mode;
        const char *words;
    } rows[] = {{S_IFLNK, "a link, and links are not followed"},
                {S_IFIFO, "a pipe"},
                {S_IFSOCK, "a socket"},
                {S_IFDIR, "a folder"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((mode & S_IFMT) == rows[i].mode)
            return rows[i].words;
    }
    return "a device";
}

/* ------------------------------------------------------------------------------------------- a student's folder */

static void search_folder(struct intake_search *search, const char *path, const char *shown, int depth);

/* A name within a folder; shown is the path to the folder, with a slash behind it, or "". */
static void search_name(struct intake_search *search, const char *folder, const char *name, const char *shown,
                        int depth)
{
    char *path = NULL, *raw = NULL, *visible = NULL;
    struct stat status;
    const bool is_named = asprintf(&path, "%s/%s", folder, name) >= 0 && (raw = utf8_name(name)) &&
                          asprintf(&visible, "%s%s", shown, raw) >= 0;
    if (is_named && depth == 0)
        intake_search_name(search, visible);
    if (!is_named)
        search->has_no_memory = true;
    else if (intake_is_skipped(name, strlen(name)) || lstat(path, &status) != 0)
        (void)0;
    else if (S_ISREG(status.st_mode))
        intake_search_file(search, visible, depth, path, 0);
    else {
        intake_search_other(search, visible, intake_kind(status.st_mode));
        if (S_ISDIR(status.st_mode))
            search_folder(search, path, visible, depth + 1);
    }
    free(path);
    free(raw);
    free(visible);
}

static void search_folder(struct intake_search *search, const char *path, const char *shown, int depth)
{
    struct dirent **names = NULL;
    char *before = NULL;
    if (depth > INTAKE_DEEPEST || search->files > INTAKE_MOST_ENTRIES)
        return;
    const int count = intake_scan(path, &names);
    if (count < 0 && !search->trouble &&
        asprintf(&search->trouble, "the folder %s%scannot be read: %s", shown, *shown ? " " : "",
                 strerror(errno)) < 0)
        search->trouble = NULL;
    if (asprintf(&before, "%s%s", shown, *shown ? "/" : "") < 0)
        before = NULL;
    search->has_no_memory = search->has_no_memory || !before;
    for (int i = 0; i < count && before; i++)
        search_name(search, path, names[i]->d_name, before, depth);
    free(before);
    intake_scan_free(names, count);
}

void intake_search_folder(struct intake_search *search, const char *path)
{
    search_folder(search, path, "", 0);
}

/* ------------------------------------------------------------------------------------------- the lab's file */

static bool write_all(int file, const char *bytes, size_t size)
{
    for (size_t used = 0; used < size;) {
        const ssize_t put = write(file, bytes + used, size - used);
        if (put < 0 && errno != EINTR)
            return false;
        used += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* work/17/lab3.cu: all of it is a name of ours. */
static char *write_taken(const struct intake_order *order, size_t *written, const struct intake_taken *taken)
{
    char *folder = NULL, *path = NULL;
    if (asprintf(&folder, "%s/%zu", order->work, ++*written) < 0 ||
        asprintf(&path, "%s/%s", folder, order->file) < 0)
        return NULL;
    const bool is_made = mkdir(folder, 0700) == 0;
    const int file = is_made ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    bool is_written = file >= 0 && write_all(file, taken->bytes, taken->size);
    is_written = file >= 0 && close(file) == 0 && is_written;
    free(folder);
    if (is_written)
        return path;
    free(path);
    return NULL;
}

/* Puts one archive's result in place of another's if it is better. False: there are two. */
static bool keep_better(struct intake_taken *best, struct intake_taken *one)
{
    const bool is_doubt = best->bytes && one->bytes;
    if (one->bytes || !best->bytes) {
        intake_taken_free(best);
        *best = *one;
    } else {
        intake_taken_free(one);
    }
    return !is_doubt;
}

/* Only where no file fits. */
static bool look_into_archives(const struct intake_search *search, struct intake_taken *best,
                               const char **which)
{
    const struct intake_candidate *all = search->candidates.items;
    bool is_sure = true;
    for (size_t i = 0; i < search->candidates.count && is_sure; i++) {
        struct intake_taken one;
        if (all[i].fit != INTAKE_ARCHIVE)
            continue;
        intake_archive_take(&one, all[i].path, search->lab_file);
        if (one.bytes || !best->bytes)
            *which = all[i].shown;
        is_sure = keep_better(best, &one);
    }
    if (!is_sure) {
        intake_taken_free(best);
        best->flaw = strdup("several archives hold the file, and none was taken");
        *which = NULL;
    }
    return best->bytes || best->flaw;
}

char *intake_join(const char *one, const char *between, const char *other)
{
    char *text;
    return asprintf(&text, "%s%s%s", one, between, other) < 0 ? NULL : text;
}

/* The archive is named where it is not the submission itself. */
static void use_taken(const struct intake_order *order, size_t *written, struct intake_submission *out,
                      struct intake_taken *taken, const char *which)
{
    if (taken->bytes) {
        out->path = write_taken(order, written, taken);
        out->is_ours = !out->path;
        out->flaw =
            out->path ? NULL : intake_join("what was unpacked cannot be written", ": ", strerror(errno));
        out->note = which ? intake_join(which, *taken->note ? ": " : " was unpacked", taken->note)
                          : strdup(taken->note);
    } else {
        out->flaw = which ? intake_join(which, ": ", taken->flaw) : strdup(taken->flaw);
        out->is_ours = taken->is_ours;
    }
}

void intake_settle(const struct intake_order *order, const struct intake_search *search, const char *where,
                   size_t *written, struct intake_submission *out)
{
    struct intake_taken taken = {.shown = NULL};
    const char *which = NULL;
    char *flaw = NULL;
    const struct intake_candidate *chosen = intake_choose(search, where, &flaw);
    if (chosen) {
        out->path = strdup(chosen->path);
        out->note = intake_describe(search, chosen);
    } else if (search->trouble) {
        out->flaw = strdup(search->trouble);
        out->is_ours = true;
    } else if (!intake_has_rivals(search) && look_into_archives(search, &taken, &which)) {
        use_taken(order, written, out, &taken, strcmp(where, "folder") == 0 ? which : NULL);
    } else {
        out->flaw = flaw;
        flaw = NULL;
    }
    intake_taken_free(&taken);
    free(flaw);
}

/* ------------------------------------------------------------------------------------------- one submission */

bool intake_read_one(struct intake_submission *out, const char *path, const char *file, const char *work)
{
    const struct intake_order order = {.file = file, .work = work};
    struct intake_search search = {.lab_file = file};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat status;
    size_t written = 0;
    *out = (struct intake_submission){.path = NULL};
    const bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (!is_folder && !intake_archive_end(name)) {
        out->path = strdup(path);
        out->note = strdup("");
        return out->path && out->note;
    }
    if (is_folder)
        intake_search_folder(&search, path);
    else
        intake_search_file(&search, name, 0, path, 0);
    if (!search.has_no_memory)
        intake_settle(&order, &search, is_folder ? "folder" : "submission", &written, out);
    intake_search_free(&search);
    return out->path || out->flaw;
}

void intake_free_one(struct intake_submission *one)
{
    char *const texts[] = {one->source,    one->student, one->path, one->note,
                           one->submitted, one->flaw,    one->name, one->email};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    *one = (struct intake_submission){.path = NULL};
}
