/* build.c - from a submission's text to device code and a scout: compiler, inspection, linker; and make for the kit's part.
 * The compiler works in the sandbox, on a copy of the file, with nothing but the lab's headers beside it.
 * Whose fault a failure is, is decided by a run with a file that is right, never by words: a submission chooses many of the
 * compiler's words. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/sha256.h"
#include "grader/busy.h"
#include "grader/commands.h"
#include "grader/compiled.h"
#include "grader/diagnosis.h"
#include "grader/files.h"
#include "grader/inspect.h"
#include "grader/tools.h"
#include "lab/nvcc_options.h"

enum { MOST_LINES = 40, WORKS_S = 600 };
enum { USUAL_ARCHITECTURE = 75, REAL_ARCHITECTURE = 90 };
#define MOST_SOURCE ((size_t)4 << 20)
#define MOST_OBJECT ((size_t)64 << 20)
#define LEAST_DISK  ((size_t)16 << 20)

static void path_of(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void path_of(char *out, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(out, size, format, list);
    va_end(list);
}

/* ------------------------------------------------------------------------------------------- the kit's part */

/* Where the headers of the lab and those of all labs lie, in the kit and in the copy. */
static const struct {
    const char *kit, *copy;
} header_folders[] = {{"labs/%s", "include/lab"}, {"common", "include/common"}};

static bool copy_header(struct session *session, const char *name);

/* Those that a text of the kit's includes by name, and those that they include. */
static bool copy_included(struct session *session, const char *text)
{
    char name[200];
    bool is_done = true;
    for (const char *at = text; is_done && (at = strstr(at, "#include \"")); at += strlen("#include \"")) {
        if (sscanf(at, "#include \"%199[^\"\n]\"", name) == 1)
            is_done = copy_header(session, name);
    }
    return is_done;
}

/* A header that is not the kit's needs no copy. */
static bool copy_header(struct session *session, const char *name)
{
    char folder[GRADE_PATH], from[GRADE_PATH + 300], to[GRADE_PATH + 300];
    for (size_t i = 0; i < sizeof header_folders / sizeof *header_folders; i++) {
        size_t size;
        snprintf(folder, sizeof folder, header_folders[i].kit, session->entry->folder);
        path_of(from, sizeof from, "%s/%.400s/%s", session->kit.root, folder, name);
        path_of(to, sizeof to, "%s/%s/%s", session->folder, header_folders[i].copy, name);
        if (access(to, F_OK) == 0)
            return true;
        uint8_t *bytes = files_read(from, MOST_SOURCE, true, &size);
        if (!bytes)
            continue;
        bool is_done = files_give(to, bytes, size) && copy_included(session, (char *)bytes);
        free(bytes);
        return is_done;
    }
    return true;
}

/* Copies, so that the sandbox need not see the kit, whose drivers and solutions are nobody's to read. A submission may include
 * what the lab's skeleton includes, and no other header of the kit's. */
bool build_copy_headers(struct session *session)
{
    char path[GRADE_PATH + 300];
    size_t size;
    static const char *const folders[] = {"include", "include/common", "include/common/lab", "include/lab"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        path_of(path, sizeof path, "%s/%s", session->folder, folders[i]);
        if (!files_make_folder(path) || chmod(path, 0755) != 0)
            return session_fail(session, "The folder %s cannot be made: %s.", path, strerror(errno));
    }
    path_of(path, sizeof path, "%s/labs/%s/%s.cu", session->kit.root, session->entry->folder,
            session->entry->id);
    uint8_t *skeleton = files_read(path, MOST_SOURCE, true, &size);
    if (!skeleton) { /* the student's file may be away for a while */
        path_of(path, sizeof path, "%s/common/lab/skeletons/%s/%s.cu", session->kit.root,
                session->entry->folder, session->entry->id);
        skeleton = files_read(path, MOST_SOURCE, true, &size);
    }
    path_of(path, sizeof path, "%s.h", session->entry->id);
    bool is_done = skeleton && copy_included(session, (char *)skeleton) && copy_header(session, path) &&
                   copy_header(session, "lab/check.h");
    free(skeleton);
    return is_done || session_fail(session, "The lab's headers cannot be copied.");
}

