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

/* A submission before its student has a name. */
struct draft {
    struct intake_submission out;
    struct intake_name said;
    bool has_submitter; /* metadata say who it is */
    int level;          /* of its student's name: see name_of() */
};

struct reading {
    const struct intake_order *order;
    struct list parts;  /* struct part, by name */
    struct list drafts; /* struct draft */
    struct intake_metadata metadata;
    size_t written; /* files in the work folder */
};

static struct part *part_at(const struct reading *reading, size_t i)
{
    return (struct part *)reading->parts.items + i;
}

static struct draft *draft_at(const struct reading *reading, size_t i)
{
    return (struct draft *)reading->drafts.items + i;
}

/* ------------------------------------------------------------------------------------------- names in a folder */

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static const char *kind_of(mode_t mode)
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
        intake_search_other(search, visible, kind_of(status.st_mode));
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
    const int count = scandir(path, &names, is_no_dot, by_bytes);
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
    free_names(names, count > 0 ? count : 0);
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
static char *write_taken(struct reading *reading, const struct intake_taken *taken)
{
    char *folder = NULL, *path = NULL;
    if (asprintf(&folder, "%s/%zu", reading->order->work, ++reading->written) < 0 ||
        asprintf(&path, "%s/%s", folder, reading->order->file) < 0)
        return NULL;
    const bool is_made = mkdir(folder, 0755) == 0;
    const int file = is_made ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
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

static char *join(const char *one, const char *between, const char *other)
{
    char *text;
    return asprintf(&text, "%s%s%s", one, between, other) < 0 ? NULL : text;
}

/* The archive is named where it is not the submission itself. */
static void use_taken(struct reading *reading, struct intake_submission *out, struct intake_taken *taken,
                      const char *which)
{
    if (taken->bytes) {
        out->path = write_taken(reading, taken);
        out->is_ours = !out->path;
        out->flaw = out->path ? NULL : join("what was unpacked cannot be written", ": ", strerror(errno));
        out->note =
            which ? join(which, *taken->note ? ": " : " was unpacked", taken->note) : strdup(taken->note);
    } else {
        out->flaw = which ? join(which, ": ", taken->flaw) : strdup(taken->flaw);
        out->is_ours = taken->is_ours;
    }
}

/* What a search has found becomes the submission's file, or its flaw. */
static void settle(struct reading *reading, const struct intake_search *search, const char *where,
                   struct intake_submission *out)
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
        use_taken(reading, out, &taken, strcmp(where, "folder") == 0 ? which : NULL);
    } else {
        out->flaw = flaw;
        flaw = NULL;
    }
    intake_taken_free(&taken);
    free(flaw);
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
        search_folder(search, part->path, "", 0);
        return;
    }
    intake_search_name(search, file);
    if (S_ISREG(part->mode))
        intake_search_file(search, file, 0, part->path, 0);
    else
        intake_search_other(search, search->lab_file,
                            part->mode ? kind_of(part->mode) : "not to be looked at");
}

/* For a single file of a single name, words that say what it is. */
static char *describe_single(const struct part *part)
{
    if (!part->mode)
        return join("it cannot be looked at", ": ", strerror(part->reason));
    if (!S_ISREG(part->mode))
        return strdup(kind_of(part->mode));
    return strdup("neither a folder nor a file NAME.cu, nor an archive");
}

static bool fill_draft(struct draft *draft, const struct part *part)
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
    struct draft *draft = list_push(&reading->drafts, sizeof *draft);
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
        settle(reading, &search, S_ISDIR(part->mode) ? "folder" : "submission", &draft->out);
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

