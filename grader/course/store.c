/* store.c - results.db: see store.h. Statements are made from the tables of fields in record.c, so that a new field is one line
 * there. Whatever is stored goes in as a bound value, never as a part of a statement. */
#define _GNU_SOURCE
#include "grader/course/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION "2"
enum { BUSY_MS = 20000 };

struct connection {
    struct store *store;
    sqlite3 *db;
};

/* ------------------------------------------------------------------------------------------- errors */

bool store_is_built_in(void)
{
    return true;
}

static bool fail(const struct connection *to, const char *what)
{
    struct store *store = to->store;
    snprintf(store->error, sizeof store->error, "%.200s %s: %s.", store->path, what,
             to->db ? sqlite3_errmsg(to->db) : "out of memory");
    return false;
}

/* ------------------------------------------------------------------------------------------- statements */

static bool run(const struct connection *to, const char *sql)
{
    return sqlite3_exec(to->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(to, "cannot be written");
}

static sqlite3_stmt *prepare(const struct connection *to, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(to->db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(to, "cannot be read");
    return statement;
}

/* To its end, and away. */
static bool finish(const struct connection *to, sqlite3_stmt *statement)
{
    int status = SQLITE_ERROR;
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW)
        continue;
    const bool is_done = status == SQLITE_DONE;
    if (!is_done)
        fail(to, "cannot be written");
    sqlite3_finalize(statement);
    return is_done;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_TRANSIENT);
}

/* With up to two texts for its ?s; NULL: fewer. */
static bool run_with(const struct connection *to, const char *sql, const char *first, const char *second)
{
    sqlite3_stmt *statement = prepare(to, sql);
    if (statement && first)
        bind_text(statement, 1, first);
    if (statement && second)
        bind_text(statement, 2, second);
    return statement && finish(to, statement);
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

/* "CREATE TABLE stage(attempt ..., "row" INTEGER, ...)": `before` and `behind` stand around the columns. */
static bool make_table(const struct connection *to, const struct record_shape *shape, const char *before,
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
    const bool is_done = fclose(file) == 0 && run(to, sql);
    free(sql);
    return is_done;
}

static void bind_row(sqlite3_stmt *statement, int at, const struct record_shape *shape, const void *row)
{
    for (int i = 0; i < shape->nfields; i++, at++) {
        const void *field = (const char *)row + shape->fields[i].offset;
        if (shape->fields[i].kind == RECORD_INTEGER)
            sqlite3_bind_int64(statement, at, *(const long *)field);
        else if (shape->fields[i].kind == RECORD_REAL)
            sqlite3_bind_double(statement, at, *(const double *)field);
        else
            bind_text(statement, at, *(char *const *)field);
    }
}

/* `keys`: "attempt" and "environment, attempt" are numbers that stand before the fields. */
static bool insert(const struct connection *to, const char *verb, const struct record_shape *shape,
                   const void *row, const char *keys, const sqlite3_int64 *values, int nvalues)
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
    sqlite3_stmt *statement = fclose(file) == 0 ? prepare(to, sql) : NULL;
    free(sql);
    for (int i = 0; statement && i < nvalues; i++)
        sqlite3_bind_int64(statement, i + 1, values[i]);
    if (statement)
        bind_row(statement, nvalues + 1, shape, row);
    return statement && finish(to, statement);
}

static bool read_row(sqlite3_stmt *statement, int at, const struct record_shape *shape, void *row)
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

/* "SELECT <columns> FROM table <behind>". */
static sqlite3_stmt *select_rows(const struct connection *to, const struct record_shape *shape,
                                 const char *before, const char *behind)
{
    char *sql = NULL;
    size_t size;
    FILE *file = open_memstream(&sql, &size);
    if (!file)
        return NULL;
    fprintf(file, "SELECT %s", before);
    put_columns(file, shape, "");
    fprintf(file, " FROM \"%s\" %s", shape->table, behind);
    sqlite3_stmt *statement = fclose(file) == 0 ? prepare(to, sql) : NULL;
    free(sql);
    return statement;
}

/* ------------------------------------------------------------------------------------------- open and close */

