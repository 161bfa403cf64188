/* db.c - an open store: see db.h. Statements are made from the tables of fields in record.c, so that a new field is one line there.
 * Whatever is stored goes in as a bound value, never as a part of a statement. */
#define _GNU_SOURCE
#include "grader/course/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "grader/course/store_vfs.h"

enum { BUSY_MS = 20000, SEAL_BYTES = 21 };

/* ------------------------------------------------------------------------------------------- errors */

/* What SQLite says stands behind our own words. */
static bool db_fail_damaged_as(const struct db *db, const char *why, const char *words)
{
    struct store *store = db->store;
    const char *slash = strrchr(store->path, '/');
    snprintf(store->error, sizeof store->error,
             "%.200s is damaged: %.120s%s%.120s%s. Nothing was changed. `./grade results %.*s --recover` "
             "recovers what "
             "it can.",
             store->path, why, words ? " (" : "", words ? words : "", words ? ")" : "",
             slash ? (int)(slash - store->path) : 1, slash ? store->path : ".");
    store->is_damaged = true;
    return false;
}

bool db_fail_damaged(const struct db *db, const char *why)
{
    return db_fail_damaged_as(db, why, NULL);
}

/* What SQLite says of a file whose bytes are not those that it wrote. */
static bool is_damage(int status)
{
    return (status & 0xff) == SQLITE_CORRUPT || (status & 0xff) == SQLITE_NOTADB ||
           (status & 0xff) == SQLITE_FORMAT;
}

bool db_fail(const struct db *db, const char *what)
{
    struct store *store = db->store;
    if (db->sqlite && is_damage(sqlite3_errcode(db->sqlite)))
        return db_fail_damaged_as(db, "a part of it cannot be read", sqlite3_errmsg(db->sqlite));
    snprintf(store->error, sizeof store->error, "%.200s %s: %s.", store->path, what,
             db->sqlite ? sqlite3_errmsg(db->sqlite) : "out of memory");
    return false;
}

/* ------------------------------------------------------------------------------------------- statements */

bool db_run(const struct db *db, const char *sql)
{
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK || db_fail(db, "cannot be written");
}

sqlite3_stmt *db_prepare(const struct db *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        db_fail(db, "cannot be read");
    return statement;
}

bool db_step(const struct db *db, sqlite3_stmt *statement, bool *is_done)
{
    const int status = *is_done ? sqlite3_step(statement) : SQLITE_DONE;
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        *is_done = db_fail(db, sqlite3_stmt_readonly(statement) ? "cannot be read" : "cannot be written");
    return status == SQLITE_ROW;
}

bool db_finish(const struct db *db, sqlite3_stmt *statement)
{
    bool is_done = statement;
    while (db_step(db, statement, &is_done))
        continue;
    sqlite3_finalize(statement);
    return is_done;
}

void db_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_TRANSIENT);
}

bool db_run_with(const struct db *db, const char *sql, const char *first, const char *second)
{
    sqlite3_stmt *statement = db_prepare(db, sql);
    if (statement && first)
        db_bind_text(statement, 1, first);
    if (statement && second)
        db_bind_text(statement, 2, second);
    return statement && db_finish(db, statement);
}

/* ------------------------------------------------------------------------------------------- rows by tables */

static const char *const types[] = {
    [RECORD_TEXT] = "TEXT", [RECORD_INTEGER] = "INTEGER", [RECORD_REAL] = "REAL"};

/* `"row" INTEGER, "id" TEXT`, or `"row", "id"`, or `?, ?`. */
static void put_columns(FILE *file, const struct record_shape *shape, const char *form)
{
    for (int i = 0; i < shape->nfields; i++) {
        const struct record_field *field = &shape->fields[i];
        fputs(i ? ", " : "", file);
        if (strcmp(form, "?") == 0)
            putc('?', file);
        else
            fprintf(file, "\"%s\"%s%s", field->column, *form ? " " : "", *form ? types[field->kind] : "");
    }
}

