/* compiled.c - see compiled.h. The file: a line with the key and three sizes, then the path of the folder in which it was compiled,
 * the warnings and the object. */
#define _GNU_SOURCE
#include "grader/compiled.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "grader/commands.h"
#include "grader/files.h"

enum { MOST_HEADERS = 200 };
#define MOST_KEPT ((size_t)80 << 20)

/* ------------------------------------------------------------------------------------------- the key */

/* Headers, in the order of their names: nftw() has no argument for whom it is for. */
static struct {
    char *paths[MOST_HEADERS];
    int count;
} headers;

static int add_header(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)place;
    if (kind == FTW_F && headers.count < MOST_HEADERS)
        headers.paths[headers.count++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_text(struct sha256 *sha, const char *text)
{
    sha256_add(sha, text, strlen(text) + 1);
}

static bool add_file(struct sha256 *sha, const char *path, const char *name)
{
    size_t size;
    uint8_t *bytes = files_read(path, MOST_KEPT, false, &size);
    if (!bytes)
        return false;
    add_text(sha, name);
    sha256_add(sha, &size, sizeof size);
    sha256_add(sha, bytes, size);
    free(bytes);
    return true;
}

/* False: there are more than anybody expects, or one cannot be read. */
static bool add_headers(struct sha256 *sha, const char *folder)
{
    headers.count = 0;
    bool is_done = nftw(folder, add_header, 16, FTW_PHYS) == 0 && headers.count < MOST_HEADERS;
    qsort(headers.paths, (size_t)headers.count, sizeof *headers.paths, by_name);
    for (int i = 0; i < headers.count; i++) {
        is_done =
            is_done && headers.paths[i] && add_file(sha, headers.paths[i], headers.paths[i] + strlen(folder));
        free(headers.paths[i]);
    }
    return is_done;
}

static bool make_key(char key[65], const struct grading *grading, const char *tools, int architecture)
{
    static const char *const variables[] = {"NVCC_CCBIN",      "LD_LIBRARY_PATH",    "CPATH",
                                            "GCC_EXEC_PREFIX", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    const struct session *session = grading->session;
    char path[GRADE_PATH + 80];
    uint8_t digest[SHA256_BYTES];
    struct sha256 sha;
    sha256_begin(&sha);
    add_text(&sha, GRADE_VERSION);
    add_text(&sha, tools);
    sha256_add(&sha, &architecture, sizeof architecture);
    add_text(&sha, session->model);
    add_text(&sha, session->has_gpu ? "gpu" : "virtual");
    add_text(&sha, grading->shown);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        add_text(&sha, value ? value : "-");
    }
    snprintf(path, sizeof path, "%s/%s.cu", grading->safe, session->entry->id);
    bool is_done = add_file(&sha, path, "text");
    snprintf(path, sizeof path, "%s/include", session->folder);
    is_done = is_done && add_headers(&sha, path);
    sha256_end(&sha, digest);
    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(key + 2 * i, 3, "%02x", digest[i]);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the file */

/* What the kit compiles for itself is kept apart, and is not in a student's way. */
static void name_kept(const struct grading *grading, char *out, size_t size)
{
    const struct session *session = grading->session;
    snprintf(out, size, "%s/labs/%s/compiled%s", session->kit.cache, session->entry->id,
             grading->is_for_check ? "-kit" : "");
}

static void rename_all(struct compiled *compiled, const char *from, const char *to, size_t length)
{
    uint8_t *end = compiled->object + compiled->bytes;
    for (uint8_t *at = compiled->object; (at = memmem(at, (size_t)(end - at), from, length)); at += length)
        memcpy(at, to, length);
}

/* Code names the folders of its text and of the headers, for whoever tells of a line. They have other names in every run, but of the
 * same length; where they have not, nothing was found. */
static bool is_renamed(struct compiled *compiled, const struct grading *grading, const char *box,
                       size_t length)
{
    const size_t folder = strlen(grading->session->folder);
    if (length != strlen(grading->box) || folder >= length)
        return false;
    rename_all(compiled, box, grading->box, length);
    rename_all(compiled, box, grading->box, folder + 1); /* with the slash behind it */
    return true;
}

/* What stands behind the first line, if that is as it should be. */
static bool take_parts(struct compiled *out, const struct grading *grading, const uint8_t *bytes, size_t size)
{
    char key[65];
    size_t path, words, object;
    int head = 0;
    if (sscanf((const char *)bytes, "%64s %zu %zu %zu\n%n", key, &path, &words, &object, &head) != 4 ||
        head == 0 || strcmp(key, out->key) != 0 || path > size || words > size || object > size ||
        object == 0 || (size_t)head + path + words + object != size)
        return false;
    const char *at = (const char *)bytes + head;
    out->warnings = words ? strndup(at + path, words) : NULL;
    out->object = malloc(object);
    out->bytes = object;
    if (out->object)
        memcpy(out->object, at + path + words, object);
    return out->object && is_renamed(out, grading, at, path);
}

void compiled_find(struct compiled *out, const struct grading *grading, const char *tools, int architecture)
{
    char path[GRADE_PATH + 80];
    size_t size;
    *out = (struct compiled){.object = NULL};
    if (grading->session->options->command->is_for_others || !*grading->session->kit.cache)
        return;
    if (!make_key(out->key, grading, tools, architecture)) {
        out->key[0] = '\0';
        return;
    }
    name_kept(grading, path, sizeof path);
    uint8_t *bytes = files_read(path, MOST_KEPT, false, &size);
    if (bytes && !take_parts(out, grading, bytes, size)) {
        free(out->object);
        free(out->warnings);
        out->object = NULL;
        out->warnings = NULL;
    }
    free(bytes);
}

void compiled_keep(const struct compiled *compiled, const struct grading *grading, const void *object,
                   size_t bytes)
{
    const char *words = grading->warnings ? grading->warnings : "";
    char path[GRADE_PATH + 80], *all = NULL;
    size_t size = 0;
    FILE *file = *compiled->key ? open_memstream(&all, &size) : NULL;
    if (!file)
        return;
    fprintf(file, "%s %zu %zu %zu\n%s%s", compiled->key, strlen(grading->box), strlen(words), bytes,
            grading->box, words);
    fwrite(object, 1, bytes, file);
    snprintf(path, sizeof path, "%s/labs/%s", grading->session->kit.cache, grading->session->entry->id);
    const bool is_there = files_make_folder(path);
    name_kept(grading, path, sizeof path);
    if (fclose(file) == 0 && is_there)
        files_replace(path, all, size);
    free(all);
}

void compiled_free(struct compiled *compiled)
{
    free(compiled->object);
    free(compiled->warnings);
    *compiled = (struct compiled){.object = NULL};
}
