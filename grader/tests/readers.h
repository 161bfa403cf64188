/* readers.h - strict readers of JSON (RFC 8259), CSV (RFC 4180) and XML 1.0, for tests of what the kit writes: they share no code
 * with the writers. Whatever is not exactly as it should be is NULL, with a sentence in readers_flaw. Nothing is freed. */
#ifndef READERS_H
#define READERS_H

#include <stdbool.h>
#include <stddef.h>

extern char readers_flaw[200];

enum value_kind {
    VALUE_NULL = 'z',
    VALUE_BOOL = 'b',
    VALUE_NUMBER = 'n',
    VALUE_TEXT = 't',
    VALUE_LIST = 'l',
    VALUE_OBJECT = 'o'
};

struct value {
    enum value_kind kind;
    bool is_true, is_whole; /* is_whole: a number without fraction or exponent */
    double number;
    char *text;
    char **keys; /* of an object; none is there twice */
    struct value *items;
    size_t count;
};

/* One value, and nothing behind it but blanks. */
struct value *readers_json(const char *text);
/* Of an object; NULL: it has none. */
const struct value *readers_member(const struct value *object, const char *key);

struct table {
    char ***cells;
    size_t rows, columns; /* every row has as many */
};
struct table *readers_csv(const char *text);
/* By a heading; NULL: there is none. */
const char *readers_cell(const struct table *table, size_t row, const char *heading);

struct element {
    char *name, *text; /* text: its own, without that of children */
    char **keys, **values;
    size_t nkeys;
    struct element *children;
    size_t count;
};
/* The root. */
struct element *readers_xml(const char *text);
const char *readers_attribute(const struct element *element, const char *key);

/* Valid UTF-8, as RFC 3629 has it. */
bool readers_is_utf8(const char *text);

#endif
