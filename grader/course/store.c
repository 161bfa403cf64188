/* store.c - results.db: see store.h. What it holds, and how that is put in and taken out; statements are made in db.c. */
#define _GNU_SOURCE
#include "grader/course/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/course/db.h"
#include "grader/course/store_vfs.h"

bool store_is_built_in(void)
{
    return true;
}

/* ------------------------------------------------------------------------------------------- its tables */

static bool make_tables(const struct db *db)
{
    bool is_done =
        db_run(db, "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)") &&
        db_run(db, "CREATE TABLE IF NOT EXISTS text(hash TEXT PRIMARY KEY, bytes BLOB NOT NULL)") &&
        db_run(
            db,
            "CREATE TABLE IF NOT EXISTS submission(source TEXT PRIMARY KEY, student TEXT NOT NULL, attempt "
            "INTEGER REFERENCES attempt(number), is_present INTEGER NOT NULL)") &&
        db_make_table(db, &record_environment_shape, "number INTEGER PRIMARY KEY, ", "") &&
        db_make_table(db, &record_shape,
                      "number INTEGER PRIMARY KEY, environment INTEGER REFERENCES environment(number), ",
                      "") &&
        db_run(db, "CREATE INDEX IF NOT EXISTS attempt_source ON attempt(source)") &&
        db_make_table(db, &store_student_shape, "", ", UNIQUE(id)") &&
        db_make_table(db, &store_override_shape, "", ", UNIQUE(student)");
    for (int p = 0; p < RECORD_PARTS && is_done; p++) {
        const struct record_shape *shape = record_parts[p].shape;
        char index[120];
        snprintf(index, sizeof index, "CREATE INDEX IF NOT EXISTS %s_attempt ON \"%s\"(attempt)",
                 shape->table, shape->table);
        is_done =
            db_make_table(db, shape,
                          "attempt INTEGER NOT NULL REFERENCES attempt(number) ON DELETE CASCADE, ", "") &&
            db_run(db, index);
    }
    return is_done;
}

static bool set(const struct db *db, const char *key, const char *value)
{
    return db_run_with(db, "INSERT OR REPLACE INTO meta VALUES(?, ?)", key, value);
}

/* Set if it is not yet; else it must be this. */
static bool agree(const struct db *db, const char *key, const char *value, const char *format)
{
    char *there = db_get(db, key);
    const bool is_new = there && !*there, is_same = there && strcmp(there, value) == 0;
    if (there && !is_new && !is_same)
        snprintf(db->store->error, sizeof db->store->error, format, db->store->path, there);
    free(there);
    return is_same || (is_new && set(db, key, value));
}

bool store_exists(const struct store *store)
{
    return access(store->path, F_OK) == 0 || errno == EACCES || db_was_sealed(store);
}

/* A file of no bytes is what a batch leaves that was killed at its first step. It is nothing else only if nothing was ever stored. */
bool store_is_empty(const struct store *store)
{
    struct stat status;
    char table[sizeof store->path + 10];
    snprintf(table, sizeof table, "%.*s/results.csv", (int)(strrchr(store->path, '/') - store->path),
             store->path);
    return (stat(store->path, &status) != 0 || status.st_size == 0) && !db_was_sealed(store) &&
           access(table, F_OK) != 0;
}

/* Pages get their checksums when they are written: all of them, where there were none. */
static bool add_sums(const struct db *db)
{
    int reserve = STORE_VFS_RESERVE;
    return (sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve) == SQLITE_OK ||
            db_fail(db, "cannot be made")) &&
           db_run(db, "PRAGMA journal_mode = DELETE; VACUUM");
}

/* Of the version before, which had no checksums. */
static bool upgrade(struct store *store)
{
    struct db db;
    bool is_done = db_open(&db, store, DB_WRITE);
    char *version = is_done ? db_get(&db, "version") : NULL;
    if (version && strcmp(version, STORE_VERSION_PLAIN) == 0)
        is_done = db_begin_seal(store) && add_sums(&db) &&
                  db_run(&db, "UPDATE meta SET value = '" STORE_VERSION "' WHERE key = 'version'");
    free(version);
    return db_close(&db, is_done);
}

/* What is there was read as a whole, and is whole. */
bool store_check(struct store *store)
{
    struct db db;
    const bool is_open = db_open(&db, store, DB_READ);
    return db_close(&db, is_open && db_check(&db));
}

bool store_fill(struct store *store, const char *lab, bool is_new)
{
    struct db db;
    const bool is_open = db_open(&db, store, DB_MAKE) &&
                         (!is_new || (db_begin_seal(store) && add_sums(&db))) &&
                         db_run(&db, "PRAGMA journal_mode = WAL") && db_begin_change(&db);
    return db_end(
        &db, is_open && make_tables(&db) &&
                 agree(&db, "version", STORE_VERSION,
                       "%.200s was written by another version of the kit (%.20s): keep it aside.") &&
                 agree(&db, "lab", lab, "%.200s holds results of %.40s: name another folder with --out."));
}