static bool copy_file(const char *from, const char *to, mode_t mode)
{
    size_t size;
    uint8_t *bytes = files_read(from, MOST_OBJECT, true, &size);
    bool is_done = bytes && files_write(to, bytes, size) && chmod(to, mode) == 0;
    free(bytes);
    return is_done;
}

/* Copies, because the kit may lie where another user cannot come. */
bool build_copy_kit(struct session *session)
{
    static const struct {
        const char *name;
        bool is_of_lab, is_program, is_optional;
    } files[] = {{"keeper", false, true, false},           {"compiler", false, true, false},
                 {"judge-virtual", false, true, false},    {"judge-gpu", false, true, true},
                 {"libvgpu-scout.a", false, false, false}, {"lab.so", true, true, false},
                 {"scout.o", true, false, false},          {"kits", true, false, false},
                 {"baseline.trace", true, false, false},   {"baseline.fatbin", true, false, false},
                 {"baseline.o", true, false, false},       {"baseline-scout", true, true, false}};
    char from[GRADE_PATH + 80], to[GRADE_PATH + 80];
    path_of(to, sizeof to, "%s/kit", session->folder);
    bool is_done = files_make_folder(to) && chmod(to, 0755) == 0;
    for (size_t i = 0; is_done && i < sizeof files / sizeof *files; i++) {
        path_of(from, sizeof from, files[i].is_of_lab ? "%s/labs/%s/%s" : "%s/%s%s", session->kit.build,
                files[i].is_of_lab ? session->entry->id : "", files[i].name);
        path_of(to, sizeof to, "%s/kit/%s", session->folder, files[i].name);
        is_done = copy_file(from, to, files[i].is_program ? 0755 : 0644) || files[i].is_optional;
    }
    return is_done || session_fail(session, "%s cannot be copied to %s: %s.", from, to, strerror(errno));
}

/* Two graders at once must not make the same files. -1: no lock, and that is no reason to stop. */
static int lock_build(const struct session *session)
{
    const struct timespec tick = {.tv_nsec = 50 * 1000 * 1000};
    char path[GRADE_PATH];
    path_of(path, sizeof path, "%s/grade.lock", session->kit.build);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && !sandbox_is_stopped()) {
        busy_turn(NULL, false);
        nanosleep(&tick, NULL);
    }
    busy_turn(NULL, true);
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
    if (session->kit.is_shared)
        return session_fail(session,
                            "The installed kit has nothing built for %s: whoever installed it in %s "
                            "must do so again, by `make install`.",
                            session->entry->id, session->kit.root);
    if (!tools_find_make(make, sizeof make))
        return session_fail(session, "There is no `make`, which builds what the grader needs of a lab. "
                                     "./grade doctor says how to get it.");
    busy_doing("building what %s needs", session->entry->id);
    int lock = lock_build(session);
    bool is_done = labs_is_ready(&session->kit, session->entry) || run_make(session, make);
    if (is_done)
        labs_mark_ready(&session->kit, session->entry);
    if (lock >= 0)
        close(lock);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- compiling */

/* nvcc's words about itself, looked for where it has failed with a file of ours. */
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

typedef char *diagnose_fn(const char *said, const char *name, const char *source);

/* What the compiler says of the submission, for who wrote it; all that it says where that is something else. */
static char *diagnose(const struct grading *grading, const char *said, diagnose_fn *write)
{
    char path[GRADE_PATH + 80], own[80];
    size_t size;
    path_of(own, sizeof own, "%s.cu", grading->session->entry->id);
    path_of(path, sizeof path, "%s/%s", grading->safe, own);
    char *source = (char *)files_read(path, MOST_SOURCE, false, &size);
    char *short_text = source ? write(said, own, source) : NULL;
    const bool is_told = short_text && (*short_text || write == diagnosis_warn);
    char *text = translate(grading, is_told ? short_text : said);
    free(short_text);
    free(source);
    return text;
}

