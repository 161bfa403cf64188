/* readers.c - strict readers for tests: see readers.h. */
#define _GNU_SOURCE
#include "grader/tests/readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char readers_flaw[200];

static void *flaw(const char *what, const char *at)
{
    snprintf(readers_flaw, sizeof readers_flaw, "%s at `%.40s`", what, at);
    return NULL;
}

static void *grown(void *list, size_t count, size_t size)
{
    void *more = realloc(list, (count + 1) * size);
    if (!more)
        abort();
    return memset((char *)more + count * size, 0, size), more;
}

/* ------------------------------------------------------------------------------------------- UTF-8 */

/* By decoding: the number must be one that needs so many bytes, and none of a surrogate. -1: it is no UTF-8. */
static long decode(const unsigned char *s, int *length)
{
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    *length = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
    long number = *length == 1 ? *s : *s & (0x7f >> *length);
    for (int i = 1; i < *length; i++) {
        if (s[i] >> 6 != 2)
            return -1;
        number = number << 6 | (s[i] & 0x3f);
    }
    return !*length || number < least[*length] || number > 0x10ffff || (number >= 0xd800 && number < 0xe000)
               ? -1
               : number;
}

bool readers_is_utf8(const char *text)
{
    int length = 1;
    for (const unsigned char *s = (const unsigned char *)text; *s; s += length) {
        if (decode(s, &length) < 0)
            return flaw("no UTF-8", text), false;
    }
    return true;
}

static char *encode(char *to, unsigned long number)
{
    if (number < 0x80)
        return *to = (char)number, to + 1;
    const int length = number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, number >>= 6)
        to[i] = (char)(0x80 | (number & 0x3f));
    *to = (char)((0xf00 >> length & 0xff) | number);
    return to + length;
}

/* ------------------------------------------------------------------------------------------- JSON */

