/* doctor.c - ./grade doctor: what this machine has of all that the kit wants, in plain words, and what mends the rest.
 * A table of questions; each looks for itself and says ok, missing, too old or broken. Needs nothing of the kit but this
 * program: no nvcc, no built lab, no room on the disk. Changes nothing. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/json.h"
#include "base/wrap.h"
#include "grader/files.h"
#include "grader/put.h"

/* CUDA 13.0 wants a driver of this branch, and wants host compilers to know C++17. */
enum { CUDA_MAJOR = 13, CUDA_MINOR = 0, LEAST_DRIVER = 580, LEAST_GXX = 8, LEAST_MAKE = 4 };
/* All labs built take half of this; a grading takes the other figure. */
enum { BUILD_MB = 1000, TEMPORARY_MB = 100 };

enum state { OK, ABSENT, OLD, BROKEN, UNKNOWN, MISSING };
static const struct {
    const char *word;
    enum paint paint;
} states[] = {[OK] = {"ok", GREEN},       [ABSENT] = {"none", DIM},     [OLD] = {"too old", RED},
              [BROKEN] = {"broken", RED}, [UNKNOWN] = {"unknown", DIM}, [MISSING] = {"missing", RED}};

struct finding {
    enum state state;
    char text[500]; /* what there is */
    char mend[500]; /* what to do; "": nothing */
};

struct doctor {
    struct session *session;
    char nvcc[TOOLS_PATH], root[TOOLS_PATH]; /* "": there is none */
    char why_no_nvcc[600];
    bool has_folder, has_sandbox;
};

typedef void look_fn(struct doctor *doctor, struct finding *out);

