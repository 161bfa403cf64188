/* report.c - the list of what was found, and the sentences that are printed.
 * A place (severity, title, position, other position) is kept once and counted after that; order is that of finding.
 * Which sentence fits a bad access is decided in explain.c; names come from names.c, source.c and hostline.c. */
#include "report/report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/names.h"

enum { MAX_PLACES = 256, MAX_SHOWN = 256 };

struct found {
    struct diagnostic diagnostic;
    uint64_t times;
};

struct diagnostics {
    struct found *places;
    size_t count, capacity;
    uint64_t dropped; /* findings at places beyond MAX_PLACES */
    bool has_errors;
};

struct diagnostics *diagnostics_new(void)
{
    return calloc(1, sizeof(struct diagnostics));
}

void diagnostics_free(struct diagnostics *list)
{
    if (!list)
        return;
    free(list->places);
    free(list);
}

static struct found *find_place(struct diagnostics *list, const struct diagnostic *d)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct diagnostic *known = &list->places[i].diagnostic;
        if (known->loc == d->loc && known->other_loc == d->other_loc && known->severity == d->severity &&
            (known->title == d->title || strcmp(known->title, d->title) == 0))
            return &list->places[i];
    }
    return NULL;
}

bool diagnostics_repeat(struct diagnostics *list, const struct diagnostic *diagnostic)
{
    struct found *place = find_place(list, diagnostic);
    if (place)
        place->times++;
    return place != NULL;
}

static void add_times(struct diagnostics *list, const struct diagnostic *diagnostic, uint64_t times)
{
    struct found *place = find_place(list, diagnostic);
    list->has_errors |= diagnostic->severity != SEVERITY_WARNING;
    if (place) {
        place->times += times;
        return;
    }
    if (list->count == list->capacity && list->capacity < MAX_PLACES) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        struct found *places = realloc(list->places, capacity * sizeof *places);
        if (places) {
            list->places = places;
            list->capacity = capacity;
        }
    }
    if (list->count < list->capacity)
        list->places[list->count++] = (struct found){*diagnostic, times};
    else
        list->dropped += times;
}

void diagnostics_add(struct diagnostics *list, const struct diagnostic *diagnostic)
{
    if (list)
        add_times(list, diagnostic, 1);
}

void diagnostics_merge(struct diagnostics *into, struct diagnostics *from)
{
    if (!into || !from)
        return;
    for (size_t i = 0; i < from->count; i++)
        add_times(into, &from->places[i].diagnostic, from->places[i].times);
    into->dropped += from->dropped;
    from->count = 0;
    from->dropped = 0;
    from->has_errors = false;
}

uint64_t diagnostics_count(const struct diagnostics *list)
{
    return list ? list->count : 0;
}

bool diagnostics_has_errors(const struct diagnostics *list)
{
    return list && list->has_errors;
}

/* ------------------------------------------------------------------------------------------- positions */

/* The innermost position that is in the program's own files; 0: none. */
static uint32_t own_loc(const struct ptx_module *module, uint32_t loc)
{
    uint32_t fallback = loc;
    for (int depth = 0; loc && loc < module->nlocs && depth < 64; depth++) {
        const struct ptx_loc *at = &module->locs[loc];
        if (at->file && at->file < module->nfiles && !is_toolkit_file(module->files[at->file]))
            return loc;
        loc = at->inlined_at;
    }
    return fallback < module->nlocs ? fallback : 0;
}

void name_of_loc(const struct ptx_module *module, uint32_t loc, char *out, size_t size)
{
    uint32_t own = own_loc(module, loc);
    if (!own || !module->locs[own].file || module->locs[own].file >= module->nfiles) {
        snprintf(out, size, "unknown line (compile with -lineinfo)");
        return;
    }
    char path[400];
    name_of_path(module->files[module->locs[own].file], path, sizeof path);
    snprintf(out, size, "%s:%u", path, module->locs[own].line);
}

/* ------------------------------------------------------------------------------------------- places already shown */

/* A place is printed once in a program's life; how often it came again is told when the program ends. */
struct shown_place {
    char text[600];
    uint64_t again;
};

static struct shown_place shown[MAX_SHOWN];
static size_t nshown;
static pthread_mutex_t shown_lock = PTHREAD_MUTEX_INITIALIZER;

static void print_repeats(void)
{
    for (size_t i = 0; i < nshown; i++)
        if (shown[i].again)
            fprintf(stderr, "vgpu: note: %s (%llu more times at this place)\n", shown[i].text,
                    (unsigned long long)shown[i].again);
}

/* True if it is new and must be printed; times: how often it was found now. Under shown_lock. */
static bool is_new_place(const char *text, uint64_t times)
{
    for (size_t i = 0; i < nshown; i++)
        if (strcmp(shown[i].text, text) == 0) {
            shown[i].again += times;
            return false;
        }
    if (nshown == MAX_SHOWN)
        return true;
    if (nshown == 0)
        atexit(print_repeats);
    snprintf(shown[nshown++].text, sizeof shown[0].text, "%s", text);
    return true;
}

/* ------------------------------------------------------------------------------------------- printing */

static const char *const severity_names[] = {
    [SEVERITY_ERROR] = "error", [SEVERITY_RACE] = "race", [SEVERITY_WARNING] = "warning"};

