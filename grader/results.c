/* results.c - ./grade results DIR: a class's results as they stand, one student's in full, points by hand, and regrades.
 * Reads the store that a batch has written; only overrides are written here. */
#define _GNU_SOURCE
#include "grader/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"
#include "grader/course/by_hand.h"
#include "grader/put.h"
#include "grader/recorded.h"

enum { NAME_COLUMNS = 24, ID_COLUMNS = 16, INDENT = 6 };

struct view {
    struct session *session;
    struct store store;
    struct course course;
    const struct course_member **members; /* those that are shown, in order */
    size_t count;
};

static bool fail(struct view *view, const char *why)
{
    return session_fail(view->session, "%s", why);
}

static const char *folder_of(const struct view *view)
{
    return view->session->options->names[0];
}

/* ------------------------------------------------------------------------------------------- filter and order */

static int compare_names(const struct course_member *a, const struct course_member *b)
{
    return strcasecmp(a->name, b->name);
}

static int compare_points(const struct course_member *a, const struct course_member *b)
{
    const double one = a->has_grade ? a->points + a->bonus : -1,
                 other = b->has_grade ? b->points + b->bonus : -1;
    return (one < other) - (one > other);
}

static int compare_status(const struct course_member *a, const struct course_member *b)
{
    return strcmp(course_status(a), course_status(b));
}

static int compare_lateness(const struct course_member *a, const struct course_member *b)
{
    return a->is_late != b->is_late ? b->is_late - a->is_late
                                    : (a->late_s < b->late_s) - (a->late_s > b->late_s);
}

static const struct order {
    const char *name;
    int (*compare)(const struct course_member *a, const struct course_member *b);
} orders[] = {{"name", compare_names},
              {"points", compare_points},
              {"status", compare_status},
              {"late", compare_lateness},
              {NULL, NULL}};

static const struct order *order; /* qsort() hands nothing on */

/* Equal ones stay in the class's order, which is that of the array. */
static int by_order(const void *a, const void *b)
{
    const struct course_member *one = *(const struct course_member *const *)a,
                               *other = *(const struct course_member *const *)b;
    const int difference = order->compare(one, other);
    return difference ? difference : (one > other) - (one < other);
}

static bool choose_order(struct view *view)
{
    const char *wanted = view->session->options->sort;
    if (!wanted)
        return true;
    for (order = orders; order->name && strcmp(order->name, wanted) != 0;)
        order++;
    if (!order->name)
        return session_fail(view->session, "--sort wants name, points, status or late, not `%s`.", wanted);
    qsort(view->members, view->count, sizeof *view->members, by_order);
    return true;
}

static bool check_status(struct view *view)
{
    const char *wanted = view->session->options->status;
    bool is_known = !wanted || strcmp(wanted, COURSE_MISSING) == 0 || strcmp(wanted, "late") == 0 ||
                    strcmp(wanted, COURSE_WAITING) == 0;
    for (int i = 0; i < RECORD_NSTATUSES; i++)
        is_known = is_known || strcmp(wanted, record_status_names[i]) == 0;
    return is_known ||
           session_fail(view->session,
                        "--status wants graded, \"build failed\", crashed, \"timed out\", refused, error, "
                        "\"not graded yet\", missing or late, not `%s`.",
                        wanted);
}

static bool is_wanted(const struct view *view, const struct course_member *member)
{
    const char *wanted = view->session->options->status;
    if (member->is_left_out)
        return false;
    return !wanted ||
           (strcmp(wanted, "late") == 0 ? member->is_late : strcmp(wanted, course_status(member)) == 0);
}

static bool choose_members(struct view *view)
{
    const struct course *course = &view->course;
    view->members = calloc(course->nmembers + 1, sizeof *view->members);
    if (!view->members)
        return fail(view, "Out of memory.");
    for (size_t i = 0; i < course->nmembers; i++) {
        if (is_wanted(view, &course->members[i]))
            view->members[view->count++] = &course->members[i];
    }
    return check_status(view) && choose_order(view);
}

/* The student that is named; NULL: nobody is, or several are. */
static const struct course_member *find_member(struct view *view, const char *who)
{
    const struct course_member *found = course_find(&view->course, who);
    char why[500] = "";
    if (!found && !course_choose(&view->course, who, why, sizeof why))
        session_fail(view->session, "%s ./grade results %s lists them.", why, folder_of(view));
    else if (!found)
        session_fail(view->session, "Points by hand are one student's: `%s` is several.", who);
    return found;
}

/* ------------------------------------------------------------------------------------------- the list */

static void put_points(const struct view *view, const struct course_member *member)
{
    char bonus[20] = "";
    if (member->has_grade && member->bonus)
        snprintf(bonus, sizeof bonus, "+%g", member->bonus);
    if (member->has_grade)
        printf("%4g/%-3ld %-4s ", member->points, view->course.most, bonus);
    else
        printf("%4s/%-3ld %-4s ", "-", view->course.most, "");
}

