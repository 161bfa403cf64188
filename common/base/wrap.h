/* wrap.h - text for terminals: how wide they are, and lines that are broken between words.
 * Words are never broken: a path that is longer than a line stays whole. Bytes are written as they are. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { WRAP_FEWEST = 40, WRAP_USUAL = 80, WRAP_MOST = 100 };

/* What COLUMNS says, else the terminal behind a descriptor, else WRAP_USUAL; never more than can be read with ease. */
int wrap_columns(int descriptor);
/* One line of text. It begins with its mark behind the indent, keeps indentation of its own, and goes on below its first word. */
void wrap_line(FILE *file, int columns, int indent, const char *mark, const char *line, size_t length);
/* Every line of a text, most_lines of them; "..." stands for the rest. */
void wrap_text(FILE *file, int columns, int indent, const char *mark, const char *text, int most_lines);
/* Text that filled all of its room was cut somewhere: this gives it an end behind a whole word. */
void wrap_end_at_word(char *text, size_t size);

#endif
