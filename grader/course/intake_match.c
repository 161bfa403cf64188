/* intake_match.c - who of the roster a submission is from.
 * Rules from certain to likely; the first that fits anybody decides. Where it fits several, nobody is chosen: no rule after it could
 * know better. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/course/intake_parts.h"

/* ------------------------------------------------------------------------------------------- what is compared */

/* Logins, ids and addresses: case and blanks count for nothing, all else does. */
static bool is_same_login(const char *a, const char *b)
{
    if (!*a || !*b)
        return false;
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (!*a || tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return *a == *b;
    }
}

/* The part before the @, or all of it. */
static char *local_part(const char *email)
{
    return strndup(email, strcspn(email, "@"));
}

static bool is_local_part(const char *text, const char *email)
{
    char *local = local_part(email);
    const bool is_same = local && is_same_login(text, local);
    free(local);
    return is_same;
}

static void squeeze(char *text)
{
    char *to = text;
    for (; *text; text++) {
        if (*text != ' ')
            *to++ = *text;
    }
    *to = '\0';
}

/* "doe jane mary" from "jane mary doe": the words behind a blank go before the others. */
static char *turn(const char *folded, const char *blank)
{
    char *turned;
    if (asprintf(&turned, "%s %.*s", blank + 1, (int)(blank - folded), folded) < 0)
        return NULL;
    return turned;
}

/* A name without blanks is compared without them: that is how platforms write it. */
static bool is_equal_name(const char *folded, const char *wanted)
{
    if (strchr(wanted, ' '))
        return strcmp(folded, wanted) == 0;
    char *joined = strdup(folded);
    if (joined)
        squeeze(joined);
    const bool is_same = joined && strcmp(joined, wanted) == 0;
    free(joined);
    return is_same;
}

/* In the order of "Doe, Jane" as well as of "Jane Doe", however many words each part has. */
static bool is_turned_name(const char *name, const char *said)
{
    char *folded = intake_fold(name), *wanted = intake_fold(said);
    bool is_same = false;
    for (const char *blank = folded && wanted && *wanted ? strchr(folded, ' ') : NULL; blank && !is_same;
         blank = strchr(blank + 1, ' ')) {
        char *turned = turn(folded, blank);
        is_same = turned && is_equal_name(turned, wanted);
        free(turned);
    }
    free(folded);
    free(wanted);
    return is_same;
}

static bool is_plain_name(const char *name, const char *said)
{
    char *folded = intake_fold(name), *wanted = intake_fold(said);
    const bool is_same = folded && wanted && *wanted && is_equal_name(folded, wanted);
    free(folded);
    free(wanted);
    return is_same;
}

/* ------------------------------------------------------------------------------------------- rules */

static bool has_this_id(const struct store_student *one, const struct intake_name *said)
{
    return strcmp(one->id, said->label) == 0 || strcmp(one->id, said->identity) == 0;
}

/* Moodle's worksheet calls 17 "Participant 17", in the words of its language. */
static bool is_participant(const char *id, const char *number)
{
    static const char *const words[] = {"participant",  "teilnehmer/in", "teilnehmer", "teilnehmende",
                                        "participante", "partecipante",  "deelnemer"};
    const size_t length = strlen(id), digits = strlen(number);
    if (length <= digits || strcmp(id + length - digits, number) != 0)
        return false;
    char *before = strndup(id, length - digits);
    bool is_one = false;
    for (size_t i = 0; before && i < sizeof words / sizeof *words && !is_one; i++)
        is_one = is_same_login(before, words[i]);
    free(before);
    return is_one;
}

static bool has_this_number(const struct store_student *one, const struct intake_name *said)
{
    return *said->number && (strcmp(one->id, said->number) == 0 ||
                             (said->platform == INTAKE_MOODLE && is_participant(one->id, said->number)));
}

static bool has_this_email(const struct store_student *one, const struct intake_name *said)
{
    return is_same_login(said->email, one->email) || is_same_login(said->email, one->id);
}

static bool has_this_login(const struct store_student *one, const struct intake_name *said)
{
    return is_same_login(said->label, one->id) || is_same_login(said->label, one->email) ||
           is_local_part(said->label, one->email) || is_local_part(said->label, one->id);
}

static bool has_this_name(const struct store_student *one, const struct intake_name *said)
{
    return is_plain_name(one->name, said->label);
}

static bool has_name_turned(const struct store_student *one, const struct intake_name *said)
{
    return is_turned_name(one->name, said->label);
}

/* "anna_lab3" of anna, "Jane Doe lab3". */
static bool has_this_alias(const struct store_student *one, const struct intake_name *said)
{
    const char *alias = said->alias;
    return *alias && (is_same_login(alias, one->id) || is_local_part(alias, one->email) ||
                      is_plain_name(one->name, alias) || is_turned_name(one->name, alias));
}

/* "course-assignment-anna" of anna. */
static bool ends_in_login(const char *name, const char *login)
{
    const char *at = *login ? name : NULL;
    while (at && (at = strchr(at, '-'))) {
        if (is_same_login(++at, login))
            return true;
    }
    return false;
}

static bool has_this_end(const struct store_student *one, const struct intake_name *said)
{
    char *local = local_part(one->email);
    const bool is_same = ends_in_login(said->alias, one->id) || (local && ends_in_login(said->alias, local));
    free(local);
    return is_same;
}

typedef bool rule(const struct store_student *one, const struct intake_name *said);

/* The only one whom a rule fits; NULL: none, or several. */
static const struct store_student *find(const struct intake_order *order, const struct intake_name *said,
                                        rule *fits, size_t *count)
{
    const struct store_student *found = NULL;
    *count = 0;
    for (size_t i = 0; i < order->nroster; i++) {
        if (!fits(&order->roster[i], said))
            continue;
        found = &order->roster[i];
        ++*count;
    }
    return *count == 1 ? found : NULL;
}

static const struct store_student *find_by(const struct intake_order *order, const struct intake_name *said,
                                           rule *const *rules, size_t nrules, size_t *count)
{
    const struct store_student *found = NULL;
    *count = 0;
    for (size_t i = 0; i < nrules && !*count; i++)
        found = find(order, said, rules[i], count);
    return found;
}

static rule *const by_name[] = {has_this_id,     has_this_email, has_this_login, has_this_name,
                                has_name_turned, has_this_alias, has_this_end};

static char *make_note(const char *format, const char *one, const char *other)
{
    char *note;
    return asprintf(&note, format, one, other) < 0 ? NULL : note;
}

/* A platform's number may be another's id in a roster that is not the platform's: the name must not say so. */
static const struct store_student *check_number(const struct store_student *numbered,
                                                const struct store_student *named,
                                                const struct intake_name *said, char **note)
{
    if (!named || named == numbered)
        return numbered;
    *note =
        make_note("in the roster the number %s and the name %s are two students'", said->number, said->label);
    return NULL;
}

const struct store_student *intake_match(const struct intake_order *order, const struct intake_name *said,
                                         char **note)
{
    size_t numbers, names;
    *note = NULL;
    if (!order->nroster)
        return NULL;
    const struct store_student *numbered = find(order, said, has_this_number, &numbers),
                               *named =
                                   find_by(order, said, by_name, sizeof by_name / sizeof *by_name, &names);
    if (numbered)
        return check_number(numbered, named, said, note);
    if (numbers > 1 || names > 1)
        *note = make_note("%s could be several in the roster%s", said->label, "");
    else if (!named)
        *note = make_note("%s is not in the roster%s", said->label, "");
    return named;
}
