/* build.c - from a submission's text to device code and a scout: compiler, inspection, linker; and make for the kit's part.
 * The compiler works in the sandbox, on a copy of the file, with nothing but the lab's headers beside it.
 * What it says about the student's code is the student's to read; that it cannot work at all is told as ours. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/files.h"
#include "grader/inspect.h"

enum { MOST_LINES = 40 };
#define ARCHITECTURES "arch=compute_75,code=[compute_75,sm_90]"
#define MOST_SOURCE   ((size_t)4 << 20)
#define MOST_OBJECT   ((size_t)64 << 20)

static void path_of(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void path_of(char *out, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(out, size, format, list);
    va_end(list);
}

/* ------------------------------------------------------------------------------------------- tools */

static bool is_program(const char *path)
{
    struct stat status;
    return *path == '/' && stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool find_on_path(const char *name, char *out, size_t size)
{
    const char *at = getenv("PATH");
    for (at = at ? at : ""; *at;) {
        int length = (int)strcspn(at, ":");
        snprintf(out, size, "%.*s/%s", length, at, name);
        if (is_program(out))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* What a variable of the environment names: a path, or a program's name. */
static bool find_named(const char *variable, const char *below, char *out, size_t size)
{
    const char *value = getenv(variable);
    if (!value || !*value)
        return false;
    if (!strchr(value, '/'))
        return find_on_path(value, out, size);
    snprintf(out, size, "%s%s", value, below);
    return is_program(out);
}

static bool find_nvcc(char *out, size_t size)
{
    if (find_named("NVCC", "", out, size) || find_named("CUDA_HOME", "/bin/nvcc", out, size) ||
        find_named("CUDA_PATH", "/bin/nvcc", out, size) || find_on_path("nvcc", out, size))
        return true;
    snprintf(out, size, "/usr/local/cuda/bin/nvcc");
    return is_program(out);
}

/* A broken choice is told, not passed over. */
static bool is_choice_broken(const char *variable, char *found, struct session *session)
{
    const char *value = getenv(variable);
    if (!value || !*value ||
        find_named(variable, strcmp(variable, "NVCC") == 0 ? "" : "/bin/nvcc", found, GRADE_PATH))
        return false;
    session_fail(session, "%s is set to %s, but there is no nvcc.", variable, value);
    return true;
}

bool build_find_tools(struct session *session)
{
    struct toolchain *tools = &session->tools;
    char real[PATH_MAX], scratch[GRADE_PATH];
    if (is_choice_broken("NVCC", scratch, session) || is_choice_broken("CUDA_HOME", scratch, session))
        return false;
    if (!find_nvcc(tools->nvcc, sizeof tools->nvcc))
        return session_fail(session,
                            "There is no nvcc: install the CUDA Toolkit 13.0, or say where it is with "
                            "CUDA_HOME=/path/to/cuda.");
    if (!find_named("CXX", "", tools->cxx, sizeof tools->cxx) &&
        !find_on_path("g++", tools->cxx, sizeof tools->cxx) &&
        !find_on_path("c++", tools->cxx, sizeof tools->cxx))
        return session_fail(session, "There is no C++ compiler (g++), which nvcc needs.");
    snprintf(tools->root, sizeof tools->root, "%.2500s", realpath(tools->nvcc, real) ? real : tools->nvcc);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(tools->root, '/');
        if (slash && slash != tools->root)
            *slash = '\0';
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- the kit's part */

static bool is_header(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && name[0] != '.' && (strcmp(end, ".h") == 0 || strcmp(end, ".cuh") == 0);
}

static bool copy_headers(const char *from, const char *to)
{
    char source[GRADE_PATH + 300], copy[GRADE_PATH + 300];
    DIR *folder = opendir(from);
    bool is_done = folder != NULL;
    for (struct dirent *one; is_done && (one = readdir(folder));) {
        size_t size;
        if (!is_header(one->d_name))
            continue;
        snprintf(source, sizeof source, "%s/%s", from, one->d_name);
        snprintf(copy, sizeof copy, "%s/%s", to, one->d_name);
        uint8_t *bytes = files_read(source, MOST_SOURCE, true, &size);
        is_done = bytes && files_write(copy, bytes, size);
        free(bytes);
    }
    if (folder)
        closedir(folder);
    return is_done;
}

/* Copies, so that the sandbox need not see the kit, whose drivers and solutions are nobody's to read. */
bool build_copy_headers(struct session *session)
{
    char from[GRADE_PATH], to[GRADE_PATH + 40];
    static const char *const folders[] = {"include", "include/common", "include/common/lab", "include/lab"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        path_of(to, sizeof to, "%s/%s", session->folder, folders[i]);
        if (!files_make_folder(to))
            return session_fail(session, "The folder %s cannot be made: %s.", to, strerror(errno));
    }
    path_of(from, sizeof from, "%s/labs/%s", session->kit.root, session->entry->folder);
    bool is_done = copy_headers(from, to);
    path_of(from, sizeof from, "%s/common/lab", session->kit.root);
    path_of(to, sizeof to, "%s/include/common/lab", session->folder);
    return (is_done && copy_headers(from, to)) ||
           session_fail(session, "The lab's headers cannot be copied.");
}

/* Two graders at once must not make the same files. -1: no lock, and that is no reason to stop. */
static int lock_build(const struct session *session)
{
    char path[GRADE_PATH];
    path_of(path, sizeof path, "%s/grade.lock", session->kit.build);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR && !sandbox_is_stopped())
        continue;
    return fd;
}

static bool run_make(struct session *session, char *make)
{
    char target[64], how[200];
    path_of(target, sizeof target, "grade-%s", session->entry->id);
    char *argv[] = {make, "-s", "-C", session->kit.root, (char *)session->kit.make_build, target, NULL};
    struct sandbox_job job = {.profile = &sandbox_make, .argv = argv};
    struct sandbox_result result;
    sandbox_run(&session->sandbox, &job, &result, 1, 1, NULL, NULL);
    bool is_done = result.end == SANDBOX_EXITED && result.status == 0;
    sandbox_describe(&result, &sandbox_make, how, sizeof how);
    if (result.err)
        files_cut_lines(result.err, MOST_LINES);
    if (!is_done)
        session_fail(session, "`make %s` %s; it builds the kit's own part of the lab.\n%s", target, how,
                     result.err ? result.err : "");
    sandbox_free(&result);
    return is_done;
}

bool build_make(struct session *session)
{
    char make[GRADE_PATH];
    if (!find_named("MAKE", "", make, sizeof make) && !find_on_path("make", make, sizeof make) &&
        !find_on_path("gmake", make, sizeof make))
        return session_fail(session, "There is no `make`, which builds what the grader needs of a lab.");
    report_building(session, true);
    int lock = lock_build(session);
    bool is_done = labs_is_ready(&session->kit, session->entry) || run_make(session, make);
    report_building(session, false);
    if (is_done)
        labs_mark_ready(&session->kit, session->entry);
    if (lock >= 0)
        close(lock);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- compiling */

/* nvcc's words when it is not the student's code that is wrong. */
static const struct {
    const char *words, *meaning;
} broken_tools[] = {
    {"cuda_runtime.h: No such file", "nvcc does not find its own headers: the CUDA Toolkit is not complete."},
    {"Cannot find compiler", "nvcc does not find the C++ compiler that it needs (g++)."},
    {"unsupported GNU version",
     "the C++ compiler is newer than this CUDA Toolkit allows; set NVCC_CCBIN to an older one."},
    {"No space left on device", "the disk is full."},
    {"cicc: not found", "the CUDA Toolkit is not complete (cicc)."},
    {"cudafe++: not found", "the CUDA Toolkit is not complete (cudafe++)."},
    {"ptxas: not found", "the CUDA Toolkit is not complete (ptxas)."},
    {"Unsupported gpu architecture", "this CUDA Toolkit is not version 13.0."},
};

static const char *find_broken_tool(const char *text)
{
    for (size_t i = 0; i < sizeof broken_tools / sizeof *broken_tools; i++) {
        if (strstr(text, broken_tools[i].words))
            return broken_tools[i].meaning;
    }
    return NULL;
}

/* The compiler saw a copy: its paths and its name become the student's again. */
static char *translate(const struct grading *grading, const char *text)
{
    char own[80], folder[GRADE_PATH + 40];
    path_of(own, sizeof own, "%s.cu", grading->session->entry->id);
    path_of(folder, sizeof folder, "%s/include/lab/", grading->session->folder);
    char *first = files_substitute(text, folder, "");
    path_of(folder, sizeof folder, "%s/include/", grading->session->folder);
    char *second = first ? files_substitute(first, folder, "") : NULL;
    char *third = second ? files_substitute(second, own, grading->shown) : NULL;
    free(first);
    free(second);
    return third;
}

static bool explain_failure(struct grading *grading, const struct sandbox_result *result)
{
    char how[240];
    if (result->end == SANDBOX_STOPPED)
        return grading_fail(grading, OUTCOME_OURS, "Interrupted.");
    if (result->end == SANDBOX_FAILED)
        return grading_fail(grading, OUTCOME_OURS, "The compiler %s.", result->failure);
    const char *meaning = find_broken_tool(result->err);
    if (meaning)
        return grading_fail(grading, OUTCOME_OURS, "The compiler cannot work: %s\n%s", meaning, result->err);
    char *text = translate(grading, result->err);
    size_t rest = text ? files_cut_lines(text, MOST_LINES) : 0;
    sandbox_describe(result, &sandbox_compiler, how, sizeof how);
    if (result->end != SANDBOX_EXITED)
        grading_fail(grading, OUTCOME_STUDENT, "The compiler %s.\n%s", how, text ? text : "");
    else if (rest)
        grading_fail(grading, OUTCOME_STUDENT, "%s does not compile:\n%s(and %zu lines more)\n",
                     grading->shown, text, rest);
    else
        grading_fail(grading, OUTCOME_STUDENT, "%s does not compile:\n%s", grading->shown, text ? text : "");
    free(text);
    return false;
}

static uint64_t hash(const uint8_t *bytes, size_t size)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

/* Copies the submission to where the compiler finds it. */
static bool take_source(struct grading *grading, const char *copy)
{
    size_t size;
    bool is_batch = grading->session->options->command == COMMAND_BATCH;
    uint8_t *bytes = files_read(grading->source, MOST_SOURCE, !is_batch, &size);
    if (!bytes && errno == EFBIG)
        return grading_fail(grading, OUTCOME_STUDENT, "%s is larger than %zu MB.", grading->shown,
                            MOST_SOURCE >> 20);
    if (!bytes)
        return grading_fail(grading, OUTCOME_STUDENT, "%s cannot be read: %s.", grading->source,
                            strerror(errno));
    grading->seed = hash(bytes, size);
    bool is_done = files_write(copy, bytes, size);
    free(bytes);
    return is_done || grading_fail(grading, OUTCOME_OURS, "%s cannot be written: %s.", copy, strerror(errno));
}

static void add_environment(char *list[], char texts[][GRADE_PATH])
{
    static const char *const passed[] = {"NVCC_CCBIN", "LD_LIBRARY_PATH", "CPATH", "GCC_EXEC_PREFIX"};
    int n = 0;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        const char *value = getenv(passed[i]);
        if (!value)
            continue;
        snprintf(texts[n], GRADE_PATH, "%s=%s", passed[i], value);
        list[n] = texts[n];
        n++;
    }
    list[n] = NULL;
}

/* Says how it went. */
static bool conclude_compile(struct grading *grading, struct sandbox_result *result)
{
    bool is_done = result->end == SANDBOX_EXITED && result->status == 0;
    if (!is_done)
        explain_failure(grading, result);
    else if (result->err_bytes)
        grading->warnings = translate(grading, result->err);
    sandbox_free(result);
    return is_done;
}

/* The options are those of the kit's own baseline: neither side is compiled better than the other. */
bool build_compile(struct grading *grading)
{
    struct session *session = grading->session;
    char source[64], object[64], copy[GRADE_PATH + 80], texts[4][GRADE_PATH], *environment[5];
    char headers[GRADE_PATH + 40], include[GRADE_PATH + 60], common[GRADE_PATH + 60];
    path_of(source, sizeof source, "%s.cu", session->entry->id);
    path_of(object, sizeof object, "%s.o", session->entry->id);
    path_of(copy, sizeof copy, "%s/%s", grading->box, source);
    path_of(headers, sizeof headers, "%s/include", session->folder);
    path_of(include, sizeof include, "-I%s/lab", headers);
    path_of(common, sizeof common, "-I%s/common", headers);
    add_environment(environment, texts);
    char *argv[] = {session->tools.nvcc,
                    "-O3",
                    "--no-compress",
                    "-lineinfo",
                    "-g",
                    "-gencode",
                    ARCHITECTURES,
                    "-Xcompiler",
                    "-fPIC",
                    include,
                    common,
                    "-c",
                    source,
                    "-o",
                    object,
                    NULL};
    const char *visible[] = {headers, session->tools.root, NULL};
    struct sandbox_job job = {.profile = &sandbox_compiler,
                              .argv = argv,
                              .folder = grading->box,
                              .visible = visible,
                              .environment = environment};
    struct sandbox_result result;
    if (!take_source(grading, copy))
        return false;
    sandbox_run(&session->sandbox, &job, &result, 1, 1, NULL, NULL);
    return conclude_compile(grading, &result);
}

/* ------------------------------------------------------------------------------------------- inspecting, linking */

bool build_inspect(struct grading *grading)
{
    const struct lab *lab = grading->session->lab;
    const char *entries[GRADE_STAGES];
    char path[GRADE_PATH + 80];
    struct inspection found;
    size_t size;
    for (int i = 0; i < lab->nstages; i++)
        entries[i] = lab->stages[i].entry;
    path_of(path, sizeof path, "%s/%s.o", grading->box, grading->session->entry->id);
    uint8_t *object = files_read(path, MOST_OBJECT, false, &size);
    if (!object)
        return grading_fail(grading, OUTCOME_STUDENT, "The compiler left no object file: %s.",
                            strerror(errno));
    bool is_done = inspect_object(object, size, entries, lab->nstages, &found);
    if (!is_done)
        grading_fail(grading, OUTCOME_STUDENT, "%s", found.problem);
    path_of(path, sizeof path, "%s/fatbin", grading->safe);
    bool is_written = is_done && files_write(path, found.fatbin, found.fatbin_bytes);
    path_of(path, sizeof path, "%s/submission.o", grading->safe);
    is_written = is_written && files_write(path, object, size);
    if (is_done && !is_written)
        grading_fail(grading, OUTCOME_OURS, "%s cannot be written: %s.", path, strerror(errno));
    free(object);
    return is_done && is_written;
}

/* The first name that the linker missed. */
static bool find_missing(const char *text, char *out, size_t size)
{
    const char *words = "undefined reference to `";
    const char *at = strstr(text, words);
    if (!at)
        return false;
    at += strlen(words);
    snprintf(out, size, "%.*s", (int)strcspn(at, "'\n"), at);
    return true;
}

bool build_link(struct grading *grading)
{
    struct session *session = grading->session;
    char object[GRADE_PATH + 40], kit[GRADE_PATH + 80], library[GRADE_PATH + 40], program[GRADE_PATH + 40],
        name[200];
    path_of(object, sizeof object, "%s/submission.o", grading->safe);
    path_of(kit, sizeof kit, "%s/labs/%s/scout.o", session->kit.build, session->entry->id);
    path_of(library, sizeof library, "%s/libvgpu.a", session->kit.build);
    path_of(program, sizeof program, "%s/scout", grading->safe);
    char *argv[] = {
        session->tools.cxx, object, kit, library, "-lpthread", "-ldl", "-lrt", "-lm", "-o", program, NULL};
    char temporary[GRADE_PATH + 20];
    path_of(temporary, sizeof temporary, "TMPDIR=%s", grading->safe);
    char *environment[] = {temporary, NULL};
    struct sandbox_job job = {.profile = &sandbox_linker, .argv = argv, .environment = environment};
    struct sandbox_result result;
    sandbox_run(&session->sandbox, &job, &result, 1, 1, NULL, NULL);
    bool is_done = result.end == SANDBOX_EXITED && result.status == 0;
    if (!is_done && result.err && find_missing(result.err, name, sizeof name))
        grading_fail(
            grading, OUTCOME_STUDENT,
            "Your file calls `%s`, which is not in it. Only the CUDA runtime and the C and C++ libraries are "
            "linked: no cuBLAS, no other library.",
            name);
    else if (!is_done)
        grading_fail(grading, OUTCOME_OURS, "The linker failed.\n%s",
                     result.err ? result.err : result.failure);
    sandbox_free(&result);
    return is_done;
}
