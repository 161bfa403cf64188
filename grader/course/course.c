/* course.c - a class as its results stand: see course.h. */
#define _GNU_SOURCE
#include "grader/course/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------- which submission counts */

/* Without a grade it counts for less than any with one. */
static long worth(const struct record *record)
{
    return strcmp(record->status, record_status_names[RECORD_ERROR]) == 0 ? -1
                                                                          : record->points + record->bonus;
}

bool course_is_later(const struct record *a, const struct record *b)
{
    long long when_a, when_b;
    if (course_read_time(a->submitted, &when_a) && course_read_time(b->submitted, &when_b) &&
        when_a != when_b)
        return when_a > when_b;
    return strverscmp(a->source, b->source) > 0;
}

static bool is_preferred(const struct course *course, const struct record *a, const struct record *b)
{
    const bool is_best_of = strcmp(course->take, "best") == 0;
    return is_best_of && worth(a) != worth(b) ? worth(a) > worth(b) : course_is_later(a, b);
}

/* ------------------------------------------------------------------------------------------- members */

static struct course_member *member_of(struct course *course, const char *id)
{
    for (size_t i = 0; i < course->nmembers; i++) {
        if (strcmp(course->members[i].id, id) == 0)
            return &course->members[i];
    }
    struct course_member *members =
        realloc(course->members, (course->nmembers + 1) * sizeof *course->members);
    if (!members)
        return NULL;
    course->members = members;
    members[course->nmembers] = (struct course_member){.id = id, .name = id};
    return &members[course->nmembers++];
}

static bool add_roster(struct course *course)
{
    bool is_done = true;
    for (size_t i = 0; i < course->content.nstudents && is_done; i++) {
        const struct store_student *who = &course->content.students[i];
        struct course_member *member = member_of(course, who->id);
        is_done = member;
        if (member) {
            member->who = who;
            member->name = *who->name ? who->name : who->id;
        }
    }
    return is_done;
}

static bool add_submissions(struct course *course)
{
    for (size_t i = 0; i < course->content.nrecords; i++) {
        const struct record *record = &course->content.records[i];
        struct course_member *member = member_of(course, record->student);
        if (!member)
            return false;
        member->submissions++;
        if (!member->record || is_preferred(course, record, member->record)) {
            member->record = record;
            member->environment = &course->content.environments[i];
        }
        course->most = record->most > course->most ? record->most : course->most;
    }
    return true;
}

static bool add_waiting(struct course *course)
{
    bool is_done = true;
    for (size_t i = 0; i < course->content.nwaiting && is_done; i++) {
        struct course_member *member = member_of(course, course->content.waiting[i]);
        is_done = member;
        if (member)
            member->is_waiting = true;
    }
    return is_done;
}

