/* json.h - a small writer of JSON.
 * Whatever bytes a text holds, the output is valid JSON in UTF-8; whatever the locale, numbers have a point. Commas are the
 * writer's business: the caller names values in order and closes what it has opened.
 *
 *     struct json json = {.file = stdout};
 *     json_object(&json, NULL);
 *     json_text(&json, "gpu", "h200");
 *     json_list(&json, "grid");
 *     json_count(&json, NULL, 32);
 *     json_end_list(&json);
 *     json_end_object(&json);                      {"gpu":"h200","grid":[32]}
 *
 * key is a member's name within an object; NULL for an item of a list, and for the whole. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *file;
    bool has_before; /* private: a comma is due before the next value */
    bool wants_line; /* private: a line break too */
};

void json_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_list(struct json *json, const char *key);
void json_end_list(struct json *json);

/* Bytes that are no UTF-8 become U+FFFD; NULL is the empty text. */
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t value);
void json_integer(struct json *json, const char *key, int64_t value);
/* The fewest digits that read back as the same double; null if it is not finite. */
void json_number(struct json *json, const char *key, double value);
/* With so many digits behind the point; null if it is not finite. */
void json_fixed(struct json *json, const char *key, double value, int decimals);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* A value that is JSON already. */
void json_raw(struct json *json, const char *key, const char *text);

/* The next value begins on a line of its own: long output is easier on the eye, and on diff. */
void json_line(struct json *json);

#endif
