/* put.h - words on the reader's terminal: within its columns, in colour only where there is a terminal that wants it, and in
 * UTF-8 only where its locale has that. Bytes of submissions lose what steers a terminal. */
#ifndef PUT_H
#define PUT_H

#include <stdbool.h>

enum paint { PLAIN, BOLD, GREEN, YELLOW, RED, DIM };

/* What follows is painted so. */
void paint(enum paint with);
/* These words alone. */
void painted(enum paint with, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Columns of standard output. */
int put_columns(void);
/* Columns of a terminal as they are, however few or many; 80 where there is none. */
int put_width(int descriptor);
/* Standard output is a terminal, and its locale has UTF-8. */
bool put_has_utf8(void);
bool put_has_utf8_on(int descriptor);

/* A name in so many columns, cut or with blanks behind it; one more follows. */
void put_name(const char *name, int columns);
/* Paragraphs, broken between words. */
void put_text(const char *text, int indent, int most_lines);
/* The same, with a mark before the first line of each. */
void put_marked(const char *mark, const char *text, int indent, int most_lines);
void put_words(int indent, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