static void find(struct finding *out, enum state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void find(struct finding *out, enum state state, const char *format, ...)
{
    va_list list;
    out->state = state;
    va_start(list, format);
    vsnprintf(out->text, sizeof out->text, format, list);
    va_end(list);
}

static void mend(struct finding *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void mend(struct finding *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(out->mend, sizeof out->mend, format, list);
    va_end(list);
}

/* ------------------------------------------------------------------------------------------- packages */

static const char *const managers[] = {"apt-get", "dnf", "zypper", "pacman"};
enum { MANAGERS = sizeof managers / sizeof *managers };
static const char *const install[MANAGERS] = {"apt-get install", "dnf install", "zypper install",
                                              "pacman -S"};

/* The package of a tool, by manager. */
static const struct package {
    const char *tool, *names[MANAGERS];
} packages[] = {
    {"cc", {"gcc", "gcc", "gcc", "gcc"}},
    {"g++", {"g++", "gcc-c++", "gcc-c++", "gcc"}},
    {"make", {"make", "make", "make", "make"}},
    {"bwrap", {"bubblewrap", "bubblewrap", "bubblewrap", "bubblewrap"}},
    {"git", {"git", "git", "git", "git"}},
    {"patch", {"patch", "patch", "patch", "patch"}},
    {"pandoc", {"pandoc", "pandoc", "pandoc", "pandoc-cli"}},
    {"check", {"check", "check-devel", "libcheck-devel", "check"}},
    {"chromium", {"chromium", "chromium", "chromium", "chromium"}},
};

/* -1: none that is known. */
static int find_manager(void)
{
    char path[TOOLS_PATH];
    for (int i = 0; i < MANAGERS; i++) {
        if (tools_on_path(managers[i], path, sizeof path))
            return i;
    }
    return -1;
}

static void mend_by_package(struct finding *out, const char *tool)
{
    const int manager = find_manager();
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (strcmp(packages[i].tool, tool) != 0)
            continue;
        if (manager >= 0)
            mend(out, "%s%s %s", geteuid() == 0 ? "" : "sudo ", install[manager], packages[i].names[manager]);
        else
            mend(out, "Install the package %s.", packages[i].names[0]);
    }
}

/* ------------------------------------------------------------------------------------------- programs */

/* Runs a program under limits, and takes what it printed: standard output, then what else it said. False: it failed. */
static bool ask(char *const *argv, char *out, size_t size)
{
    const struct sandbox none = {.state = ""};
    struct sandbox_job job = {.profile = &sandbox_make, .argv = argv};
    struct sandbox_result result;
    sandbox_run(&none, &job, &result, 1, 1, NULL, NULL);
    const bool is_done = result.end == SANDBOX_EXITED && result.status == 0;
    snprintf(out, size, "%s%s", result.out ? result.out : "", result.err ? result.err : "");
    sandbox_free(&result);
    return is_done;
}

/* The first number with a point, "13.3.0", behind some words; "": there is none. */
static void find_version(const char *text, const char *behind, char *out, size_t size)
{
    const char *at = strstr(text, behind);
    for (at = at ? at + strlen(behind) : ""; *at; at++) {
        const size_t length = strspn(at, "0123456789.");
        if (isdigit((unsigned char)*at) && memchr(at, '.', length)) {
            snprintf(out, size, "%.*s", (int)length, at);
            return;
        }
        at += length ? length - 1 : 0;
    }
    *out = '\0';
}

static void find_first_line(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
}

static bool is_compiler_there(const char *path, struct finding *out, const char *name)
{
    char text[4000], version[40];
    char *argv[] = {(char *)path, "--version", NULL};
    if (!ask(argv, text, sizeof text)) {
        find(out, BROKEN, "%s does not say its version: %.300s", path, text);
        return false;
    }
    find_version(text, "", version, sizeof version);
    find(out, OK, "%s %s, %s", name, version, path);
    return true;
}

static void look_for_cc(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    char path[TOOLS_PATH];
    if (tools_on_path("cc", path, sizeof path) || tools_on_path("gcc", path, sizeof path)) {
        is_compiler_there(path, out, "cc");
        return;
    }
    find(out, MISSING, "There is no C compiler; the kit is built with one.");
    mend_by_package(out, "cc");
}

/* The newest g++ that the toolkit's own header allows; 0: it does not say. */
static int newest_gxx(const struct doctor *doctor)
{
    char path[TOOLS_PATH + 60];
    size_t size;
    int newest = 0;
    snprintf(path, sizeof path, "%s/include/crt/host_config.h", doctor->root);
    char *text = *doctor->root ? (char *)files_read(path, (size_t)1 << 20, true, &size) : NULL;
    const char *at = text ? strstr(text, "__GNUC__ > ") : NULL;
    if (at)
        newest = atoi(at + strlen("__GNUC__ > "));
    free(text);
    return newest;
}

static void look_for_gxx(struct doctor *doctor, struct finding *out)
{
    char path[TOOLS_PATH], text[400] = "";
    const int newest = newest_gxx(doctor);
    if (!tools_find_cxx(path, sizeof path)) {
        find(out, MISSING, "There is no C++ compiler, which nvcc needs.");
        mend_by_package(out, "g++");
        return;
    }
    if (!is_compiler_there(path, out, "g++"))
        return;
    char *argv[] = {path, "-dumpversion", NULL};
    const int major = ask(argv, text, sizeof text) ? atoi(text) : 0;
    if (major && major < LEAST_GXX) {
        out->state = OLD;
        mend_by_package(out, "g++");
    } else if (newest && major > newest && !getenv("NVCC_CCBIN")) {
        out->state = BROKEN;
        snprintf(out->text + strlen(out->text), sizeof out->text - strlen(out->text),
                 ": newer than this CUDA Toolkit allows (%d)", newest);
        mend(out, "Install g++-%d and set NVCC_CCBIN=g++-%d.", newest, newest);
    }
}

static void look_for_make(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    char path[TOOLS_PATH], text[4000], version[40];
    if (!tools_find_make(path, sizeof path)) {
        find(out, MISSING, "There is no make, which builds the kit.");
        mend_by_package(out, "make");
        return;
    }
    char *argv[] = {path, "--version", NULL};
    const bool is_gnu = ask(argv, text, sizeof text) && strstr(text, "GNU Make");
    find_version(text, "GNU Make", version, sizeof version);
    find(out,
         !is_gnu                      ? BROKEN
         : atoi(version) < LEAST_MAKE ? OLD
                                      : OK,
         "%s %s, %s", is_gnu ? "GNU Make" : "not GNU Make", version, path);
    if (out->state != OK)
        mend_by_package(out, "make");
}

/* ------------------------------------------------------------------------------------------- CUDA */

#define GET_CUDA                                                                                             \
    "Install the CUDA Toolkit 13.0 (https://developer.nvidia.com/cuda-downloads), or say where it is with "  \
    "CUDA_HOME=/path/to/cuda."

static void look_for_nvcc(struct doctor *doctor, struct finding *out)
{
    char text[4000], version[40];
    int major = 0, minor = 0;
    if (!*doctor->nvcc) {
        find(out, MISSING, "%s",
             strstr(doctor->why_no_nvcc, "is set to") ? doctor->why_no_nvcc : "There is no nvcc.");
        mend(out, GET_CUDA);
        return;
    }
    char *argv[] = {doctor->nvcc, "--version", NULL};
    if (!ask(argv, text, sizeof text)) {
        find(out, BROKEN, "%s does not say its version: %.300s", doctor->nvcc, text);
        mend(out, GET_CUDA);
        return;
    }
    find_version(text, "release", version, sizeof version);
    sscanf(version, "%d.%d", &major, &minor);
    const bool is_newer = major > CUDA_MAJOR || (major == CUDA_MAJOR && minor > CUDA_MINOR);
    find(out, major < CUDA_MAJOR ? OLD : OK, "CUDA Toolkit %s, %s%s", version, doctor->nvcc,
         is_newer ? "; the kit was made with 13.0: should it fail, take that" : "");
    if (out->state == OLD)
        mend(out, GET_CUDA);
}

/* Beside the headers, a kernel must come through all of the compiler's parts. */
static void look_at_compiling(struct doctor *doctor, struct finding *out)
{
    char source[GRADE_PATH + 40], object[GRADE_PATH + 40], text[2000], line[300];
    static const char kernel[] = "__global__ void kernel(int *out) { *out = threadIdx.x; }\n"
                                 "int main() { kernel<<<1, 1>>>(0); }\n";
    snprintf(source, sizeof source, "%s/doctor.cu", doctor->session->folder);
    snprintf(object, sizeof object, "%s/doctor.o", doctor->session->folder);
    if (!*doctor->nvcc || !doctor->has_folder || !files_write(source, kernel, strlen(kernel))) {
        find(out, UNKNOWN, "not tried: there is no %s", *doctor->nvcc ? "room for temporary files" : "nvcc");
        return;
    }
    char *argv[] = {doctor->nvcc, "-arch=compute_75", "-c", source, "-o", object, NULL};
    if (ask(argv, text, sizeof text)) {
        find(out, OK, "nvcc compiles a kernel");
        return;
    }
    find_first_line(text, line, sizeof line);
    find(out, BROKEN, "nvcc fails with a small kernel: %s", *line ? line : "it says nothing");
    mend(out, "Try it by hand: nvcc -c file.cu. A toolkit that is not complete is best installed again.");
}

static void look_for_curand(struct doctor *doctor, struct finding *out)
{
    char path[TOOLS_PATH + 60];
    snprintf(path, sizeof path, "%s/include/curand_kernel.h", doctor->root);
    if (!*doctor->nvcc) {
        find(out, UNKNOWN, "not looked for: there is no nvcc");
    } else if (access(path, R_OK) == 0) {
        find(out, OK, "%s", path);
    } else {
        find(out, MISSING, "%s is not there; lab1 needs cuRAND's headers.", path);
        if (find_manager() == 0 || find_manager() == 1)
            mend(out, "%s%s libcurand-%s-13-0", geteuid() == 0 ? "" : "sudo ", install[find_manager()],
                 find_manager() == 0 ? "dev" : "devel");
        else
            mend(out, "Install the part `cuRAND development` of the CUDA Toolkit.");
    }
}

static void look_for_driver(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    char text[1000] = "", version[40];
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    const bool is_read = file && fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    if (!is_read && access("/dev/dxg", F_OK) == 0) {
        find(out, UNKNOWN, "Windows has it (WSL); CUDA 13.0 needs %d or newer", LEAST_DRIVER);
        return;
    }
    find_version(text, "Kernel Module", version, sizeof version);
    if (!is_read)
        find(out, ABSENT, "no NVIDIA driver; the virtual GPU needs none");
    else
        find(out, atoi(version) < LEAST_DRIVER ? OLD : OK, "NVIDIA driver %s", version);
    if (out->state == OLD)
        mend(out, "Install a driver of version %d or newer; until then, grade with --virtual.", LEAST_DRIVER);
}

static void look_for_gpu(struct doctor *doctor, struct finding *out)
{
    char judge[GRADE_PATH + 20], text[1000], name[200];
    const bool has_device = access("/dev/nvidia0", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
    snprintf(judge, sizeof judge, "%s/judge-gpu", doctor->session->kit.build);
    char *argv[] = {judge, "--probe", NULL};
    if (!has_device) {
        find(out, ABSENT, "no GPU: everything is graded on the virtual one, for the same points");
    } else if (access(judge, X_OK) != 0) {
        find(out, UNKNOWN, "there is one, not tried yet: make lab3, then ask again");
    } else if (ask(argv, text, sizeof text) && *text) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "\t\n"), text);
        find(out, OK, "%s", name);
    } else {
        find(out, BROKEN,
             "there is one, but CUDA does not get hold of it: grading goes on on the virtual one");
        mend(out, "nvidia-smi says more.");
    }
}

