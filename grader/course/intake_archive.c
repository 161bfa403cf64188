/* intake_archive.c - the lab's file from an archive, through libarchive, in a process apart (apart.h).
 * The archive is read twice: once for the names, once for the one file that was chosen. No name in it is ever used as a path. Only
 * formats that are plain containers are known: others, like mtree, name files of this machine.
 * Names are read as UTF-8 whatever the user's locale is: libarchive asks the locale, so one is set while it works. Two names never
 * become one: a name that cannot be read has none, and says so. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "grader/course/apart.h"
#include "grader/course/intake_parts.h"

void intake_taken_free(struct intake_taken *taken)
{
    free(taken->shown);
    free(taken->note);
    free(taken->flaw);
    free(taken->bytes);
    *taken = (struct intake_taken){.shown = NULL};
}

#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>

#define MOST_TEXT  ((size_t)1 << 12)
#define MOST_INNER ((size_t)64 << 20) /* an archive within */

bool intake_knows_archives(void)
{
    return true;
}

/* What libarchive makes of names that an archive calls UTF-8 is the locale's; the process apart can load none. */
static void *run_apart(int input, void (*work)(const void *), const void *context, size_t most, size_t *size)
{
    static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    locale_t locale = (locale_t)0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !locale; i++)
        locale = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
    const locale_t before = locale ? uselocale(locale) : (locale_t)0;
    void *answer = apart_run(input, work, context, most, size);
    const int reason = errno;
    if (locale) {
        uselocale(before);
        freelocale(locale);
    }
    errno = reason;
    return answer;
}

/* ------------------------------------------------------------------------------------------- a pass over it */

/* Where an archive is read from: the descriptor, or memory if it lay in another one. */
struct place {
    const void *bytes; /* NULL: the descriptor */
    size_t size;
    const char *within; /* what stands before its names: "inner.zip/", "" */
    size_t unpacked;    /* so far, by all passes */
};

struct pass {
    struct archive *archive;
    struct archive_entry *entry;
    struct place *place;
    size_t index; /* of the entry */
    char *flaw;
};

static void fail(struct pass *pass, const char *format, const char *detail)
{
    free(pass->flaw);
    if (asprintf(&pass->flaw, format, detail) < 0)
        pass->flaw = NULL;
}

static void allow_formats(struct archive *archive)
{
    int (*const allow[])(struct archive *) = {
        archive_read_support_format_zip,     archive_read_support_format_tar,
        archive_read_support_format_7zip,    archive_read_support_format_rar,
        archive_read_support_format_rar5,    archive_read_support_filter_gzip,
        archive_read_support_filter_bzip2,   archive_read_support_filter_xz,
        archive_read_support_filter_lzma,    archive_read_support_filter_zstd,
        archive_read_support_filter_compress};
    for (size_t i = 0; i < sizeof allow / sizeof *allow; i++)
        allow[i](archive);
}

static const char *error_of(struct pass *pass)
{
    const char *words = archive_error_string(pass->archive);
    return words ? words : "nobody knows why";
}

static bool begin_pass(struct pass *pass, struct place *place)
{
    *pass = (struct pass){.archive = archive_read_new(), .place = place};
    if (!pass->archive)
        return false;
    allow_formats(pass->archive);
    const int state = place->bytes ? archive_read_open_memory(pass->archive, place->bytes, place->size)
                      : lseek(APART_INPUT, 0, 0) ? ARCHIVE_FATAL
                                                 : archive_read_open_fd(pass->archive, APART_INPUT, 1 << 16);
    if (state < ARCHIVE_WARN)
        fail(pass, "damaged, or no archive that can be read: %s", error_of(pass));
    return state >= ARCHIVE_WARN;
}

static void end_pass(struct pass *pass)
{
    if (pass->archive)
        archive_read_free(pass->archive);
    free(pass->flaw);
}

/* Goes through an entry's bytes, and keeps up to `most` of them if there is room for them. False: damage, or too much of it. */
static bool read_entry(struct pass *pass, char *room, size_t most, size_t *size)
{
    const void *block;
    size_t count, end = 0;
    int64_t offset;
    int state;
    while ((state = archive_read_data_block(pass->archive, &block, &count, &offset)) == ARCHIVE_OK) {
        pass->place->unpacked += count;
        if (pass->place->unpacked > INTAKE_MOST_UNPACKED)
            fail(pass, "an archive of more than %s when it is unpacked", "256 MB");
        else if (room && (offset < 0 || (uint64_t)offset > most || count > most - (size_t)offset))
            fail(pass, "the file in the archive is larger than %s", "4 MB");
        if (pass->flaw)
            return false;
        if (room)
            memcpy(room + offset, block, count);
        end = count ? (size_t)offset + count : end;
    }
    *size = end;
    if (state != ARCHIVE_EOF)
        fail(pass, "a damaged archive: %s", error_of(pass));
    return state == ARCHIVE_EOF;
}