/* The submission's part in it is settled: what the compiler says is for the student. */
static bool explain_failure(struct grading *grading, const struct sandbox_result *result)
{
    char how[240];
    char *text = diagnose(grading, result->err ? result->err : "", diagnosis_write);
    size_t rest = text ? files_cut_lines(text, MOST_LINES) : 0;
    sandbox_describe(result, &sandbox_compiler, how, sizeof how);
    if (result->product_error)
        grading_fail(grading, OUTCOME_STUDENT, "The compiler left no object file: %s.",
                     strerror(result->product_error));
    else if (result->end != SANDBOX_EXITED)
        grading_fail(grading, OUTCOME_STUDENT, "The compiler %s.\n%s", how, text ? text : "");
    else if (rest)
        grading_fail(grading, OUTCOME_STUDENT, "%s does not compile:\n%s(and %zu lines more)\n",
                     grading->shown, text, rest);
    else
        grading_fail(grading, OUTCOME_STUDENT, "%s does not compile:\n%s", grading->shown, text ? text : "");
    free(text);
    return false;
}

/* Copies the submission to where the compiler finds it. */
static bool take_source(struct grading *grading, const char *copy)
{
    char kept[GRADE_PATH + 80];
    size_t size;
    path_of(kept, sizeof kept, "%s/%s.cu", grading->safe, grading->session->entry->id);
    const bool follows_links = !grading->session->options->command->is_for_others;
    uint8_t *bytes = files_read(grading->source, MOST_SOURCE, follows_links, &size);
    if (!bytes && (errno == ENOMEM || errno == EIO || errno == EMFILE || errno == ENFILE))
        return grading_fail(grading, OUTCOME_OURS, "%s cannot be read: %s.", grading->source,
                            strerror(errno));
    if (!bytes && errno == EFBIG)
        return grading_refuse(grading, "%s is larger than %zu MB.", grading->shown, MOST_SOURCE >> 20);
    if (!bytes)
        return grading_refuse(grading, "%s cannot be read: %s.", grading->source, strerror(errno));
    if (strspn((const char *)bytes, " \t\r\n\v\f") == size) {
        free(bytes);
        return grading_refuse(grading, "%s is empty.", grading->shown);
    }
    struct nvcc_options options;
    nvcc_options_read((const char *)bytes, size, &options);
    if (*options.refused) {
        free(bytes);
        return grading_refuse(grading,
                              "%s:%u: nvcc's option %s is not taken from a file. Those that are: -std=c++20, "
                              "--extended-lambda, --expt-relaxed-constexpr.",
                              grading->shown, options.line, options.refused);
    }
    grading->seed = sha256_seed(0, bytes, size);
    bool is_done = files_give(copy, bytes, size) && files_give(kept, bytes, size);
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

/* Every file includes libstdc++'s <cmath> by way of CUDA's headers, and with it functions such as std::riemann_zeta(), a fifth of
 * all that is read. This name, which their header takes for its own, leaves them out. */
static char without_special_functions[] = "-D_GLIBCXX_BITS_SPECFUN_H";

static void read_options(const char *path, struct nvcc_options *out)
{
    size_t size = 0;
    char *text = (char *)files_read(path, MOST_SOURCE, false, &size);
    nvcc_options_read(text ? text : "", size, out);
    free(text);
}

/* Compiles the lab's file in `folder`; the report is the object. Device code gets the options of the kit's own baseline: neither
 * side is compiled better than the other. Host code runs once, untimed: to optimise it would take longer than it saves. */
static void compile_in(struct session *session, const char *folder, int architecture, bool is_quick,
                       struct sandbox_result *result)
{
    char source[64], object[64], copy[GRADE_PATH + 80], texts[4][GRADE_PATH], *environment[5], target[80];
    char headers[GRADE_PATH + 40], include[GRADE_PATH + 60], common[GRADE_PATH + 60];
    char compiler[GRADE_PATH + 40];
    path_of(compiler, sizeof compiler, "%s/kit/compiler", session->folder);
    path_of(source, sizeof source, "%s.cu", session->entry->id);
    path_of(object, sizeof object, "%s.o", session->entry->id);
    path_of(copy, sizeof copy, "%s/%s", folder, source);
    path_of(headers, sizeof headers, "%s/include", session->folder);
    path_of(include, sizeof include, "-I%s/lab", headers);
    path_of(common, sizeof common, "-I%s/common", headers);
    path_of(target, sizeof target, "arch=compute_%d,code=[compute_%d,sm_%d]", architecture, architecture,
            REAL_ARCHITECTURE);
    add_environment(environment, texts);
    enum { FIXED = 15, WORDS = FIXED + NVCC_OPTIONS + 2 };
    char *argv[WORDS] = {compiler,
                         session->tools.nvcc,
                         "--no-compress",
                         "-lineinfo",
                         "-g",
                         "-gencode",
                         target,
                         "-Xcompiler",
                         "-fPIC",
                         include,
                         common,
                         "-c",
                         source,
                         "-o",
                         object,
                         NULL};
    struct nvcc_options options;
    int words = FIXED;
    read_options(copy, &options);
    for (int i = 0; options.words[i]; i++)
        argv[words++] = (char *)options.words[i];
    if (is_quick)
        argv[words++] = without_special_functions;
    const char *visible[] = {compiler, headers, session->tools.root, copy, NULL};
    const bool has_cores =
        session->cores > 1; /* else nvcc itself: steps side by side only take more memory */
    struct sandbox_job job = {.profile = &sandbox_compiler,
                              .argv = has_cores ? argv : argv + 1,
                              .folder = folder,
                              .visible = visible,
                              .environment = environment,
                              .product = object};
    sandbox_run(&session->sandbox, &job, result, 1, 1, NULL, NULL);
}

/* ------------------------------------------------------------------------------------------- whose fault it was */

static bool is_product_there(const struct sandbox_result *result)
{
    return result->end == SANDBOX_EXITED && result->status == 0 && !result->product_error &&
           result->report_bytes > 0;
}

/* One of our own limits has ended it, or nothing has: there is no doubt, and no second try. */
static bool is_settled(const struct sandbox_result *result)
{
    return is_product_there(result) || result->end == SANDBOX_CPU || result->end == SANDBOX_ASLEEP ||
           result->end == SANDBOX_MEMORY || result->end == SANDBOX_FLOOD || result->product_error == EFBIG;
}

/* What no submission can bring about. Nobody in the room can kill a compiler: who did it was outside. */
static bool is_surely_ours(struct grading *grading, const struct sandbox_result *result,
                           const struct sandbox_profile *profile)
{
    char how[240];
    if (result->end == SANDBOX_STOPPED)
        return !grading_fail(grading, OUTCOME_OURS, "Interrupted.");
    if (result->end != SANDBOX_FAILED && !(result->end == SANDBOX_SIGNAL && result->status == SIGKILL))
        return false;
    sandbox_describe(result, profile, how, sizeof how);
    return !grading_fail(grading, OUTCOME_OURS, "T%s %s.", profile->name + 1, how);
}

static bool is_disk_full(struct grading *grading)
{
    struct statvfs disk;
    const char *folder = grading->session->folder;
    if (statvfs(folder, &disk) != 0 ||
        (disk.f_bavail * disk.f_frsize >= LEAST_DISK && (disk.f_favail || !disk.f_files)))
        return false;
    return !grading_fail(grading, OUTCOME_OURS, "The disk that holds %s is full.", folder);
}

/* Which compilers these are: another one, or a newer one, is not yet known to work. */
static void name_tools(const struct session *session, char *out, size_t size)
{
    const char *const tools[] = {session->tools.nvcc, session->tools.cxx};
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < 2 && used < size; i++) {
        struct stat status = {0};
        stat(tools[i], &status);
        used += (size_t)snprintf(out + used, size - used, "%s %llu %lld %lld\n", tools[i],
                                 (unsigned long long)status.st_ino, (long long)status.st_size,
                                 (long long)status.st_mtime);
    }
}

