/* csv.c - tables as comma-separated values: see csv.h.
 * A table that was read lies in one copy of its text: cells are unquoted in place, and rows point into it. */
#define _GNU_SOURCE
#include "grader/course/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/list.h"
#include "base/utf8.h"

/* ------------------------------------------------------------------------------------------- writing */

/* Spreadsheets take a cell that begins so for a formula; behind a ' it is text. The last four are wide forms of the first. */
static bool is_formula(const char *text)
{
    static const char *const beginnings[] = {
        "=", "+", "-", "@", "\t", "\r", "\n", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    }
    return false;
}

static void put_cell(FILE *file, const char *text, bool is_text, char end)
{
    const bool is_bare = !text[strcspn(text, ",;\"\r\n\t")];
    if (!is_bare)
        fputc('"', file);
    if (is_text)
        fputc('\'', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    if (!is_bare)
        fputc('"', file);
    fputc(end, file);
}

void csv_put(FILE *file, const char *text, char end)
{
    char *plain = utf8_plain(text);
    put_cell(file, plain ? plain : "", plain && is_formula(plain), end);
    free(plain);
}

const char *csv_meant(const char *cell)
{
    return *cell == '\'' && is_formula(cell + 1) ? cell + 1 : cell;
}

void csv_put_exactly(FILE *file, const char *text, char end)
{
    put_cell(file, text, false, end);
}

/* ------------------------------------------------------------------------------------------- bytes to text */

enum { REPLACEMENT = 0xfffd, MOST_BYTES_OF_ONE = 4 };

static uint32_t unit_at(const uint8_t *at, bool is_big)
{
    return is_big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

/* Halves of pairs that stand alone are no text. */
static char *from_utf16(const uint8_t *bytes, size_t size, bool is_big)
{
    char *text = malloc(size / 2 * MOST_BYTES_OF_ONE + 1), *to = text;
    for (size_t i = 0; text && i + 2 <= size; i += 2) {
        uint32_t code = unit_at(bytes + i, is_big);
        const uint32_t next = i + 4 <= size ? unit_at(bytes + i + 2, is_big) : 0;
        if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
            i += 2;
        }
        to = utf8_put(to, !code || (code >= 0xd800 && code < 0xe000) ? REPLACEMENT : code);
    }
    if (text)
        *to = '\0';
    return text;
}

/* What Windows-1252 has in place of C1; 0 where it has nothing. */
static const uint16_t of_windows[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                        0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                        0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                        0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

static uint32_t code_of_byte(uint8_t byte)
{
    const uint32_t code = byte >= 0x80 && byte < 0xa0 ? of_windows[byte - 0x80] : byte;
    return code ? code : REPLACEMENT;
}

static char *from_bytes(const uint8_t *bytes, size_t size, bool is_utf8)
{
    char *text = malloc(size * 3 + 1), *to = text;
    for (size_t i = 0; text && i < size; i++) {
        if (is_utf8 && bytes[i])
            *to++ = (char)bytes[i];
        else
            to = utf8_put(to, code_of_byte(bytes[i]));
    }
    if (text)
        *to = '\0';
    return text;
}

/* A NUL stands behind the bytes, so that no sequence reaches beyond them. */
static bool is_utf8(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0, length; i < size; i += length) {
        length = (size_t)utf8_length(bytes + i);
        if (!length)
            return false;
    }
    return true;
}

char *csv_text(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    if (size >= 2 && ((at[0] == 0xff && at[1] == 0xfe) || (at[0] == 0xfe && at[1] == 0xff)))
        return from_utf16(at + 2, size - 2, at[0] == 0xfe);
    if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
        at += 3;
        size -= 3;
    }
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, at, size);
    copy[size] = 0;
    char *text = from_bytes(copy, size, is_utf8(copy, size));
    free(copy);
    return text;
}

/* ------------------------------------------------------------------------------------------- reading */

/* Of three, the one that the first line has most often outside of quotes. */
static char find_separator(const char *text)
{
    static const char separators[] = ",;\t";
    size_t counts[3] = {0};
    bool is_quoted = false;
    for (; *text && (is_quoted || (*text != '\n' && *text != '\r')); text++) {
        const char *found = strchr(separators, *text);
        is_quoted = is_quoted != (*text == '"');
        if (found && !is_quoted)
            counts[found - separators]++;
    }
    const int second = counts[1] > counts[0];
    return separators[counts[2] > counts[second] ? 2 : second];
}

