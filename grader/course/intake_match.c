/* intake_match.c - who of the roster a submission is from.
 * Rules from certain to likely; the first that fits anybody decides. Where it fits several, nobody is chosen: no rule after it could
 * know better. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/course/intake_parts.h"

/* ------------------------------------------------------------------------------------------- the class */

bool intake_class_make(struct intake_class *class, const struct intake_order *order)
{
    *class = (struct intake_class){.students = order->roster, .count = order->nroster};
    class->names = calloc(order->nroster + 1, sizeof *class->names);
    bool is_done = class->names;
    for (size_t i = 0; i < order->nroster && is_done; i++) {
        class->names[i] = intake_fold(order->roster[i].name);
        is_done = class->names[i];
    }
    return is_done;
}

void intake_class_free(struct intake_class *class)
{
    for (size_t i = 0; class->names && i < class->count; i++)
        free(class->names[i]);
    free(class->names);
    *class = (struct intake_class){.students = NULL};
}

/* ------------------------------------------------------------------------------------------- what is compared */

/* Logins, ids and addresses: case and blanks count for nothing, all else does. The second one ends at `end`, too. */
static bool is_same_login(const char *a, const char *b, char end)
{
    if (!*a || !*b || *b == end)
        return false;
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        const char other = *b == end ? '\0' : *b;
        if (!*a || tolower((unsigned char)*a) != tolower((unsigned char)other))
            return *a == other;
    }
}

/* A login, or the whole address, or what stands before its @. */
static bool is_address(const char *said, const char *address)
{
    return is_same_login(said, address, '\0') || is_same_login(said, address, '@');
}

/* Text from `from` up to `end` is what `wanted` says next; *wanted moves behind it. A name without blanks is compared without them:
 * that is how platforms write it. */
static bool goes_on(const char **wanted, const char *from, const char *end, bool has_blanks)
{
    for (; from < end; from++) {
        if (*from == ' ' && !has_blanks)
            continue;
        if (**wanted != *from)
            return false;
        ++*wanted;
    }
    return true;
}

/* Both folded. */
static bool is_name(const char *name, const char *wanted)
{
    return *wanted && goes_on(&wanted, name, name + strlen(name), strchr(wanted, ' ')) && !*wanted;
}

/* The words behind a blank first, then the others: "doe jane mary" is "jane mary doe". */
static bool is_name_from(const char *name, const char *blank, const char *wanted)
{
    const bool has_blanks = strchr(wanted, ' ');
    if (!goes_on(&wanted, blank + 1, name + strlen(name), has_blanks) || (has_blanks && *wanted++ != ' '))
        return false;
    return goes_on(&wanted, name, blank, has_blanks) && !*wanted;
}

/* In the order of "Doe, Jane" as well as of "Jane Doe", however many words each part has. */
static bool is_turned_name(const char *name, const char *wanted)
{
    const char *blank = *wanted ? strchr(name, ' ') : NULL;
    while (blank && !is_name_from(name, blank, wanted))
        blank = strchr(blank + 1, ' ');
    return blank;
}

/* ------------------------------------------------------------------------------------------- rules */

/* A student of the roster, and what a name says. */
struct pair {
    const struct store_student *one;
    const char *name; /* of the student, folded */
    const struct intake_name *said;
    const char *label, *alias; /* folded */
    char ids[300];             /* of all whom the last rule fitted: "e1, e2" */
};
typedef bool rule(const struct pair *pair);

static bool has_this_id(const struct pair *pair)
{
    return strcmp(pair->one->id, pair->said->label) == 0 || strcmp(pair->one->id, pair->said->identity) == 0;
}

/* Moodle's worksheet calls 17 "Participant 17", in the words of its language. */
static bool is_participant(const char *id, const char *number)
{
    static const char *const words[] = {"participant",  "teilnehmer/in", "teilnehmer", "teilnehmende",
                                        "participante", "partecipante",  "deelnemer"};
    const size_t length = strlen(id), digits = strlen(number);
    if (length <= digits || strcmp(id + length - digits, number) != 0)
        return false;
    char before[40];
    snprintf(before, sizeof before, "%.*s", (int)(length - digits), id);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is_same_login(before, words[i], '\0'))
            return true;
    }
    return false;
}