bool store_make(struct store *store, const char *lab)
{
    const bool is_new = store_is_empty(store);
    return (is_new || upgrade(store)) && store_fill(store, lab, is_new);
}

bool store_set(struct store *store, const char *key, const char *value)
{
    struct db db;
    const bool is_open = db_begin(&db, store);
    return db_end(&db, is_open && set(&db, key, value));
}

char *store_get(struct store *store, const char *key)
{
    struct db db;
    char *value = db_open(&db, store, DB_READ) ? db_get(&db, key) : NULL;
    db_close(&db, true);
    return value;
}

/* ------------------------------------------------------------------------------------------- put */

/* The number of the environment; it is added if it is new. 0: an error. */
static sqlite3_int64 number_of(const struct db *db, const struct record_environment *environment)
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
        fclose(file) == 0 ? db_select(db, &record_environment_shape, "number, ", behind) : NULL;
    free(behind);
    if (!statement)
        return 0;
    db_bind_row(statement, 1, &record_environment_shape, environment);
    bool is_done = true;
    sqlite3_int64 number = db_step(db, statement, &is_done) ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    if (!number && is_done && db_insert(db, "INSERT", &record_environment_shape, environment, "", NULL, 0))
        number = sqlite3_last_insert_rowid(db->sqlite);
    return number;
}

