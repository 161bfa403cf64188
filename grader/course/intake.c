/* intake.c - a folder of submissions: see intake.h.
 * Three steps: every name in the folder is a part; parts that a platform took from one student's submission are put together, and the
 * lab's file is looked for in them; then students get their names, from the roster or from what the platform says. */
#define _GNU_SOURCE
#include "grader/course/intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "grader/course/csv.h"
#include "grader/course/intake_parts.h"

#define MOST_METADATA ((size_t)256 << 20)
#define MOST_TABLE    ((size_t)16 << 20)

/* A name in the folder. */
struct part {
    char *name; /* its bytes */
    char *shown;
    char *path;
    mode_t mode; /* 0: it cannot be looked at */
    int reason;  /* why not */
    struct intake_name said;
    bool is_used;
};

struct reading {
    const struct intake_order *order;
    struct list parts;  /* struct part, by name */
    struct list drafts; /* struct intake_draft */
    struct intake_metadata metadata;
    size_t written; /* files in the work folder */
};

static struct part *part_at(const struct reading *reading, size_t i)
{
    return (struct part *)reading->parts.items + i;
}

static struct intake_draft *draft_at(const struct reading *reading, size_t i)
{
    return (struct intake_draft *)reading->drafts.items + i;
}

/* ------------------------------------------------------------------------------------------- one submission */

static bool is_one_students(const struct part *a, const struct part *b)
{
    const bool is_flat = a->said.platform == INTAKE_CANVAS || a->said.platform == INTAKE_MOODLE;
    return is_flat && a->said.platform == b->said.platform && strcmp(a->said.identity, b->said.identity) == 0;
}

/* anna.cu is anna's whatever the lab is called; a file of Canvas or Moodle has its own name behind the student's. */
static const char *file_of(const struct part *part, const char *lab_file)
{
    const bool is_cuda = intake_fit(part->said.file, lab_file) <= INTAKE_CUDA &&
                         strcasecmp(part->said.file + strlen(part->said.file) - 3, ".cu") == 0;
    return part->said.platform == INTAKE_PLAIN && is_cuda ? lab_file
           : *part->said.file                             ? part->said.file
                                                          : part->shown;
}

static void search_part(struct intake_search *search, const struct part *part)
{
    const char *file = file_of(part, search->lab_file);
    if (S_ISDIR(part->mode)) {
        intake_search_folder(search, part->path);
        return;
    }
    intake_search_name(search, file);
    if (S_ISREG(part->mode))
        intake_search_file(search, file, 0, part->path, 0);
    else
        intake_search_other(search, search->lab_file,
                            part->mode ? intake_kind(part->mode) : "not to be looked at");
}

/* For a single file of a single name, words that say what it is. */
static char *describe_single(const struct part *part)
{
    if (!part->mode)
        return intake_join("it cannot be looked at", ": ", strerror(part->reason));
    if (!S_ISREG(part->mode))
        return strdup(intake_kind(part->mode));
    return strdup("neither a folder nor a file NAME.cu, nor an archive");
}

static bool fill_draft(struct intake_draft *draft, const struct part *part)
{
    if (!draft || !intake_name_copy(&draft->said, &part->said))
        return false;
    draft->out.source = strdup(part->shown);
    draft->out.is_late = part->said.is_late;
    draft->out.submitted = strdup("");
    return draft->out.source && draft->out.submitted;
}

static bool is_complete(const struct intake_submission *out)
{
    return (out->path || out->flaw) && out->source;
}

