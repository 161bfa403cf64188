/* csv.h - tables as comma-separated values (RFC 4180), with cells of unknown origin. */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A cell: quoted where CSV wants it, in plain text, and never a formula for a spreadsheet (a ' stands before it). */
void csv_put(FILE *file, const char *text, char end);
/* The same, but whoever reads it wants the bytes as they are: no ' is added. */
void csv_put_exactly(FILE *file, const char *text, char end);

/* Of a cell that csv_put() wrote: without what it put before a formula. */
const char *csv_meant(const char *cell);

/* The bytes of a file as UTF-8: UTF-16 with a byte-order mark, as spreadsheets export it, and Windows-1252 are converted, the mark is
 * gone, and a NUL is U+FFFD. To be freed; NULL: out of memory. */
char *csv_text(const void *bytes, size_t size);

/* A table from text: commas, semicolons or tabs, whichever the first line has most; quotes, CRLF, a byte-order mark. Text that is no
 * UTF-8 is taken for Windows-1252. A file that may be UTF-16 goes through csv_text() first. */
struct csv {
    char ***rows; /* rows[r][c]; rows of one table may have fewer cells than others */
    size_t *cells;
    size_t *lines; /* of the text, from 1, where each row begins */
    size_t nrows;
    size_t open_line; /* where a quote opens that nothing closes; 0: none */
    char separator;

    /* private */
    char *text;
};
/* False: out of memory. Whatever the text is, it has rows. */
bool csv_read(struct csv *csv, const char *text);
/* The cell, or "" where there is none. */
const char *csv_cell(const struct csv *csv, size_t row, size_t column);
/* The column of the first row that has this heading, without regard to case and blanks around it; -1: none. */
int csv_column(const struct csv *csv, const char *heading);
void csv_free(struct csv *csv);

#endif