bool db_make_table(const struct db *db, const struct record_shape *shape, const char *before,
                   const char *behind)
{
    char *sql = NULL;
    size_t size;
    FILE *file = open_memstream(&sql, &size);
    if (!file)
        return false;
    fprintf(file, "CREATE TABLE IF NOT EXISTS \"%s\"(%s", shape->table, before);
    put_columns(file, shape, "type");
    fprintf(file, "%s)", behind);
    const bool is_done = fclose(file) == 0 && db_run(db, sql);
    free(sql);
    return is_done;
}

void db_bind_row(sqlite3_stmt *statement, int at, const struct record_shape *shape, const void *row)
{
    for (int i = 0; i < shape->nfields; i++, at++) {
        const void *field = (const char *)row + shape->fields[i].offset;
        if (shape->fields[i].kind == RECORD_INTEGER)
            sqlite3_bind_int64(statement, at, *(const long *)field);
        else if (shape->fields[i].kind == RECORD_REAL)
            sqlite3_bind_double(statement, at, *(const double *)field);
        else
            db_bind_text(statement, at, *(char *const *)field);
    }
}

bool db_insert(const struct db *db, const char *verb, const struct record_shape *shape, const void *row,
               const char *keys, const sqlite3_int64 *values, int nvalues)
{
    char *sql = NULL;
    size_t size;
    FILE *file = open_memstream(&sql, &size);
    if (!file)
        return false;
    fprintf(file, "%s INTO \"%s\"(%s%s", verb, shape->table, keys, nvalues ? ", " : "");
    put_columns(file, shape, "");
    fputs(") VALUES(", file);
    for (int i = 0; i < nvalues; i++)
        fputs("?, ", file);
    put_columns(file, shape, "?");
    putc(')', file);
    sqlite3_stmt *statement = fclose(file) == 0 ? db_prepare(db, sql) : NULL;
    free(sql);
    for (int i = 0; statement && i < nvalues; i++)
        sqlite3_bind_int64(statement, i + 1, values[i]);
    if (statement)
        db_bind_row(statement, nvalues + 1, shape, row);
    return statement && db_finish(db, statement);
}

bool db_read_row(sqlite3_stmt *statement, int at, const struct record_shape *shape, void *row)
{
    bool is_done = true;
    for (int i = 0; i < shape->nfields; i++, at++) {
        void *field = (char *)row + shape->fields[i].offset;
        if (shape->fields[i].kind == RECORD_INTEGER)
            *(long *)field = (long)sqlite3_column_int64(statement, at);
        else if (shape->fields[i].kind == RECORD_REAL)
            *(double *)field = sqlite3_column_double(statement, at);
        else
            is_done = record_set((char **)field, (const char *)sqlite3_column_text(statement, at)) && is_done;
    }
    return is_done;
}

sqlite3_stmt *db_select(const struct db *db, const struct record_shape *shape, const char *before,
                        const char *behind)
{
    char *sql = NULL;
    size_t size;
    FILE *file = open_memstream(&sql, &size);
    if (!file)
        return NULL;
    fprintf(file, "SELECT %s", before);
    put_columns(file, shape, "");
    fprintf(file, " FROM \"%s\" %s", shape->table, behind);
    sqlite3_stmt *statement = fclose(file) == 0 ? db_prepare(db, sql) : NULL;
    free(sql);
    return statement;
}

/* ------------------------------------------------------------------------------------------- the seal */

/* "results.db-seal": written after a change is on disk, so it never promises more than the store has. */
static void name_seal(const struct store *store, char *out, size_t size)
{
    snprintf(out, size, "%s-seal", store->path);
}

long db_read_seal(const struct store *store)
{
    char path[sizeof store->path + 20], *behind = NULL;
    size_t size = 0;
    name_seal(store, path, sizeof path);
    char *text = file_read(path, 100, false, &size);
    if (!text)
        return errno == ENOENT ? DB_NO_SEAL : DB_BAD_SEAL;
    const long changes = strtol(text, &behind, 10);
    const bool is_seal = size == SEAL_BYTES && strcmp(behind, "\n") == 0 && changes >= 0;
    free(text);
    return is_seal ? changes : DB_BAD_SEAL;
}