/* A file for each pair of compilers: graders with others may run at the same time. */
static void name_note(const struct session *session, const char *tools, char *out, size_t size)
{
    path_of(out, size, "%s/compiler-works-%08x", session->kit.cache, hash_text(tools, strlen(tools)));
}

/* Noted in a file of the kit's, which no job in a sandbox can write: what was compiled a few minutes ago spares a control run. */
static void note_that_compiler_works(const struct session *session)
{
    char path[GRADE_PATH + 60], text[2 * GRADE_PATH + 200];
    name_tools(session, text, sizeof text);
    name_note(session, text, path, sizeof path);
    if (*session->kit.cache && files_make_folder(session->kit.cache))
        files_replace(path, text, strlen(text)); /* if it cannot be noted, it is tried again */
}

static bool has_compiler_worked(const struct session *session)
{
    char path[GRADE_PATH + 60], text[2 * GRADE_PATH + 200];
    struct stat status;
    size_t size;
    name_tools(session, text, sizeof text);
    name_note(session, text, path, sizeof path);
    if (!*session->kit.cache || !session->sandbox.is_isolated || stat(path, &status) != 0)
        return false;
    const time_t age_s = time(NULL) - status.st_mtime;
    char *noted = age_s >= 0 && age_s < WORKS_S ? (char *)files_read(path, sizeof text, false, &size) : NULL;
    const bool is_known = noted && strcmp(noted, text) == 0;
    free(noted);
    return is_known;
}

