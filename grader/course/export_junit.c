/* export_junit.c - JUnit's XML: a test suite for everybody, a test case for each stage. Properties of a suite have the points that
 * count. Only characters of XML 1.0 are written, whatever the texts hold. */
#define _GNU_SOURCE
#include "grader/course/export_each.h"

#include <stdlib.h>
#include <string.h>

#include "grader/course/export_words.h"

/* ------------------------------------------------------------------------------------------- text */

/* U+FFFE and U+FFFF are UTF-8, but not XML. */
static bool is_no_character(const char *at)
{
    return (unsigned char)at[0] == 0xef && (unsigned char)at[1] == 0xbf && (unsigned char)at[2] >= 0xbe;
}

/* Line breaks in attributes are written as numbers: they would become blanks. */
static void put_escaped(FILE *file, const char *text, bool is_attribute)
{
    static const char signs[] = "&<>\"'\n\t";
    static const char *const by[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#10;", "&#9;"};
    for (; *text; text++) {
        const char *sign = is_attribute || (*text != '\n' && *text != '\t') ? strchr(signs, *text) : NULL;
        if (sign)
            fputs(by[sign - signs], file);
        else if (is_no_character(text))
            fputs("?", file), text += 2;
        else
            fputc(*text, file);
    }
}

static void put_plain(FILE *file, const struct export *export, const char *text, bool is_attribute)
{
    char *plain = export_plain(export, text);
    put_escaped(file, plain ? plain : "", is_attribute);
    free(plain);
}

static void put_text(FILE *file, const struct export *export, const char *text)
{
    put_plain(file, export, text, false);
}

static void put_attribute(FILE *file, const struct export *export, const char *name, const char *text)
{
    fprintf(file, " %s=\"", name);
    put_plain(file, export, text, true);
    fputc('"', file);
}

static void put_property(FILE *file, const char *name, double value)
{
    fprintf(file, "      <property name=\"%s\" value=\"%g\"/>\n", name, value);
}

/* ------------------------------------------------------------------------------------------- counts */

struct counts {
    size_t tests, failures, errors, skipped;
};

static struct counts count(const struct course_member *member)
{
    const struct record *record = member->record;
    struct counts counts = {.tests = record && record->nstages ? record->nstages : 1};
    counts.errors = record && export_is_lost(member);
    counts.skipped = !record;
    if (counts.errors || counts.skipped)
        counts.tests = 1;
    else if (!record->nstages)
        counts.failures = 1;
    for (size_t i = 0; !counts.errors && record && i < record->nstages; i++)
        counts.failures += !export_has_all(&record->stages[i]);
    return counts;
}

static void put_counts(FILE *file, const struct counts *counts, double seconds)
{
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\"", counts->tests,
            counts->failures, counts->errors, seconds > 0 ? seconds : 0);
}

/* ------------------------------------------------------------------------------------------- cases */

static void begin_case(FILE *file, const struct export *export, const char *name, double seconds)
{
    fputs("    <testcase", file);
    put_attribute(file, export, "classname", export->course->lab);
    put_attribute(file, export, "name", name);
    fprintf(file, " time=\"%.6f\">", seconds > 0 ? seconds : 0);
}

static void put_fault(FILE *file, const struct export *export, const char *element, const char *type,
                      char *message, char *text)
{
    fprintf(file, "<%s", element);
    put_attribute(file, export, "message", message ? message : "");
    put_attribute(file, export, "type", type);
    fputc('>', file);
    put_text(file, export, text ? text : "");
    fprintf(file, "</%s>", element);
    free(message);
    free(text);
}

static void put_stage(FILE *file, const struct export *export, const struct record *record,
                      const struct record_stage *stage)
{
    begin_case(file, export, stage->id, 1e-6 * stage->time_us);
    if (export_has_all(stage)) {
        char *words = export_stage_words(export, record, stage);
        fputs("<system-out>", file);
        put_text(file, export, words ? words : "");
        fputs("</system-out>", file);
        free(words);
    } else {
        put_fault(file, export, "failure", *stage->symptom ? stage->symptom : "points",
                  export_hint(export, stage), export_stage_words(export, record, stage));
    }
    fputs("</testcase>\n", file);
}

/* What stands in the place of stages where there are none. */
static void put_whole(FILE *file, const struct export *export, const struct course_member *member)
{
    begin_case(file, export, "submission", 0);
    if (!member->record)
        fputs("<skipped/>", file);
    else
        put_fault(file, export, export_is_lost(member) ? "error" : "failure", course_status(member),
                  export_plain(export, member->record ? member->record->message : ""),
                  export_words(export, member, false));
    fputs("</testcase>\n", file);
}

/* ------------------------------------------------------------------------------------------- suites */

static void put_properties(FILE *file, const struct export *export, const struct course_member *member)
{
    fputs("    <properties>\n      <property name=\"student\"", file);
    put_attribute(file, export, "value", member->id);
    fputs("/>\n      <property name=\"status\"", file);
    put_attribute(file, export, "value", export_status(member));
    fputs("/>\n", file);
    put_property(file, "max", (double)export->course->most);
    if (member->has_grade) {
        put_property(file, "points", member->points);
        put_property(file, "bonus", member->bonus);
    }
    fputs("    </properties>\n", file);
}

static void put_suite(FILE *file, const struct export *export, const struct course_member *member)
{
    const struct counts counts = count(member);
    const struct record *record = member->record;
    char *words = export_words(export, member, false);
    fputs("  <testsuite", file);
    put_attribute(file, export, "name", member->name);
    put_counts(file, &counts, record ? record->took_s : 0);
    fprintf(file, " skipped=\"%zu\">\n", counts.skipped);
    put_properties(file, export, member);
    for (size_t i = 0; record && !export_is_lost(member) && i < record->nstages; i++)
        put_stage(file, export, record, &record->stages[i]);
    if (!record || export_is_lost(member) || !record->nstages)
        put_whole(file, export, member);
    fputs("    <system-out>", file);
    put_text(file, export, words ? words : "");
    fputs("</system-out>\n  </testsuite>\n", file);
    free(words);
}

void export_junit(const struct export *export, const struct course_member *none, FILE *file)
{
    struct counts all = {.tests = 0};
    double seconds = 0;
    (void)none;
    for (size_t i = 0; i < export->course->nmembers; i++) {
        const struct course_member *member = &export->course->members[i];
        const struct counts one = count(member);
        if (!export_takes(export, member))
            continue;
        all = (struct counts){all.tests + one.tests, all.failures + one.failures, all.errors + one.errors, 0};
        seconds += member->record ? member->record->took_s : 0;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Warpstep ", file);
    put_plain(file, export, export->course->lab, true);
    fputc('"', file);
    put_counts(file, &all, seconds);
    fputs(">\n", file);
    for (size_t i = 0; i < export->course->nmembers; i++) {
        if (export_takes(export, &export->course->members[i]))
            put_suite(file, export, &export->course->members[i]);
    }
    fputs("</testsuites>\n", file);
}
