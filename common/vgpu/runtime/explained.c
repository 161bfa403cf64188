/* explained.c - see explained.h. Called with the runtime's lock held, and once more when the program is over. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "runtime/explained.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/list.h"
#include "base/wrap.h"
#include "page/page.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/runtime.h"

enum { LARGEST_SOURCE = 1 << 20 };

static struct vgpu_kernels kernels;

void explained_add(const struct vgpu_launch *launch)
{
    kernels.columns = (unsigned)wrap_columns(STDERR_FILENO);
    kernels.wants_json = runtime_config()->report != NULL;
    vgpu_kernels_add(&kernels, launch);
}

/* ------------------------------------------------------------------------------------------- engines over time */

enum { MOST_SPANS = 1500 };
static struct kept_span {
    struct vgpu_span span;
    char name[64];
} * spans;
static size_t nspans, spans_capacity, nlost;

bool explained_wants_spans(void)
{
    return runtime_config()->report != NULL;
}

void explained_span(const struct vgpu_span *span)
{
    struct kept_span *grown =
        nspans < MOST_SPANS ? list_reserve(spans, &spans_capacity, nspans + 1, sizeof *grown) : NULL;
    nlost += !grown;
    if (!grown)
        return;
    spans = grown;
    grown[nspans].span = *span;
    snprintf(grown[nspans++].name, sizeof grown->name, "%s", span->name);
}

/* As a judge tells it (grader/judge/pipeline.h), from the first operation on; what the host does is not known. */
static void put_pipeline(struct json *json)
{
    double first = nspans ? spans[0].span.start_us : 0, end = first;
    for (size_t i = 0; i < nspans; i++) {
        first = spans[i].span.start_us < first ? spans[i].span.start_us : first;
        end = spans[i].span.end_us > end ? spans[i].span.end_us : end;
    }
    json_object(json, "pipeline");
    json_number(json, "total_us", end - first);
    json_count(json, "lost", nlost);
    json_list(json, "spans");
    for (size_t i = 0; i < nspans; i++) {
        const struct vgpu_span *span = &spans[i].span;
        json_list(json, NULL);
        json_count(json, NULL, span->kind);
        json_count(json, NULL, span->stream);
        json_fixed(json, NULL, span->start_us - first, 3);
        json_fixed(json, NULL, span->end_us - first, 3);
        json_count(json, NULL, span->bytes);
        json_text(json, NULL, spans[i].name);
        json_end_list(json);
    }
    json_end_list(json);
    json_end_object(json);
}

/* ------------------------------------------------------------------------------------------- what was found */

enum { MOST_FINDINGS = 100, FINDING_PARTS = 5 };
static struct kept_finding {
    enum vgpu_finding kind;
    char *parts[FINDING_PARTS];
} findings[MOST_FINDINGS];
static size_t nfindings;
static const char *const finding_parts[FINDING_PARTS] = {"title", "place", "other_place", "cause", "text"};

/* Nothing is lost for lack of memory but words. */
static void keep_finding(const struct vgpu_message *message, void *context)
{
    const char *const parts[FINDING_PARTS] = {message->title, message->place, message->other_place,
                                              message->cause, message->text};
    (void)context;
    if (!runtime_config()->report || nfindings == MOST_FINDINGS)
        return;
    struct kept_finding *fresh = &findings[nfindings++];
    fresh->kind = message->kind;
    for (size_t i = 0; i < FINDING_PARTS; i++)
        fresh->parts[i] = strdup(parts[i]);
}

/* Before anything can be told. */
__attribute__((constructor)) static void begin_keeping(void)
{
    report_set_keeper(keep_finding, NULL);
}

static void put_findings(struct json *json)
{
    json_list(json, "findings");
    for (size_t i = 0; i < nfindings; i++) {
        json_object(json, NULL);
        json_text(json, "severity", report_severity_name(report_severity(findings[i].kind)));
        json_text(json, "kind", report_name(findings[i].kind));
        for (size_t k = 0; k < FINDING_PARTS; k++)
            json_text(json, finding_parts[k], findings[i].parts[k]);
        json_end_object(json);
    }
    json_end_list(json);
}

/* ------------------------------------------------------------------------------------------- as text */

static void tell(FILE *out)
{
    for (size_t i = 0; i < kernels.count; i++) {
        const struct vgpu_told *told = &kernels.told[i];
        char name[200];
        name_of_function(told->kernel, name, sizeof name);
        fprintf(out, "vgpu: %s: %llu launch%s, %.2f us in all%s\n%s", name, told->launches,
                told->launches == 1 ? "" : "es", told->total_us,
                told->launches == 1 ? "" : "; this is the longest", told->words ? told->words : "");
    }
}

/* ------------------------------------------------------------------------------------------- as a page */

static void put_kernels(struct json *json)
{
    json_list(json, "kernels");
    for (size_t i = 0; i < kernels.count; i++) {
        const struct vgpu_told *told = &kernels.told[i];
        if (told->json)
            page_put_kernel(json,
                            &(struct page_kernel){told->launches, told->total_us, told->words, told->json});
    }
    json_end_list(json);
}

static void put_sources(struct json *json)
{
    size_t size;
    json_object(json, "sources");
    for (size_t i = 0; i < kernels.nfiles; i++) {
        char *text = file_read(kernels.files[i], LARGEST_SOURCE, true, &size);
        if (text)
            json_text(json, kernels.files[i], text);
        free(text);
    }
    json_end_object(json);
}

/* NULL: no memory. */
static char *make_json(const char *title)
{
    char *text = NULL;
    size_t size;
    struct json json = {.file = open_memstream(&text, &size)};
    if (!json.file)
        return NULL;
    json_object(&json, NULL);
    json_text(&json, "title", title);
    json_text(&json, "gpu", vgpu_gpu());
    put_findings(&json);
    put_kernels(&json);
    put_pipeline(&json);
    put_sources(&json);
    json_end_object(&json);
    fclose(json.file);
    return text;
}

static char *make_plain(void)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        tell(file);
        fclose(file);
    }
    return text;
}

static void write_page(const char *path)
{
    char *json = make_json(program_invocation_short_name), *plain = make_plain();
    if (page_save(path, &(struct page){.title = program_invocation_short_name, .json = json, .plain = plain}))
        fprintf(stderr, "vgpu: the report is %s\n", path);
    else
        fprintf(stderr, "vgpu: error: the report %s cannot be written: %s\n", path, strerror(errno));
    free(json);
    free(plain);
}

/* After those that still find something: leaks. */
enum { LATE = 1000 };

__attribute__((destructor(LATE))) static void tell_all(void)
{
    const char *path = kernels.count || nfindings ? runtime_config()->report : NULL;
    fflush(stdout);
    vgpu_kernels_sort(&kernels);
    if (kernels.count && runtime_config()->is_told)
        tell(stderr);
    if (path)
        write_page(path);
}