/* ------------------------------------------------------------------------------------------- the sandbox */

static void open_sandbox(struct doctor *doctor)
{
    char keeper[GRADE_PATH], copy[GRADE_PATH + 20];
    size_t size;
    snprintf(keeper, sizeof keeper, "%s/keeper", doctor->session->kit.build);
    snprintf(copy, sizeof copy, "%s/keeper", doctor->session->folder);
    uint8_t *bytes = doctor->has_folder ? files_read(keeper, (size_t)16 << 20, true, &size) : NULL;
    doctor->has_sandbox = bytes && files_write(copy, bytes, size) && chmod(copy, 0755) == 0;
    free(bytes);
    if (doctor->has_sandbox)
        sandbox_open(&doctor->session->sandbox, doctor->session->folder, copy);
}

static bool is_sandbox_unknown(const struct doctor *doctor, struct finding *out)
{
    char keeper[GRADE_PATH];
    snprintf(keeper, sizeof keeper, "%s/keeper", doctor->session->kit.build);
    if (!doctor->has_sandbox && access(keeper, R_OK) != 0)
        find(out, UNKNOWN, "not tried yet: make lab3, then ask again");
    else if (!doctor->has_sandbox)
        find(out, UNKNOWN, "not tried: there is no room for temporary files");
    return !doctor->has_sandbox;
}