/* The folder of results, unless it is somebody's submission. */
static bool is_results(const struct intake_order *order, const struct part *part)
{
    char *inner = NULL;
    struct stat status;
    if (!S_ISDIR(part->mode) || !is_same_folder(part->path, order->results))
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
    const int count = scandir(reading->order->folder, &names, is_no_dot, by_bytes);
    const int reason = errno;
    bool is_done = count >= 0;
    for (int i = 0; i < count && is_done; i++) {
        struct part *part = list_push(&reading->parts, sizeof *part);
        is_done = part && read_part(reading, part, names[i]->d_name);
    }
    free_names(names, count > 0 ? count : 0);
    errno = count < 0 ? reason : ENOMEM;
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

/* ------------------------------------------------------------------------------------------- names of students */

static bool set(char **field, const char *text)
{
    char *copy = strdup(text);
    if (copy) {
        free(*field);
        *field = copy;
    }
    return copy;
}

static bool add_note(struct draft *draft, const char *words)
{
    char *note = draft->out.note && *draft->out.note ? join(draft->out.note, "; ", words) : strdup(words);
    if (note) {
        free(draft->out.note);
        draft->out.note = note;
    }
    return note;
}

/* The first of these that says anything. */
static const char *who_of(const struct intake_submitter *one)
{
    return *one->sid ? one->sid : *one->email ? one->email : one->name;
}

/* A draft becomes one submitter's: the roster is asked for the name, the address and the number. */
static bool name_submitter(struct draft *draft, const struct intake_submitter *one)
{
    draft->has_submitter = *who_of(one);
    return !draft->has_submitter ||
           (set(&draft->said.label, *one->name ? one->name : who_of(one)) &&
            set(&draft->said.number, one->sid) && set(&draft->said.email, one->email) &&
            set(&draft->said.identity, who_of(one)));
}

static bool copy_draft(struct draft *to, const struct draft *from, const struct intake_submitter *one)
{
    const struct intake_submission *out = &from->out;
    if (!intake_name_copy(&to->said, &from->said))
        return false;
    to->out = (struct intake_submission){.path = out->path ? strdup(out->path) : NULL,
                                         .flaw = out->flaw ? strdup(out->flaw) : NULL,
                                         .note = out->note ? strdup(out->note) : NULL,
                                         .submitted = strdup(out->submitted),
                                         .is_late = out->is_late,
                                         .is_ours = out->is_ours};
    if (asprintf(&to->out.source, "%s (%s)", out->source, who_of(one)) < 0)
        to->out.source = NULL;
    return is_complete(&to->out) && to->out.submitted && name_submitter(to, one) &&
           add_note(to, "handed in together with others");
}

/* Of a group everybody gets a row. */
static bool name_members(struct reading *reading, size_t at, const struct intake_metadata_entry *entry)
{
    const struct intake_submitter *members = entry->members.items;
    bool is_done = set(&draft_at(reading, at)->out.submitted, entry->submitted);
    for (size_t i = 1; i < entry->members.count && is_done; i++) {
        struct draft *other = list_push(&reading->drafts, sizeof *other);
        is_done = other && copy_draft(other, draft_at(reading, at), &members[i]);
    }
    struct draft *draft = draft_at(reading, at);
    return is_done && (!entry->members.count || name_submitter(draft, &members[0])) &&
           (entry->members.count < 2 || add_note(draft, "handed in together with others"));
}

static bool use_metadata(struct reading *reading)
{
    bool is_done = true;
    for (size_t i = 0, count = reading->drafts.count; i < count && is_done; i++) {
        const struct intake_name *said = &draft_at(reading, i)->said;
        const struct intake_metadata_entry *entry =
            said->platform == INTAKE_GRADESCOPE ? intake_metadata_find(&reading->metadata, said->label)
                                                : NULL;
        if (entry)
            is_done = name_members(reading, i, entry);
    }
    return is_done;
}

/* Without a roster a student is called in short, if no other would be called so; else with what tells them apart, else by the
 * submission's own name. */
static const char *name_of(const struct draft *draft)
{
    return draft->level >= 2                           ? draft->out.source
           : draft->level == 1 || draft->has_submitter ? draft->said.identity
                                                       : draft->said.label;
}

static bool are_one(const struct draft *a, const struct draft *b)
{
    return a->said.platform == b->said.platform && strcmp(a->said.identity, b->said.identity) == 0;
}

static bool raise(struct draft *draft)
{
    const bool can_rise = draft->level < 2;
    draft->level += can_rise;
    return can_rise;
}

/* Until no two different students have one name. Levels only rise, so that it ends. */
static void tell_apart(struct reading *reading)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < reading->drafts.count; i++) {
            for (size_t k = 0; k < i; k++) {
                struct draft *a = draft_at(reading, i), *b = draft_at(reading, k);
                if (a->out.student || b->out.student || are_one(a, b) || strcmp(name_of(a), name_of(b)) != 0)
                    continue;
                const bool one = raise(a), other = raise(b);
                has_changed = has_changed || one || other;
            }
        }
    }
}

