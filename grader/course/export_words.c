/* export_words.c - numbers and explanations that all exports share: see export_words.h. */
#define _GNU_SOURCE
#include "grader/course/export_words.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"

/* ------------------------------------------------------------------------------------------- numbers */

double export_total(const struct course_member *member)
{
    return member->points + member->bonus;
}

double export_capped(const struct export *export, const struct course_member *member)
{
    const double total = export_total(member), most = (double)export->course->most;
    return total > most ? most : total < 0 ? 0 : total;
}

const struct record_stage *export_find_stage(const struct course_member *member, const char *id)
{
    for (size_t i = 0; member->record && i < member->record->nstages; i++) {
        if (strcmp(member->record->stages[i].id, id) == 0)
            return &member->record->stages[i];
    }
    return NULL;
}

bool export_has_all(const struct record_stage *stage)
{
    return stage->points >= stage->most;
}

const char *export_status(const struct course_member *member)
{
    return course_status(member);
}

void export_time(const struct export *export, const char *text, char out[EXPORT_TIME])
{
    long long seconds;
    struct tm parts;
    time_t when = course_read_time(text, &seconds) ? (time_t)seconds : (time_t)(export->now_ms / 1000);
    if (!gmtime_r(&when, &parts) || parts.tm_year + 1900 > 9999 ||
        !strftime(out, EXPORT_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts))
        snprintf(out, EXPORT_TIME, "1970-01-01T00:00:00Z");
}

/* ------------------------------------------------------------------------------------------- texts */

/* Cuts between two characters. */
static char *cut(const struct export *export, char *text)
{
    char *shorter;
    size_t length = text ? strlen(text) : 0, at = export->most_text;
    if (length <= at)
        return text;
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    if (asprintf(&shorter, "%.*s\n(%zu more bytes are left out here.)", (int)at, text, length - at) < 0)
        shorter = NULL;
    free(text);
    return shorter;
}

char *export_plain(const struct export *export, const char *text)
{
    return cut(export, utf8_plain(text ? text : ""));
}

struct words {
    char *text;
    size_t size;
    FILE *file;
};

static bool begin(struct words *words)
{
    *words = (struct words){.text = NULL};
    words->file = open_memstream(&words->text, &words->size);
    return words->file;
}

static char *end(const struct export *export, struct words *words)
{
    if (fclose(words->file) != 0) {
        free(words->text);
        return NULL;
    }
    while (words->size && words->text[words->size - 1] == '\n')
        words->text[--words->size] = '\0';
    char *plain = export_plain(export, words->text);
    free(words->text);
    return plain;
}

/* A line of its own, if there is anything to say. */
static void put_line(FILE *file, const char *before, const char *text)
{
    if (text && *text)
        fprintf(file, "%s%s\n", before, text);
}

/* ------------------------------------------------------------------------------------------- a member */

static void put_points(FILE *file, const struct course *course, double points, double bonus)
{
    fprintf(file, "%g of %ld points", points, course->most);
    if (bonus > 0)
        fprintf(file, " and %g bonus points", bonus);
}

static void put_lateness(FILE *file, const struct export *export, const struct course_member *member)
{
    const long minutes = (member->late_s + 59) / 60, hours = minutes / 60;
    fputs("Late", file);
    if (hours >= 48)
        fprintf(file, " by %ld days %ld h", hours / 24, hours % 24);
    else if (minutes > 0)
        fprintf(file, " by %ld h %ld min", hours, minutes % 60);
    if (*export->course->late)
        fprintf(file, "; the rule for late points: %s", export->course->late);
    fputs(".\n", file);
}

static bool is_adjusted(const struct course_member *member)
{
    return member->record &&
           (member->points != (double)member->earned || member->bonus != (double)member->earned_bonus);
}

static void put_adjustment(FILE *file, const struct export *export, const struct course_member *member)
{
    if (member->is_late)
        put_lateness(file, export, member);
    char *uncounted = course_uncounted(export->course, member);
    put_line(file, "", uncounted);
    free(uncounted);
    if (member->override)
        fprintf(file, "These points were given by hand%s%s\n", *member->override->reason ? ": " : ".",
                member->override->reason);
    if (!is_adjusted(member))
        return;
    fputs("By the stages alone: ", file);
    put_points(file, export->course, (double)member->earned, (double)member->earned_bonus);
    fputs("; so the stages' points do not add up to these.\n", file);
}

char *export_adjustment(const struct export *export, const struct course_member *member)
{
    struct words words;
    if (!begin(&words))
        return NULL;
    put_adjustment(words.file, export, member);
    return end(export, &words);
}

static void put_capped(FILE *file, const struct export *export, const struct course_member *member)
{
    if (export_capped(export, member) != export_total(member))
        fprintf(file, "Here %ld points at most can be shown, of %g.\n", export->course->most,
                export_total(member));
}