static void look_for_bwrap(struct doctor *doctor, struct finding *out)
{
    char path[TOOLS_PATH];
    if (!tools_on_path("bwrap", path, sizeof path)) {
        find(out, MISSING, "no bubblewrap: submissions run in a sandbox with thinner walls");
        mend_by_package(out, "bwrap");
    } else if (!is_sandbox_unknown(doctor, out) && *doctor->session->sandbox.bwrap) {
        find(out, OK, "%s works", path);
    } else if (doctor->has_sandbox) {
        find(out, BROKEN, "%s is there, but makes no room: this system may forbid user namespaces", path);
        mend(out, "As root: sysctl kernel.unprivileged_userns_clone=1, or, on Ubuntu, sysctl "
                  "kernel.apparmor_restrict_unprivileged_userns=0. In a container, its host decides.");
    }
}

static void look_for_landlock(struct doctor *doctor, struct finding *out)
{
    if (is_sandbox_unknown(doctor, out))
        return;
    if (doctor->session->sandbox.has_landlock)
        find(out, OK, "the kernel keeps submissions from other files");
    else
        find(out, ABSENT, "this kernel has none (5.13 and newer may); bubblewrap does the same");
}

static void look_for_seccomp(struct doctor *doctor, struct finding *out)
{
    if (is_sandbox_unknown(doctor, out))
        return;
    if (doctor->session->sandbox.has_seccomp)
        find(out, OK, "the kernel refuses dangerous calls of submissions");
    else
        find(out, ABSENT, "this kernel, or the container, has none");
}

