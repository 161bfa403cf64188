/* report.c - the sentences that are told: to stderr, or to whoever watches.
 * On stderr a place is shown once in a program's life; whoever watches gets every finding.
 * Which sentence fits a bad access is decided in explain.c; names come from names.c, source.c and hostline.c. */
#include "report/report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/names.h"
#include "report/order.h"

enum { MAX_SHOWN = 256 };

/* ------------------------------------------------------------------------------------------- words of kinds */

static const struct row {
    enum vgpu_severity severity;
    const char *name, *title, *cause;
} rows[VGPU_FINDINGS] = {
#define FINDING(kind, severity, title, cause) [VGPU_##kind] = {VGPU_##severity, #kind, title, cause},
#include "findings.def"
#undef FINDING
};

static const char *const severity_names[] = {
    [VGPU_ERROR] = "error", [VGPU_RACE] = "race", [VGPU_WARNING] = "warning"};

const char *report_severity_name(enum vgpu_severity severity)
{
    return severity_names[severity];
}

enum vgpu_severity report_severity(enum vgpu_finding kind)
{
    return rows[kind].severity;
}

/* "OUT_OF_BOUNDS" as machines like to read it. */
const char *report_name(enum vgpu_finding kind)
{
    static _Thread_local char name[40];
    size_t i = 0;
    for (const char *at = kind ? rows[kind].name : "none"; *at && i + 1 < sizeof name; at++)
        name[i++] = *at == '_' ? '-' : *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
    name[i] = '\0';
    return name;
}

/* What stands between the braces of a title. */
static void expand(const struct finding *finding, const char *word, size_t length, char *out, size_t size)
{
    const char *memory = name_of_space(finding->space), *bar = memchr(word, '|', length);
    if (!bar && length == strlen("in"))
        snprintf(out, size, "%s%s", finding->space == PTX_PARAM ? "of " : "in ",
                 finding->space == PTX_PARAM ? "a parameter" : memory);
    else if (!bar)
        snprintf(out, size, "%s", memory);
    else if (finding->is_write)
        snprintf(out, size, "%.*s", (int)(word + length - bar - 1), bar + 1);
    else
        snprintf(out, size, "%.*s", (int)(bar - word), word);
}

void report_title(const struct finding *finding, char *out, size_t size)
{
    size_t used = 0;
    for (const char *at = rows[finding->kind].title; *at && used + 1 < size;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (end) {
            expand(finding, at + 1, (size_t)(end - at - 1), out + used, size - used);
            used += strlen(out + used);
            at = end + 1;
        } else {
            out[used++] = *at++;
            out[used] = '\0';
        }
    }
}

static uint64_t warps_of_block(const struct launch *launch)
{
    const uint64_t threads = (uint64_t)launch->dim[0] * launch->dim[1] * launch->dim[2];
    return (threads + LANES - 1) / LANES;
}

/* True if as many warps as the launch has executed the instruction: what it lacks, the whole block lacks. */
static bool is_of_all_warps(uint32_t insn, const struct launch *launch)
{
    return insn && launch->stats && launch->stats[insn].warps >= warps_of_block(launch) * launch->nblocks;
}

/* Lanes of one warp can be ordered by either barrier. Which one is missing shows in who executes the code; where a part of the
 * warps does, nobody knows whether others will use the same array with other data, and both barriers are named. */
static const char *barrier_cause(const struct finding *finding, const struct launch *launch)
{
    static const struct {
        enum vgpu_finding kind;
        const char *of_all, *of_some;
    } causes[] = {
        {VGPU_WARP_READ_AFTER_WRITE,
         "a __syncthreads() is missing between the write and this read (a __syncwarp() would do if no other "
         "warp touched this element)",
         "a barrier is missing between the write and this read: __syncthreads(), at a place that all threads "
         "of the block reach; __syncwarp() is enough only where no other warp writes what is read here"},
        {VGPU_WARP_WRITE_AFTER_READ,
         "a __syncthreads() is missing between the read and this write (a __syncwarp() would do if no other "
         "warp touched this element)",
         "a barrier is missing between the read and this write: __syncthreads(), at a place that all threads "
         "of the block reach; __syncwarp() is enough only where no other warp reads what is written here"}};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].kind == finding->kind && warps_of_block(launch) > 1)
            return is_of_all_warps(finding->insn, launch) || is_of_all_warps(finding->other_insn, launch)
                       ? causes[i].of_all
                       : causes[i].of_some;
    return NULL;
}

