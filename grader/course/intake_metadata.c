/* intake_metadata.c - Gradescope's submission_metadata.yml: who handed in which folder, and when.
 * Not a reader of YAML, but of these lines, by their indentation, as Gradescope writes them:
 *
 *     submission_409194023:
 *       :submitters:
 *       - :name: First Last
 *         :sid: '123456789'
 *         :email: first@example.org
 *       :created_at: 2026-04-26 17:34:00.861687000 Z
 *       :results:
 *         ...
 *
 * Results of tests hold students' own output, always further indented; what stands there is passed over. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grader/course/intake_parts.h"

/* ------------------------------------------------------------------------------------------- times */

/* "Z", "UTC", "+02:00", "-0700", "" as seconds; behind a fraction of a second. */
static int read_offset(const char *text)
{
    int hours = 0, minutes = 0;
    text += strspn(text, ".0123456789");
    text += strspn(text, " ");
    if (*text != '+' && *text != '-')
        return 0;
    if (sscanf(text + 1, "%2d:%2d", &hours, &minutes) != 2 &&
        sscanf(text + 1, "%2d%2d", &hours, &minutes) < 1)
        return 0;
    return (hours * 60 + minutes) * (*text == '-' ? -60 : 60);
}

void intake_read_moment(const char *text, char out[32])
{
    struct tm when = {.tm_isdst = 0};
    int used = 0;
    *out = '\0';
    if (sscanf(text, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &when.tm_year, &when.tm_mon, &when.tm_mday,
               &when.tm_hour, &when.tm_min, &when.tm_sec, &used) != 6 ||
        !used)
        return;
    when.tm_year -= 1900;
    when.tm_mon--;
    const time_t seconds = timegm(&when) - read_offset(text + used);
    if (when.tm_year >= 70 && when.tm_year < 1000 && gmtime_r(&seconds, &when))
        strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &when);
}

/* ------------------------------------------------------------------------------------------- lines */

struct place {
    struct intake_metadata_entry *entry; /* NULL: before the first */
    int inner;                           /* indentation of its keys; -1: not known yet */
    bool is_in_submitters;
    struct intake_submitter *member;
};

/* 'It''s', "a", or as it stands. */
static char *read_value(const char *text, size_t length)
{
    const char quote =
        length >= 2 && (*text == '\'' || *text == '"') && text[length - 1] == *text ? *text : 0;
    char *value = malloc(length + 1), *to = value;
    for (size_t i = quote != 0; value && i < length - (quote != 0); i++) {
        if (i + 1 < length - (quote != 0) &&
            ((quote == '\'' && text[i] == '\'') || (quote == '"' && text[i] == '\\')))
            i++;
        *to++ = text[i];
    }
    if (value)
        *to = '\0';
    return value;
}

/* Takes ":name: value" apart, or "name: value". False: it is neither. */
static bool split(const char *line, size_t length, const char *key, const char **value, size_t *size)
{
    const size_t begin = length && *line == ':', letters = strlen(key);
    if (length < begin + letters + 1 || strncmp(line + begin, key, letters) != 0 ||
        line[begin + letters] != ':')
        return false;
    *value = line + begin + letters + 1;
    *size = length - begin - letters - 1;
    while (*size && **value == ' ') {
        ++*value;
        --*size;
    }
    return true;
}

static bool read_member_line(struct intake_submitter *member, const char *line, size_t length)
{
    const struct {
        const char *key;
        char **field;
    } rows[] = {{"name", &member->name}, {"email", &member->email}, {"sid", &member->sid}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value;
        size_t size;
        if (!split(line, length, rows[i].key, &value, &size))
            continue;
        free(*rows[i].field);
        *rows[i].field = read_value(value, size);
        return *rows[i].field;
    }
    return true;
}

static bool add_member(struct place *place)
{
    struct intake_submitter *member = place->member = list_push(&place->entry->members, sizeof *member);
    if (!member)
        return false;
    *member = (struct intake_submitter){strdup(""), strdup(""), strdup("")};
    return member->name && member->email && member->sid;
}

/* A key of the submission itself. */
static bool read_entry_line(struct place *place, const char *line, size_t length)
{
    const char *value;
    size_t size;
    char moment[32];
    place->is_in_submitters = split(line, length, "submitters", &value, &size);
    place->member = NULL;
    if (!split(line, length, "created_at", &value, &size))
        return true;
    char *text = read_value(value, size);
    if (!text)
        return false;
    intake_read_moment(text, moment);
    free(text);
    free(place->entry->submitted);
    place->entry->submitted = strdup(moment);
    return place->entry->submitted;
}

static bool begin_entry(struct intake_metadata *metadata, struct place *place, const char *line,
                        size_t length)
{
    struct intake_metadata_entry *entry = list_push(&metadata->entries, sizeof *entry);
    *place = (struct place){.entry = entry, .inner = -1};
    if (!entry)
        return false;
    entry->key = strndup(line, length - 1);
    entry->submitted = strdup("");
    return entry->key && entry->submitted;
}

/* Items of a list may stand as deep as its key. */
static bool read_inner(struct place *place, int indent, const char *line, size_t length)
{
    if (place->inner < 0)
        place->inner = indent;
    if (place->is_in_submitters && indent >= place->inner && length > 2 && line[0] == '-' && line[1] == ' ')
        return add_member(place) && read_member_line(place->member, line + 2, length - 2);
    if (indent == place->inner)
        return read_entry_line(place, line, length);
    return !place->is_in_submitters || !place->member || read_member_line(place->member, line, length);
}

static bool read_line(struct intake_metadata *metadata, struct place *place, const char *line, size_t length)
{
    static const char mark[] = "submission_";
    const int indent = (int)strspn(line, " ");
    while (length && (line[length - 1] == '\r' || line[length - 1] == ' '))
        length--;
    if (length <= (size_t)indent)
        return true;
    if (indent == 0 && strncmp(line, mark, sizeof mark - 1) == 0 && line[length - 1] == ':')
        return begin_entry(metadata, place, line, length);
    if (indent == 0)
        place->is_in_submitters = false;
    return !indent || !place->entry || read_inner(place, indent, line + indent, length - (size_t)indent);
}

bool intake_metadata_read(struct intake_metadata *metadata, const char *text)
{
    struct place place = {.inner = -1};
    *metadata = (struct intake_metadata){.entries = {0}};
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        if (!read_line(metadata, &place, text, (size_t)(end - text)))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- what was read */

void intake_metadata_free(struct intake_metadata *metadata)
{
    struct intake_metadata_entry *entries = metadata->entries.items;
    for (size_t i = 0; i < metadata->entries.count; i++) {
        struct intake_submitter *members = entries[i].members.items;
        for (size_t k = 0; k < entries[i].members.count; k++) {
            free(members[k].name);
            free(members[k].email);
            free(members[k].sid);
        }
        list_free(&entries[i].members);
        free(entries[i].key);
        free(entries[i].submitted);
    }
    list_free(&metadata->entries);
}

const struct intake_metadata_entry *intake_metadata_find(const struct intake_metadata *metadata,
                                                         const char *key)
{
    const struct intake_metadata_entry *entries = metadata->entries.items;
    for (size_t i = 0; i < metadata->entries.count; i++) {
        if (strcmp(entries[i].key, key) == 0)
            return &entries[i];
    }
    return NULL;
}