/* Then ids have a column of their own. */
static bool has_names(const struct view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        if (strcmp(view->members[i]->name, view->members[i]->id) != 0)
            return true;
    }
    return false;
}

static void put_line(const struct view *view, const struct course_member *member)
{
    put_name(member->name, NAME_COLUMNS);
    if (has_names(view))
        put_name(strcmp(member->name, member->id) == 0 ? "" : member->id, ID_COLUMNS);
    put_points(view, member);
    printf("%s%s%s", course_status(member),
           course_is_closed(&view->course, member) ? ", too late to count"
           : member->is_late                       ? ", late"
                                                   : "",
           member->override ? ", by hand" : "");
    if (member->submissions > 1)
        printf(", 1 of %d submissions counts", member->submissions);
    char *plain = member->record ? utf8_plain(member->record->message) : NULL;
    if (plain && *plain)
        printf(": %.160s", plain);
    putchar('\n');
    free(plain);
}

static void put_list(const struct view *view)
{
    painted(BOLD, "%s", view->course.lab);
    printf("  %s\n\n", view->course.title);
    for (size_t i = 0; i < view->count; i++)
        put_line(view, view->members[i]);
    putchar('\n');
    course_put_counts(&view->course, view->members, view->count, stdout);
    if (!view->session->options->status)
        course_put_absent(&view->course, stdout);
}

/* ------------------------------------------------------------------------------------------- one student */

static void put_stage(const struct record *record, const struct record_stage *stage)
{
    printf("%3ld  %-16s%3ld/%ld%s  ", stage->row, stage->id, stage->points, stage->most,
           stage->is_bonus ? " bonus" : "");
    if (!stage->is_right)
        printf("wrong");
    else
        printf("right%s%s", stage->is_clean ? ", clean" : "", stage->has_concept ? ", concept" : "");
    if (stage->speedup > 0)
        printf(", %.2fx", stage->speedup);
    if (stage->needed > 0)
        printf(" (needed %.2fx)", stage->needed);
    putchar('\n');
    if (*stage->message)
        put_words(INDENT, "%s", stage->message);
    for (size_t i = 0; i < record->ncases; i++) {
        const struct record_case *one = &record->cases[i];
        if (one->stage == stage->row && !one->is_right && *one->text)
            put_words(INDENT, "%s: %s", one->name, one->text);
    }
    for (size_t i = 0; i < record->nfindings; i++) {
        const struct record_finding *one = &record->findings[i];
        if (one->stage == stage->row && *one->title)
            put_words(INDENT, "%s: %s%s%s", one->severity, one->title, *one->place ? ", " : "", one->place);
    }
    if (*stage->hint && stage->points < stage->most)
        put_words(INDENT, "%s", stage->hint);
}

static void put_why(const struct view *view, const struct course_member *member)
{
    if (member->is_late && member->late_s)
        put_words(INDENT, "%ld minutes late; the rule is: %s.", (member->late_s + 59) / 60,
                  *view->course.late ? view->course.late : "nothing is lost");
    else if (member->is_late)
        put_words(INDENT, "Late, as the platform says; the rule is: %s.",
                  *view->course.late ? view->course.late : "nothing is lost");
    if ((double)member->earned != member->points || (double)member->earned_bonus != member->bonus)
        put_words(INDENT, "Earned: %ld points, bonus %ld.", member->earned, member->earned_bonus);
    char *uncounted = course_uncounted(&view->course, member);
    if (uncounted && *uncounted)
        put_words(INDENT, "%s", uncounted);
    free(uncounted);
    if (member->override)
        put_words(INDENT, "By hand, %s: %s", member->override->made, member->override->reason);
}

static void put_member(const struct view *view, const struct course_member *member)
{
    const struct record *record = member->record;
    painted(BOLD, "%s", member->name);
    if (strcmp(member->name, member->id) != 0)
        printf(" (%s)", member->id);
    printf("  ");
    put_points(view, member);
    printf("%s\n", course_status(member));
    put_why(view, member);
    if (!record)
        return;
    put_words(INDENT, "%s%s%s; graded %s on %s%s, kit %s", record->source,
              *record->submitted ? ", submitted " : "", record->submitted, record->begun,
              strcmp(member->environment->backend, "gpu") == 0 ? "" : "the virtual GPU as ",
              member->environment->gpu, member->environment->kit);
    if (*record->note)
        put_words(INDENT, "%s", record->note);
    if (*record->message)
        put_text(*record->details ? record->details : record->message, INDENT, 100);
    const bool is_judged = strcmp(record->status, record_status_names[RECORD_BUILD_FAILED]) != 0 &&
                           strcmp(record->status, record_status_names[RECORD_REFUSED]) != 0;
    putchar('\n');
    for (size_t i = 0; i < record->nstages && is_judged; i++)
        put_stage(record, &record->stages[i]);
}