static bool has_this_number(const struct pair *pair)
{
    const char *number = pair->said->number, *id = pair->one->id;
    return *number &&
           (strcmp(id, number) == 0 || (pair->said->platform == INTAKE_MOODLE && is_participant(id, number)));
}

static bool has_this_email(const struct pair *pair)
{
    return is_same_login(pair->said->email, pair->one->email, '\0') ||
           is_same_login(pair->said->email, pair->one->id, '\0');
}

static bool has_this_login(const struct pair *pair)
{
    return is_address(pair->said->label, pair->one->id) || is_address(pair->said->label, pair->one->email);
}

static bool has_this_name(const struct pair *pair)
{
    return is_name(pair->name, pair->label);
}

static bool has_name_turned(const struct pair *pair)
{
    return is_turned_name(pair->name, pair->label);
}

/* "anna_lab3" of anna, "Jane Doe lab3". */
static bool has_this_alias(const struct pair *pair)
{
    return is_address(pair->said->alias, pair->one->id) || is_address(pair->said->alias, pair->one->email) ||
           is_name(pair->name, pair->alias) || is_turned_name(pair->name, pair->alias);
}

/* "course-assignment-anna" of anna. */
static bool has_this_end(const struct pair *pair)
{
    const char *at = pair->said->alias;
    while ((at = strchr(at, '-'))) {
        at++;
        if (is_address(at, pair->one->id) || is_address(at, pair->one->email))
            return true;
    }
    return false;
}

static rule *const by_name[] = {has_this_id,     has_this_email, has_this_login, has_this_name,
                                has_name_turned, has_this_alias, has_this_end};

/* ------------------------------------------------------------------------------------------- the choice */

/* The only one whom a rule fits; NULL: none, or several. */
static const struct store_student *find(const struct intake_class *class, struct pair *pair, rule *fits,
                                        size_t *count)
{
    const struct store_student *found = NULL;
    *count = 0;
    *pair->ids = '\0';
    for (size_t i = 0; i < class->count; i++) {
        pair->one = &class->students[i];
        pair->name = class->names[i];
        if (!fits(pair))
            continue;
        found = pair->one;
        const size_t used = strlen(pair->ids);
        snprintf(pair->ids + used, sizeof pair->ids - used, "%s%s", *count ? ", " : "", found->id);
        ++*count;
    }
    return *count == 1 ? found : NULL;
}

static const struct store_student *find_by_name(const struct intake_class *class, struct pair *pair,
                                                size_t *count)
{
    const struct store_student *found = NULL;
    *count = 0;
    for (size_t i = 0; i < sizeof by_name / sizeof *by_name && !*count; i++)
        found = find(class, pair, by_name[i], count);
    return found;
}

static char *make_note(const char *format, const char *one, const char *other)
{
    char *note;
    return asprintf(&note, format, one, other) < 0 ? NULL : note;
}

/* A platform's number may be another's id in a roster that is not the platform's: the name must not say so. */
static const struct store_student *choose(const struct intake_class *class, struct pair *pair, char **note)
{
    size_t numbers, names;
    char ids[sizeof pair->ids];
    const struct store_student *numbered = find(class, pair, has_this_number, &numbers);
    memcpy(ids, pair->ids, sizeof ids);
    const struct store_student *named = find_by_name(class, pair, &names);
    const char *label = pair->said->label;
    if (numbered && named && named != numbered) {
        *note = make_note("in the roster the number %s and the name %s are two students'", pair->said->number,
                          label);
        return NULL;
    }
    if (!numbered && (numbers > 1 || names > 1))
        *note = make_note("%s could be several in the roster: %s; rename it to the id that is meant", label,
                          numbers > 1 ? ids : pair->ids);
    else if (!numbered && !named)
        *note = make_note("%s is not in the roster%s", label, "");
    return numbered ? numbered : named;
}

const struct store_student *intake_match(const struct intake_class *class, const struct intake_name *said,
                                         char **note)
{
    *note = NULL;
    if (!class->count)
        return NULL;
    char *label = intake_fold(said->label), *alias = intake_fold(said->alias);
    struct pair pair = {.said = said, .label = label, .alias = alias};
    const struct store_student *found = label && alias ? choose(class, &pair, note) : NULL;
    free(label);
    free(alias);
    return found;
}