/* What the GPU that is graded for can do, as in sm_90: its profile says so. A real one is a kind of the last. */
static int find_architecture(const struct session *session)
{
    char path[GRADE_PATH];
    size_t size;
    unsigned major = 0, minor = 0;
    if (session->has_gpu)
        return REAL_ARCHITECTURE;
    path_of(path, sizeof path, "%s/common/vgpu/gpus/%s.gpu", session->kit.root, session->model);
    char *text = (char *)files_read(path, MOST_SOURCE, true, &size);
    const char *line = text ? strstr(text, "compute_capability") : NULL;
    if (line)
        sscanf(line, "compute_capability = %u.%u", &major, &minor);
    free(text);
    return (int)(10 * major + minor);
}

/* What all files of a lab are compiled for: what the lab asks for, where the GPU that is graded for has it. */
static int usual_architecture(const struct session *session)
{
    const int wanted = session->lab->architecture;
    return wanted > USUAL_ARCHITECTURE && wanted <= find_architecture(session) ? wanted : USUAL_ARCHITECTURE;
}

/* The same tool, the same way, with a file that is right. */
static bool is_compiler_broken(struct grading *grading)
{
    struct session *session = grading->session;
    char folder[GRADE_PATH + 20], source[GRADE_PATH + 80], text[200];
    struct sandbox_result result;
    path_of(folder, sizeof folder, "%s/control-%d", session->folder, (int)getpid());
    path_of(source, sizeof source, "%s/%s.cu", folder, session->entry->id);
    int size =
        snprintf(text, sizeof text, "#include \"%s.h\"\n__global__ void kernel(int *out) { *out = 1; }\n",
                 session->entry->id);
    if (!sandbox_own(&session->sandbox, folder) || !files_give(source, text, (size_t)size))
        return !grading_fail(grading, OUTCOME_OURS, "%s cannot be written: %s.", source, strerror(errno));
    compile_in(session, folder, usual_architecture(session), false, &result);
    bool is_broken = !is_product_there(&result);
    const char *meaning = is_broken && result.err ? find_broken_tool(result.err) : NULL;
    if (is_broken && !is_surely_ours(grading, &result, &sandbox_compiler))
        grading_fail(grading, OUTCOME_OURS, "The compiler cannot work: %s\n%s",
                     meaning ? meaning : "it fails with a file that is right.", result.err ? result.err : "");
    else if (!is_broken)
        note_that_compiler_works(session);
    sandbox_free(&result);
    return is_broken;
}

/* Does the compiler speak of mistakes at places in a text? These words decide how often we ask, never whose fault it was. */
static bool is_diagnosed(const struct sandbox_result *result)
{
    static const char *const words[] = {": error", ": fatal error", "; error", "ptxas error"};
    const char *text = result->end == SANDBOX_EXITED && result->status && result->err ? result->err : "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        for (const char *at = text; (at = strstr(at, words[i])); at++) {
            const char before = at > text ? at[-1] : '\0';
            if (*at != ':' || before == ')' || isdigit((unsigned char)before))
                return true;
        }
    }
    return false;
}