static void look_for_cgroup(struct doctor *doctor, struct finding *out)
{
    if (is_sandbox_unknown(doctor, out))
        return;
    if (*doctor->session->sandbox.cgroup)
        find(out, OK, "limits for all processes of a submission together: %s",
             doctor->session->sandbox.cgroup);
    else
        find(out, ABSENT, "no cgroup that may be used; each process has limits of its own");
}

static void look_for_users(struct doctor *doctor, struct finding *out)
{
    const struct sandbox *sandbox = &doctor->session->sandbox;
    if (is_sandbox_unknown(doctor, out))
        return;
    if (sandbox->drops_root)
        find(out, OK, "you are root: submissions run as %s",
             sandbox->user_count > 1 ? "users of their own" : "nobody");
    else if (geteuid() == 0) {
        find(out, BROKEN, "you are root, and submissions cannot be run as anybody else");
        mend(out, "Grade as an ordinary user.");
    } else
        find(out, OK, "submissions run as you, within the walls above");
}

static void look_at_isolation(struct doctor *doctor, struct finding *out)
{
    if (is_sandbox_unknown(doctor, out))
        return;
    if (doctor->session->sandbox.is_isolated) {
        find(out, OK, "%s", doctor->session->sandbox.state);
    } else {
        find(out, MISSING, "%s: submissions of others can read your files", doctor->session->sandbox.state);
        mend_by_package(out, "bwrap");
    }
}

/* ------------------------------------------------------------------------------------------- disks, the kit */

/* Whether a file can be written says more than what the disk says of itself. */
static bool can_write(const char *folder, const char **why)
{
    char path[GRADE_PATH + 40];
    static const char block[65536];
    snprintf(path, sizeof path, "%.2500s/doctor.XXXXXX", folder);
    const int fd = mkstemp(path);
    if (fd < 0) {
        *why = strerror(errno);
        return false;
    }
    const bool is_done = write(fd, block, sizeof block) == (ssize_t)sizeof block && fsync(fd) == 0;
    *why = is_done ? "" : strerror(errno ? errno : ENOSPC);
    close(fd);
    unlink(path);
    return is_done;
}

static void look_at_room(const char *folder, long least_mb, struct finding *out)
{
    struct statvfs disk;
    const char *why = "";
    const long mb =
        statvfs(folder, &disk) == 0 ? (long)((double)disk.f_bavail * (double)disk.f_frsize / 1e6) : -1;
    if (!can_write(folder, &why)) {
        find(out, BROKEN, "nothing can be written to %s: %s", folder, why);
        mend(out, "Make room there, or give yourself the right to write.");
    } else if (mb >= 0 && mb < least_mb) {
        find(out, BROKEN, "%s has %ld MB left, %ld MB are wanted", folder, mb, least_mb);
        mend(out, "Make room: `make clean` removes what the kit has built, but not your points.");
    } else {
        find(out, OK, "%s has %ld MB left", folder, mb);
    }
}