/* A part, and those of the same student if they are wanted. */
static bool add_draft(struct reading *reading, size_t first, bool is_alone)
{
    struct part *part = part_at(reading, first);
    struct intake_search search = {.lab_file = reading->order->file};
    struct intake_draft *draft = list_push(&reading->drafts, sizeof *draft);
    if (!fill_draft(draft, part))
        return false;
    const bool is_single = part->said.platform == INTAKE_PLAIN && !S_ISDIR(part->mode);
    for (size_t i = first; i < (is_alone ? first + 1 : reading->parts.count); i++) {
        struct part *other = part_at(reading, i);
        if (i != first && (other->is_used || !is_one_students(part, other)))
            continue;
        other->is_used = true;
        search_part(&search, other);
        draft->out.is_late = draft->out.is_late || other->said.is_late;
    }
    if (is_single && !search.candidates.count) {
        draft->out.flaw = describe_single(part);
        draft->out.is_ours = !part->mode;
    } else if (!search.has_no_memory)
        intake_settle(reading->order, &search, S_ISDIR(part->mode) ? "folder" : "submission",
                      &reading->written, &draft->out);
    intake_search_free(&search);
    return is_complete(&draft->out);
}

/* A student's files that are the lab's, each handed in at its own time: Canvas counts them. */
static size_t count_exact(const struct reading *reading, size_t first)
{
    size_t count = 0;
    for (size_t i = first; i < reading->parts.count; i++) {
        const struct part *part = part_at(reading, i);
        count += part->said.platform == INTAKE_CANVAS &&
                 (i == first || is_one_students(part_at(reading, first), part)) &&
                 strcmp(part->said.file, reading->order->file) == 0;
    }
    return count;
}