static bool ask_roster(struct reading *reading)
{
    bool is_done = true;
    for (size_t i = 0; i < reading->drafts.count && is_done; i++) {
        struct draft *draft = draft_at(reading, i);
        char *note = NULL;
        const struct store_student *found = intake_match(reading->order, &draft->said, &note);
        is_done = (!found || set(&draft->out.student, found->id)) && (!note || add_note(draft, note));
        free(note);
    }
    return is_done;
}

/* Two names that mean one student to the roster may still be two. */
static bool note_shared(struct reading *reading)
{
    bool is_done = true;
    for (size_t i = 0; i < reading->drafts.count; i++) {
        for (size_t k = 0; k < reading->drafts.count && is_done; k++) {
            struct draft *a = draft_at(reading, i), *b = draft_at(reading, k);
            if (i == k || !a->out.student || !b->out.student || are_one(a, b) ||
                strcmp(a->out.student, b->out.student) != 0)
                continue;
            char *words = join(b->out.source, " is this student's, too", "");
            is_done = words && add_note(a, words);
            free(words);
            break;
        }
    }
    return is_done;
}

static bool is_roster_id(const struct intake_order *order, const char *name)
{
    for (size_t i = 0; i < order->nroster; i++) {
        if (strcmp(order->roster[i].id, name) == 0)
            return true;
    }
    return false;
}

/* Whom the roster does not know must not be called as somebody whom it knows. */
static bool name_others(struct reading *reading)
{
    tell_apart(reading);
    bool is_done = true;
    for (size_t i = 0; i < reading->drafts.count && is_done; i++) {
        struct draft *draft = draft_at(reading, i);
        if (draft->out.student)
            continue;
        char *name =
            join(name_of(draft), is_roster_id(reading->order, name_of(draft)) ? " (not sure)" : "", "");
        draft->out.student = name;
        is_done = name;
    }
    return is_done;
}

/* Names of two submissions may have become one text: utf8_name() writes a byte as somebody may have written it. */
static bool is_source_taken(const struct reading *reading, size_t before, const char *source)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(draft_at(reading, i)->out.source, source) == 0)
            return true;
    }
    return false;
}

static bool make_sources_unique(struct reading *reading)
{
    for (size_t i = 0; i < reading->drafts.count; i++) {
        struct draft *draft = draft_at(reading, i);
        while (is_source_taken(reading, i, draft->out.source)) {
            char *source = join(draft->out.source, " (again)", "");
            if (!source)
                return false;
            free(draft->out.source);
            draft->out.source = source;
        }
    }
    return true;
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

static void free_submission(struct intake_submission *one)
{
    char *texts[] = {one->source, one->student, one->path, one->note, one->submitted, one->flaw};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
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
        free_submission(&draft_at(reading, i)->out);
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
        struct draft *draft = draft_at(reading, intake->count);
        if (!draft->out.note && !(draft->out.note = strdup("")))
            return false;
        intake->list[intake->count] = draft->out;
        draft->out = (struct intake_submission){.source = NULL};
    }
    if (intake->list)
        qsort(intake->list, count, sizeof *intake->list, by_student);
    return intake->list;
}

bool intake_read(struct intake *intake, const struct intake_order *order)
{
    struct reading reading = {.order = order};
    *intake = (struct intake){.list = NULL};
    bool is_done = read_parts(&reading);
    const int reason = errno;
    is_done = is_done && read_metadata(&reading) && make_drafts(&reading) && make_sources_unique(&reading) &&
              use_metadata(&reading) && make_sources_unique(&reading) && ask_roster(&reading) &&
              note_shared(&reading) && name_others(&reading) && fill_intake(intake, &reading);
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
        free_submission(&intake->list[i]);
    free(intake->list);
    *intake = (struct intake){.list = NULL};
}
