/* recorded.c - from gradings to records: see recorded.h. */
#define _GNU_SOURCE
#include "grader/recorded.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "grader/busy.h"
#include "grader/files.h"
#include "grader/put.h"

enum { MESSAGE = 300, MOST_NOTE = 1 << 16, NAME_COLUMNS = 40 };
#define MOST_PART ((size_t)256 << 20)

/* ------------------------------------------------------------------------------------------- the environment */

/* The first number with a dot behind a word in a small file: `"version" : "13.0.48"`. */
static void find_version(const char *path, const char *word, char *out, size_t size)
{
    size_t bytes;
    char *text = (char *)files_read(path, MOST_NOTE, true, &bytes);
    const char *at = text ? strstr(text, word) : NULL;
    while (at && *at && !(isdigit((unsigned char)*at) && at[strspn(at, "0123456789")] == '.'))
        at++;
    snprintf(out, size, "%.*s", at ? (int)strspn(at, "0123456789.") : 0, at ? at : "");
    free(text);
}

/* Whatever decides about points: a kit that was changed grades anew. */
static uint64_t hash_kit(const struct session *session)
{
    static const char *const parts[] = {"judge-virtual", "labs/%s/lab.so", "labs/%s/baseline.fatbin",
                                        "labs/%s/scout.o"};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[100], path[GRADE_PATH + 120];
        size_t size;
        snprintf(name, sizeof name, parts[i], session->entry->id);
        snprintf(path, sizeof path, "%s/%s", session->kit.build, name);
        uint8_t *bytes = files_read(path, MOST_PART, true, &size);
        hash = hash * 31 + (bytes ? hash_bytes(bytes, size) : 0);
        free(bytes);
    }
    return hash;
}

bool recorded_environment(const struct session *session, struct record_environment *out)
{
    char driver[40], toolkit[40], kit[60], path[GRADE_PATH + 40];
    snprintf(path, sizeof path, "%s/version.json", session->tools.root);
    find_version(path, "\"cuda\"", toolkit, sizeof toolkit);
    find_version("/proc/driver/nvidia/version", "Kernel Module", driver, sizeof driver);
    snprintf(kit, sizeof kit, "%s-%08" PRIx32, GRADE_VERSION, (uint32_t)(hash_kit(session) >> 16));
    return record_set(&out->lab, session->lab->id) && record_set(&out->stages, session->options->stage) &&
           record_set(&out->backend, session->has_gpu ? "gpu" : "virtual") &&
           record_set(&out->gpu, session->has_gpu ? session->gpu : session->model) &&
           record_set(&out->driver, session->has_gpu ? driver : "") && record_set(&out->toolkit, toolkit) &&
           record_set(&out->kit, kit) && record_set(&out->sandbox, session->sandbox.state);
}

/* ------------------------------------------------------------------------------------------- the class */

char *recorded_stages(const struct lab *lab)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; file && i < lab->nstages; i++) {
        const struct lab_stage *stage = &lab->stages[i];
        if (!stage->is_given)
            fprintf(file, "%d %d %d %s %s\n", i + 1, lab_stage_points(stage), stage->is_bonus, stage->id,
                    stage->title);
    }
    return file && fclose(file) == 0 ? text : NULL;
}