/* Each of them is a submission; what else there is of the student is a part of all. */
static bool add_each(struct reading *reading, size_t first)
{
    const struct part *part = part_at(reading, first);
    bool is_done = true;
    for (size_t i = first; i < reading->parts.count && is_done; i++) {
        struct part *other = part_at(reading, i);
        if (i != first && !is_one_students(part, other))
            continue;
        if (strcmp(other->said.file, reading->order->file) == 0)
            is_done = add_draft(reading, i, true);
        other->is_used = true;
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- all parts */

static bool is_same_folder(const char *path, const char *other)
{
    struct stat one, two;
    return other && lstat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

/* What any batch leaves: a store, or a folder with the table of one that had none. */
static bool holds_store(const char *path)
{
    static const char *const files[] = {"results.db", "results.csv"};
    struct stat status;
    bool is_one = false;
    for (size_t i = 0; i < sizeof files / sizeof *files && !is_one; i++) {
        char *inner = NULL;
        is_one = asprintf(&inner, "%s/%s", path, files[i]) >= 0 && lstat(inner, &status) == 0 &&
                 S_ISREG(status.st_mode);
        free(inner);
    }
    return is_one;
}

/* The folder of results, or that of another batch, unless it is somebody's submission. */
static bool is_results(const struct intake_order *order, const struct part *part)
{
    char *inner = NULL;
    struct stat status;
    const bool is_default = strcmp(part->name, "results") == 0 || strcmp(part->name, "warpstep-results") == 0;
    if (!S_ISDIR(part->mode) ||
        !(is_same_folder(part->path, order->results) || (is_default && holds_store(part->path))))
        return false;
    const bool has_file =
        asprintf(&inner, "%s/%s", part->path, order->file) >= 0 && lstat(inner, &status) == 0;
    free(inner);
    return !has_file;
}

/* A table with a column that a roster has: the roster itself, a gradebook, a worksheet. */
static bool is_roster(const struct part *part)
{
    char error[100];
    size_t size, count;
    struct store_student *students;
    const size_t length = strlen(part->name);
    if (!S_ISREG(part->mode) || part->said.platform != INTAKE_PLAIN || length < 4 ||
        strcasecmp(part->name + length - 4, ".csv") != 0)
        return false;
    char *bytes = file_read(part->path, MOST_TABLE, false, &size);
    char *text = bytes ? csv_text(bytes, size) : NULL;
    const bool is_one = text && (intake_read_roster(text, &students, &count, error, sizeof error) ||
                                 strncmp(error, "Line 1 ", 7) != 0);
    if (is_one)
        intake_free_roster(students, count);
    free(text);
    free(bytes);
    return is_one;
}

/* What macOS keeps beside a file: "._anna.cu", known by its first bytes. */
static bool is_shadow(const struct part *part)
{
    char bytes[4] = {0};
    if (!S_ISREG(part->mode) || strncmp(part->name, "._", 2) != 0)
        return false;
    const int file = open(part->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool is_read = file >= 0 && read(file, bytes, sizeof bytes) == 4;
    if (file >= 0)
        close(file);
    return is_read && memcmp(bytes, "\0\5\26\7", 4) == 0;
}

static bool read_part(struct reading *reading, struct part *part, const char *name)
{
    struct stat status;
    part->name = strdup(name);
    part->shown = utf8_name(name);
    if (asprintf(&part->path, "%s/%s", reading->order->folder, name) < 0)
        part->path = NULL;
    if (!part->name || !part->shown || !part->path)
        return false;
    if (lstat(part->path, &status) == 0)
        part->mode = status.st_mode;
    part->reason = part->mode ? 0 : errno;
    if (!intake_name_read(&part->said, part->shown, S_ISDIR(part->mode), reading->order->file))
        return false;
    part->is_used =
        intake_is_litter(name) || is_results(reading->order, part) || is_roster(part) || is_shadow(part);
    return true;
}

static bool read_parts(struct reading *reading)
{
    struct dirent **names = NULL;
    const int count = intake_scan(reading->order->folder, &names);
    const int reason = errno;
    bool is_done = count >= 0;
    for (int i = 0; i < count && is_done; i++) {
        struct part *part = list_push(&reading->parts, sizeof *part);
        is_done = part && read_part(reading, part, names[i]->d_name);
    }
    intake_scan_free(names, count);
    errno = count < 0 ? reason : ENOMEM;
    return is_done;
}

/* An archive of a branch, as GitHub names it: "assignment-login-main.zip". */
static bool is_branch(const struct part *part)
{
    const char *end = intake_archive_end(part->shown);
    return !part->is_used && part->said.platform == INTAKE_PLAIN && S_ISREG(part->mode) && end &&
           intake_branch_length(part->shown, (size_t)(end - part->shown));
}

/* What two names have in common, up to a -. */
static size_t shared_length(const char *a, const char *b, size_t most)
{
    size_t length = 0;
    for (size_t i = 0; i < most && a[i] == b[i]; i++)
        length = a[i] == '-' ? i + 1 : length;
    return length;
}

/* Two or more such archives have the assignment's name in common: what is left is the login. */
static bool read_branches(struct reading *reading)
{
    const struct part *first = NULL;
    size_t count = 0, shared = 0;
    for (size_t i = 0; i < reading->parts.count; i++) {
        const struct part *part = part_at(reading, i);
        if (!is_branch(part))
            continue;
        first = first ? first : part;
        shared =
            shared_length(first->shown, part->shown,
                          count++ ? shared : intake_branch_length(part->shown, strlen(part->said.label)));
    }
    bool is_done = true;
    for (size_t i = 0; i < reading->parts.count && count > 1 && shared && is_done; i++) {
        if (is_branch(part_at(reading, i)))
            is_done = intake_name_cut(&part_at(reading, i)->said, shared);
    }
    return is_done;
}

static bool read_metadata(struct reading *reading)
{
    char *path;
    size_t size;
    if (asprintf(&path, "%s/submission_metadata.yml", reading->order->folder) < 0)
        return false;
    char *bytes = file_read(path, MOST_METADATA, false, &size);
    char *text = bytes ? csv_text(bytes, size) : NULL;
    const bool is_done = !bytes || (text && intake_metadata_read(&reading->metadata, text));
    free(path);
    free(bytes);
    free(text);
    return is_done;
}

static bool make_drafts(struct reading *reading)
{
    bool is_done = true;
    for (size_t i = 0; i < reading->parts.count && is_done; i++) {
        if (part_at(reading, i)->is_used)
            continue;
        is_done = count_exact(reading, i) > 1 ? add_each(reading, i) : add_draft(reading, i, false);
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the result */

static int by_student(const void *a, const void *b)
{
    const struct intake_submission *one = a, *other = b;
    int order = strcmp(one->student, other->student);
    if (!order)
        order = strcmp(one->submitted, other->submitted);
    return order                                    ? order
           : strverscmp(one->source, other->source) ? strverscmp(one->source, other->source)
                                                    : strcmp(one->source, other->source);
}

static void free_reading(struct reading *reading)
{
    for (size_t i = 0; i < reading->parts.count; i++) {
        struct part *part = part_at(reading, i);
        free(part->name);
        free(part->shown);
        free(part->path);
        intake_name_free(&part->said);
    }
    for (size_t i = 0; i < reading->drafts.count; i++) {
        intake_free_one(&draft_at(reading, i)->out);
        intake_name_free(&draft_at(reading, i)->said);
    }
    list_free(&reading->parts);
    list_free(&reading->drafts);
    intake_metadata_free(&reading->metadata);
}

/* The submissions move from the drafts into the list. */
static bool fill_intake(struct intake *intake, struct reading *reading)
{
    const size_t count = reading->drafts.count;
    intake->list = calloc(count ? count : 1, sizeof *intake->list);
    for (; intake->list && intake->count < count; intake->count++) {
        struct intake_draft *draft = draft_at(reading, intake->count);
        char **const texts[] = {&draft->out.note, &draft->out.name, &draft->out.email};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            if (!*texts[i] && !(*texts[i] = strdup("")))
                return false;
        }
        intake->list[intake->count] = draft->out;
        draft->out = (struct intake_submission){.source = NULL};
    }
    if (intake->list)
        qsort(intake->list, count, sizeof *intake->list, by_student);
    return intake->list;
}

/* A folder around everything: Gradescope's export has its metadata in it, other downloads hold several submissions and no .cu file. */
static bool is_wrapper(const char *folder, const char *lab_file, bool is_unpacked)
{
    struct dirent **names = NULL;
    const int count = intake_scan(folder, &names);
    int submissions = 0;
    bool has_metadata = false, has_file = false;
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        has_metadata = has_metadata || strcmp(name, "submission_metadata.yml") == 0;
        has_file = has_file || (names[i]->d_type != DT_DIR && intake_fit(name, lab_file) <= INTAKE_CUDA);
        submissions += !intake_is_litter(name) && (names[i]->d_type == DT_DIR || intake_archive_end(name));
    }
    intake_scan_free(names, count);
    return has_metadata || (is_unpacked && !has_file && submissions > 1);
}

char *intake_find_top(const char *folder, const char *lab_file, bool is_unpacked)
{
    struct dirent **names = NULL;
    const int count = intake_scan(folder, &names);
    char *inner = NULL;
    int entries = 0;
    for (int i = 0; i < count; i++) {
        if (intake_is_litter(names[i]->d_name))
            continue;
        entries++;
        if (names[i]->d_type == DT_DIR && !inner && asprintf(&inner, "%s/%s", folder, names[i]->d_name) < 0)
            inner = NULL;
    }
    intake_scan_free(names, count);
    if (entries == 1 && inner && is_wrapper(inner, lab_file, is_unpacked))
        return inner;
    free(inner);
    return strdup(folder);
}

bool intake_is_archive(const char *path)
{
    struct stat status;
    return intake_archive_end(path) && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool intake_read(struct intake *intake, const struct intake_order *order)
{
    struct reading reading = {.order = order};
    *intake = (struct intake){.list = NULL};
    bool is_done = read_parts(&reading);
    const int reason = errno;
    is_done = is_done && read_branches(&reading) && read_metadata(&reading) && make_drafts(&reading) &&
              intake_name_all(&reading.drafts, order, &reading.metadata) && fill_intake(intake, &reading);
    free_reading(&reading);
    if (!is_done) {
        intake_free(intake);
        errno = reason;
    }
    return is_done;
}

void intake_free(struct intake *intake)
{
    for (size_t i = 0; i < intake->count; i++)
        intake_free_one(&intake->list[i]);
    free(intake->list);
    *intake = (struct intake){.list = NULL};
}