/* At some time: whether they are up to date is make's business. */
static int count_built(const struct session *session)
{
    char path[GRADE_PATH];
    int count = 0;
    for (int i = 0; i < session->labs.count; i++) {
        snprintf(path, sizeof path, "%s/labs/%s/ready", session->kit.build, session->labs.list[i].id);
        count += access(path, F_OK) == 0;
    }
    return count;
}

/* What is built already needs no more room. */
static void look_at_build(struct doctor *doctor, struct finding *out)
{
    const struct kit *kit = &doctor->session->kit;
    if (kit->is_shared && !*kit->own) {
        find(out, OK, "the kit is shared, and there is no folder of yours here");
        mend(out, "warpstep-start makes one.");
        return;
    }
    if (kit->is_shared) {
        look_at_room(kit->own, TEMPORARY_MB, out);
        return;
    }
    look_at_room(access(kit->build, F_OK) == 0 ? kit->build : kit->root,
                 count_built(doctor->session) == doctor->session->labs.count ? TEMPORARY_MB : BUILD_MB, out);
}

static void look_at_temporary(struct doctor *doctor, struct finding *out)
{
    if (doctor->has_folder) {
        look_at_room(doctor->session->folder, TEMPORARY_MB, out);
        return;
    }
    find(out, BROKEN, "%s", doctor->session->error);
    mend(out, "Make room in /tmp, or set TMPDIR to a folder that has some.");
}

static void look_at_kit(struct doctor *doctor, struct finding *out)
{
    const struct session *session = doctor->session;
    const int built = count_built(session);
    find(out, session->labs.count ? OK : MISSING, "%d lab%s in %s, %d of them built", session->labs.count,
         session->labs.count == 1 ? "" : "s", session->kit.root, built);
    if (!session->labs.count)
        mend(out, "The folder labs/ is empty: get the kit again.");
    else if (!built)
        mend(out, "make lab3 builds the first.");
}

/* ------------------------------------------------------------------------------------------- tools that are not needed */

static void look_for_tool(const char *tool, const char *what_for, struct finding *out)
{
    char path[TOOLS_PATH];
    if (tools_on_path(tool, path, sizeof path)) {
        find(out, OK, "%s", path);
        return;
    }
    find(out, ABSENT, "%s", what_for);
    mend_by_package(out, tool);
}

static void look_for_git(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    look_for_tool("git", "keeps versions of your files", out);
}

static void look_for_patch(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    look_for_tool("patch", "for the kit's own tests", out);
}

static void look_for_pandoc(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    look_for_tool("pandoc", "for handouts as pages: make handouts", out);
}

static void look_for_check(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    static const char *const places[] = {"/usr/include/check.h", "/usr/local/include/check.h"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (access(places[i], R_OK) == 0) {
            find(out, OK, "%s", places[i]);
            return;
        }
    }
    find(out, ABSENT, "for the kit's own tests");
    mend_by_package(out, "check");
}

static void look_for_chromium(struct doctor *doctor, struct finding *out)
{
    (void)doctor;
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome-stable",
                                        "google-chrome"};
    const char *chosen = getenv("CHROMIUM");
    char path[TOOLS_PATH];
    if (chosen && access(chosen, X_OK) == 0) {
        find(out, OK, "%s", chosen);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (tools_on_path(names[i], path, sizeof path)) {
            find(out, OK, "%s", path);
            return;
        }
    }
    find(out, ABSENT, "for handouts as PDF files: make handouts");
    if (access("/usr/bin/snap", F_OK) == 0)
        mend(out, "Install Google Chrome, or set CHROMIUM to a browser's path.");
    else
        mend_by_package(out, "chromium");
}

/* ------------------------------------------------------------------------------------------- the table */

