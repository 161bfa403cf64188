/* platform.c - see platform.h. Points are those of the report; words are the report's own, as a student sees them in a terminal.
 * Gradescope's form: results.json of its autograders. Classroom 50's: result.json, classroom50/result/v1; who and when come from the
 * variables that its runner sets. */
#define _GNU_SOURCE
#include "grader/platform.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "grader/grade.h"

/* ------------------------------------------------------------------------------------------- the file */

enum { MOST_NAMED = 5, DEEPEST = 8 };

/* nftw() has no room for a context. */
static struct {
    const char *name; /* "lab3.cu" */
    size_t top;       /* bytes of the folder's path, with the slash */
    char found[GRADE_PATH + 600];
    int count; /* of that name */
    char others[600];
    int nothers;
} search;

static void note_other(const char *path)
{
    if (search.nothers++ < MOST_NAMED)
        snprintf(search.others + strlen(search.others), sizeof search.others - strlen(search.others),
                 "%s%.100s", *search.others ? ", " : "", path + search.top);
}

/* What archives of a Mac add, and what is hidden, was handed in by no student. */
static int look_at(const char *path, const struct stat *status, int type, struct FTW *where)
{
    const char *name = path + where->base;
    (void)status;
    if (where->level && (*name == '.' || strcmp(name, "__MACOSX") == 0))
        return FTW_SKIP_SUBTREE;
    if (type == FTW_D || where->level > DEEPEST)
        return type == FTW_D && where->level > DEEPEST ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
    if (type == FTW_F && strcmp(name, search.name) == 0) {
        if (search.count++ == 0)
            snprintf(search.found, sizeof search.found, "%s", path);
        note_other(path);
    } else if (search.count == 0) {
        note_other(path);
    }
    return FTW_CONTINUE;
}

