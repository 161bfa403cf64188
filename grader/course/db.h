/* db.h - an open store: statements, rows by the tables of record.h, transactions. For store.c and store_keep.c alone.
 * Every step is checked: a row, the end, or an error that is carried up. A store that is damaged is told as such, whatever was asked of
 * it, with the command that recovers it. */
#ifndef DB_H
#define DB_H

#include <sqlite3.h>

#include "grader/course/store.h"

struct db {
    struct store *store;
    sqlite3 *sqlite; /* NULL: it could not be opened */
    bool is_salvage;
};

/* ------------------------------------------------------------------------------------------- open and close */

enum db_purpose {
    DB_READ,
    DB_BACKUP, /* to be read; a copy has no seal */
    DB_WRITE,
    DB_MAKE,   /* it need not be there; nothing is known of it yet */
    DB_SALVAGE /* to be read, though it is damaged: nothing is checked but each page */
};
/* False: the store's error says why. db_close() always. */
bool db_open(struct db *db, struct store *store, enum db_purpose purpose);
/* Hands on what it is given. */
bool db_close(struct db *db, bool is_done);
/* Opens it, and begins a transaction: all of it, or nothing. The first error stays in words. */
bool db_begin(struct db *db, struct store *store);
bool db_begin_change(const struct db *db);
bool db_end(struct db *db, bool is_done);
/* Reads all of it. False: it is damaged. */
bool db_check(const struct db *db);
/* How many changes it has seen. -1: an error. */
long db_count_changes(const struct db *db);
/* How many changes were acknowledged, by the note beside the store: one that has seen fewer has lost some. */
enum { DB_NO_SEAL = -1, DB_BAD_SEAL = -2 };
long db_read_seal(const struct store *store);
bool db_write_seal(const struct store *store, long changes);
/* Before the first change of a store: from then on one without a seal has lost it. */
bool db_begin_seal(struct store *store);
/* Something was stored once. */
bool db_was_sealed(const struct store *store);

/* ------------------------------------------------------------------------------------------- statements */

bool db_fail(const struct db *db, const char *what);
bool db_fail_damaged(const struct db *db, const char *why);
bool db_run(const struct db *db, const char *sql);
/* With up to two texts for its ?s; NULL: fewer. */
bool db_run_with(const struct db *db, const char *sql, const char *first, const char *second);
sqlite3_stmt *db_prepare(const struct db *db, const char *sql);
void db_bind_text(sqlite3_stmt *statement, int at, const char *text);
/* True: there is a row. *is_done becomes false where there is an error; nothing is done where it is false already. */
bool db_step(const struct db *db, sqlite3_stmt *statement, bool *is_done);
/* To its end, and away. */
bool db_finish(const struct db *db, sqlite3_stmt *statement);

/* What the store says of the class as a whole, by a key; "": nothing. To be freed; NULL: an error. */
char *db_get(const struct db *db, const char *key);

/* ------------------------------------------------------------------------------------------- rows */

/* `before` and `behind` stand around the columns. */
bool db_make_table(const struct db *db, const struct record_shape *shape, const char *before,
                   const char *behind);
/* `keys`: "environment" and "number, environment" are numbers that stand before the fields. */
bool db_insert(const struct db *db, const char *verb, const struct record_shape *shape, const void *row,
               const char *keys, const sqlite3_int64 *values, int nvalues);
/* "SELECT <before> <columns> FROM table <behind>". */
sqlite3_stmt *db_select(const struct db *db, const struct record_shape *shape, const char *before,
                        const char *behind);
void db_bind_row(sqlite3_stmt *statement, int at, const struct record_shape *shape, const void *row);
bool db_read_row(sqlite3_stmt *statement, int at, const struct record_shape *shape, void *row);

/* ------------------------------------------------------------------------------------------- in store.c */

#define STORE_VERSION       "3"
#define STORE_VERSION_PLAIN "2" /* without checksums */
/* Tables, version and lab, where they are not there yet. */
bool store_fill(struct store *store, const char *lab, bool is_new);
/* An attempt with its environment and all that belongs to it. False: an error, or it is not there. With DB_SALVAGE, an index that is
 * damaged is done without. */
bool store_read_attempt(const struct db *db, sqlite3_int64 number, struct record *record,
                        struct record_environment *environment);
bool store_write_attempt(const struct db *db, sqlite3_int64 number,
                         const struct record_environment *environment, const struct record *record);

#endif