static const char *skip(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static bool read_hex(const char *at, unsigned long *number)
{
    char digits[5] = "";
    memcpy(digits, at, strnlen(at, 4));
    *number = strtoul(digits, NULL, 16);
    return strspn(digits, "0123456789abcdefABCDEF") == 4;
}

static const char *read_escape(const char *at, char **to)
{
    static const char signs[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *sign = *at ? strchr(signs, *at) : NULL;
    unsigned long number;
    if (sign) {
        *(*to)++ = means[sign - signs];
        return at + 1;
    }
    if (*at != 'u' || !read_hex(at + 1, &number) || (number >= 0xd800 && number < 0xe000))
        return flaw("an escape", at);
    *to = encode(*to, number ? number : '?');
    return at + 5;
}

static const char *read_string(const char *at, char **out)
{
    char *to = *out = malloc(strlen(at) + 1);
    for (at++; *at != '"';) {
        if ((unsigned char)*at < 0x20)
            return flaw("a control character or no end of a text", at);
        if (*at != '\\')
            *to++ = *at++;
        else if (!(at = read_escape(at + 1, &to)))
            return NULL;
    }
    *to = '\0';
    return readers_is_utf8(*out) ? at + 1 : NULL;
}

static const char *read_digits(const char *at)
{
    const size_t count = strspn(at, "0123456789");
    return count ? at + count : flaw("no digits", at);
}

static const char *read_number(const char *at, struct value *value)
{
    const char *begin = at;
    value->kind = VALUE_NUMBER;
    value->is_whole = true;
    at += *at == '-';
    if (at[0] == '0' && strchr("0123456789", at[1]) && at[1])
        return flaw("a number that begins with 0", at);
    at = read_digits(at);
    if (at && *at == '.') {
        value->is_whole = false;
        at = read_digits(at + 1);
    }
    if (at && (*at == 'e' || *at == 'E')) {
        value->is_whole = false;
        at = read_digits(at + 1 + (at[1] == '+' || at[1] == '-'));
    }
    value->number = strtod(begin, NULL);
    return at;
}

static const char *read_value(const char *at, struct value *value);

static const char *read_key(const char *at, struct value *object)
{
    char *key;
    if (*at != '"')
        return flaw("no key", at);
    at = read_string(at, &key);
    if (!at || *(at = skip(at)) != ':')
        return flaw("no colon", at ? at : "");
    for (size_t i = 0; i < object->count; i++) {
        if (strcmp(object->keys[i], key) == 0)
            return flaw("a key that is there twice", key);
    }
    object->keys = grown(object->keys, object->count, sizeof *object->keys);
    object->keys[object->count] = key;
    return skip(at + 1);
}

static const char *read_items(const char *at, struct value *value, char end)
{
    value->kind = end == '}' ? VALUE_OBJECT : VALUE_LIST;
    at = skip(at + 1);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (end == '}' && !(at = read_key(at, value)))
            return NULL;
        value->items = grown(value->items, value->count, sizeof *value->items);
        if (!(at = read_value(at, &value->items[value->count++])))
            return NULL;
        at = skip(at);
        if (*at == end)
            return at + 1;
        if (*at != ',')
            return flaw("no comma", at);
        at = skip(at + 1);
    }
}

static const char *read_value(const char *at, struct value *value)
{
    static const struct {
        const char *word;
        enum value_kind kind;
    } words[] = {{"true", VALUE_BOOL}, {"false", VALUE_BOOL}, {"null", VALUE_NULL}};
    for (int i = 0; i < 3; i++) {
        if (strncmp(at, words[i].word, strlen(words[i].word)) != 0)
            continue;
        *value = (struct value){.kind = words[i].kind, .is_true = i == 0};
        return at + strlen(words[i].word);
    }
    if (*at == '{' || *at == '[')
        return read_items(at, value, *at == '{' ? '}' : ']');
    if (*at != '"')
        return read_number(at, value);
    value->kind = VALUE_TEXT;
    return read_string(at, &value->text);
}

struct value *readers_json(const char *text)
{
    struct value *value = grown(NULL, 0, sizeof *value);
    const char *at = read_value(skip(text), value);
    return at && !*skip(at) ? value : at ? flaw("something behind it", at) : NULL;
}

const struct value *readers_member(const struct value *object, const char *key)
{
    for (size_t i = 0; object && object->kind == VALUE_OBJECT && i < object->count; i++) {
        if (strcmp(object->keys[i], key) == 0)
            return &object->items[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------- CSV */

static const char *read_cell(const char *at, char **out)
{
    char *to = *out = malloc(strlen(at) + 1);
    if (*at != '"') {
        const size_t length = strcspn(at, ",\n");
        if (memchr(at, '"', length) || memchr(at, '\r', length))
            return flaw("a sign that wants quotes", at);
        memcpy(to, at, length);
        to[length] = '\0';
        return at + length;
    }
    for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        *to++ = *at;
    }
    *to = '\0';
    return *at == '"' && (at[1] == ',' || at[1] == '\n') ? at + 1 : flaw("a quote that does not end", at);
}

static const char *read_line(const char *at, char ***row, size_t *columns)
{
    for (*columns = 0, *row = NULL;; at++) {
        *row = grown(*row, *columns, sizeof **row);
        if (!(at = read_cell(at, &(*row)[(*columns)++])))
            return NULL;
        if (*at == '\n')
            return at + 1;
        if (*at != ',')
            return flaw("no end of the line", at);
    }
}

struct table *readers_csv(const char *text)
{
    struct table *table = grown(NULL, 0, sizeof *table);
    if (!readers_is_utf8(text))
        return NULL;
    while (*text) {
        size_t columns;
        table->cells = grown(table->cells, table->rows, sizeof *table->cells);
        const char *at = text;
        if (!(text = read_line(text, &table->cells[table->rows++], &columns)))
            return NULL;
        if (table->columns && columns != table->columns)
            return flaw("a row of another length", at);
        table->columns = columns;
    }
    return table;
}

const char *readers_cell(const struct table *table, size_t row, const char *heading)
{
    for (size_t i = 0; row < table->rows && i < table->columns; i++) {
        if (strcmp(table->cells[0][i], heading) == 0)
            return table->cells[row][i];
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------- XML */

static bool is_xml(const char *text)
{
    int length = 1;
    for (const unsigned char *s = (const unsigned char *)text; *s; s += length) {
        const long number = decode(s, &length);
        if (number < 0 || number == 0xfffe || number == 0xffff ||
            (number < 0x20 && number != '\n' && number != '\t' && number != '\r'))
            return flaw("no character of XML", (const char *)s), false;
    }
    return true;
}

static const char *read_entity(const char *at, char **to)
{
    static const struct {
        const char *name, *means;
    } names[] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
    char *end;
    for (int i = 0; i < 5; i++) {
        if (strncmp(at, names[i].name, strlen(names[i].name)) == 0) {
            *(*to)++ = *names[i].means;
            return at + strlen(names[i].name);
        }
    }
    const unsigned long number = strncmp(at, "&#", 2) == 0 ? strtoul(at + 2, &end, 10) : 0;
    if ((number != 9 && number != 10 && number != 13 && number < 32) || *end != ';')
        return flaw("an entity", at);
    *to = encode(*to, number);
    return end + 1;
}

/* Up to a sign that ends it. */
static const char *read_characters(const char *at, const char *ends, char **text)
{
    char *to = *text + strlen(*text);
    for (; *at && !strchr(ends, *at);) {
        if (strncmp(at, "]]>", 3) == 0)
            return flaw("]]>", at);
        if (*at != '&')
            *to++ = *at++;
        else if (!(at = read_entity(at, &to)))
            return NULL;
    }
    *to = '\0';
    return *at ? at : flaw("no end", at);
}

static const char *read_attributes(const char *at, struct element *element)
{
    for (at = skip(at); *at && *at != '>' && *at != '/'; at = skip(at)) {
        const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        if (!length || strncmp(at + length, "=\"", 2) != 0)
            return flaw("no attribute", at);
        element->keys = grown(element->keys, element->nkeys, sizeof *element->keys);
        element->values = grown(element->values, element->nkeys, sizeof *element->values);
        element->keys[element->nkeys] = strndup(at, length);
        if (readers_attribute(element, element->keys[element->nkeys]))
            return flaw("an attribute that is there twice", at);
        char **value = &element->values[element->nkeys++];
        *value = calloc(strlen(at) + 1, 1);
        if (!(at = read_characters(at + length + 2, "\"<", value)) || *at++ != '"')
            return flaw("no end of an attribute", at ? at : "");
    }
    return at;
}

/* From its < on. */
static const char *read_element(const char *at, struct element *element)
{
    const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz-");
    element->name = strndup(at + 1, length);
    element->text = calloc(strlen(at) + 1, 1);
    if (!length || !(at = read_attributes(at + 1 + length, element)))
        return length ? NULL : flaw("no name", at);
    if (strncmp(at, "/>", 2) == 0)
        return at + 2;
    for (at++; (at = read_characters(at, "<", &element->text)) && at[1] != '/';) {
        element->children = grown(element->children, element->count, sizeof *element->children);
        if (!(at = read_element(at, &element->children[element->count++])))
            return NULL;
    }
    if (!at || strncmp(at + 2, element->name, length) != 0 || at[2 + length] != '>')
        return flaw("another element's end", at ? at : "");
    return at + 3 + length;
}

struct element *readers_xml(const char *text)
{
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    struct element *root = grown(NULL, 0, sizeof *root);
    if (strncmp(text, head, strlen(head)) != 0)
        return flaw("no declaration", text);
    const char *at = is_xml(text) ? read_element(skip(text + strlen(head)), root) : NULL;
    return at && !*skip(at) ? root : at ? flaw("something behind it", at) : NULL;
}

const char *readers_attribute(const struct element *element, const char *key)
{
    for (size_t i = 0; i < element->nkeys; i++) {
        if (strcmp(element->keys[i], key) == 0 && element->values[i])
            return element->values[i];
    }
    return NULL;
}