static const struct question {
    const char *name;
    look_fn *look;
    bool is_needed; /* without it students cannot work */
} questions[] = {
    {"kit", look_at_kit, true},
    {"C compiler", look_for_cc, true},
    {"C++ compiler", look_for_gxx, true},
    {"make", look_for_make, true},
    {"nvcc", look_for_nvcc, true},
    {"compiling", look_at_compiling, true},
    {"cuRAND", look_for_curand, true},
    {"disk", look_at_build, true},
    {"temporary files", look_at_temporary, true},
    {"driver", look_for_driver, false},
    {"GPU", look_for_gpu, false},
    {"sandbox", look_at_isolation, false},
    {"bubblewrap", look_for_bwrap, false},
    {"Landlock", look_for_landlock, false},
    {"seccomp", look_for_seccomp, false},
    {"cgroup", look_for_cgroup, false},
    {"users", look_for_users, false},
    {"git", look_for_git, false},
    {"patch", look_for_patch, false},
    {"Check", look_for_check, false},
    {"pandoc", look_for_pandoc, false},
    {"Chromium", look_for_chromium, false},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* ------------------------------------------------------------------------------------------- what it says */

enum { STATE_WIDTH = 8, NAME_WIDTH = 16 };

static bool is_in_the_way(const struct question *question, const struct finding *finding)
{
    return question->is_needed && finding->state != OK && finding->state != UNKNOWN;
}

static void put_finding(const struct question *question, const struct finding *finding)
{
    char *line = NULL;
    size_t size;
    const int margin = STATE_WIDTH + NAME_WIDTH;
    painted(is_in_the_way(question, finding) || finding->state == OK ? states[finding->state].paint : YELLOW,
            "%-*s", STATE_WIDTH, states[finding->state].word);
    printf("%-*s", NAME_WIDTH, question->name);
    /* The first line goes on behind the name: it is written as a paragraph, and its indent left out. */
    FILE *file = open_memstream(&line, &size);
    if (file) {
        wrap_text(file, put_columns(), margin, "", finding->text, 1000);
        fclose(file);
    }
    fputs(line && size > (size_t)margin ? line + margin : "\n", stdout);
    free(line);
    if (*finding->mend)
        put_marked("-> ", finding->mend, margin, 1000);
}

static void put_text_of(const struct finding *findings, int in_the_way)
{
    for (int i = 0; i < QUESTIONS; i++)
        put_finding(&questions[i], &findings[i]);
    putchar('\n');
    if (in_the_way)
        painted(RED, "Students cannot work here yet: mend what is marked above (%d).\n", in_the_way);
    else
        painted(GREEN, "Students can work here.\n");
}

static void put_json(const struct finding *findings, int in_the_way)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_bool(&json, "can_work", in_the_way == 0);
    json_list(&json, "findings");
    for (int i = 0; i < QUESTIONS; i++) {
        json_line(&json);
        json_object(&json, NULL);
        json_text(&json, "name", questions[i].name);
        json_text(&json, "state", states[findings[i].state].word);
        json_bool(&json, "needed", questions[i].is_needed);
        json_text(&json, "text", findings[i].text);
        json_text(&json, "mend", findings[i].mend);
        json_end_object(&json);
    }
    json_end_list(&json);
    json_end_object(&json);
    putchar('\n');
}

enum outcome doctor_run(struct session *session)
{
    static struct finding findings[QUESTIONS];
    static struct doctor doctor;
    int in_the_way = 0;
    doctor.session = session;
    if (!tools_find_nvcc(doctor.nvcc, sizeof doctor.nvcc, doctor.why_no_nvcc, sizeof doctor.why_no_nvcc))
        *doctor.nvcc = '\0';
    else
        tools_find_root(doctor.nvcc, doctor.root, sizeof doctor.root);
    doctor.has_folder = session_make_folder(session);
    open_sandbox(&doctor);
    for (int i = 0; i < QUESTIONS; i++) {
        questions[i].look(&doctor, &findings[i]);
        in_the_way += is_in_the_way(&questions[i], &findings[i]);
    }
    if (session->options->is_json)
        put_json(findings, in_the_way);
    else
        put_text_of(findings, in_the_way);
    return in_the_way ? OUTCOME_STUDENT : OUTCOME_GRADED;
}