bool db_was_sealed(const struct store *store)
{
    const long sealed = db_read_seal(store);
    return sealed > 0 || sealed == DB_BAD_SEAL;
}

bool db_write_seal(const struct store *store, long changes)
{
    char path[sizeof store->path + 20], part[sizeof path + 10], text[SEAL_BYTES + 3];
    name_seal(store, path, sizeof path);
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(text, sizeof text, "%*ld\n", SEAL_BYTES - 1, changes);
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool is_new = file < 0 && errno == ENOENT; /* it is never seen without its number */
    if (is_new)
        file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool is_written = file >= 0 && write(file, text, SEAL_BYTES) == SEAL_BYTES;
    return file >= 0 && close(file) == 0 && is_written && (!is_new || rename(part, path) == 0);
}

bool db_begin_seal(struct store *store)
{
    if (db_read_seal(store) != DB_NO_SEAL || db_write_seal(store, 0))
        return true;
    snprintf(store->error, sizeof store->error, "%.400s-seal cannot be written: %s.", store->path,
             strerror(errno));
    return false;
}

/* ------------------------------------------------------------------------------------------- open and close */

static long read_number(const struct db *db, const char *sql)
{
    sqlite3_stmt *statement = db_prepare(db, sql);
    bool is_done = statement;
    const long number = db_step(db, statement, &is_done) ? (long)sqlite3_column_int64(statement, 0)
                        : is_done                        ? 0
                                                         : -1;
    sqlite3_finalize(statement);
    return is_done ? number : -1;
}

long db_count_changes(const struct db *db)
{
    return read_number(db, "PRAGMA user_version");
}

/* A database in WAL mode wants a file beside it, also to be read; where nothing can be written, nobody else writes either. */
static bool open_file(struct db *db, enum db_purpose purpose)
{
    char name[3000];
    const bool writes = purpose == DB_WRITE || purpose == DB_MAKE,
               can_write = writes || access(db->store->path, W_OK) == 0;
    const int flags = (can_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) |
                      (purpose == DB_MAKE ? SQLITE_OPEN_CREATE : 0);
    snprintf(name, sizeof name, can_write ? "%s" : "file:%s?immutable=1", db->store->path);
    const char *vfs = store_vfs_name();
    if (!vfs || sqlite3_open_v2(name, &db->sqlite, flags, vfs) != SQLITE_OK)
        return db_fail(db, writes ? "cannot be written" : "cannot be read");
    sqlite3_busy_timeout(db->sqlite, BUSY_MS);
    return true;
}

char *db_get(const struct db *db, const char *key)
{
    sqlite3_stmt *statement = db_prepare(db, "SELECT value FROM meta WHERE key = ?");
    bool is_done = statement;
    if (statement)
        db_bind_text(statement, 1, key);
    const bool is_there = db_step(db, statement, &is_done);
    char *value = is_done ? strdup(is_there ? (const char *)sqlite3_column_text(statement, 0) : "") : NULL;
    sqlite3_finalize(statement);
    return value;
}

/* Before anything of it is believed: it has tables, its pages have their checksums, and no change that was acknowledged is gone. */
static bool is_credible(const struct db *db, enum db_purpose purpose)
{
    const long sealed = db_read_seal(db->store); /* first: others may change it meanwhile */
    const int tables = (int)read_number(db, "SELECT count(*) FROM sqlite_master");
    if (tables < 0)
        return false;
    if (tables == 0)
        return db_fail_damaged(db, "it is empty");
    char *version = db_get(db, "version");
    if (!version)
        return false;
    const bool is_plain = strcmp(version, STORE_VERSION_PLAIN) == 0;
    free(version);
    if (!is_plain && !store_vfs_has_sums(db->sqlite))
        return db_fail_damaged(db, "its checksums are gone");
    if (sealed == DB_BAD_SEAL || (sealed == DB_NO_SEAL && !is_plain && purpose != DB_BACKUP))
        return db_fail_damaged(db, sealed == DB_BAD_SEAL
                                       ? "results.db-seal beside it, which counts its changes, is damaged"
                                       : "results.db-seal beside it, which counts its changes, is gone");
    const long changes = db_count_changes(db);
    if (changes < 0)
        return false;
    return changes >= sealed || db_fail_damaged(db, "the last changes of it are gone");
}