static bool add_overrides(struct course *course)
{
    bool is_done = true;
    for (size_t i = 0; i < course->content.noverrides && is_done; i++) {
        struct course_member *member = member_of(course, course->content.overrides[i].student);
        is_done = member;
        if (member)
            member->override = &course->content.overrides[i];
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- points */

/* By the submission itself, or by the roster; a platform that tells no offset means that of the deadline. */
static void find_lateness(const struct course *course, struct course_member *member)
{
    long long submitted, deadline;
    const long offset_s = course_offset(course->deadline);
    const char *roster = member->who && member->who->submitted ? member->who->submitted : "";
    member->is_late = member->record->is_late;
    member->has_time = course_read_time_at(member->record->submitted, offset_s, &submitted) ||
                       course_read_time_at(roster, offset_s, &submitted);
    if (member->has_time && course_read_time(course->deadline, &deadline)) {
        member->late_s = submitted > deadline ? (long)(submitted - deadline) : 0;
        member->is_late = member->late_s > 0;
    }
}

/* What a rule takes is taken once, of points and bonus together: from the points first. Late by the platform's word alone, nobody knows
 * how much: the least that the rule takes. */
static void take_late(const struct course *course, struct course_member *member)
{
    struct course_late rule;
    const double earned = member->points + member->bonus;
    if (!member->is_late || !course_read_late(course->late, &rule))
        return;
    const double left = course_late_points(&rule, earned, member->late_s ? member->late_s : 1);
    member->bonus = fmin(member->bonus, left);
    member->points = left - member->bonus;
}

const char *course_status(const struct course_member *member)
{
    return member->record ? member->record->status : member->is_waiting ? COURSE_WAITING : COURSE_MISSING;
}

/* Moodle has a - for nothing. */
const char *course_unread_time(const struct course_member *member)
{
    const char *const texts[] = {member->record ? member->record->submitted : "",
                                 member->who && member->who->submitted ? member->who->submitted : ""};
    for (size_t i = 0; i < 2 && member->record && !member->has_time; i++) {
        if (*texts[i] && strcmp(texts[i], "-") != 0)
            return texts[i];
    }
    return NULL;
}

size_t course_count_timeless(const struct course *course)
{
    size_t count = 0;
    for (size_t i = 0; i < course->nmembers; i++) {
        const struct course_member *one = &course->members[i];
        count += *course->deadline && one->record && !one->has_time && !one->is_late;
    }
    return count;
}

static void find_points(const struct course *course, struct course_member *member)
{
    if (member->record) {
        find_lateness(course, member);
        member->has_grade = worth(member->record) >= 0;
        member->earned = member->record->points;
        member->earned_bonus = member->record->bonus;
        member->points = (double)member->earned;
        member->bonus = (double)member->earned_bonus;
        take_late(course, member);
    }
    if (member->override) {
        member->has_grade = true;
        member->points = member->override->points;
        member->bonus = member->override->bonus;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct course_member *one = a, *other = b;
    const long place = one->who ? one->who->place : 0, other_place = other->who ? other->who->place : 0;
    if (!one->who != !other->who)
        return one->who ? -1 : 1;
    return place != other_place ? (place > other_place) - (place < other_place) : strcmp(one->id, other->id);
}

/* ------------------------------------------------------------------------------------------- load */

static bool load_words(struct course *course, struct store *store)
{
    const struct {
        const char *key;
        char **value;
    } words[] = {{"lab", &course->lab},
                 {"title", &course->title},
                 {"take", &course->take},
                 {"late", &course->late},
                 {"deadline", &course->deadline},
                 {"gradebook", &course->gradebook},
                 {NULL, NULL}};
    bool is_done = true;
    for (int i = 0; words[i].key; i++) {
        *words[i].value = store_get(store, words[i].key);
        is_done = is_done && *words[i].value;
    }
    char *most = store_get(store, "most"), *stages = store_get(store, "stages");
    course->most = most ? atol(most) : 0;
    is_done = is_done && most && stages && course_read_stages(course, stages);
    free(most);
    free(stages);
    return is_done;
}

static bool add_stage(struct course *course, const char *line)
{
    struct course_stage *stages = realloc(course->stages, (course->nstages + 1) * sizeof *stages);
    int used = 0;
    if (!stages)
        return false;
    course->stages = stages;
    struct course_stage *one = &stages[course->nstages++];
    *one = (struct course_stage){.row = 0};
    if (sscanf(line, "%ld %ld %ld %n", &one->row, &one->most, &one->is_bonus, &used) < 3)
        used = (int)strcspn(line, "\n");
    const char *id = line + used;
    const size_t length = strcspn(id, " \n");
    one->id = strndup(id, length);
    id += length + (id[length] == ' ');
    one->title = strndup(id, strcspn(id, "\n"));
    return one->id && one->title;
}

bool course_read_stages(struct course *course, const char *lines)
{
    bool is_done = true;
    for (; *lines && is_done; lines += strcspn(lines, "\n"), lines += *lines == '\n')
        is_done = add_stage(course, lines);
    return is_done;
}

const struct record_stage *course_find_stage(const struct course_member *member, long row)
{
    const struct record *record = member->record;
    for (size_t i = 0; record && i < record->nstages; i++) {
        if (record->stages[i].row == row)
            return &record->stages[i];
    }
    return NULL;
}

bool course_is_ranked(const struct record_stage *stage)
{
    return stage->is_right && stage->is_clean && stage->speedup > 0;
}

bool course_arrange(struct course *course)
{
    free(course->members);
    course->members = NULL;
    course->nmembers = 0;
    const bool is_done =
        add_roster(course) && add_submissions(course) && add_waiting(course) && add_overrides(course);
    for (size_t i = 0; i < course->nmembers; i++)
        find_points(course, &course->members[i]);
    if (course->nmembers)
        qsort(course->members, course->nmembers, sizeof *course->members, by_place);
    return is_done;
}

bool course_load(struct course *course, struct store *store)
{
    *course = (struct course){.members = NULL};
    if (!load_words(course, store) || !store_load(store, &course->content))
        return false;
    const bool is_done = course_arrange(course);
    if (!is_done)
        snprintf(store->error, sizeof store->error, "Out of memory.");
    return is_done;
}

void course_free(struct course *course)
{
    store_content_free(&course->content);
    for (size_t i = 0; i < course->nstages; i++) {
        free(course->stages[i].id);
        free(course->stages[i].title);
    }
    free(course->stages);
    free(course->members);
    free(course->lab);
    free(course->title);
    free(course->take);
    free(course->late);
    free(course->deadline);
    free(course->gradebook);
    *course = (struct course){.members = NULL};
}

/* ------------------------------------------------------------------------------------------- find */

/* "Lovelace, Ada" is "Ada Lovelace". */
static void turn(const char *name, char *out, size_t size)
{
    const char *comma = strchr(name, ',');
    const char *first = comma ? comma + 1 + strspn(comma + 1, " ") : name;
    snprintf(out, size, "%s%s%.*s", first, comma ? " " : "", comma ? (int)(comma - name) : 0, name);
}

static bool is_same_name(const char *a, const char *b)
{
    char one[300], other[300];
    turn(a, one, sizeof one);
    turn(b, other, sizeof other);
    return strcasecmp(one, other) == 0;
}

static bool is_named(const struct course_member *member, const char *who)
{
    return strcasecmp(member->id, who) == 0 || is_same_name(member->name, who) ||
           (member->who && *who && strcasecmp(member->who->email, who) == 0) ||
           (member->record && strcmp(member->record->source, who) == 0);
}

static bool begins_with(const struct course_member *member, const char *who)
{
    return *who && strncasecmp(member->id, who, strlen(who)) == 0;
}

static const struct course_member *find_only(const struct course *course, const char *who,
                                             bool (*fits)(const struct course_member *, const char *))
{
    const struct course_member *found = NULL;
    for (size_t i = 0; i < course->nmembers; i++) {
        if (fits(&course->members[i], who)) {
            if (found)
                return NULL;
            found = &course->members[i];
        }
    }
    return found;
}

const struct course_member *course_find_id(const struct course *course, const char *id)
{
    for (size_t i = 0; i < course->nmembers; i++) {
        if (strcmp(course->members[i].id, id) == 0)
            return &course->members[i];
    }
    return NULL;
}

const struct course_member *course_find(const struct course *course, const char *who)
{
    const struct course_member *exact = course_find_id(course, who);
    if (exact)
        return exact;
    const struct course_member *found = find_only(course, who, is_named);
    return found ? found : find_only(course, who, begins_with);
}

/* Of several names in a row the longest that is somebody's: a name may hold a comma. *length: of what was taken. */
static struct course_member *find_first(struct course *course, const char *names, size_t *length)
{
    const struct course_member *found = NULL;
    for (*length = strlen(names); *length; *length -= *length > 0) {
        char *who = strndup(names, *length);
        found = who ? course_find(course, who) : NULL;
        free(who);
        if (found || !memchr(names, ',', *length))
            break;
        while (names[*length - 1] != ',')
            --*length;
    }
    return found ? &course->members[found - course->members] : NULL;
}

/* "anna, anton". */
static void list_fitting(const struct course *course, const char *who, char *out, size_t size)
{
    *out = '\0';
    for (size_t i = 0; i < course->nmembers; i++) {
        const size_t used = strlen(out);
        if (is_named(&course->members[i], who) || begins_with(&course->members[i], who))
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", course->members[i].id);
    }
}

bool course_choose(struct course *course, const char *names, char *why, size_t size)
{
    size_t length;
    for (size_t i = 0; i < course->nmembers; i++)
        course->members[i].is_left_out = names;
    while (names && *(names += strspn(names, " ,"))) {
        struct course_member *one = find_first(course, names, &length);
        char who[200], several[200];
        snprintf(who, sizeof who, "%.*s", (int)length, names);
        list_fitting(course, who, several, sizeof several);
        if (!one && *several)
            snprintf(why, size, "`%s` is several: %s.", who, several);
        else if (!one)
            snprintf(why, size, "Nobody in the class is called `%s`.", who);
        if (!one)
            return false;
        one->is_left_out = false;
        names += length;
    }
    return true;
}
