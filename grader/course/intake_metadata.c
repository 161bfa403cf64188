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
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
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

/* Digits of \x, \u and \U; 0: it is another escape. */
static size_t count_digits(char sign)
{
    return sign == 'x' ? 2 : sign == 'u' ? 4 : sign == 'U' ? 8 : 0;
}

/* "u00e9" of \u00e9: how many of at most `size` bytes were read; 0: it is not whole. */
static size_t read_code(const char *text, size_t size, uint32_t *code)
{
    char digits[9];
    const size_t count = size ? count_digits(*text) : 0;
    if (!count || size < 1 + count)
        return 0;
    snprintf(digits, sizeof digits, "%.*s", (int)count, text + 1);
    *code = (uint32_t)strtoul(digits, NULL, 16);
    return strspn(digits, "0123456789abcdefABCDEF") == count ? 1 + count : 0;
}

static bool is_half(uint32_t code, uint32_t first)
{
    return code >= first && code < first + 0x400;
}

/* What stands behind a backslash in double quotes, as YAML 1.2 has it (5.7), and pairs as JSON writes them. How much was read comes
 * back. At most twice as many bytes are written. */
static size_t read_escape(const char *text, size_t size, char **to)
{
    static const char signs[] = "0abtnvfreN_LP";
    static const uint32_t means[] = {0, 7, 8, 9, 10, 11, 12, 13, 27, 0x85, 0xa0, 0x2028, 0x2029};
    enum { NO_TEXT = 0xfffd };
    uint32_t code, low;
    size_t used = read_code(text, size, &code), more = 0;
    if (used && is_half(code, 0xd800) && size > used && text[used] == '\\')
        more = read_code(text + used + 1, size - used - 1, &low);
    if (more && is_half(low, 0xdc00)) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        used += 1 + more;
    }
    const char *sign = used ? NULL : strchr(signs, *text);
    if (!used && !sign) {
        **to = *text; /* \" and \\ and \/ */
        ++*to;
        return 1;
    }
    if (sign)
        code = means[sign - signs];
    const bool is_text = code && code < 0x110000 && !is_half(code, 0xd800) && !is_half(code, 0xdc00);
    *to = utf8_put(*to, is_text ? code : NO_TEXT);
    return used ? used : 1;
}

/* 'It''s', "\u00e9", or as it stands. */
static char *read_value(const char *text, size_t length)
{
    const char quote =
        length >= 2 && (*text == '\'' || *text == '"') && text[length - 1] == *text ? *text : 0;
    char *value = malloc(2 * length + 1), *to = value;
    const size_t end = length - (quote != 0);
    for (size_t i = quote != 0; value && i < end;) {
        const bool is_escape = quote && text[i] == (quote == '"' ? '\\' : '\'') && i + 1 < end;
        i += is_escape;
        if (is_escape && quote == '"')
            i += read_escape(text + i, end - i, &to);
        else
            *to++ = text[i++];
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
