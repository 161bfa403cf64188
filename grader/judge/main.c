/* main.c - the judge's main: options, what they name, the order of work, and the verdict at its end.
 * A verdict is always written: with the facts, with what the submission did wrong, or with why this program failed.
 * Results are checked in check.c, times found by the backend, of which there are two: model.c and measure.c. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "grader/judge/judge.h"

enum { VERDICT_DESCRIPTOR = 3, DEFAULT_LIMIT_S = 120 };

/* ------------------------------------------------------------------------------------------- options */

struct options {
    const char *lab, *stage, *slot, *trace, *fatbin, *baseline_trace, *baseline_fatbin, *seed, *gpu, *limit,
        *shown, *source, *needed, *kits, *explain;
    bool is_profiled, tell_kits, no_check, no_time, is_brief, is_audit, is_ahead, leaves_large, to_stdout,
        probe;
};

static const char usage[] =
    "usage: %s --lab LAB.so --stage ID --trace FILE --fatbin FILE --seed N\n"
    "       [--baseline-trace FILE --baseline-fatbin FILE] [--slot ID] [--no-check] "
    "[--no-time] [--brief] [--audit] [--ahead] [--leave-large] [--gpu NAME]\n"
    "       [--limit SECONDS] [--shown NAME.cu] [--source FILE.cu] [--needed BYTES] [--kits FILE] "
    "[--explain COLUMNS [--profile]] [--stdout]\n"
    "       %s --probe\n"
    "The verdict goes to descriptor 3, or to stdout. --ahead: cases are verified and timed at the same "
    "time. --leave-large: a timed case that must be executed as a whole, and is large, is left for later.\n"
    "--tell-kits: instead of a verdict, what --kits reads.\n";

