/* hostline.c - from host return addresses to source lines, with the help of addr2line.
 * Answers are remembered: a place is looked up once. The child gets a plain pipe and no shell.
 * Without addr2line, or without debugging information, there is no line, only an address.
 * Who acts for somebody else gives the place instead (report_set_caller): its name stands where frames would. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/names.h"
#include "report/report.h"

enum { MAX_FRAMES = 32, MAX_KNOWN = 128 };

struct known_place {
    void *frames[MAX_FRAMES];
    size_t nframes; /* of them, that decided it: who called those does not matter */
    char text[512];
    bool is_line;
};

/* Shared with the copies that the process makes of itself (fork): addr2line is slow, and addresses are the same there. */
static struct places {
    pthread_mutex_t lock;
    struct known_place known[MAX_KNOWN];
    size_t nknown;
} * places;

/* A process may die while it holds the lock: the next one goes on. */
__attribute__((constructor)) static void share_places(void)
{
    pthread_mutexattr_t attributes;
    void *memory = mmap(NULL, sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    places = memory;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&places->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void lock_places(void)
{
    if (pthread_mutex_lock(&places->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&places->lock);
}

/* The program's own image: where it was loaded, and where it ends. */
struct image {
    uintptr_t base, end;
};

static int first_image(struct dl_phdr_info *info, size_t size, void *context)
{
    struct image *image = context;
    (void)size;
    image->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > image->end)
            image->end = end;
    }
    return 1; /* the first one is the executable */
}

/* Files of this library: the caller wants to know who called it, not where it is. */
static bool is_library_file(const char *path)
{
    static const char *const rooms[] = {"/vgpu/runtime/", "/vgpu/report/", "/vgpu/check/",
                                        "/vgpu/exec/",    "/vgpu/core/",   "/vgpu/memory/"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (strstr(path, rooms[i]) && length > 2 && strcmp(path + length - 2, ".c") == 0)
            return true;
    return false;
}

/* Runs addr2line on the addresses and leaves its output in out. */
static bool run_addr2line(char *const *arguments, char *out, size_t size)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    bool is_started = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while (is_started && used + 1 < size && (got = read(ends[0], out + used, size - 1 - used)) > 0)
        used += (size_t)got;
    out[used] = '\0';
    close(ends[0]);
    int status = 0;
    return is_started && waitpid(child, &status, 0) == child && used > 0;
}

/* Picks the first file:line of the program's own from addr2line's lines, and counts the addresses up to it (each has a line
 * of its own before its places). A launch goes through a stub that nvcc makes for the kernel and gives the kernel's own line:
 * what comes right after the stub's file is skipped. */
static bool pick_line(char *output, char *out, size_t size, size_t *naddresses)
{
    char *rest = NULL;
    bool is_stub = false;
    *naddresses = 0;
    for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        *naddresses += strncmp(line, "0x", 2) == 0;
        char *colon = strrchr(line, ':');
        if (!colon || colon == line || atoi(colon + 1) <= 0)
            continue;
        char *note = strstr(colon, " (discriminator");
        if (note)
            *note = '\0';
        *colon = '\0';
        bool is_ours = is_library_file(line) || is_toolkit_file(line) || line[0] == '?';
        char path[400];
        name_of_path(line, path, sizeof path);
        if (!is_ours && !is_stub) {
            snprintf(out, size, "%s:%s", path, colon + 1);
            return true;
        }
        is_stub = strstr(line, ".stub.c") != NULL;
    }
    return false;
}

/* Fills in the place's text, and leaves of its frames those that decided it. */
static void look_up(struct known_place *place)
{
    struct image image = {0, 0};
    dl_iterate_phdr(first_image, &image);
    char program[4096], addresses[MAX_FRAMES][24];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *arguments[MAX_FRAMES + 6] = {"addr2line", "-a", "-i", "-e", program};
    size_t frame_of[MAX_FRAMES], naddresses = 0, last;
    for (size_t i = 0; i < place->nframes; i++) {
        const uintptr_t address = (uintptr_t)place->frames[i];
        if (address <= image.base || address >= image.end)
            continue;
        snprintf(addresses[i], sizeof addresses[i], "0x%zx", (size_t)(address - image.base - 1));
        arguments[5 + naddresses] = addresses[i];
        frame_of[naddresses++] = i;
    }
    static char output[1 << 15];
    program[length > 0 ? length : 0] = '\0';
    place->is_line = length > 0 && naddresses > 0 && run_addr2line(arguments, output, sizeof output) &&
                     pick_line(output, place->text, sizeof place->text, &last);
    if (place->is_line)
        place->nframes = frame_of[last - 1] + 1;
    else
        snprintf(place->text, sizeof place->text, "address %p", place->frames[0]);
}

static bool is_same(const struct known_place *known, const struct known_place *place)
{
    return (known->is_line ? known->nframes <= place->nframes : known->nframes == place->nframes) &&
           memcmp(known->frames, place->frames, known->nframes * sizeof known->frames[0]) == 0;
}

static void find_or_look_up(struct known_place *place)
{
    for (size_t i = 0; i < places->nknown; i++)
        if (is_same(&places->known[i], place)) {
            *place = places->known[i];
            return;
        }
    look_up(place);
    if (places->nknown < MAX_KNOWN)
        places->known[places->nknown++] = *place;
}

/* ------------------------------------------------------------------------------------------- places that are given */

/* A name is kept once and never changed: frames point to it. */
enum { MAX_GIVEN = 1024, GIVEN_BYTES = 160 };
static char given[MAX_GIVEN][GIVEN_BYTES];
static size_t ngiven;
static pthread_mutex_t given_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local char *caller;

/* Where there is no room for another one: the last, which stays empty. */
static char *keep_given(const char *place)
{
    char text[GIVEN_BYTES];
    snprintf(text, sizeof text, "%s", place);
    for (size_t i = 0; i < ngiven; i++)
        if (strcmp(given[i], text) == 0)
            return given[i];
    return ngiven < MAX_GIVEN - 1 ? strcpy(given[ngiven++], text) : given[MAX_GIVEN - 1];
}

void report_set_caller(const char *place)
{
    pthread_mutex_lock(&given_lock);
    caller = place ? keep_given(place) : NULL;
    pthread_mutex_unlock(&given_lock);
}

static bool is_given(const void *frame)
{
    return (const char *)frame >= given[0] && (const char *)frame < given[0] + sizeof given;
}

/* ------------------------------------------------------------------------------------------- frames */

bool host_line(void *const *frames, size_t nframes, char *out, size_t size)
{
    struct known_place place = {.nframes = 0};
    if (nframes && is_given(frames[0])) {
        snprintf(out, size, "%s", (const char *)frames[0]);
        return true;
    }
    while (place.nframes < nframes && place.nframes < MAX_FRAMES && frames[place.nframes]) {
        place.frames[place.nframes] = frames[place.nframes];
        place.nframes++;
    }
    if (!places) {
        look_up(&place);
    } else {
        lock_places();
        find_or_look_up(&place);
        pthread_mutex_unlock(&places->lock);
    }
    snprintf(out, size, "%s", place.text);
    return place.is_line;
}

void report_frames(void **frames, size_t count)
{
    void *all[MAX_FRAMES + 1];
    if (caller) {
        memset(frames, 0, count * sizeof *frames);
        frames[0] = caller;
        return;
    }
    int found = backtrace(all, MAX_FRAMES + 1 < (int)count + 1 ? MAX_FRAMES + 1 : (int)count + 1);
    for (size_t i = 0; i < count; i++)
        frames[i] = (int)i + 1 < found ? all[i + 1] : NULL;
}