static void compile_again(struct grading *grading, int architecture, struct sandbox_result *result)
{
    sandbox_free(result);
    compile_in(grading->session, grading->box, architecture, false, result);
    grading->compiler_s += result->wall_s;
}

/* A failure is the student's if the disk has room, if the compiler can compile, and if it fails again. All files are compiled
 * for the same early architecture, so that all of them are compiled alike; one that asks for more, such as
 * __reduce_add_sync(), is compiled for the GPU at hand instead, and this is the second try of all that have mistakes. Where no
 * mistake is named, the first try is repeated. What the first one left out of <cmath> is there in all others. */
static void doubt_failure(struct grading *grading, struct sandbox_result *result)
{
    struct session *session = grading->session;
    const int usual = usual_architecture(session), newest = find_architecture(session);
    const bool is_odd = !is_diagnosed(result);
    if (is_odd && is_compiler_broken(grading))
        return;
    if (is_odd)
        compile_again(grading, usual, result);
    if (is_diagnosed(result))
        compile_again(grading, newest > usual ? newest : usual, result);
    if (!is_settled(result) && !is_surely_ours(grading, result, &sandbox_compiler) && !is_odd &&
        !has_compiler_worked(session))
        is_compiler_broken(grading);
}

/* Without empty lines, and without how to silence warnings. In place. */
static char *tidy(char *text)
{
    static const char remark[] = "Remark: The warnings can be suppressed";
    char *to = text;
    for (const char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\n"), all = length + (line[length] == '\n');
        const bool is_wanted = strspn(line, " \t") < length && strncmp(line, remark, strlen(remark)) != 0;
        if (is_wanted) {
            memmove(to, line, all);
            to += all;
        }
        line += all;
    }
    if (to)
        *to = '\0';
    return text;
}

static bool keep_object(struct grading *grading, const void *object, size_t bytes)
{
    char path[GRADE_PATH + 80];
    path_of(path, sizeof path, "%s/submission.o", grading->safe);
    return files_give(path, object, bytes) ||
           grading_fail(grading, OUTCOME_OURS, "%s cannot be written: %s.", path, strerror(errno));
}

/* True if it names CUB or Thrust, whose headers take the compiler half a gigabyte. */
static bool has_large_headers(const char *path)
{
    static const char *const names[] = {"cub/", "thrust/"};
    size_t bytes = 0;
    uint8_t *text = files_read(path, MOST_SOURCE, false, &bytes);
    bool is_large = false;
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        is_large |= memmem(text, bytes, names[i], strlen(names[i])) != NULL;
    free(text);
    return is_large;
}

/* The compiler's part, of a text that lies in the box. What comes of it is kept for the next run. */
static bool compile_text(struct grading *grading, const struct compiled *compiled)
{
    struct session *session = grading->session;
    struct sandbox_result result;
    compile_in(session, grading->box, usual_architecture(session), true, &result);
    grading->compiler_s += result.wall_s;
    if (!is_settled(&result) && !is_surely_ours(grading, &result, &sandbox_compiler) &&
        !is_disk_full(grading))
        doubt_failure(grading, &result);
    bool is_done = is_product_there(&result);
    if (!is_done && !grading->trouble)
        explain_failure(grading, &result);
    else if (is_done)
        grading->warnings = tidy(diagnose(grading, result.err ? result.err : "", diagnosis_warn));
    if (is_done) {
        note_that_compiler_works(session);
        compiled_keep(compiled, grading, result.report, result.report_bytes);
        is_done = keep_object(grading, result.report, result.report_bytes);
    }
    sandbox_free(&result);
    return is_done;
}