/* "sep=;" is a spreadsheet's own first line. */
static char *skip_announcement(char *text, char *separator)
{
    if (strncasecmp(text, "sep=", 4) != 0 || !text[4] || !strchr("\r\n", text[5]) ||
        !strchr(",;\t|", text[4]))
        return text;
    *separator = text[4];
    text += 5;
    return text + (*text == '\r') + (text[*text == '\r'] == '\n');
}

struct reader {
    char *at;
    char separator;
    size_t line; /* of at */
    size_t open_line;
    struct list rows, cells, counts, lines;
};

/* A quote within quotes stands twice; one that is never closed goes on to the end. Moves the text to where the cell begins. */
static char *unquote(struct reader *reader, char *to)
{
    const size_t first = reader->line;
    for (reader->at++; *reader->at; reader->at++) {
        if (*reader->at == '"' && *++reader->at != '"')
            return to;
        reader->line += *reader->at == '\n';
        *to++ = *reader->at;
    }
    reader->open_line = first;
    return to;
}

/* One cell; the character behind it is returned, and overwritten by its end. */
static char read_cell(struct reader *reader, char **cell)
{
    char *to = *cell = reader->at;
    const char ends[] = {'\r', '\n', reader->separator, '\0'};
    if (*reader->at == '"')
        to = unquote(reader, to);
    const size_t length = strcspn(reader->at, ends);
    memmove(to, reader->at, length);
    reader->at += length;
    const char end = *reader->at;
    reader->at += end != '\0';
    to[length] = '\0';
    return end;
}

static bool push_text(struct list *list, char *text)
{
    char **item = list_push(list, sizeof *item);
    if (item)
        *item = text;
    return item;
}

static bool push_size(struct list *list, size_t value)
{
    size_t *item = list_push(list, sizeof *item);
    if (item)
        *item = value;
    return item;
}

/* The cells of all rows stand in one list; where each row begins is filled in when it has stopped to move. */
static bool read_row(struct reader *reader)
{
    const size_t before = reader->cells.count;
    char *cell, end;
    if (!push_size(&reader->lines, reader->line))
        return false;
    do {
        end = read_cell(reader, &cell);
        if (!push_text(&reader->cells, cell))
            return false;
    } while (end == reader->separator);
    if (end == '\r' && *reader->at == '\n')
        reader->at++;
    reader->line += end != '\0';
    return push_size(&reader->counts, reader->cells.count - before);
}

static bool read_rows(struct reader *reader)
{
    do {
        if (!read_row(reader))
            return false;
    } while (*reader->at);
    char **cells = reader->cells.items;
    for (size_t i = 0; i < reader->counts.count; i++) {
        char ***row = list_push(&reader->rows, sizeof *row);
        if (!row)
            return false;
        *row = cells;
        cells += ((size_t *)reader->counts.items)[i];
    }
    return true;
}

bool csv_read(struct csv *csv, const char *text)
{
    *csv = (struct csv){.text = csv_text(text, strlen(text))};
    if (!csv->text)
        return false;
    struct reader reader = {.separator = find_separator(csv->text)};
    reader.at = skip_announcement(csv->text, &reader.separator);
    reader.line = reader.at == csv->text ? 1 : 2;
    const bool is_read = read_rows(&reader);
    csv->separator = reader.separator;
    csv->open_line = reader.open_line;
    csv->rows = reader.rows.items;
    csv->cells = reader.counts.items;
    csv->lines = reader.lines.items;
    csv->nrows = is_read ? reader.rows.count : 0;
    if (!is_read) {
        free(reader.cells.items);
        list_free(&reader.rows);
        csv->rows = NULL;
        csv_free(csv);
    }
    return is_read;
}

const char *csv_cell(const struct csv *csv, size_t row, size_t column)
{
    return row < csv->nrows && column < csv->cells[row] ? csv->rows[row][column] : "";
}

static bool is_heading(const char *cell, const char *heading)
{
    const size_t length = strlen(heading);
    cell += strspn(cell, " \t");
    return strncasecmp(cell, heading, length) == 0 && !cell[length + strspn(cell + length, " \t")];
}

int csv_column(const struct csv *csv, const char *heading)
{
    for (size_t i = 0; csv->nrows && i < csv->cells[0]; i++) {
        if (is_heading(csv->rows[0][i], heading))
            return (int)i;
    }
    return -1;
}

/* The first row points at the beginning of the list of all cells. */
void csv_free(struct csv *csv)
{
    if (csv->rows)
        free(csv->rows[0]);
    free(csv->rows);
    free(csv->cells);
    free(csv->lines);
    free(csv->text);
    *csv = (struct csv){.text = NULL};
}
