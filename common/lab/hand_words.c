/* hand_words.c - what build/lab3 prints, but for the table itself: rows of stages, and text that fits the terminal. */
#define _GNU_SOURCE
#include "lab/hand.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/wrap.h"

int hand_id_width(void)
{
    size_t most = 5; /* "stage" */
    for (int i = 0; i < lab.nstages; i++)
        most = strlen(lab.stages[i].id) > most ? strlen(lab.stages[i].id) : most;
    return (int)most;
}

/* Of what stands behind the begin of a row. */
static int row_indent(void)
{
    return 5 + hand_id_width() + 8; /* what hand_put_row() takes */
}

void hand_put_row(const struct lab_stage *stage, const char *result)
{
    printf("%3d  %-*s %-6s ", (int)(lab_find_stage(&lab, stage->id) - lab.stages) + 1, hand_id_width(),
           stage->id, result);
}

/* Behind a row the first line needs no indent. */
void hand_put(bool is_below, const char *format, ...)
{
    char text[2000], *out = NULL;
    size_t size = 0;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    FILE *file = open_memstream(&out, &size);
    if (!file)
        return;
    wrap_text(file, wrap_columns(STDOUT_FILENO), row_indent(), "", text, 1000);
    fclose(file);
    fputs(is_below ? out : out + row_indent(), stdout);
    free(out);
}

/* ------------------------------------------------------------------------------------------- for programs */

static FILE *rows; /* NULL: people read */

/* What else is printed, by the file and its kernels too, would not be JSON. */
void hand_put_json_only(void)
{
    rows = fdopen(dup(STDOUT_FILENO), "w");
    if (!freopen("/dev/null", "w", stdout))
        fclose(stdout);
}

void hand_put_outcome(const struct lab_run *run, const char *result, const struct lab_outcome *one, double us)
{
    struct json json = {.file = rows};
    char name[300];
    if (!rows)
        return;
    lab_describe_case(&lab, run->stage, &run->which, name, sizeof name);
    json_object(&json, NULL);
    json_text(&json, "stage", run->stage->id);
    json_text(&json, "case", name);
    json_text(&json, "result", result);
    json_text(&json, "symptom", one->is_right ? "" : lab_symptom_name(one->symptom));
    json_text(&json, "text", one->text);
    json_text(&json, "looks_like", one->known);
    us > 0 ? json_fixed(&json, "time_us", us, 3) : json_null(&json, "time_us");
    json_end_object(&json);
    fputc('\n', rows);
    fflush(rows);
}

/* ------------------------------------------------------------------------------------------- the rest */

enum hand_status hand_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s%s%s\n", lab.id, what, why ? ": " : "", why ? why : "");
    return HAND_OURS;
}

void hand_put_words(const char *text)
{
    wrap_text(stdout, wrap_columns(STDOUT_FILENO), 0, "", text, 1000);
}