static const char *cause_of(const struct finding *finding, const struct launch *launch)
{
    const char *better = barrier_cause(finding, launch);
    if (better)
        return better;
    if (finding->near_cause && finding->last_address - finding->address < finding->near_bytes)
        return finding->near_cause;
    return finding->cause[0] ? finding->cause : rows[finding->kind].cause;
}

/* ------------------------------------------------------------------------------------------- places already shown */

/* A place is printed once in a program's life; how often it came again is told when the program ends. */
struct shown_place {
    char text[720];
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

/* ------------------------------------------------------------------------------------------- telling */

static report_sink *sink;
static report_sink *keeper;
static void *sink_context, *keeper_context;

void report_set_sink(report_sink *to, void *context)
{
    sink = to;
    sink_context = context;
}

void report_set_keeper(report_sink *to, void *context)
{
    keeper = to;
    keeper_context = context;
}

/* A whole message: to whoever watches, or to stderr. */
static void tell(const struct vgpu_message *message)
{
    if (sink) {
        sink(message, sink_context);
        return;
    }
    fputs(message->text, stderr);
    if (keeper)
        keeper(message, keeper_context);
}

/* Who watches gets every finding; on stderr a place is shown once. */
static bool is_wanted(const char *text, uint64_t times)
{
    return sink || is_new_place(text, times);
}

void report_assertions(const char *text, size_t size)
{
    const enum vgpu_finding kind = VGPU_ASSERTION_TEXT;
    char *copy = strndup(text, size);
    if (copy)
        tell(&(struct vgpu_message){kind, rows[kind].severity, rows[kind].title, "", "", "", "", copy});
    free(copy);
}

/* ------------------------------------------------------------------------------------------- a launch */

/* A finding with the names of its places. */
struct told {
    struct finding finding;
    const struct launch *launch;
    uint64_t times;
    char title[120], where[240], other[240];
    char line[720]; /* "prog.cu:12: race in shared memory ...: `tile`, with prog.cu:15" */
};

static void name_places(struct told *told)
{
    const struct ptx_module *ptx = told->launch->kernel->module->ptx;
    const char *array = told->finding.array;
    report_title(&told->finding, told->title, sizeof told->title);
    name_of_loc(ptx, told->finding.loc, told->where, sizeof told->where);
    if (told->finding.other_loc)
        name_of_loc(ptx, told->finding.other_loc, told->other, sizeof told->other);
    snprintf(told->line, sizeof told->line, "%s: %s%s%s%s%s%s", told->where, told->title,
             array[0] ? ": `" : "", array, array[0] ? "`" : "", told->other[0] ? ", with " : "", told->other);
}

static void write_place(FILE *out, const struct told *told)
{
    const struct finding *finding = &told->finding;
    const struct launch *launch = told->launch;
    const char *cause = cause_of(finding, launch);
    char kernel[256];
    uint32_t thread[3] = {0, 0, 0};
    const uint64_t width = launch->grid[0] ? launch->grid[0] : 1,
                   height = launch->grid[1] ? launch->grid[1] : 1;
    name_demangle(launch->kernel_name, kernel, sizeof kernel);
    thread_coordinates(launch, finding->thread, thread);
    fprintf(out, "vgpu: %s: %s\n", severity_names[rows[finding->kind].severity], told->line);
    fprintf(out, "    kernel `%s`, block (%llu,%llu,%llu), thread (%u,%u,%u)\n", kernel,
            (unsigned long long)(finding->block % width),
            (unsigned long long)(finding->block / width % height),
            (unsigned long long)(finding->block / width / height), thread[0], thread[1], thread[2]);
    if (finding->what[0])
        fprintf(out, "    %s\n", finding->what);
    if (cause[0])
        fprintf(out, "    likely cause: %s\n", cause);
    if (told->times > 1)
        fprintf(out, "    (%llu more %s at this place%s)\n", (unsigned long long)(told->times - 1),
                told->times == 2 ? "thread or time" : "threads or times",
                told->launch->is_cut ? ", until the launch was ended" : "");
}

static void tell_place(const struct told *told)
{
    const struct finding *finding = &told->finding;
    char *text = NULL;
    size_t size;
    FILE *out = is_wanted(told->line, told->times) ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    write_place(out, told);
    fclose(out);
    tell(&(struct vgpu_message){finding->kind, rows[finding->kind].severity, told->title, told->where,
                                told->other, finding->array, cause_of(finding, told->launch), text});
    free(text);
}

/* The race between warps that a missing barrier shows as; 0: the finding is about something else. */
static enum vgpu_finding between_warps(const struct told *told)
{
    static const enum vgpu_finding kinds[VGPU_FINDINGS] = {
        [VGPU_WARP_READ_AFTER_WRITE] = VGPU_RACE_READ_AFTER_WRITE,
        [VGPU_WARP_WRITE_AFTER_READ] = VGPU_RACE_WRITE_AFTER_READ,
        [VGPU_RACE_READ_AFTER_WRITE] = VGPU_RACE_READ_AFTER_WRITE,
        [VGPU_RACE_WRITE_AFTER_READ] = VGPU_RACE_WRITE_AFTER_READ,
    };
    return kinds[told->finding.kind];
}

static bool is_between_warps(const struct told *told)
{
    return between_warps(told) == told->finding.kind;
}

/* One barrier is missing between two lines: both findings are about it. */
static bool is_same_barrier(const struct told *a, const struct told *b)
{
    return between_warps(a) && between_warps(b) &&
           ((strcmp(a->where, b->where) == 0 && strcmp(a->other, b->other) == 0) ||
            (strcmp(a->where, b->other) == 0 && strcmp(a->other, b->where) == 0));
}

/* Where a read can follow the write without a barrier, the barrier is missing there. Else it stands there, and the one that
 * keeps the next write back is missing. */
static enum vgpu_finding kind_by_flow(const struct told *told)
{
    const struct finding *finding = &told->finding;
    const bool is_read = between_warps(told) == VGPU_RACE_READ_AFTER_WRITE;
    const uint32_t read = is_read ? finding->insn : finding->other_insn,
                   write = is_read ? finding->other_insn : finding->insn;
    if (!finding->other_insn)
        return between_warps(told);
    return order_reaches(told->launch->kernel->module, write, read) ? VGPU_RACE_READ_AFTER_WRITE
                                                                    : VGPU_RACE_WRITE_AFTER_READ;
}

/* Warps that overtake each other make the same two lines meet both ways round: as reads that come too early and as writes.
 * Within a warp they meet in the program's order; where no lanes of one warp have met, its control flow tells. */
static enum vgpu_finding kind_of_barrier(const struct told *all, size_t count, const struct told *first)
{
    for (const struct told *told = first; told < all + count; told++)
        if (is_same_barrier(told, first) && !is_between_warps(told))
            return between_warps(told);
    return kind_by_flow(first);
}

/* The finding that has met in this order, between warps if any has. If none has, the first one, told the other way round. */
static struct told *find_in_order(struct told *all, size_t count, struct told *first, enum vgpu_finding kind)
{
    static const char *const causes[VGPU_FINDINGS] = {
        [VGPU_RACE_READ_AFTER_WRITE] = "a __syncthreads() is missing between this write and the read",
        [VGPU_RACE_WRITE_AFTER_READ] =
            "a __syncthreads() is missing between this read and the write (often at a loop's end)",
    };
    struct told *chosen = NULL;
    for (struct told *told = first; told < all + count; told++)
        if (is_same_barrier(told, first) && between_warps(told) == kind &&
            (!chosen || (is_between_warps(told) && !is_between_warps(chosen))))
            chosen = told;
    if (!chosen)
        snprintf(first->finding.cause, sizeof first->finding.cause, "%s", causes[kind]);
    return chosen ? chosen : first;
}

/* What is said about one missing barrier becomes one message; the others keep no times. */
static void join_barrier(struct told *all, size_t count, struct told *first)
{
    struct told *chosen = find_in_order(all, count, first, kind_of_barrier(all, count, first));
    const enum vgpu_finding widest = between_warps(chosen);
    uint64_t times = 0;
    bool is_wide = false;
    for (struct told *told = first; told < all + count; told++)
        if (is_same_barrier(told, first)) {
            times += told->times;
            is_wide |= is_between_warps(told);
            told->times = 0;
        }
    chosen->times = times;
    if (is_wide)
        chosen->finding.kind = widest;
    name_places(chosen);
}

static void tell_places(struct told *all, size_t count)
{
    for (struct told *told = all; told < all + count; told++)
        if (told->times && between_warps(told))
            join_barrier(all, count, told);
    for (struct told *told = all; told < all + count; told++)
        if (told->times)
            tell_place(told);
}

void report_launch(const struct findings *list, const struct launch *launch)
{
    const size_t count = findings_count(list);
    const uint64_t dropped = findings_dropped(list);
    if (count == 0 && dropped == 0)
        return;
    struct told *all = calloc(count + 1, sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        all[i].launch = launch;
        all[i].finding = *findings_at(list, i, &all[i].times);
        name_places(&all[i]);
    }
    fflush(stdout);
    pthread_mutex_lock(&shown_lock);
    if (all)
        tell_places(all, count);
    pthread_mutex_unlock(&shown_lock);
    free(all);
    if (dropped)
        fprintf(stderr, "vgpu: warning: %llu findings at further places are not shown\n",
                (unsigned long long)dropped);
    fflush(stderr);
}

/* ------------------------------------------------------------------------------------------- the host's side */

void report_host(enum vgpu_finding kind, void *const *frames, size_t nframes, const char *cause,
                 const char *what, ...)
{
    const struct row *row = &rows[kind];
    char where[512] = "host code", line[600], sentence[1024], text[2300];
    if (!cause)
        cause = row->cause;
    if (nframes)
        host_line(frames, nframes, where, sizeof where);
    snprintf(line, sizeof line, "%s: %.80s", where, row->title);
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(sentence, sizeof sentence, what, arguments);
    va_end(arguments);
    pthread_mutex_lock(&shown_lock);
    if (is_wanted(line, 1)) {
        snprintf(text, sizeof text, "vgpu: %s: %s\n%s%s%s%s%.400s%s", severity_names[row->severity], line,
                 sentence[0] ? "    " : "", sentence, sentence[0] ? "\n" : "",
                 cause[0] ? "    likely cause: " : "", cause, cause[0] ? "\n" : "");
        fflush(stdout);
        tell(&(struct vgpu_message){kind, row->severity, row->title, where, "", "", cause, text});
        fflush(stderr);
    }
    pthread_mutex_unlock(&shown_lock);
}

void report_pair(const struct report_pair *pair)
{
    const struct row *row = &rows[pair->kind];
    const char *array = pair->array, *cause = pair->cause ? pair->cause : row->cause;
    char line[720], text[2600];
    snprintf(line, sizeof line, "%.240s: %.120s%s%.80s%s, with %.240s", pair->place, row->title,
             array[0] ? ": `" : "", array, array[0] ? "`" : "", pair->other);
    snprintf(text, sizeof text, "vgpu: %s: %s\n    %.1000s\n    likely cause: %.400s\n",
             severity_names[row->severity], line, pair->what, cause);
    pthread_mutex_lock(&shown_lock);
    if (is_wanted(line, 1)) {
        fflush(stdout);
        tell(&(struct vgpu_message){pair->kind, row->severity, row->title, pair->place, pair->other, array,
                                    cause, text});
        fflush(stderr);
    }
    pthread_mutex_unlock(&shown_lock);
}