static bool is_file(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool find_below(struct grading *grading, const char *folder, const char *name)
{
    memset(&search, 0, sizeof search);
    search.name = name;
    search.top = strlen(folder) + 1;
    nftw(folder, look_at, 16, FTW_PHYS | FTW_ACTIONRETVAL);
    if (search.count == 1)
        return true;
    if (search.count > 1)
        return grading_fail(grading, OUTCOME_STUDENT, "%d files are called %s: %s. Hand in one.",
                            search.count, name, search.others);
    if (search.nothers == 0)
        return grading_fail(grading, OUTCOME_STUDENT, "Nothing was handed in: a file %s is wanted.", name);
    return grading_fail(
        grading, OUTCOME_STUDENT,
        "There is no file %s among what was handed in: %s%s. Give it that name, and hand it in again.", name,
        search.others, search.nothers > MOST_NAMED ? ", ..." : "");
}

bool platform_find_file(struct grading *grading, char *path, size_t size)
{
    const struct labs_entry *entry = grading->session->entry;
    struct stat status;
    char name[64], usual[GRADE_PATH + 1000];
    snprintf(name, sizeof name, "%s.cu", entry->id);
    snprintf(grading->shown, sizeof grading->shown, "%s", name);
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return true;
    snprintf(usual, sizeof usual, "%s/%s", path, name);
    if (!is_file(usual))
        snprintf(usual, sizeof usual, "%s/labs/%s/%s", path, entry->folder, name);
    if (!is_file(usual)) {
        if (!find_below(grading, path, name))
            return false;
        snprintf(usual, sizeof usual, "%s", search.found);
    }
    snprintf(path, size, "%s", usual);
    return true;
}

/* ------------------------------------------------------------------------------------------- words */

/* What the report's functions print, as text; NULL: out of memory. */
struct words {
    FILE *before;
    char *text;
    size_t size;
};

static bool words_begin(struct words *words)
{
    *words = (struct words){.before = stdout};
    FILE *file = open_memstream(&words->text, &words->size);
    if (file)
        stdout = file;
    return file != NULL;
}

static char *words_end(struct words *words)
{
    fclose(stdout);
    stdout = words->before;
    return words->text;
}

static char *words_of_stage(const struct grading *grading, const struct stage_result *result)
{
    struct words words;
    if (!words_begin(&words))
        return NULL;
    report_stage(grading, result);
    return words_end(&words);
}

static char *words_of_all(const struct grading *grading, bool has_stages)
{
    struct words words;
    if (!words_begin(&words))
        return NULL;
    report_begin(grading);
    for (int i = 0; i < grading->nstages && has_stages && !grading->trouble; i++)
        report_stage(grading, &grading->stages[i]);
    report_end(grading);
    return words_end(&words);
}

static void put_owned(struct json *json, const char *key, char *text)
{
    json_text(json, key, text ? text : "");
    free(text);
}

/* ------------------------------------------------------------------------------------------- points */

/* A stage that the kit could not judge has no points, and so has the whole. */
static bool is_ours(const struct grading *grading)
{
    for (int i = 0; i < grading->nstages; i++) {
        const struct verdict *verdict = grading->stages[i].verdict;
        if (verdict && *verdict->failure)
            return true;
    }
    return grading->outcome == OUTCOME_OURS;
}

static bool is_counted(const struct stage_result *result)
{
    return result->is_wanted && lab_stage_points(result->stage) > 0;
}

static int all_points(const struct grading *grading)
{
    const struct totals totals = grading_totals(grading);
    return totals.points + totals.bonus;
}

/* Of the lab; its table knows it also where nothing was graded. */
static int most_points(const struct grading *grading, bool has_bonus)
{
    const struct lab *lab = grading->session->lab;
    int most = 0;
    for (int i = 0; i < lab->nstages; i++)
        most += lab->stages[i].is_bonus && !has_bonus ? 0 : lab_stage_points(&lab->stages[i]);
    return most;
}

static void write_name(const struct stage_result *result, char *out, size_t size)
{
    snprintf(out, size, "%s: %s", result->stage->id, result->stage->title);
}

/* ------------------------------------------------------------------------------------------- Gradescope */

static void put_test(struct json *json, const struct grading *grading, const struct stage_result *result)
{
    const struct score_part *all = &result->score.all;
    char name[300], number[16];
    write_name(result, name, sizeof name);
    snprintf(number, sizeof number, "%d", result->row);
    json_line(json);
    json_object(json, NULL);
    json_text(json, "number", number);
    json_text(json, "name", name);
    json_integer(json, "score", all->points);
    json_integer(json, "max_score", lab_stage_points(result->stage));
    json_text(json, "status", all->points == lab_stage_points(result->stage) ? "passed" : "failed");
    put_owned(json, "output", words_of_stage(grading, result));
    json_list(json, "tags");
    if (result->stage->is_bonus)
        json_text(json, NULL, "bonus");
    json_end_list(json);
    json_text(json, "visibility", "visible");
    json_end_object(json);
}

/* Why nothing was graded, where a student looks first. */
static void put_failed_test(struct json *json, const struct grading *grading)
{
    char name[100];
    snprintf(name, sizeof name, "%.60s can be graded", grading->shown);
    json_object(json, NULL);
    json_text(json, "name", name);
    json_integer(json, "score", 0);
    json_integer(json, "max_score", most_points(grading, false));
    json_text(json, "status", "failed");
    json_text(json, "output", grading->trouble);
    json_text(json, "visibility", "visible");
    json_end_object(json);
}

static void put_place(struct json *json, const char *name, double value)
{
    json_object(json, NULL);
    json_text(json, "name", name);
    json_fixed(json, "value", value, 2);
    json_text(json, "order", "desc");
    json_end_object(json);
}

/* Points, then the speedups of stages that are right: others' are no achievement. */
static void put_leaderboard(struct json *json, const struct grading *grading)
{
    char name[100];
    json_list(json, "leaderboard");
    put_place(json, "points", all_points(grading));
    for (int i = 0; i < grading->nstages; i++) {
        const struct stage_result *one = &grading->stages[i];
        snprintf(name, sizeof name, "speedup of %.60s", one->stage->id);
        if (is_counted(one) && one->score.is_right && one->score.has_speedup)
            put_place(json, name, one->score.speedup);
    }
    json_end_list(json);
}

static void put_extra(struct json *json, const struct grading *grading)
{
    const struct session *session = grading->session;
    json_object(json, "extra_data");
    json_text(json, "lab", session->entry->id);
    json_text(json, "kit", GRADE_VERSION);
    json_text(json, "gpu", session->has_gpu ? session->gpu : session->model);
    json_bool(json, "virtual", !session->has_gpu);
    json_text(json, "sandbox", session->sandbox.state);
    json_end_object(json);
}

static void put_gradescope(const struct grading *grading, FILE *file)
{
    struct json whole = {.file = file}, *json = &whole;
    json_object(json, NULL);
    json_integer(json, "score", all_points(grading));
    put_owned(json, "output", words_of_all(grading, false));
    json_text(json, "output_format", "text");
    json_text(json, "test_output_format", "text");
    json_text(json, "visibility", "visible");
    json_text(json, "stdout_visibility", "hidden");
    json_list(json, "tests");
    if (grading->trouble)
        put_failed_test(json, grading);
    for (int i = 0; i < grading->nstages && !grading->trouble; i++) {
        if (is_counted(&grading->stages[i]))
            put_test(json, grading, &grading->stages[i]);
    }
    json_end_list(json);
    put_leaderboard(json, grading);
    put_extra(json, grading);
    json_end_object(json);
    fputc('\n', file);
}

/* ------------------------------------------------------------------------------------------- Classroom 50 */

static void put_classroom_test(struct json *json, const char *name, int points, int most, char *words)
{
    json_line(json);
    json_object(json, NULL);
    json_text(json, "test-name", name);
    json_bool(json, "passed", points == most && most > 0);
    json_integer(json, "score", points);
    json_integer(json, "max-score", most);
    put_owned(json, "output", words);
    json_end_object(json);
}

static void put_time(struct json *json, const char *key, const char *given)
{
    char text[40] = "";
    struct tm parts;
    const time_t now = time(NULL);
    if (gmtime_r(&now, &parts))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_text(json, key, given && *given ? given : text);
}

/* What the runner says of the submission; where it says nothing, there is "". */
static void put_identity(struct json *json)
{
    static const struct {
        const char *key, *variable;
    } rows[] = {
        {"classroom", "CLASSROOM"}, {"assignment", "ASSIGNMENT"},     {"assignment_type", "ASSIGNMENT_TYPE"},
        {"owner", "OWNER"},         {"submission", "SUBMISSION_TAG"}, {"commit", "COMMIT_URL"},
        {"release", "RELEASE_URL"}, {"review", "REVIEW_URL"}};
    json_text(json, "schema", "classroom50/result/v1");
    for (int i = 0; i < LAB_COUNT(rows); i++)
        json_text(json, rows[i].key, getenv(rows[i].variable));
    put_time(json, "datetime", getenv("SUBMITTED_AT"));
    put_time(json, "graded_at", NULL);
}

static void put_classroom50(const struct grading *grading, FILE *file)
{
    struct json whole = {.file = file}, *json = &whole;
    char name[300];
    json_object(json, NULL);
    put_identity(json);
    json_integer(json, "score", all_points(grading));
    json_integer(json, "max-score", most_points(grading, true)); /* the sum of the tests' */
    json_list(json, "tests");
    snprintf(name, sizeof name, "%.60s can be graded", grading->shown);
    if (grading->trouble)
        put_classroom_test(json, name, 0, most_points(grading, true), strdup(grading->trouble));
    for (int i = 0; i < grading->nstages && !grading->trouble; i++) {
        const struct stage_result *one = &grading->stages[i];
        write_name(one, name, sizeof name);
        if (is_counted(one))
            put_classroom_test(json, name, one->score.all.points, lab_stage_points(one->stage),
                               words_of_stage(grading, one));
    }
    json_end_list(json);
    json_end_object(json);
    fputc('\n', file);
}

/* ------------------------------------------------------------------------------------------- the whole */

static void put_error(const struct grading *grading, FILE *file)
{
    struct json json = {.file = file};
    char text[3000];
    snprintf(
        text, sizeof text,
        "Error of the kit or of the machine that grades: there is no grade, and your file is not to blame. "
        "Tell your instructor, or hand it in again later.\n%.2400s",
        grading->trouble ? grading->trouble : "A stage could not be judged.");
    json_object(&json, NULL);
    json_text(&json, "output", text);
    json_text(&json, "stdout_visibility", "hidden");
    json_end_object(&json);
    fputc('\n', file);
}

static void put_text(const struct grading *grading, FILE *file)
{
    char *text = words_of_all(grading, true);
    fputs(text ? text : "", file);
    free(text);
}

static const struct form {
    const char *name;
    void (*put)(const struct grading *grading, FILE *file);
    void (*put_error)(const struct grading *grading, FILE *file);
} forms[] = {{"gradescope", put_gradescope, put_error},
             {"classroom50", put_classroom50, put_error},
             {"text", put_text, put_text}};

static const struct form *find_form(const char *name)
{
    for (int i = 0; i < LAB_COUNT(forms); i++) {
        if (strcmp(name, forms[i].name) == 0)
            return &forms[i];
    }
    return NULL;
}

bool platform_is_known(const char *form)
{
    return find_form(form) != NULL;
}

void platform_put(const struct grading *grading, const char *form, FILE *file)
{
    const struct form *found = find_form(form);
    (is_ours(grading) ? found->put_error : found->put)(grading, file);
}