/* Only a store writes this beside itself. */
static bool has_table(const struct store *store)
{
    char table[sizeof store->path + 10];
    snprintf(table, sizeof table, "%.*s/results.csv", (int)(strrchr(store->path, '/') - store->path),
             store->path);
    return access(table, F_OK) == 0;
}

bool db_open(struct db *db, struct store *store, enum db_purpose purpose)
{
    *db = (struct db){.store = store, .is_salvage = purpose == DB_SALVAGE};
    *store->error = '\0';
    store->is_damaged = false;
    const bool is_there = access(store->path, purpose == DB_MAKE ? F_OK : R_OK) == 0;
    if (!is_there && errno == EACCES) {
        snprintf(store->error, sizeof store->error, "%.400s cannot be read: %s.", store->path,
                 strerror(errno));
        return false;
    }
    if (!is_there && errno == ENOENT && (db_was_sealed(store) || (purpose != DB_MAKE && has_table(store))))
        return db_fail_damaged(db, "the file is gone");
    if (is_there && purpose == DB_WRITE && access(store->path, W_OK) != 0) {
        snprintf(store->error, sizeof store->error, "%.400s cannot be written: %s.", store->path,
                 strerror(errno));
        return false;
    }
    if (!open_file(db, purpose))
        return false;
    if (purpose ==
        DB_SALVAGE) /* SQLite reads a file that was cut off only for those who may change all of it */
        return db_run(db, "PRAGMA writable_schema = ON") || true;
    return (purpose == DB_MAKE || is_credible(db, purpose)) &&
           (purpose == DB_READ || purpose == DB_BACKUP ||
            db_run(db, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"));
}

bool db_close(struct db *db, bool is_done)
{
    sqlite3_close(db->sqlite);
    return is_done;
}

/* user_version counts changes, as a part of each. */
bool db_begin_change(const struct db *db)
{
    char sql[60];
    if (!db_run(db, "BEGIN IMMEDIATE"))
        return false;
    const long changes = db_count_changes(db);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %ld", changes + 1);
    return changes >= 0 && db_run(db, sql);
}

bool db_begin(struct db *db, struct store *store)
{
    return db_open(db, store, DB_WRITE) && db_begin_change(db);
}

bool db_end(struct db *db, bool is_done)
{
    const long changes = is_done ? db_count_changes(db) : 0;
    is_done = is_done && changes > 0 && db_run(db, "COMMIT");
    if (!is_done && db->sqlite)
        sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
    if (is_done)
        db_write_seal(db->store, changes);
    return db_close(db, is_done);
}

/* With checksums every page that is read is right, and the quick check reads them all; without, indexes are compared with what they
 * are of, which takes longer. */
bool db_check(const struct db *db)
{
    sqlite3_stmt *statement = db_prepare(db, store_vfs_has_sums(db->sqlite) ? "PRAGMA quick_check(1)"
                                                                            : "PRAGMA integrity_check(1)");
    bool is_done = statement;
    if (db_step(db, statement, &is_done)) {
        const char *words = (const char *)sqlite3_column_text(statement, 0),
                   *line = words ? strrchr(words, '\n') : NULL; /* the first only says which database it is */
        if (!words || strcmp(words, "ok") != 0)
            is_done = db_fail_damaged_as(db, "a part of it cannot be read", line ? line + 1 : words);
    }
    sqlite3_finalize(statement);
    return is_done;
}