bool build_compile(struct grading *grading)
{
    char path[GRADE_PATH + 80], tools[2 * GRADE_PATH + 200];
    struct compiled compiled;
    path_of(path, sizeof path, "%s/%s.cu", grading->box, grading->session->entry->id);
    if (!take_source(grading, path))
        return false;
    name_tools(grading->session, tools, sizeof tools);
    compiled_find(&compiled, grading, tools, usual_architecture(grading->session));
    if (compiled.object && compiled.warnings)
        grading->warnings = strdup(compiled.warnings);
    const int lock =
        !compiled.object && has_large_headers(path) ? session_lock_memory(grading->session, false) : -1;
    const bool is_done = compiled.object ? keep_object(grading, compiled.object, compiled.bytes)
                                         : compile_text(grading, &compiled);
    if (lock >= 0)
        close(lock);
    compiled_free(&compiled);
    return is_done;
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
    path_of(path, sizeof path, "%s/submission.o", grading->safe);
    uint8_t *object = files_read(path, MOST_OBJECT, false, &size);
    if (!object)
        return grading_fail(grading, OUTCOME_OURS, "%s cannot be read: %s.", path, strerror(errno));
    bool is_done = inspect_object(object, size, entries, lab->nstages, &found);
    if (!is_done)
        grading_refuse(grading, "%s", found.problem);
    path_of(path, sizeof path, "%s/fatbin", grading->safe);
    bool is_written = is_done && files_give(path, found.fatbin, found.fatbin_bytes);
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

/* Links an object with the kit's part of a scout, which becomes the report. */
static void link_object(struct grading *grading, const char *object, struct sandbox_result *result)
{
    struct session *session = grading->session;
    char kit[GRADE_PATH + 40], library[GRADE_PATH + 40], texts[4][GRADE_PATH], *environment[5];
    path_of(kit, sizeof kit, "%s/kit/scout.o", session->folder);
    path_of(library, sizeof library, "%s/kit/libvgpu-scout.a", session->folder);
    add_environment(environment, texts);
    char *argv[] = {session->tools.cxx,
                    (char *)object,
                    kit,
                    library,
                    "-lpthread",
                    "-ldl",
                    "-lrt",
                    "-lm",
                    "-o",
                    "scout",
                    NULL};
    const char *visible[] = {object, kit, library, session->tools.cxx_root, NULL};
    struct sandbox_job job = {.profile = &sandbox_linker,
                              .argv = argv,
                              .folder = grading->box,
                              .visible = visible,
                              .environment = environment,
                              .product = "scout"};
    sandbox_run(&session->sandbox, &job, result, 1, 1, NULL, NULL);
}

static bool is_linker_broken(struct grading *grading)
{
    char object[GRADE_PATH + 40];
    struct sandbox_result result;
    path_of(object, sizeof object, "%s/kit/baseline.o", grading->session->folder);
    link_object(grading, object, &result);
    bool is_broken = !is_product_there(&result);
    if (is_broken && !is_surely_ours(grading, &result, &sandbox_linker))
        grading_fail(grading, OUTCOME_OURS, "The linker fails with the kit's own object.\n%s",
                     result.err ? result.err : "");
    sandbox_free(&result);
    return is_broken;
}

static void explain_link(struct grading *grading, const struct sandbox_result *result)
{
    char name[200], how[240];
    sandbox_describe(result, &sandbox_linker, how, sizeof how);
    if (find_missing(result->err ? result->err : "", name, sizeof name))
        grading_fail(
            grading, OUTCOME_STUDENT,
            "Your file calls `%s`, which is not in it. Only the CUDA runtime and the C and C++ libraries are "
            "linked: no cuBLAS, no other library.",
            name);
    else
        grading_fail(grading, OUTCOME_STUDENT, "Your file cannot be linked: the linker %s.\n%s", how,
                     result->err ? result->err : "");
}

bool build_link(struct grading *grading)
{
    char object[GRADE_PATH + 40], program[GRADE_PATH + 40];
    struct sandbox_result result;
    path_of(object, sizeof object, "%s/submission.o", grading->safe);
    path_of(program, sizeof program, "%s/scout", grading->safe);
    link_object(grading, object, &result);
    bool is_done = is_product_there(&result);
    if (!is_done && !is_surely_ours(grading, &result, &sandbox_linker) && !is_disk_full(grading) &&
        !is_linker_broken(grading))
        explain_link(grading, &result);
    if (is_done && (!files_write(program, result.report, result.report_bytes) || chmod(program, 0755) != 0))
        is_done = grading_fail(grading, OUTCOME_OURS, "%s cannot be written: %s.", program, strerror(errno));
    sandbox_free(&result);
    return is_done;
}