/* A regrade that the kit could not do leaves the grade that the same text has. */
static bool make_current(const struct db *db, const struct record *record, sqlite3_int64 number)
{
    const bool is_error = strcmp(record->status, record_status_names[RECORD_ERROR]) == 0;
    sqlite3_stmt *statement = db_prepare(
        db,
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
    db_bind_text(statement, 1, record->source);
    sqlite3_bind_int64(statement, 2, number);
    db_bind_text(statement, 3, record->hash);
    db_bind_text(statement, 4, record->student);
    return db_finish(db, statement);
}

/* Errors of the kit are of interest until there is something better. */
static bool drop_errors(const struct db *db, const struct record *record)
{
    return db_run_with(db,
                       "UPDATE submission SET attempt = NULL WHERE source = ?1 AND attempt IN "
                       "(SELECT number FROM attempt WHERE source = ?1 AND status = ?2)",
                       record->source, record_status_names[RECORD_ERROR]) &&
           db_run_with(db, "DELETE FROM attempt WHERE source = ? AND status = ?", record->source,
                       record_status_names[RECORD_ERROR]);
}

static bool put_parts(const struct db *db, const struct record *record, sqlite3_int64 number)
{
    bool is_done = true;
    for (int p = 0; p < RECORD_PARTS; p++) {
        const struct record_part *part = &record_parts[p];
        const char *list = *(char *const *)((const char *)record + part->list);
        const size_t count = *(const size_t *)((const char *)record + part->count);
        for (size_t i = 0; i < count && is_done; i++)
            is_done =
                db_insert(db, "INSERT", part->shape, list + i * part->shape->size, "attempt", &number, 1);
    }
    return is_done;
}

bool store_write_attempt(const struct db *db, sqlite3_int64 number,
                         const struct record_environment *environment, const struct record *record)
{
    const sqlite3_int64 keys[] = {number, number_of(db, environment)};
    return keys[1] && db_insert(db, "INSERT", &record_shape, record, "number, environment", keys, 2) &&
           put_parts(db, record, number);
}

/* The number of the next attempt; 0: an error. */
static sqlite3_int64 next_number(const struct db *db)
{
    sqlite3_stmt *statement = db_prepare(db, "SELECT ifnull(max(number), 0) + 1 FROM attempt");
    bool is_done = statement;
    const sqlite3_int64 number = db_step(db, statement, &is_done) ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return number;
}

bool store_put(struct store *store, const struct record_environment *environment, const struct record *record)
{
    struct db db;
    const bool is_open = db_begin(&db, store) && drop_errors(&db, record);
    const sqlite3_int64 number = is_open ? next_number(&db) : 0;
    return db_end(&db, number && store_write_attempt(&db, number, environment, record) &&
                           make_current(&db, record, number));
}

bool store_put_text(struct store *store, const char *hash, const void *bytes, size_t size)
{
    struct db db;
    sqlite3_stmt *statement =
        db_begin(&db, store) ? db_prepare(&db, "INSERT OR IGNORE INTO text VALUES(?, ?)") : NULL;
    if (statement) {
        db_bind_text(statement, 1, hash);
        sqlite3_bind_blob64(statement, 2, bytes, size, SQLITE_TRANSIENT);
    }
    return db_end(&db, statement && db_finish(&db, statement));
}

void *store_get_text(struct store *store, const char *hash, size_t *size)
{
    struct db db;
    char *bytes = NULL;
    bool is_done = db_open(&db, store, DB_READ);
    sqlite3_stmt *statement = is_done ? db_prepare(&db, "SELECT bytes FROM text WHERE hash = ?") : NULL;
    is_done = statement;
    if (statement)
        db_bind_text(statement, 1, hash);
    if (db_step(&db, statement, &is_done)) {
        *size = (size_t)sqlite3_column_bytes(statement, 0);
        bytes = malloc(*size + 1);
        if (bytes) {
            memcpy(bytes, *size ? sqlite3_column_blob(statement, 0) : "", *size);
            bytes[*size] = '\0';
        }
    }
    sqlite3_finalize(statement);
    db_close(&db, true);
    return bytes;
}

/* Whose a submission was before; NULL: nobody's, or the same student's. To be freed. */
static char *find_other_student(const struct db *db, const struct store_submission *one, bool *is_done)
{
    sqlite3_stmt *statement =
        db_prepare(db, "SELECT student FROM submission WHERE source = ? AND student <> ?");
    char *other = NULL;
    *is_done = statement;
    if (statement) {
        db_bind_text(statement, 1, one->source);
        db_bind_text(statement, 2, one->student);
    }
    if (db_step(db, statement, is_done)) {
        other = strdup((const char *)sqlite3_column_text(statement, 0));
        *is_done = other;
    }
    sqlite3_finalize(statement);
    return other;
}

/* Points by hand go along, unless the other name has some already, or further submissions. */
static bool move_student(const struct db *db, const struct store_submission *one, const char *before)
{
    return db_run_with(db, "UPDATE attempt SET student = ?2 WHERE source = ?1", one->source, one->student) &&
           db_run_with(db, "UPDATE submission SET student = ?2 WHERE source = ?1", one->source,
                       one->student) &&
           db_run_with(db,
                       "UPDATE OR IGNORE override SET student = ?2 WHERE student = ?1 AND NOT EXISTS "
                       "(SELECT 1 FROM submission WHERE student = ?1 AND is_present)",
                       before, one->student);
}

static bool put_submission(const struct db *db, const struct store_submission *one)
{
    bool is_done;
    char *before = find_other_student(db, one, &is_done);
    is_done = is_done && (!before || move_student(db, one, before)) &&
              db_run_with(db,
                          "INSERT INTO submission VALUES(?1, ?2, NULL, 1) ON CONFLICT(source) DO "
                          "UPDATE SET is_present = 1",
                          one->source, one->student);
    free(before);
    return is_done;
}

bool store_put_submissions(struct store *store, const struct store_submission *list, size_t count,
                           bool is_all)
{
    struct db db;
    bool is_done = db_begin(&db, store) && (!is_all || db_run(&db, "UPDATE submission SET is_present = 0"));
    for (size_t i = 0; i < count && is_done; i++)
        is_done = put_submission(&db, &list[i]);
    return db_end(&db, is_done);
}

bool store_put_students(struct store *store, const struct store_student *students, size_t count)
{
    struct db db;
    bool is_done = db_begin(&db, store) && db_run(&db, "DELETE FROM student");
    for (size_t i = 0; i < count && is_done; i++)
        is_done = db_insert(&db, "INSERT OR REPLACE", &store_student_shape, &students[i], "", NULL, 0);
    return db_end(&db, is_done);
}

bool store_put_override(struct store *store, const struct store_override *override)
{
    struct db db;
    const bool is_open = db_begin(&db, store);
    return db_end(&db, is_open &&
                           db_insert(&db, "INSERT OR REPLACE", &store_override_shape, override, "", NULL, 0));
}

bool store_drop_override(struct store *store, const char *student)
{
    struct db db;
    const bool is_open = db_begin(&db, store);
    return db_end(&db, is_open && db_run_with(&db, "DELETE FROM override WHERE student = ?", student, NULL));
}

/* ------------------------------------------------------------------------------------------- load */

/* All rows of a shape, as an array. */
static bool load_all(const struct db *db, const struct record_shape *shape, const char *order, void **list,
                     size_t *count)
{
    sqlite3_stmt *statement = db_select(db, shape, "", order);
    bool is_done = statement;
    while (db_step(db, statement, &is_done)) {
        char *rows = realloc(*list, (*count + 1) * shape->size);
        is_done = rows;
        if (rows) {
            *list = rows;
            memset(rows + *count * shape->size, 0, shape->size);
            is_done = db_read_row(statement, 0, shape, rows + (*count)++ * shape->size);
        }
    }
    sqlite3_finalize(statement);
    return is_done;
}

static bool load_part(const struct db *db, struct record *record, sqlite3_int64 number,
                      const struct record_shape *shape, const char *where)
{
    sqlite3_stmt *statement = db_select(db, shape, "", where);
    bool is_done = statement;
    if (statement)
        sqlite3_bind_int64(statement, 1, number);
    while (db_step(db, statement, &is_done)) {
        void *row = record_add(record, shape);
        is_done = row && db_read_row(statement, 0, shape, row);
    }
    sqlite3_finalize(statement);
    return is_done;
}

/* A damaged store may have the rows, and not the index of them. */
static bool load_parts(const struct db *db, struct record *record, sqlite3_int64 number)
{
    bool is_done = true;
    for (int p = 0; p < RECORD_PARTS && is_done; p++) {
        const struct record_part *part = &record_parts[p];
        is_done = load_part(db, record, number, part->shape, "WHERE attempt = ? ORDER BY rowid");
        if (!is_done && db->is_salvage) {
            record_drop(record, part);
            is_done =
                load_part(db, record, number, part->shape, "NOT INDEXED WHERE attempt = ? ORDER BY rowid");
        }
    }
    return is_done;
}

static bool load_environment(const struct db *db, struct record_environment *out, sqlite3_int64 number)
{
    sqlite3_stmt *statement = db_select(db, &record_environment_shape, "", "WHERE number = ?");
    bool is_done = statement;
    if (statement)
        sqlite3_bind_int64(statement, 1, number);
    if (db_step(db, statement, &is_done))
        is_done = db_read_row(statement, 0, &record_environment_shape, out);
    else if (is_done)
        is_done = db_fail_damaged(db, "it does not say with what a submission was graded");
    sqlite3_finalize(statement);
    return is_done;
}

/* "number, environment" and the record's own columns, from the one `at`. */
static bool load_attempt(const struct db *db, sqlite3_stmt *statement, int at, struct record *record,
                         struct record_environment *environment)
{
    return db_read_row(statement, at + 2, &record_shape, record) &&
           load_environment(db, environment, sqlite3_column_int64(statement, at + 1)) &&
           load_parts(db, record, sqlite3_column_int64(statement, at));
}

bool store_read_attempt(const struct db *db, sqlite3_int64 number, struct record *record,
                        struct record_environment *environment)
{
    sqlite3_stmt *statement = db_select(db, &record_shape, "number, environment, ", "WHERE number = ?");
    bool is_done = statement;
    if (statement)
        sqlite3_bind_int64(statement, 1, number);
    const bool is_read =
        db_step(db, statement, &is_done) && load_attempt(db, statement, 0, record, environment);
    sqlite3_finalize(statement);
    return is_read;
}

static bool add_record(const struct db *db, sqlite3_stmt *statement, struct store_content *content)
{
    if (!store_content_add(content, NULL))
        return false;
    const size_t last = content->nrecords - 1;
    content->attempts[last] = (long)sqlite3_column_int64(statement, 0);
    return load_attempt(db, statement, 1, &content->records[last], &content->environments[last]);
}

static bool load_records(const struct db *db, struct store_content *content)
{
    sqlite3_stmt *statement = db_select(
        db, &record_shape,
        "(SELECT count(*) FROM attempt other WHERE other.source = attempt.source), number, environment, ",
        "WHERE number IN (SELECT attempt FROM submission WHERE is_present) ORDER BY source");
    bool is_done = statement;
    while (db_step(db, statement, &is_done))
        is_done = add_record(db, statement, content);
    sqlite3_finalize(statement);
    return is_done;
}

static bool load_waiting(const struct db *db, struct store_content *content)
{
    sqlite3_stmt *statement = db_prepare(
        db, "SELECT DISTINCT student FROM submission WHERE is_present AND attempt IS NULL ORDER BY 1");
    bool is_done = statement;
    while (db_step(db, statement, &is_done)) {
        char **list = realloc(content->waiting, (content->nwaiting + 1) * sizeof *list);
        is_done = list;
        if (list) {
            content->waiting = list;
            list[content->nwaiting] = strdup((const char *)sqlite3_column_text(statement, 0));
            is_done = list[content->nwaiting++];
        }
    }
    sqlite3_finalize(statement);
    return is_done;
}

/* One transaction, so that all of it is of one moment. */
bool store_load(struct store *store, struct store_content *content)
{
    struct db db;
    *content = (struct store_content){.records = NULL};
    const bool is_done = db_open(&db, store, DB_READ) && db_run(&db, "BEGIN") && db_check(&db) &&
                         load_records(&db, content) && load_waiting(&db, content) &&
                         load_all(&db, &store_student_shape, "ORDER BY place, id",
                                  (void **)&content->students, &content->nstudents) &&
                         load_all(&db, &store_override_shape, "ORDER BY student",
                                  (void **)&content->overrides, &content->noverrides);
    if (!is_done && !*store->error)
        snprintf(store->error, sizeof store->error, "Out of memory.");
    return db_close(&db, is_done);
}
