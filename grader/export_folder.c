/* export_folder.c - files of an export on disk: see export_folder.h. index.csv is what knows which files are ours: it names a file
 * before that is written and until it is gone, so that whatever breaks an export off, the next one can mend it. */
#define _GNU_SOURCE
#include "grader/export_folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/course/csv.h"
#include "grader/files.h"

#define MOST_BYTES ((size_t)256 << 20)
#define MARK       "\xef\xbb\xbf"
#define HEADING    "student,file,format,name,points,bonus,max\n"

__attribute__((format(printf, 2, 3))) static bool fail(struct export_output *output, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(output->error, sizeof output->error, format, values);
    va_end(values);
    return false;
}

static bool write_fail(struct export_output *output, const char *path)
{
    return fail(output, "%.500s cannot be written: %s.", path, strerror(errno));
}

/* ------------------------------------------------------------------------------------------- one file */

/* NULL: out of memory. */
static char *render(const struct export_output *output, const struct course_member *member, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    if (!file)
        return NULL;
    if (output->has_mark && strcmp(output->format->ending, ".csv") == 0)
        fputs(MARK, file);
    output->format->write(output->export, member, file);
    const bool is_whole = !ferror(file);
    if (fclose(file) == 0 && is_whole && *size > 0)
        return text;
    free(text);
    errno = ENOMEM;
    return NULL;
}

static const char *skip_mark(const char *text)
{
    return strncmp(text, MARK, strlen(MARK)) == 0 ? text + strlen(MARK) : text;
}

/* What is there may be replaced if it begins as our files do. */
static bool is_ours(const struct export_output *output, const char *path, const char *text)
{
    struct stat status;
    size_t size,
        length = output->format->begins ? strlen(output->format->begins) : strcspn(skip_mark(text), "\n") + 1;
    if (lstat(path, &status) != 0)
        return errno == ENOENT;
    char *old = (char *)files_read(path, MOST_BYTES, false, &size);
    const char *begins = old ? skip_mark(old) : NULL;
    text = skip_mark(text);
    const bool is_same = old && (size == 0 || strncmp(begins, text, length) == 0);
    free(old);
    return is_same;
}

static bool save(struct export_output *output, const char *path, const char *text, size_t size)
{
    if (!is_ours(output, path, text))
        return fail(output,
                    "%.500s is there already, and is no such export: choose another name, or remove it.",
                    path);
    return files_replace(path, text, size) || write_fail(output, path);
}

bool export_write_file(struct export_output *output, const struct course_member *member)
{
    size_t size;
    char *text = render(output, member, &size);
    bool is_done = text != NULL || write_fail(output, "The export");
    if (is_done && output->path)
        is_done = save(output, output->path, text, size);
    else if (is_done)
        is_done = fwrite(text, 1, size, stdout) == size || write_fail(output, "Standard output");
    output->files += is_done;
    free(text);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the index */

struct folder {
    struct export_output *output;
    char (*names)[EXPORT_NAME]; /* by member; "": there is no file */
    struct csv old;             /* the index of the export before; no rows: there was none */
    int file_column;
};

static bool name_files(struct folder *folder)
{
    const struct export *export = folder->output->export;
    folder->names = calloc(export->course->nmembers + 1, sizeof *folder->names);
    for (size_t i = 0; folder->names && i < export->course->nmembers; i++) {
        const struct course_member *member = &export->course->members[i];
        if (member->has_grade)
            export_file_name(export, member, folder->output->format->ending, folder->names[i]);
    }
    return folder->names || fail(folder->output, "Out of memory.");
}

static char *path_in(const struct folder *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder->output->path, name) < 0 ? NULL : path;
}

/* The first row is the heading. */
static const char *old_name(const struct folder *folder, size_t row)
{
    return csv_cell(&folder->old, row, (size_t)folder->file_column);
}

static bool was_listed(const struct folder *folder, const char *name)
{
    for (size_t row = 1; row < folder->old.nrows; row++) {
        if (strcmp(old_name(folder, row), name) == 0)
            return true;
    }
    return false;
}

/* With --only, files of others stay as they are. */
static bool is_taken(const struct folder *folder, size_t i)
{
    const struct export *export = folder->output->export;
    return export_takes(export, &export->course->members[i]);
}

static bool is_listed(const struct folder *folder, const char *name)
{
    for (size_t i = 0; i < folder->output->export->course->nmembers; i++) {
        if (strcmp(folder->names[i], name) == 0)
            return true;
    }
    return false;
}

static bool is_left_over(const struct folder *folder, size_t row)
{
    const char *name = old_name(folder, row);
    return export_is_file_name(name, folder->output->format->ending) && !is_listed(folder, name);
}

