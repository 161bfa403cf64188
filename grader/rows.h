/* rows.h - results.csv: a row per student, and a journal of which rows a batch that has not ended yet has written.
 * Rows of earlier batches stay until they are replaced. After every call the files on disk are whole. */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rows {
    char path[2700], journal_path[2700];
    char *head;            /* first line, with its end */
    struct rows_row *list; /* in the file's order */
    int count;
    int journal; /* descriptor, locked; -1: none */
    char *done;  /* what the journal said at first */
};

/* A cell: quoted where CSV wants it, in plain text, and never a formula for a spreadsheet. */
void rows_put_cell(FILE *file, const char *text, char end);

/* `head`: the first line of results.csv; a file with another one is put aside as results.old.csv. `order`: what this batch is
 * asked for; a journal of another order is forgotten. False: errno says why, EWOULDBLOCK that another batch is at work. */
bool rows_open(struct rows *rows, const char *folder, const char *head, const char *order);
/* The batch that was broken off has graded this student, with this text. */
bool rows_is_done(const struct rows *rows, const char *student, uint64_t hash);
/* `row`: the whole line. `hash`: NULL: a batch that is broken off and started again grades the student again. */
bool rows_replace(struct rows *rows, const char *student, const char *row, const uint64_t *hash);
/* Students in this order come first, as they are named; whoever else has a row, behind them. */
bool rows_sort(struct rows *rows, const char *const *students, int count);
/* is_finished: all is graded; a later batch begins from the start. */
void rows_close(struct rows *rows, bool is_finished);

#endif
