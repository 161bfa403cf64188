/* utf8.h - text of unknown origin, made fit for terminals, tables and files. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the UTF-8 sequence that begins here, as Unicode defines it (table 3-7); 0: none does. */
int utf8_length(const unsigned char *s);
/* Writes a code point (at most 0x1fffff) as one to four bytes; returns what is behind them. */
char *utf8_put(char *to, uint32_t code);
/* The sequence that begins here steers a terminal or turns the direction of text, and shows nothing itself. */
bool utf8_is_control(const unsigned char *s);
/* A copy in valid UTF-8. Line breaks and tabs stay; other controls become ?, and what is no UTF-8 becomes U+FFFD. NULL: out of
 * memory. */
char *utf8_plain(const char *text);
/* A copy on one line, for names of people and reasons: line breaks and tabs become blanks, none at its ends; otherwise as utf8_plain().
 * NULL: out of memory. */
char *utf8_line(const char *text);
/* A copy in which whatever is no text stands as \x and two digits, so that two names stay two. NULL: out of memory. */
char *utf8_name(const char *text);
/* The same of a name of a person, on one line as utf8_line() makes it: as the name of a file with that name looks. */
char *utf8_person(const char *text);

#endif