/* A zip has a table of its files, and passes over what nobody wants; others must be unpacked to find the next entry. */
static bool skip_entry(struct pass *pass)
{
    size_t size;
    if (archive_entry_is_encrypted(pass->entry))
        return true;
    if ((archive_format(pass->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP)
        return archive_read_data_skip(pass->archive) >= ARCHIVE_WARN;
    return read_entry(pass, NULL, 0, &size);
}

/* NULL: the archive says that it is UTF-8, and it is not, or no locale here knows UTF-8. */
static const char *raw_name_of(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);
    return name ? name : archive_entry_pathname(entry);
}

/* Old programs write \ between folders. What has no name is called by its number. */
static char *name_of(struct pass *pass, const char *within)
{
    const char *name = raw_name_of(pass->entry);
    char *full, *shown, number[60];
    snprintf(number, sizeof number, "entry %zu, whose name cannot be read", pass->index + 1);
    while (name && strncmp(name, "./", 2) == 0)
        name += 2;
    if (asprintf(&full, "%s%s", within, name ? name : number) < 0)
        return NULL;
    for (char *at = full; (at = strchr(at, '\\'));)
        *at = '/';
    shown = utf8_name(full);
    free(full);
    return shown;
}

static bool leads_up(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/'), part += part != NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return true;
    return false;
}

/* No program that packs a folder writes such names. */
static void check_name(struct pass *pass)
{
    char *shown = name_of(pass, "");
    if (shown && leads_up(shown))
        fail(pass, "an archive with a path that leads out of it: %s", shown);
    free(shown);
}

/* The next entry's header. False: the end, or a flaw. */
static bool next_entry(struct pass *pass)
{
    const int state = archive_read_next_header(pass->archive, &pass->entry);
    if (state == ARCHIVE_EOF)
        return false;
    if (state < ARCHIVE_WARN)
        fail(pass, pass->index ? "a damaged archive: %s" : "damaged, or no archive that can be read: %s",
             error_of(pass));
    else if (pass->index >= INTAKE_MOST_ENTRIES)
        fail(pass, "an archive with more than %s entries", "10000");
    else
        check_name(pass);
    return !pass->flaw;
}

/* ------------------------------------------------------------------------------------------- names in it */

/* How many folders lie above it; -1: one of them is nobody's work. */
static int depth_of(const char *shown)
{
    int depth = 0;
    for (const char *end; (end = strchr(shown, '/')); shown = end + 1) {
        if (intake_is_skipped(shown, (size_t)(end - shown)))
            return -1;
        depth += end > shown && !(end == shown + 1 && *shown == '.');
    }
    return *shown && intake_is_skipped(shown, strlen(shown)) ? -1 : depth;
}

static void look_at(struct intake_search *search, struct pass *pass)
{
    char *shown = name_of(pass, pass->place->within);
    const int depth = shown ? depth_of(shown) : -1;
    const bool is_link =
        shown && (archive_entry_hardlink(pass->entry) || archive_entry_symlink(pass->entry) ||
                  archive_entry_filetype(pass->entry) == AE_IFLNK);
    search->has_no_memory = search->has_no_memory || !shown;
    if (depth < 0 || depth > INTAKE_DEEPEST || archive_entry_filetype(pass->entry) == AE_IFDIR) {
        free(shown);
        return;
    }
    intake_search_name(search, shown);
    if (!raw_name_of(pass->entry))
        intake_search_nameless(search, shown);
    else if (is_link)
        intake_search_other(search, shown, "a link in the archive, and links are not followed");
    else if (archive_entry_filetype(pass->entry) != AE_IFREG)
        intake_search_other(search, shown, "no file in the archive, but a device or a pipe");
    else if (archive_entry_is_encrypted(pass->entry))
        intake_search_other(search, shown, "encrypted in the archive");
    else
        intake_search_file(search, shown, depth, NULL, pass->index);
    free(shown);
}

static bool list_names(struct intake_search *search, struct place *place, char **flaw)
{
    struct pass pass;
    bool is_fine = begin_pass(&pass, place);
    while (is_fine && next_entry(&pass)) {
        look_at(search, &pass);
        is_fine = skip_entry(&pass) && !search->has_no_memory;
        pass.index++;
    }
    is_fine = is_fine && !pass.flaw;
    if (!is_fine && !search->has_no_memory) {
        *flaw = pass.flaw ? pass.flaw : strdup("a damaged archive");
        pass.flaw = NULL;
    }
    end_pass(&pass);
    return is_fine;
}

/* The bytes of one entry. NULL: see flaw. */
static char *unpack(struct place *place, size_t index, size_t most, size_t *size, char **flaw)
{
    struct pass pass;
    char *bytes = NULL;
    bool is_fine = begin_pass(&pass, place);
    for (; is_fine && next_entry(&pass) && pass.index < index; pass.index++)
        is_fine = skip_entry(&pass);
    if (is_fine && !pass.flaw && (bytes = calloc(1, most + 1)) && !read_entry(&pass, bytes, most, size)) {
        free(bytes);
        bytes = NULL;
    }
    *flaw = pass.flaw;
    pass.flaw = NULL;
    end_pass(&pass);
    return bytes;
}

/* ------------------------------------------------------------------------------------------- in the process apart */

/* "lab3/lab3.cu was taken for lab3.cu; 3 other files were left". */
static char *make_note(const struct intake_search *search, const struct intake_candidate *chosen)
{
    char *how = intake_describe(search, chosen), *note = NULL;
    const size_t others = search->files - 1;
    if (!how || !others)
        return how;
    if (asprintf(&note, "%s%s%zu other %s left", how, *how ? "; " : "", others,
                 others == 1 ? "file was" : "files were") < 0)
        note = NULL;
    free(how);
    return note;
}

static void take_chosen(struct intake_taken *taken, struct place *place, const struct intake_search *search,
                        const struct intake_candidate *chosen)
{
    taken->bytes = unpack(place, chosen->index, INTAKE_MOST_FILE, &taken->size, &taken->flaw);
    taken->shown = strdup(chosen->shown);
    taken->note = make_note(search, chosen);
}

static bool take_from(struct intake_taken *taken, struct place *place, const char *lab_file, bool is_inner);

static void take_one_inner(struct intake_taken *one, struct place *place, const char *lab_file,
                           const struct intake_candidate *archive)
{
    struct place inner = {.unpacked = 0};
    char *within = NULL, *bytes = unpack(place, archive->index, MOST_INNER, &inner.size, &one->flaw);
    inner.bytes = bytes;
    inner.unpacked = place->unpacked;
    if (bytes && asprintf(&within, "%s/", archive->shown) >= 0) {
        inner.within = within;
        take_from(one, &inner, lab_file, true);
        place->unpacked = inner.unpacked;
    }
    free(bytes);
    free(within);
}

/* A second archive that has the file is a doubt; if none has it, the words about the last one are as good as any. */
static bool keep_better(struct intake_taken *taken, struct intake_taken *one)
{
    const bool is_doubt = taken->bytes && one->bytes;
    if (one->bytes || (one->flaw && !taken->bytes)) {
        intake_taken_free(taken);
        *taken = *one;
    } else {
        intake_taken_free(one);
    }
    if (!is_doubt)
        return true;
    intake_taken_free(taken);
    taken->flaw = strdup("several archives in it hold the file, and none was taken");
    return false;
}

/* Archives within the archive, one level only. */
static void take_inner(struct intake_taken *taken, struct place *place, const struct intake_search *search)
{
    const struct intake_candidate *all = search->candidates.items;
    bool goes_on = true;
    for (size_t i = 0; i < search->candidates.count && goes_on; i++) {
        struct intake_taken one = {.shown = NULL};
        if (all[i].fit != INTAKE_ARCHIVE)
            continue;
        take_one_inner(&one, place, search->lab_file, &all[i]);
        goes_on = keep_better(taken, &one);
    }
}

static bool take_from(struct intake_taken *taken, struct place *place, const char *lab_file, bool is_inner)
{
    struct intake_search search = {.lab_file = lab_file};
    const struct intake_candidate *chosen = NULL;
    if (list_names(&search, place, &taken->flaw)) {
        chosen = intake_choose(&search, "archive", &taken->flaw);
        taken->has_nothing = !chosen;
    }
    if (chosen)
        take_chosen(taken, place, &search, chosen);
    else if (taken->has_nothing && !is_inner && !intake_has_rivals(&search))
        take_inner(taken, place, &search);
    intake_search_free(&search);
    return taken->bytes;
}

struct answer {
    uint64_t shown, note, flaw, bytes; /* sizes; texts follow in this order */
    uint64_t has_flaw, has_nothing;
};

static void read_apart(const void *context)
{
    struct intake_taken taken = {.shown = NULL};
    struct place place = {.within = ""};
    take_from(&taken, &place, context, false);
    const char *texts[] = {taken.shown ? taken.shown : "", taken.note ? taken.note : "",
                           taken.flaw ? taken.flaw : ""};
    const size_t sizes[] = {strnlen(texts[0], MOST_TEXT), strnlen(texts[1], MOST_TEXT),
                            strnlen(texts[2], MOST_TEXT)};
    const struct answer answer = {.shown = sizes[0],
                                  .note = sizes[1],
                                  .flaw = sizes[2],
                                  .bytes = taken.bytes ? taken.size : 0,
                                  .has_flaw = !taken.bytes,
                                  .has_nothing = taken.has_nothing};
    apart_answer(&answer, sizeof answer);
    for (size_t i = 0; i < 3; i++)
        apart_answer(texts[i], sizes[i]);
    apart_answer(taken.bytes, (size_t)answer.bytes);
    intake_taken_free(&taken);
}

/* ------------------------------------------------------------------------------------------- outside of it */

/* Whoever wrote these bytes may mean harm. */
static char *take_text(const char **at, uint64_t size)
{
    char *raw = strndup(*at, (size_t)size), *text = raw ? utf8_name(raw) : NULL;
    *at += size;
    free(raw);
    return text;
}

static bool read_answer(struct intake_taken *taken, const char *bytes, size_t size)
{
    struct answer answer;
    const char *at = bytes + sizeof answer;
    if (size < sizeof answer)
        return false;
    memcpy(&answer, bytes, sizeof answer);
    if (answer.shown > MOST_TEXT || answer.note > MOST_TEXT || answer.flaw > MOST_TEXT ||
        answer.bytes > INTAKE_MOST_FILE ||
        sizeof answer + answer.shown + answer.note + answer.flaw + answer.bytes != size)
        return false;
    taken->shown = take_text(&at, answer.shown);
    taken->note = take_text(&at, answer.note);
    taken->flaw = take_text(&at, answer.flaw);
    taken->has_nothing = answer.has_nothing;
    taken->size = (size_t)answer.bytes;
    if (!answer.has_flaw) {
        free(taken->flaw);
        taken->flaw = NULL;
        taken->bytes = malloc(taken->size + 1);
    }
    if (taken->bytes)
        memcpy(taken->bytes, at, taken->size);
    return true;
}

static const char *words_for(int reason)
{
    return reason == EINTR ? "an archive that cannot be read: its reader crashed, or took too long"
                           : "an archive that cannot be read";
}

/* ------------------------------------------------------------------------------------------- all of it */

/* Before each file, and before the flaw at the end, which has no name. */
struct piece {
    uint64_t name, bytes; /* sizes */
};

static void answer_piece(const char *name, const void *bytes, size_t size)
{
    const struct piece piece = {strlen(name), size};
    apart_answer(&piece, sizeof piece);
    apart_answer(name, strlen(name));
    apart_answer(bytes, size);
}

static bool answer_entry(struct pass *pass)
{
    char *shown = name_of(pass, "");
    const bool is_file = shown && archive_entry_filetype(pass->entry) == AE_IFREG &&
                         !archive_entry_hardlink(pass->entry) && !archive_entry_symlink(pass->entry) &&
                         !archive_entry_is_encrypted(pass->entry) && depth_of(shown) >= 0;
    char *bytes = is_file ? calloc(1, MOST_INNER + 1) : NULL;
    size_t size = 0;
    if (shown && !raw_name_of(pass->entry))
        fail(pass, "%s: the archive says that it is UTF-8, and it is not; pack it again", shown);
    const bool is_done = pass->flaw ? false
                         : bytes    ? read_entry(pass, bytes, MOST_INNER, &size)
                                    : skip_entry(pass);
    if (is_done && bytes)
        answer_piece(shown, bytes, size);
    free(bytes);
    free(shown);
    return is_done;
}

static void unpack_apart(const void *context)
{
    struct place place = {.within = ""};
    struct pass pass;
    (void)context;
    bool is_fine = begin_pass(&pass, &place);
    for (; is_fine && next_entry(&pass); pass.index++)
        is_fine = answer_entry(&pass);
    const char *flaw = pass.flaw ? pass.flaw : is_fine ? "" : "a damaged archive";
    answer_piece("", flaw, strlen(flaw));
    end_pass(&pass);
}

/* Folders on the way are made; none of the names leads anywhere else. False: it is no name for a file of ours. */
static bool make_way(const char *folder, char *name, char *path, size_t size)
{
    char *rest = name, *part;
    size_t used = (size_t)snprintf(path, size, "%s", folder);
    while ((part = strsep(&rest, "/"))) {
        if (!*part || strcmp(part, ".") == 0)
            continue;
        const size_t length = strlen(part);
        if (strcmp(part, "..") == 0 || length > 255 || used + length + 2 > size)
            return false;
        if (used > strlen(folder) && mkdir(path, 0700) != 0 && errno != EEXIST)
            return false;
        used += (size_t)snprintf(path + used, size - used, "/%s", part);
    }
    return used > strlen(folder);
}

static bool write_piece(const char *folder, char *name, const char *bytes, size_t size)
{
    char path[4000];
    if (!make_way(folder, name, path, sizeof path))
        return true; /* left out */
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return errno == EEXIST || errno == EISDIR || errno == ENOTDIR;
    size_t used = 0;
    for (ssize_t put = 1; used < size && put > 0; used += put > 0 ? (size_t)put : 0)
        put = write(file, bytes + used, size - used);
    return close(file) == 0 && used == size;
}

/* NULL: all was written. */
static char *write_pieces(const char *folder, const char *at, const char *end)
{
    struct piece piece;
    while ((size_t)(end - at) >= sizeof piece) {
        memcpy(&piece, at, sizeof piece);
        at += sizeof piece;
        if (piece.name > (size_t)(end - at) || piece.bytes > (size_t)(end - at) - piece.name)
            break;
        char *name = strndup(at, piece.name);
        at += piece.name;
        if (name && !*name) {
            free(name);
            return piece.bytes ? strndup(at, piece.bytes) : NULL;
        }
        const bool is_done = name && write_piece(folder, name, at, piece.bytes);
        const int reason = errno;
        free(name);
        if (!is_done)
            return strdup(strerror(reason));
        at += piece.bytes;
    }
    return strdup("an archive that cannot be read to its end");
}

bool intake_unpack(const char *path, const char *folder, char **flaw)
{
    size_t size;
    const int input = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *answer =
        input < 0 ? NULL
                  : run_apart(input, unpack_apart, NULL, INTAKE_MOST_UNPACKED + ((size_t)64 << 20), &size);
    const int reason = errno;
    *flaw = answer      ? write_pieces(folder, answer, answer + size)
            : input < 0 ? strdup(strerror(reason))
                        : strdup(words_for(reason));
    const bool is_done = answer && !*flaw;
    free(answer);
    if (input >= 0)
        close(input);
    return is_done;
}

void intake_archive_take(struct intake_taken *taken, const char *path, const char *lab_file)
{
    size_t size;
    const int input = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    *taken = (struct intake_taken){.is_ours = input < 0};
    void *answer = input < 0 ? NULL
                             : run_apart(input, read_apart, lab_file,
                                         sizeof(struct answer) + 3 * MOST_TEXT + INTAKE_MOST_FILE, &size);
    const int reason = errno;
    if (answer ? !read_answer(taken, answer, size) : true) {
        taken->is_ours = !answer && reason != EINTR && reason != EFBIG;
        taken->flaw = taken->is_ours ? NULL : strdup(words_for(reason));
        if (taken->is_ours && asprintf(&taken->flaw, "it cannot be looked at: %s", strerror(reason)) < 0)
            taken->flaw = NULL;
    }
    if (taken->flaw && !*taken->flaw) { /* it had no memory for words */
        free(taken->flaw);
        taken->flaw = strdup("an archive that cannot be read");
    }
    free(answer);
    if (input >= 0)
        close(input);
}

#else

bool intake_knows_archives(void)
{
    return false;
}

bool intake_unpack(const char *path, const char *folder, char **flaw)
{
    (void)path;
    (void)folder;
    *flaw =
        strdup("this kit was built without libarchive: install libarchive-dev and run make, or unpack it");
    return false;
}

void intake_archive_take(struct intake_taken *taken, const char *path, const char *lab_file)
{
    (void)path;
    (void)lab_file;
    *taken = (struct intake_taken){
        .flaw = strdup("an archive, and this kit was built without libarchive: install libarchive-dev and "
                       "run make, or unpack it into a folder of its own")};
}
#endif