static bool read_options(struct options *options, int argc, char **argv)
{
    struct {
        const char *name;
        const char **text;
        bool *flag;
    } const rows[] = {{"lab", &options->lab, NULL},
                      {"stage", &options->stage, NULL},
                      {"slot", &options->slot, NULL},
                      {"trace", &options->trace, NULL},
                      {"fatbin", &options->fatbin, NULL},
                      {"baseline-trace", &options->baseline_trace, NULL},
                      {"baseline-fatbin", &options->baseline_fatbin, NULL},
                      {"seed", &options->seed, NULL},
                      {"gpu", &options->gpu, NULL},
                      {"limit", &options->limit, NULL},
                      {"shown", &options->shown, NULL},
                      {"needed", &options->needed, NULL},
                      {"kits", &options->kits, NULL},
                      {"explain", &options->explain, NULL},
                      {"profile", NULL, &options->is_profiled},
                      {"tell-kits", NULL, &options->tell_kits},
                      {"source", &options->source, NULL},
                      {"no-check", NULL, &options->no_check},
                      {"no-time", NULL, &options->no_time},
                      {"brief", NULL, &options->is_brief},
                      {"audit", NULL, &options->is_audit},
                      {"ahead", NULL, &options->is_ahead},
                      {"leave-large", NULL, &options->leaves_large},
                      {"stdout", NULL, &options->to_stdout},
                      {"probe", NULL, &options->probe}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    struct option names[ROWS + 1] = {{0}};
    for (int i = 0; i < ROWS; i++)
        names[i] = (struct option){rows[i].name, rows[i].text ? required_argument : no_argument, NULL, i};
    for (int i; (i = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (i < 0 || i >= ROWS)
            return false;
        if (rows[i].text)
            *rows[i].text = optarg;
        else
            *rows[i].flag = true;
    }
    return optind == argc && (options->probe || (options->lab && options->stage && options->trace &&
                                                 options->fatbin && options->seed));
}

static bool read_number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return !errno && end != text && !*end && *text != '-';
}

/* ------------------------------------------------------------------------------------------- what options name */

static bool read_whole(const char *path, void **out, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *out = length > 0 ? malloc((size_t)length) : NULL;
    *size = length > 0 ? (size_t)length : 0;
    const bool is_read = *out && fseek(file, 0, SEEK_SET) == 0 && fread(*out, 1, *size, file) == *size;
    fclose(file);
    return is_read;
}

static void open_code(struct judge_code *code, const char *trace, const char *fatbin)
{
    if (!read_whole(fatbin, &code->fatbin, &code->bytes))
        snprintf(code->problem, sizeof code->problem, "no device code in %s", fatbin);
    else
        code->trace = trace_read(trace, code->problem, sizeof code->problem);
    code->can_print = code->fatbin && memmem(code->fatbin, code->bytes, "vprintf", strlen("vprintf"));
}

static void open_lab(struct judge *judge, const struct options *options)
{
    void *library = dlopen(options->lab, RTLD_NOW | RTLD_LOCAL);
    judge->lab = library ? dlsym(library, "lab") : NULL;
    if (!judge->lab) {
        judge_fail(judge, "%s is no lab: %s", options->lab, dlerror());
        return;
    }
    judge->stage = lab_find_stage(judge->lab, options->stage);
    judge->shown = options->shown ? options->shown : "the submission";
    judge->is_brief = options->is_brief;
    judge->kits = options->kits;
    if (!judge->stage)
        judge_fail(judge, "%s has no stage %s.", judge->lab->id, options->stage);
    else
        judge->slot = options->slot ? options->slot : judge->stage->id;
}

static void open_numbers(struct judge *judge, const struct options *options)
{
    uint64_t limit = DEFAULT_LIMIT_S, needed = 0, columns = 80;
    if (!read_number(options->seed, &judge->seed))
        judge_fail(judge, "--seed %s is no number.", options->seed);
    judge->draw = judge->seed;
    judge->is_audit = options->is_audit;
    judge->leaves_large = options->leaves_large;
    if (options->limit && (!read_number(options->limit, &limit) || limit < 1 || limit > 86400))
        judge_fail(judge, "--limit %s is no number of seconds.", options->limit);
    if (options->explain && (!read_number(options->explain, &columns) || columns < 40 || columns > 400))
        judge_fail(judge, "--explain %s is no number of columns.", options->explain);
    judge->is_explained = options->explain != NULL;
    judge->is_profiled = judge->is_explained && options->is_profiled;
    judge->columns = (int)columns;
    if (options->needed && !read_number(options->needed, &needed))
        judge_fail(judge, "--needed %s is no number of bytes.", options->needed);
    judge->needed = (double)needed;
    judge->limit_s = (int)limit;
    judge->clock = judge_backend.clock;
}

/* The recording decides the inputs as well: so it cannot hold answers to them. */
static void mix_seed(struct judge *judge, const char *trace)
{
    uint8_t digest[32];
    void *bytes = NULL;
    size_t size;
    if (judge->student.trace && read_whole(trace, &bytes, &size)) {
        sha256_of(bytes, size, digest);
        judge->seed = sha256_seed(judge->seed, digest, sizeof digest);
    }
    free(bytes);
}

/* A recording of the kit's that cannot be read is our error; a student's is the student's, and told case by case. */
static void open_all(struct judge *judge, const struct options *options)
{
    open_numbers(judge, options);
    open_lab(judge, options);
    open_code(&judge->student, options->trace, options->fatbin);
    judge->student.shown = judge->shown;
    if (judge->lab && judge->lab->is_own_work && judge->student.trace)
        judge_find_libraries(&judge->student);
    mix_seed(judge, options->trace);
    judge->verdict->seed = judge->seed;
    const bool has_times = options->tell_kits || (judge->stage && lab_baseline(judge->lab, judge->stage));
    if (options->no_time || !judge->stage || !has_times)
        return;
    if (!options->baseline_trace || !options->baseline_fatbin)
        judge_fail(judge, "Times need --baseline-trace and --baseline-fatbin.");
    else
        open_code(&judge->baseline, options->baseline_trace, options->baseline_fatbin);
    if (!judge->baseline.trace)
        judge_fail(judge, "The baseline's recording cannot be used: %s", judge->baseline.problem);
}

/* ------------------------------------------------------------------------------------------- the program */

/* What is wrong is not timed. */
static void work(struct judge *judge, const struct options *options)
{
    open_all(judge, options);
    if (judge_has_failed(judge))
        return;
    if (judge_backend.acquire)
        judge_backend.acquire(judge);
    const bool is_judged = !options->no_check && !options->no_time && !judge->is_explained;
    if (options->is_ahead && judge_backend.ahead && is_judged && !options->tell_kits)
        judge_backend.ahead(judge);
    judge_start_watchdog(judge);
    if (options->tell_kits) {
        judge_backend.tell_kits(judge);
        return;
    }
    if (judge->is_explained && !judge_backend.explain)
        judge_fail(judge, "Only the virtual GPU can explain a time.");
    if (judge->is_explained) {
        if (judge_backend.explain)
            judge_backend.explain(judge);
        return;
    }
    if (!options->no_check && judge_backend.check)
        judge_backend.check(judge);
    const bool is_wrong = judge->verdict->ncases && !verdict_is_right(judge->verdict);
    if (!options->no_time && !judge_has_failed(judge) && !is_wrong)
        judge_backend.time(judge);
}

static int probe(void)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || cudaFree(NULL) != cudaSuccess)
        return 1;
    printf("%s\t%d.%d\t%zu\n", properties.name, properties.major, properties.minor,
           properties.totalGlobalMem);
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    if (!read_options(&options, argc, argv)) {
        fprintf(stderr, usage, argv[0], argv[0]);
        return 2;
    }
    if (options.tell_kits && !judge_backend.tell_kits) {
        fprintf(stderr, "%s: --tell-kits is for the virtual GPU\n", argv[0]);
        return 2;
    }
    judge_backend.prepare(options.gpu, options.source);
    if (options.probe)
        return probe();
    struct judge judge = {.lock = PTHREAD_MUTEX_INITIALIZER, .is_ours = true, .verdict = verdict_new()};
    judge.out = options.to_stdout ? stdout : fdopen(VERDICT_DESCRIPTOR, "w");
    if (!judge.out || !judge.verdict) {
        fprintf(stderr, "%s: descriptor %d is not open for the verdict\n", argv[0], VERDICT_DESCRIPTOR);
        return 2;
    }
    work(&judge, &options);
    if (options.tell_kits)
        fputs(judge.verdict->failure, stderr);
    else
        judge_write(&judge);
    const int status = judge.verdict->failure[0] ? 2 : 0;
    fflush(NULL);
    _exit(status); /* the watchdog may still be asleep */
}