/* "prog.cu:12: race in shared memory ...: `tile`, with prog.cu:15" */
static void place_text(const struct diagnostic *d, const struct launch *launch, char *out, size_t size)
{
    const struct ptx_module *ptx = launch->kernel->module->ptx;
    char where[240], other[240] = "";
    name_of_loc(ptx, d->loc, where, sizeof where);
    if (d->other_loc)
        name_of_loc(ptx, d->other_loc, other, sizeof other);
    snprintf(out, size, "%s: %s%s%s%s%s%s", where, d->title, d->array[0] ? ": `" : "", d->array,
             d->array[0] ? "`" : "", other[0] ? ", with " : "", other);
}

static report_sink *sink;
static void *sink_context;

void report_set_sink(report_sink *to, void *context)
{
    sink = to;
    sink_context = context;
}

/* A whole message: to whoever watches, or to stderr. */
static void emit(enum severity severity, const char *title, const char *place, const char *cause,
                 const char *text)
{
    if (sink)
        sink(&(struct report){severity_names[severity], title, place, cause ? cause : "", text},
             sink_context);
    else
        fputs(text, stderr);
}

void report_text(const char *text, size_t size)
{
    char *copy = strndup(text, size);
    if (copy)
        emit(SEVERITY_ERROR, "assertion failed", "", "", copy);
    free(copy);
}

/* Who watches gets every finding; on stderr a place is shown once. */
static bool is_wanted(const char *text, uint64_t times)
{
    return sink || is_new_place(text, times);
}

static void write_place(FILE *out, const struct found *place, const struct launch *launch, const char *text)
{
    const struct diagnostic *d = &place->diagnostic;
    char kernel[256];
    uint32_t thread[3] = {0, 0, 0};
    const uint64_t width = launch->grid[0] ? launch->grid[0] : 1,
                   height = launch->grid[1] ? launch->grid[1] : 1;
    name_demangle(launch->kernel_name, kernel, sizeof kernel);
    thread_coordinates(launch, d->thread, thread);
    fprintf(out, "vgpu: %s: %s\n", severity_names[d->severity], text);
    fprintf(out, "    kernel `%s`, block (%llu,%llu,%llu), thread (%u,%u,%u)\n", kernel,
            (unsigned long long)(d->block % width), (unsigned long long)(d->block / width % height),
            (unsigned long long)(d->block / width / height), thread[0], thread[1], thread[2]);
    if (d->what[0])
        fprintf(out, "    %s\n", d->what);
    if (d->cause[0])
        fprintf(out, "    likely cause: %s\n", d->cause);
    if (place->times > 1)
        fprintf(out, "    (%llu more threads or times at this place)\n",
                (unsigned long long)(place->times - 1));
}

static void print_place(const struct found *place, const struct launch *launch)
{
    const struct diagnostic *d = &place->diagnostic;
    char text[600], where[240], *message = NULL;
    size_t size;
    place_text(d, launch, text, sizeof text);
    FILE *out = is_wanted(text, place->times) ? open_memstream(&message, &size) : NULL;
    if (!out)
        return;
    write_place(out, place, launch, text);
    fclose(out);
    name_of_loc(launch->kernel->module->ptx, d->loc, where, sizeof where);
    emit(d->severity, d->title, where, d->cause, message);
    free(message);
}

void diagnostics_print(const struct diagnostics *list, const struct launch *launch)
{
    if (!list || (list->count == 0 && list->dropped == 0))
        return;
    fflush(stdout);
    pthread_mutex_lock(&shown_lock);
    for (size_t i = 0; i < list->count; i++)
        print_place(&list->places[i], launch);
    pthread_mutex_unlock(&shown_lock);
    if (list->dropped)
        fprintf(stderr, "vgpu: warning: %llu findings at further places are not shown\n",
                (unsigned long long)list->dropped);
    fflush(stderr);
}

/* ------------------------------------------------------------------------------------------- for handlers */

void report_at(struct warp *warp, const struct insn *insn, int lane, enum severity severity,
               const char *title, const char *cause, const char *what, ...)
{
    struct diagnostic d = {.severity = severity,
                           .title = title,
                           .loc = insn->loc,
                           .block = warp->block->index,
                           .thread = thread_of(warp, lane)};
    if (!warp->block->diagnostics || diagnostics_repeat(warp->block->diagnostics, &d))
        return;
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(d.what, sizeof d.what, what, arguments);
    va_end(arguments);
    snprintf(d.cause, sizeof d.cause, "%s", cause ? cause : "");
    diagnostics_add(warp->block->diagnostics, &d);
}

/* ------------------------------------------------------------------------------------------- the host's side */

void report_host(enum severity severity, const char *title, void *const *frames, size_t nframes,
                 const char *cause, const char *what, ...)
{
    char where[512] = "host code", text[600], sentence[1024], message[2300];
    if (nframes)
        host_line(frames, nframes, where, sizeof where);
    snprintf(text, sizeof text, "%s: %.80s", where, title);
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(sentence, sizeof sentence, what, arguments);
    va_end(arguments);
    pthread_mutex_lock(&shown_lock);
    if (is_wanted(text, 1)) {
        const bool has_cause = cause && cause[0];
        snprintf(message, sizeof message, "vgpu: %s: %s\n%s%s%s%s%.400s%s", severity_names[severity], text,
                 sentence[0] ? "    " : "", sentence, sentence[0] ? "\n" : "",
                 has_cause ? "    likely cause: " : "", has_cause ? cause : "", has_cause ? "\n" : "");
        fflush(stdout);
        emit(severity, title, where, cause, message);
        fflush(stderr);
    }
    pthread_mutex_unlock(&shown_lock);
}