/* A database in WAL mode wants a file beside it, also to be read; where nothing can be written, nobody else writes either. */
static bool open_file(struct connection *to, bool is_for_writing)
{
    char name[3000];
    const bool can_write = access(to->store->path, W_OK) == 0;
    const int flags = can_write || is_for_writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    snprintf(name, sizeof name, "%s", to->store->path);
    if (!can_write && !is_for_writing)
        snprintf(name, sizeof name, "file:%s?immutable=1", to->store->path);
    if (sqlite3_open_v2(name, &to->db, flags | (can_write ? 0 : SQLITE_OPEN_URI), NULL) != SQLITE_OK)
        return fail(to, is_for_writing ? "cannot be written" : "cannot be read");
    sqlite3_busy_timeout(to->db, BUSY_MS);
    return true;
}

static bool open_db(struct connection *to, struct store *store, bool is_for_writing)
{
    *to = (struct connection){.store = store};
    *store->error = '\0';
    return open_file(to, is_for_writing) &&
           (!is_for_writing || run(to, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"));
}

static bool close_db(struct connection *to, bool is_done)
{
    sqlite3_close(to->db);
    return is_done;
}

static bool begin(struct connection *to, struct store *store)
{
    return open_db(to, store, true) && run(to, "BEGIN IMMEDIATE");
}

/* All of it, or nothing. The first error stays in words. */
static bool end(struct connection *to, bool is_done)
{
    is_done = is_done && run(to, "COMMIT");
    if (!is_done && to->db)
        sqlite3_exec(to->db, "ROLLBACK", NULL, NULL, NULL);
    return close_db(to, is_done);
}

/* ------------------------------------------------------------------------------------------- its tables */

static bool make_tables(const struct connection *to)
{
    bool is_done =
        run(to, "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)") &&
        run(to, "CREATE TABLE IF NOT EXISTS text(hash TEXT PRIMARY KEY, bytes BLOB NOT NULL)") &&
        run(to,
            "CREATE TABLE IF NOT EXISTS submission(source TEXT PRIMARY KEY, student TEXT NOT NULL, attempt "
            "INTEGER REFERENCES attempt(number), is_present INTEGER NOT NULL)") &&
        make_table(to, &record_environment_shape, "number INTEGER PRIMARY KEY, ", "") &&
        make_table(to, &record_shape,
                   "number INTEGER PRIMARY KEY, environment INTEGER REFERENCES environment(number), ", "") &&
        run(to, "CREATE INDEX IF NOT EXISTS attempt_source ON attempt(source)") &&
        make_table(to, &store_student_shape, "", ", UNIQUE(id)") &&
        make_table(to, &store_override_shape, "", ", UNIQUE(student)");
    for (int p = 0; p < RECORD_PARTS && is_done; p++) {
        const struct record_shape *shape = record_parts[p].shape;
        char index[120];
        snprintf(index, sizeof index, "CREATE INDEX IF NOT EXISTS %s_attempt ON \"%s\"(attempt)",
                 shape->table, shape->table);
        is_done = make_table(to, shape,
                             "attempt INTEGER NOT NULL REFERENCES attempt(number) ON DELETE CASCADE, ", "") &&
                  run(to, index);
    }
    return is_done;
}

static char *get(const struct connection *to, const char *key)
{
    sqlite3_stmt *statement = prepare(to, "SELECT value FROM meta WHERE key = ?");
    if (!statement)
        return NULL;
    bind_text(statement, 1, key);
    const int status = sqlite3_step(statement);
    char *value = status == SQLITE_ROW    ? strdup((const char *)sqlite3_column_text(statement, 0))
                  : status == SQLITE_DONE ? strdup("")
                                          : NULL;
    if (!value)
        fail(to, "cannot be read");
    sqlite3_finalize(statement);
    return value;
}

static bool set(const struct connection *to, const char *key, const char *value)
{
    return run_with(to, "INSERT OR REPLACE INTO meta VALUES(?, ?)", key, value);
}

/* Set if it is not yet; else it must be this. */
static bool agree(const struct connection *to, const char *key, const char *value, const char *format)
{
    char *there = get(to, key);
    const bool is_new = there && !*there, is_same = there && strcmp(there, value) == 0;
    if (there && !is_new && !is_same)
        snprintf(to->store->error, sizeof to->store->error, format, to->store->path, there);
    free(there);
    return is_same || (is_new && set(to, key, value));
}

bool store_exists(const struct store *store)
{
    return access(store->path, F_OK) == 0;
}

bool store_make(struct store *store, const char *lab)
{
    struct connection to = {.store = store};
    *store->error = '\0';
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(store->path, &to.db, flags, NULL) != SQLITE_OK)
        return close_db(&to, fail(&to, "cannot be made"));
    sqlite3_busy_timeout(to.db, BUSY_MS);
    if (!run(&to, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL") || !run(&to, "BEGIN IMMEDIATE"))
        return close_db(&to, false);
    return end(&to,
               make_tables(&to) &&
                   agree(&to, "version", VERSION,
                         "%.200s was written by another version of the kit (%.20s): keep it aside.") &&
                   agree(&to, "lab", lab, "%.200s holds results of %.40s: name another folder with --out."));
}

bool store_set(struct store *store, const char *key, const char *value)
{
    struct connection to;
    const bool is_open = begin(&to, store);
    return end(&to, is_open && set(&to, key, value));
}

char *store_get(struct store *store, const char *key)
{
    struct connection to;
    char *value = open_db(&to, store, false) ? get(&to, key) : NULL;
    close_db(&to, true);
    return value;
}

/* ------------------------------------------------------------------------------------------- put */

/* The number of the environment; it is added if it is new. 0: an error. */
static sqlite3_int64 number_of(const struct connection *to, const struct record_environment *environment)
{
    char *behind = NULL;
    size_t size;
    FILE *file = open_memstream(&behind, &size);
    if (!file)
        return 0;
    fputs("WHERE ", file);
    for (int i = 0; i < record_environment_shape.nfields; i++)
        fprintf(file, "%s\"%s\" = ?", i ? " AND " : "", record_environment_shape.fields[i].column);
    sqlite3_stmt *statement =
        fclose(file) == 0 ? select_rows(to, &record_environment_shape, "number, ", behind) : NULL;
    free(behind);
    if (!statement)
        return 0;
    bind_row(statement, 1, &record_environment_shape, environment);
    sqlite3_int64 number = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    if (!number && insert(to, "INSERT", &record_environment_shape, environment, "", NULL, 0))
        number = sqlite3_last_insert_rowid(to->db);
    return number;
}

/* A regrade that the kit could not do leaves the grade that the same text has. */
static bool make_current(const struct connection *to, const struct record *record, sqlite3_int64 number)
{
    const bool is_error = strcmp(record->status, record_status_names[RECORD_ERROR]) == 0;
    sqlite3_stmt *statement = prepare(
        to,
        is_error
            ? "INSERT INTO submission VALUES(?1, ?4, ?2, 1) ON CONFLICT(source) DO UPDATE SET is_present = "
              "1, "
              "attempt = CASE WHEN attempt IN (SELECT number FROM attempt WHERE source = ?1 AND hash = ?3) "
              "THEN attempt ELSE ?2 END"
            : "INSERT INTO submission VALUES(?1, ?4, ?2, 1) ON CONFLICT(source) DO UPDATE SET is_present = "
              "1, "
              "attempt = ?2 WHERE ?3 = ?3");
    if (!statement)
        return false;
    bind_text(statement, 1, record->source);
    sqlite3_bind_int64(statement, 2, number);
    bind_text(statement, 3, record->hash);
    bind_text(statement, 4, record->student);
    return finish(to, statement);
}

/* Errors of the kit are of interest until there is something better. */
static bool drop_errors(const struct connection *to, const struct record *record)
{
    return run_with(to,
                    "UPDATE submission SET attempt = NULL WHERE source = ?1 AND attempt IN "
                    "(SELECT number FROM attempt WHERE source = ?1 AND status = ?2)",
                    record->source, record_status_names[RECORD_ERROR]) &&
           run_with(to, "DELETE FROM attempt WHERE source = ? AND status = ?", record->source,
                    record_status_names[RECORD_ERROR]);
}

static bool put_parts(const struct connection *to, const struct record *record, sqlite3_int64 number)
{
    bool is_done = true;
    for (int p = 0; p < RECORD_PARTS; p++) {
        const struct record_part *part = &record_parts[p];
        const char *list = *(char *const *)((const char *)record + part->list);
        const size_t count = *(const size_t *)((const char *)record + part->count);
        for (size_t i = 0; i < count && is_done; i++)
            is_done = insert(to, "INSERT", part->shape, list + i * part->shape->size, "attempt", &number, 1);
    }
    return is_done;
}

bool store_put(struct store *store, const struct record_environment *environment, const struct record *record)
{
    struct connection to;
    bool is_done = begin(&to, store) && drop_errors(&to, record);
    const sqlite3_int64 place = is_done ? number_of(&to, environment) : 0;
    is_done = place && insert(&to, "INSERT", &record_shape, record, "environment", &place, 1);
    const sqlite3_int64 number = is_done ? sqlite3_last_insert_rowid(to.db) : 0;
    return end(&to, is_done && put_parts(&to, record, number) && make_current(&to, record, number));
}

bool store_put_text(struct store *store, const char *hash, const void *bytes, size_t size)
{
    struct connection to;
    sqlite3_stmt *statement =
        begin(&to, store) ? prepare(&to, "INSERT OR IGNORE INTO text VALUES(?, ?)") : NULL;
    if (statement) {
        bind_text(statement, 1, hash);
        sqlite3_bind_blob64(statement, 2, bytes, size, SQLITE_TRANSIENT);
    }
    return end(&to, statement && finish(&to, statement));
}

void *store_get_text(struct store *store, const char *hash, size_t *size)
{
    struct connection to;
    char *bytes = NULL;
    sqlite3_stmt *statement =
        open_db(&to, store, false) ? prepare(&to, "SELECT bytes FROM text WHERE hash = ?") : NULL;
    if (statement)
        bind_text(statement, 1, hash);
    if (statement && sqlite3_step(statement) == SQLITE_ROW) {
        *size = (size_t)sqlite3_column_bytes(statement, 0);
        bytes = malloc(*size + 1);
        if (bytes) {
            memcpy(bytes, *size ? sqlite3_column_blob(statement, 0) : "", *size);
            bytes[*size] = '\0';
        }
    }
    sqlite3_finalize(statement);
    close_db(&to, true);
    return bytes;
}

/* Whose a submission was before; NULL: nobody's, or the same student's. To be freed. */
static char *find_other_student(const struct connection *to, const struct store_submission *one)
{
    char *other = NULL;
    sqlite3_stmt *statement = prepare(to, "SELECT student FROM submission WHERE source = ? AND student <> ?");
    if (statement) {
        bind_text(statement, 1, one->source);
        bind_text(statement, 2, one->student);
        if (sqlite3_step(statement) == SQLITE_ROW)
            other = strdup((const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return other;
}

/* Points by hand go along, unless the other name has some already, or further submissions. */
static bool move_student(const struct connection *to, const struct store_submission *one, const char *before)
{
    return run_with(to, "UPDATE attempt SET student = ?2 WHERE source = ?1", one->source, one->student) &&
           run_with(to, "UPDATE submission SET student = ?2 WHERE source = ?1", one->source, one->student) &&
           run_with(to,
                    "UPDATE OR IGNORE override SET student = ?2 WHERE student = ?1 AND NOT EXISTS "
                    "(SELECT 1 FROM submission WHERE student = ?1 AND is_present)",
                    before, one->student);
}

static bool put_submission(const struct connection *to, const struct store_submission *one)
{
    char *before = find_other_student(to, one);
    const bool is_done = (!before || move_student(to, one, before)) &&
                         run_with(to,
                                  "INSERT INTO submission VALUES(?1, ?2, NULL, 1) ON CONFLICT(source) DO "
                                  "UPDATE SET is_present = 1",
                                  one->source, one->student);
    free(before);
    return is_done;
}

bool store_put_submissions(struct store *store, const struct store_submission *list, size_t count,
                           bool is_all)
{
    struct connection to;
    bool is_done = begin(&to, store) && (!is_all || run(&to, "UPDATE submission SET is_present = 0"));
    for (size_t i = 0; i < count && is_done; i++)
        is_done = put_submission(&to, &list[i]);
    return end(&to, is_done);
}

bool store_put_students(struct store *store, const struct store_student *students, size_t count)
{
    struct connection to;
    bool is_done = begin(&to, store) && run(&to, "DELETE FROM student");
    for (size_t i = 0; i < count && is_done; i++)
        is_done = insert(&to, "INSERT OR REPLACE", &store_student_shape, &students[i], "", NULL, 0);
    return end(&to, is_done);
}

bool store_put_override(struct store *store, const struct store_override *override)
{
    struct connection to;
    const bool is_open = begin(&to, store);
    return end(&to,
               is_open && insert(&to, "INSERT OR REPLACE", &store_override_shape, override, "", NULL, 0));
}

bool store_drop_override(struct store *store, const char *student)
{
    struct connection to;
    const bool is_open = begin(&to, store);
    return end(&to, is_open && run_with(&to, "DELETE FROM override WHERE student = ?", student, NULL));
}

/* ------------------------------------------------------------------------------------------- load */

/* All rows of a shape, as an array. */
static bool load_all(const struct connection *to, const struct record_shape *shape, const char *order,
                     void **list, size_t *count)
{
    sqlite3_stmt *statement = select_rows(to, shape, "", order);
    bool is_done = statement;
    while (is_done && sqlite3_step(statement) == SQLITE_ROW) {
        char *rows = realloc(*list, (*count + 1) * shape->size);
        is_done = rows;
        if (rows) {
            *list = rows;
            memset(rows + *count * shape->size, 0, shape->size);
            is_done = read_row(statement, 0, shape, rows + (*count)++ * shape->size);
        }
    }
    sqlite3_finalize(statement);
    return is_done || fail(to, "cannot be read");
}

static bool load_parts(const struct connection *to, struct record *record, sqlite3_int64 number)
{
    bool is_done = true;
    for (int p = 0; p < RECORD_PARTS && is_done; p++) {
        const struct record_shape *shape = record_parts[p].shape;
        sqlite3_stmt *statement = select_rows(to, shape, "", "WHERE attempt = ? ORDER BY rowid");
        if (!statement)
            return false;
        sqlite3_bind_int64(statement, 1, number);
        while (is_done && sqlite3_step(statement) == SQLITE_ROW) {
            void *row = record_add(record, shape);
            is_done = row && read_row(statement, 0, shape, row);
        }
        sqlite3_finalize(statement);
    }
    return is_done;
}

static bool load_environment(const struct connection *to, struct record_environment *out,
                             sqlite3_int64 number)
{
    sqlite3_stmt *statement = select_rows(to, &record_environment_shape, "", "WHERE number = ?");
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, number);
    const bool is_done =
        sqlite3_step(statement) == SQLITE_ROW && read_row(statement, 0, &record_environment_shape, out);
    sqlite3_finalize(statement);
    return is_done;
}

static bool add_record(const struct connection *to, sqlite3_stmt *statement, struct store_content *content)
{
    if (!store_content_add(content, NULL))
        return false;
    const size_t last = content->nrecords - 1;
    content->attempts[last] = (long)sqlite3_column_int64(statement, 2);
    return read_row(statement, 3, &record_shape, &content->records[last]) &&
           load_environment(to, &content->environments[last], sqlite3_column_int64(statement, 1)) &&
           load_parts(to, &content->records[last], sqlite3_column_int64(statement, 0));
}

static bool load_records(const struct connection *to, struct store_content *content)
{
    sqlite3_stmt *statement =
        select_rows(to, &record_shape,
                    "number, environment, (SELECT count(*) FROM attempt other WHERE other.source = "
                    "attempt.source), ",
                    "WHERE number IN (SELECT attempt FROM submission WHERE is_present) ORDER BY source");
    bool is_done = statement;
    while (is_done && sqlite3_step(statement) == SQLITE_ROW)
        is_done = add_record(to, statement, content);
    sqlite3_finalize(statement);
    return is_done || fail(to, "cannot be read");
}

static bool load_waiting(const struct connection *to, struct store_content *content)
{
    sqlite3_stmt *statement = prepare(
        to, "SELECT DISTINCT student FROM submission WHERE is_present AND attempt IS NULL ORDER BY 1");
    bool is_done = statement;
    while (is_done && sqlite3_step(statement) == SQLITE_ROW) {
        char **list = realloc(content->waiting, (content->nwaiting + 1) * sizeof *list);
        is_done = list;
        if (list) {
            content->waiting = list;
            list[content->nwaiting] = strdup((const char *)sqlite3_column_text(statement, 0));
            is_done = list[content->nwaiting++];
        }
    }
    sqlite3_finalize(statement);
    return is_done || fail(to, "cannot be read");
}

bool store_load(struct store *store, struct store_content *content)
{
    struct connection to;
    *content = (struct store_content){.records = NULL};
    const bool is_done = open_db(&to, store, false) && run(&to, "BEGIN") && load_records(&to, content) &&
                         load_waiting(&to, content) &&
                         load_all(&to, &store_student_shape, "ORDER BY place, id",
                                  (void **)&content->students, &content->nstudents) &&
                         load_all(&to, &store_override_shape, "ORDER BY student",
                                  (void **)&content->overrides, &content->noverrides);
    return close_db(&to, is_done);
}