/* Of a note, what is about the student's own files; what it says of the roster and of others is the instructor's. */
static void put_taken(FILE *file, const char *note)
{
    static const char *const own[] = {" was taken for ", " was unpacked", " other file was left",
                                      " other files were left", "handed in together with others"};
    int count = 0;
    for (size_t length; note && *note; note += length, note += *note ? 2 : 0) {
        const char *end = strstr(note, "; ");
        bool is_own = false;
        length = end ? (size_t)(end - note) : strlen(note);
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            is_own = is_own || memmem(note, length, own[i], strlen(own[i]));
        if (is_own)
            fprintf(file, "%s%.*s", count++ ? "; " : "Taken so: ", (int)length, note);
    }
    if (count)
        fputc('\n', file);
}

static void put_record(FILE *file, const struct record *record)
{
    const char *why = record->details && *record->details ? record->details : record->message;
    put_taken(file, record->note);
    if (strcmp(record->status, record_status_names[RECORD_GRADED]) != 0)
        fprintf(file, "%s%s%s\n", record->status, *why ? ": " : ".", why);
    else
        put_line(file, "", record->message);
}

/* "tiled: 0 of 30 points. Move the barrier ...": why points were lost, in a line each. */
static void put_lost(FILE *file, const struct record *record)
{
    for (size_t i = 0; i < record->nstages; i++) {
        const struct record_stage *stage = &record->stages[i];
        if (stage->points < stage->most &&
            strcmp(record->status, record_status_names[RECORD_BUILD_FAILED]) != 0 &&
            (*stage->hint || *stage->symptom))
            fprintf(file, "%s: %ld of %ld points. %s\n", stage->id, stage->points, stage->most,
                    *stage->hint ? stage->hint : stage->symptom);
    }
}

char *export_words(const struct export *export, const struct course_member *member, bool is_capped)
{
    struct words words;
    if (!begin(&words))
        return NULL;
    if (member->has_grade)
        put_points(words.file, export->course, member->points, member->bonus);
    else
        fputs(member->record || member->is_waiting ? "No grade" : "No submission", words.file);
    fputs(".\n", words.file);
    if (is_capped && member->has_grade)
        put_capped(words.file, export, member);
    if (member->has_grade)
        put_adjustment(words.file, export, member);
    if (member->record)
        put_record(words.file, member->record);
    if (member->record)
        put_lost(words.file, member->record);
    return end(export, &words);
}

/* ------------------------------------------------------------------------------------------- a stage */

char *export_hint(const struct export *export, const struct record_stage *stage)
{
    struct words words;
    const char *first = *stage->hint ? stage->hint : *stage->symptom ? stage->symptom : stage->message;
    if (!begin(&words))
        return NULL;
    fputs(first, words.file);
    return end(export, &words);
}

static void put_speed(FILE *file, const struct record_stage *stage)
{
    if (stage->speedup > 0)
        fprintf(file, "speedup: %.2fx", stage->speedup);
    if (stage->speedup > 0 && stage->needed > 0)
        fprintf(file, ", needed: %.2fx", stage->needed);
    if (stage->speedup > 0)
        fputc('\n', file);
    if (stage->time_us > 0)
        fprintf(file, "time: %.2f us\n", stage->time_us);
}

static void put_cases(FILE *file, const struct record *record, long row)
{
    for (size_t i = 0; i < record->ncases; i++) {
        const struct record_case *one = &record->cases[i];
        if (one->stage == row && !one->is_right)
            fprintf(file, "wrong: %s%s%s\n", one->name, *one->text ? ": " : "", one->text);
    }
}

static void put_findings(FILE *file, const struct record *record, long row)
{
    for (size_t i = 0; i < record->nfindings; i++) {
        const struct record_finding *one = &record->findings[i];
        if (one->stage != row)
            continue;
        fprintf(file, "%s: %s%s%s\n", one->severity, one->place, *one->place ? ": " : "", one->title);
        put_line(file, "", one->text);
    }
}

char *export_stage_words(const struct export *export, const struct record *record,
                         const struct record_stage *stage)
{
    struct words words;
    if (!begin(&words))
        return NULL;
    fprintf(words.file, "%ld of %ld points%s\n", stage->points, stage->most,
            stage->is_bonus ? ", bonus" : "");
    fprintf(words.file, "right: %s; clean: %s; concept: %s\n", stage->is_right ? "yes" : "no",
            stage->is_clean ? "yes" : "no", stage->has_concept ? "yes" : "no");
    put_speed(words.file, stage);
    put_line(words.file, "to mend first: ", stage->symptom);
    put_line(words.file, "hint: ", stage->hint);
    put_line(words.file, "", stage->message);
    put_cases(words.file, record, stage->row);
    put_findings(words.file, record, stage->row);
    return end(export, &words);
}