static bool read_index(struct folder *folder)
{
    struct export_output *output = folder->output;
    size_t size;
    char *path = path_in(folder, "index.csv");
    char *text = path ? (char *)files_read(path, MOST_BYTES, false, &size) : NULL;
    if (!text) {
        const bool is_absent = path && errno == ENOENT;
        free(path);
        return is_absent ||
               fail(output, "%.500s/index.csv cannot be read: %s.", output->path, strerror(errno));
    }
    const bool is_index = strncmp(text, HEADING, strlen(HEADING)) == 0 && csv_read(&folder->old, text);
    free(text);
    free(path);
    if (!is_index)
        return fail(output, "%.500s/index.csv is no export's: choose another folder.", output->path);
    folder->file_column = csv_column(&folder->old, "file");
    const char *format = csv_cell(&folder->old, 1, (size_t)csv_column(&folder->old, "format"));
    return !*format || strcmp(format, output->format->name) == 0 ||
           fail(output, "%.500s holds an export as %.40s: choose another folder.", output->path, format);
}

static void put_index_row(const struct folder *folder, size_t i, FILE *file)
{
    const struct course *course = folder->output->export->course;
    csv_put(file, course->members[i].id, ',');
    fprintf(file, "%s,%s,", folder->names[i], folder->output->format->name);
    csv_put(file, course->members[i].name, ',');
    fprintf(file, "%g,%g,%ld\n", course->members[i].points, course->members[i].bonus, course->most);
}

static void put_index(const struct folder *folder, bool is_final, FILE *file)
{
    fputs(HEADING, file);
    for (size_t i = 0; i < folder->output->export->course->nmembers; i++) {
        if (*folder->names[i] && (is_taken(folder, i) || was_listed(folder, folder->names[i])))
            put_index_row(folder, i, file);
    }
    for (size_t row = 1; !is_final && row < folder->old.nrows; row++) {
        if (is_left_over(folder, row))
            fprintf(file, ",%s,%s,,,,\n", old_name(folder, row), folder->output->format->name);
    }
}

/* is_final: files of the export before that are in this one no longer are gone. */
static bool write_index(struct folder *folder, bool is_final)
{
    char *text = NULL, *path = path_in(folder, "index.csv");
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file)
        put_index(folder, is_final, file);
    const bool is_done = path && file && fclose(file) == 0 && files_replace(path, text, size);
    if (!is_done)
        write_fail(folder->output, path ? path : "index.csv");
    free(path);
    free(text);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the folder */

/* Somebody else's file of that name stays, and nothing is written. */
static bool check_foreign(struct folder *folder, size_t i)
{
    struct stat status;
    char *path = path_in(folder, folder->names[i]);
    const bool is_free =
        path && (was_listed(folder, folder->names[i]) || (lstat(path, &status) != 0 && errno == ENOENT));
    if (!is_free)
        fail(folder->output, "%.500s is there already, and is no export's: choose another folder.",
             path ? path : folder->names[i]);
    free(path);
    return is_free;
}

static bool write_member(struct folder *folder, size_t i)
{
    size_t size;
    char *text = render(folder->output, &folder->output->export->course->members[i], &size);
    char *path = path_in(folder, folder->names[i]);
    const bool is_done = text && path && files_replace(path, text, size);
    if (!is_done)
        write_fail(folder->output, path ? path : folder->names[i]);
    folder->output->files += is_done;
    free(path);
    free(text);
    return is_done;
}

static bool for_each(struct folder *folder, bool (*act)(struct folder *, size_t))
{
    bool is_done = true;
    for (size_t i = 0; i < folder->output->export->course->nmembers && is_done; i++)
        is_done = !*folder->names[i] || !is_taken(folder, i) || act(folder, i);
    return is_done;
}

static bool remove_left_over(struct folder *folder)
{
    bool is_done = true;
    for (size_t row = 1; row < folder->old.nrows && is_done; row++) {
        char *path = is_left_over(folder, row) ? path_in(folder, old_name(folder, row)) : NULL;
        if (path && unlink(path) != 0 && errno != ENOENT)
            is_done = fail(folder->output, "%.500s cannot be removed: %s.", path, strerror(errno));
        free(path);
    }
    return is_done;
}

/* Points of a class do not go among files that others may read, or take for theirs. A folder that is there keeps its mode; files are for
 * their owner alone. */
static bool check_folder(struct folder *folder)
{
    const char *path = folder->output->path;
    char *part = path_in(folder, "index.csv.part"); /* of an export that was killed at its first step */
    const int ours = part && access(part, F_OK) == 0;
    free(part);
    return folder->old.nrows || files_count(path) <= ours ||
           fail(folder->output,
                "%.300s holds other files; an export has a folder of its own: name another, -o %.300s/%s.",
                path, path, folder->output->format->name);
}

bool export_write_folder(struct export_output *output)
{
    struct folder folder = {.output = output};
    const bool is_done = name_files(&folder) && read_index(&folder) && check_folder(&folder) &&
                         (files_make_folder(output->path) || write_fail(output, output->path)) &&
                         for_each(&folder, check_foreign) && write_index(&folder, false) &&
                         for_each(&folder, write_member) && remove_left_over(&folder) &&
                         write_index(&folder, true);
    csv_free(&folder.old);
    free(folder.names);
    return is_done;
}