/* ------------------------------------------------------------------------------------------- as JSON */

static void put_json_stage(struct json *json, const struct record_stage *stage)
{
    json_object(json, NULL);
    json_text(json, "id", stage->id);
    json_integer(json, "points", stage->points);
    json_integer(json, "max_points", stage->most);
    json_bool(json, "bonus", stage->is_bonus);
    if (stage->speedup > 0)
        json_number(json, "speedup", stage->speedup);
    json_text(json, "symptom", stage->symptom);
    json_end_object(json);
}

static void put_json_member(struct json *json, const struct course *course,
                            const struct course_member *member)
{
    char *uncounted = course_uncounted(course, member);
    json_line(json);
    json_object(json, NULL);
    json_text(json, "student", member->id);
    json_text(json, "name", member->name);
    json_text(json, "status", course_status(member));
    if (member->has_grade) {
        json_number(json, "points", member->points);
        json_number(json, "bonus", member->bonus);
    } else {
        json_null(json, "points");
        json_null(json, "bonus");
    }
    json_integer(json, "earned", member->earned);
    json_bool(json, "late", member->is_late);
    json_text(json, "uncounted", uncounted ? uncounted : "");
    free(uncounted);
    json_text(json, "override", member->override ? member->override->reason : "");
    json_text(json, "message", member->record ? member->record->message : "");
    json_list(json, "stages");
    for (size_t i = 0; member->record && i < member->record->nstages; i++)
        put_json_stage(json, &member->record->stages[i]);
    json_end_list(json);
    json_end_object(json);
}

static void put_json(const struct view *view)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_text(&json, "lab", view->course.lab);
    json_integer(&json, "max_points", view->course.most);
    json_list(&json, "students");
    for (size_t i = 0; i < view->count; i++)
        put_json_member(&json, &view->course, view->members[i]);
    json_end_list(&json);
    json_end_object(&json);
    putchar('\n');
}

/* ------------------------------------------------------------------------------------------- points by hand */

/* "anna=85", "anna=85+10", "anna=none". The name may hold a =: the last one counts. */
static bool read_override(struct view *view, char *text, const char **points)
{
    char *sign = strrchr(text, '=');
    if (!sign || sign == text || !sign[1])
        return session_fail(view->session,
                            "--override wants WHO=POINTS, WHO=POINTS+BONUS or WHO=none, not `%s`.", text);
    *sign = '\0';
    *points = sign + 1;
    return true;
}

static bool log_override(struct view *view, const struct course_member *member, const char *after,
                         const char *reason, char made[RECORDED_TIME])
{
    char who[100], before[BY_HAND_POINTS] = "-";
    by_hand_user(who, sizeof who);
    recorded_now(made);
    if (member->has_grade)
        by_hand_write(member->points, member->bonus, before);
    const struct by_hand line = {.when = made,
                                 .who = who,
                                 .student = (char *)(uintptr_t)member->id,
                                 .before = before,
                                 .after = (char *)(uintptr_t)after,
                                 .reason = (char *)(uintptr_t)reason};
    return by_hand_append(folder_of(view), &line) ||
           session_fail(view->session, "%s/by-hand.log cannot be written: %s.", folder_of(view),
                        strerror(errno));
}

/* What the store did not take, the log takes back: both say the same. */
static bool take_back(struct view *view, const struct course_member *member)
{
    char made[RECORDED_TIME], points[BY_HAND_POINTS] = "none";
    if (member->override)
        by_hand_write(member->override->points, member->override->bonus, points);
    log_override(view, member, points, member->override ? member->override->reason : "not stored", made);
    return fail(view, view->store.error);
}

/* First into the log, which outlives the store. */
static bool put_override(struct view *view, const struct course_member *member, const char *text)
{
    char made[RECORDED_TIME], points[BY_HAND_POINTS] = "none";
    char *reason = utf8_line(view->session->options->reason ? view->session->options->reason : "");
    const bool is_dropped = strcmp(text, "none") == 0;
    struct store_override one = {.student = (char *)(uintptr_t)member->id, .reason = reason, .made = made};
    bool is_done = true;
    if (!reason)
        return fail(view, "Out of memory.");
    if (!is_dropped && !by_hand_read(text, &one.points, &one.bonus))
        is_done =
            session_fail(view->session, "Points are whole or half ones, 85, 85.5 or 85+10, not `%s`.", text);
    else if (!is_dropped && !*reason)
        is_done = fail(view, "Points by hand want a --reason: the student will ask.");
    if (is_done && !is_dropped)
        by_hand_write(one.points, one.bonus, points);
    is_done = is_done && log_override(view, member, points, reason, made) &&
              ((is_dropped ? store_drop_override(&view->store, member->id)
                           : store_put_override(&view->store, &one)) ||
               take_back(view, member));
    free(reason);
    return is_done;
}

