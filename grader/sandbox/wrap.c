/* wrap.c - which files a job sees: bubblewrap's command line, and the keeper's.
 * System folders less what is hidden in them, what the job names, and one folder of its own. With bubblewrap that folder is
 * memory of limited size. */
#define _GNU_SOURCE
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/sandbox/parts.h"

/* System folders that programs and compilers live on; those that do not exist are left out. */
static const char *const system_paths[] = {"/usr",
                                           "/bin",
                                           "/sbin",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/opt",
                                           "/nix",
                                           "/etc/alternatives",
                                           "/etc/ld.so.cache"};
enum { SYSTEM_PATHS = sizeof system_paths / sizeof *system_paths };
/* A GPU's devices, on Linux and on Windows' Linux. */
static const char *const gpu_paths[] = {"/dev/nvidia*", "/dev/dxg", "/dev/dri"};
/* Judges that measure lock a GPU here: their locks must meet. */
#define LOCKS "/tmp/warpstep-locks"

void words_add(struct words *words, const char *word)
{
    if (words->count < MOST_ARGUMENTS - 1)
        words->list[words->count++] = (char *)word;
    words->list[words->count] = NULL;
}

void words_add_three(struct words *words, const char *a, const char *b, const char *c)
{
    words_add(words, a);
    words_add(words, b);
    words_add(words, c);
}

static void show_path(struct words *words, const char *how, const char *path)
{
    words_add(words, how);
    words_add(words, path);
}

/* ------------------------------------------------------------------------------------------- what is hidden */

static bool is_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

static bool holds_hidden(const struct sandbox *sandbox, const char *path)
{
    bool is_found = false;
    for (int i = 0; i < SANDBOX_HIDDEN && sandbox->hidden[i]; i++)
        is_found = is_found || is_below(sandbox->hidden[i], path);
    return is_found;
}