bool recorded_course(const struct session *session, struct course *course)
{
    char *stages = recorded_stages(session->lab);
    const bool is_done = stages && course_read_stages(course, stages) &&
                         record_set(&course->lab, session->entry->id) &&
                         record_set(&course->title, session->lab->title);
    course->most = lab_max_points(session->lab);
    free(stages);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the status */

/* The line of the first error among the compiler's words; NULL: there is none. */
static const char *first_error(const char *text)
{
    const char *error = strstr(text, ": error");
    if (!error)
        error = strstr(text, "error");
    while (error && error > text && error[-1] != '\n')
        error--;
    return error;
}

void recorded_summary(const char *text, char *out, size_t size)
{
    size_t length = strcspn(text, "\n");
    bool is_announcement = text[length] && length && text[length - 1] == ':';
    const char *error = is_announcement ? first_error(text + length + 1) : NULL;
    snprintf(out, size, "%.*s%s%.*s", (int)length, text, error ? " " : "",
             error ? (int)strcspn(error, "\n") : 0, error ? error : "");
}

/* The first stage that ended in one of these; NULL: none did. */
static const struct stage_result *find_symptom(const struct grading *grading, const enum lab_symptom *of,
                                               int count)
{
    for (int i = 0; i < grading->nstages; i++) {
        for (int k = 0; k < count && grading->stages[i].is_wanted; k++) {
            if (grading->stages[i].score.symptom == of[k])
                return &grading->stages[i];
        }
    }
    return NULL;
}

/* What broke down or did not end is a status only where nothing was earned; else the stage alone tells of it. */
static enum record_status status_of(const struct grading *grading, const struct stage_result **cause)
{
    static const enum lab_symptom no_end[] = {LAB_ENDLESS, LAB_DEADLOCK, LAB_PRINTS},
                                  broken[] = {LAB_STOPPED, LAB_FAULT, LAB_MISALIGNED};
    const struct totals totals = grading_totals(grading);
    *cause = NULL;
    if (grading->outcome == OUTCOME_OURS)
        return RECORD_ERROR;
    if (grading->trouble)
        return grading->is_refused ? RECORD_REFUSED : RECORD_BUILD_FAILED;
    if (totals.points + totals.bonus)
        return RECORD_GRADED;
    if ((*cause = find_symptom(grading, no_end, LAB_COUNT(no_end))))
        return RECORD_TIMED_OUT;
    *cause = find_symptom(grading, broken, LAB_COUNT(broken));
    return *cause ? RECORD_CRASHED : RECORD_GRADED;
}

static bool set_status(const struct grading *grading, struct record *out)
{
    const struct stage_result *cause;
    const enum record_status status = status_of(grading, &cause);
    char first[MESSAGE], message[MESSAGE + 60] = "";
    const char *words = grading->trouble ? grading->trouble : cause && cause->trouble ? cause->trouble : "";
    recorded_summary(words, first, sizeof first);
    if (cause)
        snprintf(message, sizeof message, "Stage %.50s: %.300s", cause->stage->id,
                 *first ? first : cause->score.hint);
    else
        snprintf(message, sizeof message, "%s", first);
    return record_set(&out->status, record_status_names[status]) && record_set(&out->message, message) &&
           record_set(&out->details, grading->trouble);
}

/* ------------------------------------------------------------------------------------------- stages */

static bool add_stage(const struct grading *grading, const struct stage_result *result, struct record *out)
{
    const struct score *score = &result->score;
    struct record_stage *row = record_add(out, record_parts[0].shape);
    struct lab_scale scale = {.us = 0};
    if (!row)
        return false;
    const bool is_timed = grading_find_scale(grading, result, &scale);
    row->row = result->row;
    row->points = score->all.points;
    row->most = lab_stage_points(result->stage);
    row->is_bonus = result->stage->is_bonus;
    row->is_right = score->is_right;
    row->is_clean = score->is_right && score->is_clean;
    row->has_concept = score->is_right && score->has_concept;
    row->speedup = score->has_speedup ? score->speedup : 0;
    row->needed = score->needed;
    row->time_us = is_timed ? scale.us : 0;
    row->baseline_us = is_timed ? result->verdict->time.baseline_us : 0;
    return record_set(&row->id, result->stage->id) && record_set(&row->title, result->stage->title) &&
           record_set(&row->symptom, lab_symptom_name(score->symptom)) &&
           record_set(&row->hint, score->hint) && record_set(&row->message, result->trouble);
}

static bool add_cases(const struct grading *grading, const struct stage_result *result, struct record *out)
{
    bool is_done = true;
    for (uint32_t i = 0; i < result->verdict->ncases && is_done; i++) {
        const struct lab_outcome *one = &result->verdict->cases[i];
        char name[300];
        struct record_case *row = record_add(out, record_parts[1].shape);
        if (!row)
            return false;
        grading_describe_case(grading->session->lab, result->stage, one->which, grading->seed, name,
                              sizeof name);
        row->stage = result->row;
        row->is_right = one->is_right;
        is_done = record_set(&row->name, name) && record_set(&row->symptom, lab_symptom_name(one->symptom)) &&
                  record_set(&row->text, one->text);
    }
    return is_done;
}

static bool add_findings(const struct stage_result *result, struct record *out)
{
    bool is_done = true;
    for (uint32_t i = 0; i < result->verdict->nmessages && is_done; i++) {
        const struct verdict_message *one = &result->verdict->messages[i];
        struct record_finding *row = record_add(out, record_parts[2].shape);
        if (!row)
            return false;
        row->stage = result->row;
        is_done = record_set(&row->severity, one->severity) &&
                  record_set(&row->symptom, lab_symptom_name(one->symptom)) &&
                  record_set(&row->title, one->title) && record_set(&row->place, one->place) &&
                  record_set(&row->text, one->text);
    }
    return is_done;
}

static bool add_measurements(const struct stage_result *result, struct record *out)
{
    bool is_done = true;
    for (uint32_t i = 0; i < result->verdict->ncounters && is_done; i++) {
        struct record_measurement *row = record_add(out, record_parts[3].shape);
        if (!row)
            return false;
        row->stage = result->row;
        row->value = result->verdict->counters[i].value;
        is_done = record_set(&row->name, result->verdict->counters[i].name);
    }
    return is_done;
}

bool recorded_grading(const struct grading *grading, struct record *out)
{
    const struct totals totals = grading_totals(grading);
    char seed[30];
    snprintf(seed, sizeof seed, "%" PRIu64, grading->seed);
    out->compiler_s = grading->compiler_s;
    out->points = totals.points;
    out->bonus = totals.bonus;
    out->most = lab_max_points(grading->session->lab);
    bool is_done = record_set(&out->seed, seed) && set_status(grading, out);
    for (int i = 0; i < grading->nstages && is_done; i++) {
        const struct stage_result *result = &grading->stages[i];
        if (result->stage->is_given && !result->is_wanted)
            continue;
        is_done = add_stage(grading, result, out);
        if (result->verdict)
            is_done = is_done && add_cases(grading, result, out) && add_findings(result, out) &&
                      add_measurements(result, out);
    }
    return is_done;
}

void recorded_now(char out[RECORDED_TIME])
{
    const time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(out, RECORDED_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* ------------------------------------------------------------------------------------------- a line for the reader */

/* "80", "80+10". */
static void put_both(const struct course_member *member)
{
    printf("; %g", member->points);
    if (member->bonus > 0)
        printf("+%g", member->bonus);
}

/* "; 80+10 count, late". Points by hand, late rules and other submissions decide about what counts. */
static void put_counted(const struct record *record, const struct course_member *member, bool is_followed)
{
    if (!member)
        return;
    if (member->override) {
        put_both(member);
        printf(" count, by hand");
    } else if (is_followed || member->record != record)
        printf("; another submission counts");
    else if (member->has_grade &&
             member->points + member->bonus != (double)(record->points + record->bonus)) {
        put_both(member);
        printf(" count, late");
    }
}

void recorded_put_line(const struct record *record, const struct course_member *member, bool is_followed)
{
    const bool is_graded = strcmp(record->status, record_status_names[RECORD_GRADED]) == 0,
               is_error = strcmp(record->status, record_status_names[RECORD_ERROR]) == 0;
    char *plain = utf8_plain(record->message);
    if (member && strcmp(member->name, member->id) != 0) {
        char who[2 * NAME_COLUMNS];
        snprintf(who, sizeof who, "%.36s (%s)", member->name, record->student);
        put_name(who, NAME_COLUMNS);
    } else
        put_name(record->student, NAME_COLUMNS);
    if (is_graded)
        printf(record->bonus ? "%4ld/%ld, bonus %ld" : "%4ld/%ld", record->points, record->most,
               record->bonus);
    else
        printf("%s: %s", is_error ? "error of the kit" : record->status, plain ? plain : "");
    put_counted(record, member, is_followed);
    printf("%s%s%s\n", *record->note ? " (" : "", record->note, *record->note ? ")" : "");
    fflush(stdout);
    busy_spoke();
    free(plain);
}

/* ------------------------------------------------------------------------------------------- results.csv */

void recorded_close(const char *folder)
{
    char path[GRADE_PATH + 20];
    snprintf(path, sizeof path, "%s/results.db", folder);
    if (access(path, F_OK) == 0)
        files_make_private(folder);
}

bool recorded_save_csv(const struct course *course, const char *folder)
{
    char path[GRADE_PATH + 20], *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    course_put_csv(course, file);
    snprintf(path, sizeof path, "%s/results.csv", folder);
    const bool is_done = fclose(file) == 0 && files_replace(path, text, size);
    free(text);
    return is_done;
}