/* More than the lab has is meant, or a slip of the finger: it is taken, and said. So is an earned bonus that is gone. */
static void put_excess(const struct course_member *member, long most)
{
    if (member->override && !member->override->bonus && member->earned_bonus)
        printf("The bonus of %ld that was earned does not count: %s=%g+%ld keeps it.\n", member->earned_bonus,
               member->id, member->points, member->earned_bonus);
    if (member->override && member->points > (double)most)
        printf("%g points are more than the %ld that the lab has. Bonus points stand behind a +: %ld+%g.\n",
               member->points, most, most, member->points - (double)most);
}

/* The table beside the store shows the same. */
static bool save_csv(struct view *view)
{
    course_free(&view->course);
    if (!by_hand_load_course(&view->course, &view->store))
        return fail(view, view->store.error);
    return recorded_save_csv(&view->course, folder_of(view)) ||
           session_fail(view->session, "%s/results.csv cannot be written: %s.", folder_of(view),
                        strerror(errno));
}

static bool override_one(struct view *view)
{
    char *text = strdup(view->session->options->override);
    const char *points = "";
    const struct course_member *member =
        text && read_override(view, text, &points) ? find_member(view, text) : NULL;
    char *id = member ? strdup(member->id) : NULL;
    const bool is_done = id && put_override(view, member, points) && save_csv(view);
    const struct course_member *now = is_done ? course_find_id(&view->course, id) : NULL;
    if (now) {
        put_member(view, now);
        put_excess(now, view->course.most);
    } else if (is_done)
        printf("%s has no points by hand any more. There is no submission of %s, and no roster has this id: "
               "it is "
               "no longer in the class.\n",
               id, id);
    free(id);
    free(text);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- regrades */

/* The batch that made the results, once more: the same folder, the same GPU, the same stages. */
static bool regrade(struct view *view)
{
    const struct options *options = view->session->options;
    const struct store_content *content = &view->course.content;
    const struct record_environment *before = content->nrecords ? &content->environments[0] : NULL;
    char program[GRADE_PATH + 20], *folder = store_get(&view->store, "folder");
    const char *argv[20] = {"grade", "batch",         view->course.lab, folder,
                            "--out", folder_of(view), "--regrade",      options->regrade};
    int count = 8;
    if (!folder || !*folder || !before) {
        free(folder);
        return fail(view, "These results do not say where the submissions lie: run ./grade batch again.");
    }
    if (strcmp(before->backend, "virtual") == 0) {
        argv[count++] = "--gpu";
        argv[count++] = before->gpu;
    }
    if (*before->stages) {
        argv[count++] = "--stage";
        argv[count++] = before->stages;
    }
    if (options->needs_no_sandbox)
        argv[count++] = "--no-sandbox";
    snprintf(program, sizeof program, "%s/grade", view->session->kit.root);
    execv(program, (char *const *)(uintptr_t)argv);
    return session_fail(view->session, "%s cannot be started: %s.", program, strerror(errno));
}

/* ------------------------------------------------------------------------------------------- the command */

static bool show(struct view *view)
{
    const struct options *options = view->session->options;
    char why[500];
    if (!course_choose(&view->course, options->only, why, sizeof why))
        return session_fail(view->session, "%s ./grade results %s lists them.", why, folder_of(view));
    if (!choose_members(view))
        return false;
    if (options->is_json)
        put_json(view);
    else if (!options->only)
        put_list(view);
    for (size_t i = 0; options->only && !options->is_json && i < view->count; i++) {
        if (i)
            putchar('\n');
        put_member(view, view->members[i]);
    }
    return true;
}

static bool open_view(struct view *view)
{
    store_name(&view->store, folder_of(view));
    recorded_close(folder_of(view));
    if (!store_is_built_in() || store_exists(&view->store))
        return by_hand_load_course(&view->course, &view->store) || fail(view, view->store.error);
    return session_fail(
        view->session,
        "There are no results in %s. They are made by ./grade batch lab3 SUBMISSIONS --out RESULTS.",
        folder_of(view));
}

enum outcome results_run(struct session *session)
{
    struct view view = {.session = session};
    const struct options *options = session->options;
    if (options->is_recover)
        return results_recover(session, folder_of(&view));
    const bool is_done = open_view(&view) && (options->regrade    ? regrade(&view)
                                              : options->override ? override_one(&view)
                                                                  : show(&view));
    if (!is_done)
        fprintf(stderr, "grade: %s\n", session->error);
    course_free(&view.course);
    free(view.members);
    return is_done ? OUTCOME_GRADED : OUTCOME_OURS;
}