/* Into which of its folders nobody else may look, a job cannot look either. */
static bool is_open_to_jobs(const struct sandbox *sandbox, const char *path)
{
    char part[SANDBOX_PATH];
    struct stat status;
    for (const char *end = strchr(path + 1, '/');; end = strchr(end + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", end ? (int)(end - path) : (int)strlen(path), path);
        if (stat(part, &status) != 0 || (sandbox->drops_root && !(status.st_mode & S_IXOTH)))
            return false;
        if (!end)
            return true;
    }
}

/* ------------------------------------------------------------------------------------------- bubblewrap */

static void show_system(struct words *words)
{
    static char targets[SYSTEM_PATHS][256];
    for (int i = 0; i < SYSTEM_PATHS; i++) {
        const char *path = system_paths[i];
        ssize_t length = readlink(path, targets[i], sizeof targets[i] - 1);
        if (length > 0)
            words_add_three(words, "--symlink", targets[i], path);
        else if (access(path, F_OK) == 0)
            words_add_three(words, "--ro-bind", path, path);
    }
}

/* What the CUDA driver opens. */
static void show_gpu(struct words *words)
{
    static glob_t found;
    int flags = 0;
    for (size_t i = 0; i < sizeof gpu_paths / sizeof *gpu_paths; i++) {
        if (glob(gpu_paths[i], flags, NULL, &found) == 0)
            flags = GLOB_APPEND;
    }
    for (size_t i = 0; flags && i < found.gl_pathc; i++)
        words_add_three(words, "--dev-bind", found.gl_pathv[i], found.gl_pathv[i]);
    if (access("/sys", F_OK) == 0)
        words_add_three(words, "--ro-bind", "/sys", "/sys");
    if (mkdir(LOCKS, 01777) == 0)
        chmod(LOCKS, 01777);
    words_add_three(words, "--bind", LOCKS, LOCKS);
}

static void show_memory(struct words *words, const char *size, const char *path)
{
    words_add_three(words, "--size", size, "--tmpfs");
    words_add(words, path);
}

/* /dev itself is memory too, of no limited size: it is closed when all is in it. */
static void show_system_files(struct words *words, const char *size, bool has_gpu)
{
    words_add_three(words, "--dev", "/dev", "--proc");
    words_add(words, "/proc");
    show_memory(words, size, "/dev/shm");
    show_memory(words, size, "/tmp");
    if (has_gpu)
        show_gpu(words);
    words_add(words, "--remount-ro");
    words_add(words, "/dev");
}

/* Folders that hold hidden ones come first, then an empty folder over each of these, then what the job names inside. */
static void show_visible(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job,
                         bool is_to_be_covered)
{
    for (int i = 0; job->visible && job->visible[i]; i++)
        if (holds_hidden(sandbox, job->visible[i]) == is_to_be_covered)
            words_add_three(words, "--ro-bind", job->visible[i], job->visible[i]);
}

static bool is_shown(const struct sandbox_job *job, const char *path)
{
    bool is_found = false;
    for (int i = 0; i < SYSTEM_PATHS; i++)
        is_found = is_found || is_below(path, system_paths[i]);
    for (int i = 0; job->visible && job->visible[i]; i++)
        is_found = is_found || is_below(path, job->visible[i]);
    return is_found;
}

/* The hidden folders that would be seen. */
static void list_seen(struct words *seen, const struct sandbox *sandbox, const struct sandbox_job *job)
{
    for (int i = 0; i < SANDBOX_HIDDEN && sandbox->hidden[i]; i++)
        if (is_shown(job, sandbox->hidden[i]) && is_open_to_jobs(sandbox, sandbox->hidden[i]))
            words_add(seen, sandbox->hidden[i]);
}

void wrap_in_namespaces(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job)
{
    static const char *const fixed[] = {"--unshare-all", "--die-with-parent", "--new-session",
                                        "--as-pid-1",    "--cap-drop",        "ALL"};
    static char size[32];
    static struct words seen;
    const struct sandbox_profile *profile = job->profile;
    snprintf(size, sizeof size, "%zu", profile->room_bytes);
    words_add(words, sandbox->bwrap);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        words_add(words, fixed[i]);
    show_system(words);
    if (!profile->is_dark)
        show_system_files(words, size, profile->has_gpu);
    show_visible(words, sandbox, job, true);
    list_seen(&seen, sandbox, job);
    for (int i = 0; i < seen.count; i++)
        show_memory(words, "65536", seen.list[i]); /* there is room for names alone */
    if (job->folder)
        show_memory(words, size, job->folder);
    show_visible(words, sandbox, job, false);
    words_add_three(words, "--ro-bind", sandbox->keeper, sandbox->keeper);
    for (int i = 0; i < seen.count; i++)
        show_path(words, "--remount-ro", seen.list[i]);
    words_add_three(words, "--remount-ro", "/", "--chdir");
    words_add_three(words, job->folder ? job->folder : "/", "--", sandbox->keeper);
}

/* ------------------------------------------------------------------------------------------- the keeper alone */

static bool is_hidden(const struct sandbox *sandbox, const char *path)
{
    bool is_found = false;
    for (int i = 0; i < SANDBOX_HIDDEN && sandbox->hidden[i]; i++)
        is_found = is_found || strcmp(sandbox->hidden[i], path) == 0;
    return is_found;
}

/* Landlock can only allow: of a folder that holds a hidden one, all else that is in it is shown. Links are left out: what they
 * lead to is shown where it lies, or not at all. */
static void show_readable(struct words *words, const struct sandbox *sandbox, const char *path)
{
    if (!holds_hidden(sandbox, path)) {
        if (!is_hidden(sandbox, path))
            show_path(words, "-r", path);
        return;
    }
    DIR *folder = opendir(path);
    for (struct dirent *one; folder && (one = readdir(folder));) {
        char *entry = NULL; /* stays until the job takes this process over */
        if (strcmp(one->d_name, ".") && strcmp(one->d_name, "..") && one->d_type != DT_LNK &&
            asprintf(&entry, "%s/%s", path, one->d_name) > 0)
            show_readable(words, sandbox, entry);
    }
    if (folder)
        closedir(folder);
}

static void list_paths(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job)
{
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom"};
    for (int i = 0; i < SYSTEM_PATHS; i++)
        show_readable(words, sandbox, system_paths[i]);
    for (size_t i = 0; !job->profile->is_dark && i < sizeof devices / sizeof *devices; i++)
        show_path(words, "-w", devices[i]);
    if (!job->profile->is_dark)
        show_path(words, "-r", "/proc");
    for (int i = 0; job->visible && job->visible[i]; i++)
        show_readable(words, sandbox, job->visible[i]);
    if (job->folder)
        show_path(words, "-w", job->folder);
}

/* Bubblewrap has taken the network and the files away; without it, the keeper does what it can. */
static void list_flags(char *flags, const struct sandbox *sandbox, const struct sandbox_job *job)
{
    const bool is_wrapped = *sandbox->bwrap != '\0', has_gpu = job->profile->has_gpu;
    const struct {
        bool is_wanted;
        char letter;
    } rows[] = {{sandbox->has_seccomp, KEEPER_SECCOMP},
                {sandbox->has_seccomp && !is_wrapped && !has_gpu, KEEPER_NETLESS},
                {sandbox->has_landlock && !is_wrapped && !has_gpu, KEEPER_LANDLOCK},
                {!is_wrapped && !sandbox->drops_root, KEEPER_NAMESPACE},
                {is_wrapped || (sandbox->drops_root && sandbox->user_count > 1), KEEPER_ALONE},
                {job->has_report, KEEPER_REPORTS}};
    *flags++ = '-';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].is_wanted)
            *flags++ = rows[i].letter;
    }
    *flags = '\0';
}

void wrap_in_keeper(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job)
{
    static char processes[16], most[32], flags[16];
    snprintf(processes, sizeof processes, "%d", job->profile->processes);
    snprintf(most, sizeof most, "%zu", job->profile->file_bytes);
    list_flags(flags, sandbox, job);
    words_add_three(words, processes, most, job->product ? job->product : "");
    words_add(words, flags);
    if (strchr(flags, KEEPER_LANDLOCK))
        list_paths(words, sandbox, job);
    words_add(words, "--");
}
