/* store_keep.c - copies of the store for bad days, and what is done on one.
 * A backup has its name only when it is whole and on disk. A store is recovered beside the damaged one: the newest backup that is whole,
 * and over it every row that the damaged file still has. Since each page has a checksum, such a row is right, or cannot be read. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/course/db.h"

enum { KEPT = 10, FAR = 100000 };
#define BACKUPS "backups"
#define PART    ".part"

static bool fail(struct store *store, const char *path)
{
    snprintf(store->error, sizeof store->error, "%.400s cannot be written: %s.", path, strerror(errno));
    return false;
}

/* "results/backups", of a store in results. */
static void name_beside(const struct store *store, const char *name, char *out, size_t size)
{
    const char *slash = strrchr(store->path, '/');
    snprintf(out, size, "%.*s/%s", (int)(slash - store->path), store->path, name);
}

/* ------------------------------------------------------------------------------------------- backups */

static int is_backup(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return strncmp(entry->d_name, "results-", 8) == 0 && length > 3 &&
           strcmp(entry->d_name + length - 3, ".db") == 0;
}

/* Their names begin with the time: the last is the newest. */
static int list_backups(const char *folder, struct dirent ***names)
{
    *names = NULL;
    return scandir(folder, names, is_backup, alphasort);
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

bool store_has_backup(const struct store *store)
{
    char folder[sizeof store->path];
    struct dirent **names;
    name_beside(store, BACKUPS, folder, sizeof folder);
    const int count = list_backups(folder, &names);
    free_names(names, count);
    return count > 0;
}

static void remove_old(const char *folder)
{
    char path[sizeof((struct store *)0)->path + 300];
    struct dirent **names;
    const int count = list_backups(folder, &names);
    for (int i = 0; i + KEPT < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        unlink(path);
    }
    free_names(names, count);
}

static bool sync_file(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_done = file >= 0 && fsync(file) == 0;
    return file >= 0 && close(file) == 0 && is_done;
}

static bool copy_to(const struct db *db, const char *path)
{
    return (unlink(path) == 0 || errno == ENOENT || fail(db->store, path)) &&
           db_run_with(db, "VACUUM INTO ?", path, NULL) && (sync_file(path) || fail(db->store, path));
}

bool store_backup(struct store *store, const char *now)
{
    char folder[sizeof store->path], part[sizeof folder + 20], path[sizeof folder + 100];
    struct db db;
    name_beside(store, BACKUPS, folder, sizeof folder);
    snprintf(part, sizeof part, "%s/" PART, folder);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return fail(store, folder);
    bool is_done = db_open(&db, store, DB_READ);
    const long changes = is_done ? db_count_changes(&db) : -1;
    is_done = changes >= 0 && copy_to(&db, part);
    db_close(&db, is_done);
    snprintf(path, sizeof path, "%s/results-%s-%08ld.db", folder, now, changes);
    is_done = is_done && (rename(part, path) == 0 || fail(store, path));
    unlink(part);
    if (is_done)
        remove_old(folder);
    return is_done;
}

/* The newest that is whole becomes `path`. False: there is none. */
static bool take_backup(const struct store *store, const char *path, struct store_recovery *recovery)
{
    char folder[sizeof store->path];
    struct dirent **names;
    bool is_taken = false;
    name_beside(store, BACKUPS, folder, sizeof folder);
    const int count = list_backups(folder, &names);
    for (int i = count - 1; i >= 0 && !is_taken; i--) {
        struct store backup = {.error = ""};
        struct db db;
        snprintf(backup.path, sizeof backup.path, "%.2500s/%s", folder, names[i]->d_name);
        const bool is_open = db_open(&db, &backup, DB_BACKUP);
        is_taken = db_close(&db, is_open && db_check(&db) && copy_to(&db, path));
        recovery->bad_backups += !is_taken;
        if (is_taken)
            snprintf(recovery->backup, sizeof recovery->backup, BACKUPS "/%.200s", names[i]->d_name);
    }
    free_names(names, count);
    return is_taken;
}

/* ------------------------------------------------------------------------------------------- what can still be read */

struct salvage {
    struct db from, to;
    struct store_recovery *recovery;
};

/* The last row's number, or one behind it. */
static sqlite3_int64 last_row(const struct db *db, const char *table)
{
    char sql[100];
    sqlite3_int64 last = FAR;
    snprintf(sql, sizeof sql, "SELECT ifnull(max(rowid), 0) FROM \"%s\"", table);
    sqlite3_stmt *statement = db_prepare(db, sql);
    bool is_done = statement;
    if (db_step(db, statement, &is_done))
        last = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return last;
}

static bool put_row(const struct salvage *salvage, const char *table, sqlite3_stmt *row)
{
    const int columns = sqlite3_column_count(row);
    char sql[200];
    int used = snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO \"%s\" VALUES(?", table);
    for (int i = 1; i < columns; i++)
        used += snprintf(sql + used, sizeof sql - (size_t)used, ", ?");
    snprintf(sql + used, sizeof sql - (size_t)used, ")");
    sqlite3_stmt *statement = db_prepare(&salvage->to, sql);
    for (int i = 0; statement && i < columns; i++)
        sqlite3_bind_value(statement, i + 1, sqlite3_column_value(row, i));
    return statement && db_finish(&salvage->to, statement);
}

/* Each row by its number, so that one which cannot be read costs itself alone: *has_all says that there was none. False: the new store
 * cannot be written. */
static bool salvage_rows(const struct salvage *salvage, const char *table, bool *has_all)
{
    char sql[100];
    bool can_write = true;
    *has_all = false;
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\" WHERE rowid = ?", table);
    const sqlite3_int64 last = last_row(&salvage->from, table);
    bool is_whole = last < FAR;
    for (sqlite3_int64 i = 1; i <= last && can_write; i++) {
        sqlite3_stmt *statement = db_prepare(&salvage->from, sql);
        bool is_done = statement;
        if (!statement) /* nobody knows what is in it */
            return true;
        sqlite3_bind_int64(statement, 1, i);
        if (db_step(&salvage->from, statement, &is_done))
            can_write = put_row(salvage, table, statement);
        is_whole = is_whole && is_done;
        sqlite3_finalize(statement);
    }
    *has_all = is_whole;
    return can_write;
}

static bool drop_attempt(const struct db *db, sqlite3_int64 number)
{
    char sql[100];
    bool is_done = true;
    for (int p = 0; p < RECORD_PARTS && is_done; p++) {
        snprintf(sql, sizeof sql, "DELETE FROM \"%s\" WHERE attempt = %lld", record_parts[p].shape->table,
                 (long long)number);
        is_done = db_run(db, sql);
    }
    snprintf(sql, sizeof sql, "DELETE FROM attempt WHERE number = %lld", (long long)number);
    return is_done && db_run(db, sql);
}

/* An attempt counts only with all that belongs to it. */
static bool salvage_attempts(const struct salvage *salvage)
{
    bool can_write = true;
    const sqlite3_int64 last = last_row(&salvage->from, record_shape.table);
    for (sqlite3_int64 i = 1; i <= last && can_write; i++) {
        struct record record = {.source = NULL};
        struct record_environment environment = {.lab = NULL};
        if (store_read_attempt(&salvage->from, i, &record, &environment)) {
            can_write =
                drop_attempt(&salvage->to, i) && store_write_attempt(&salvage->to, i, &environment, &record);
            salvage->recovery->attempts += can_write;
        }
        record_free(&record);
        record_free_row(&record_environment_shape, &environment);
    }
    return can_write;
}

static bool salvage_all(const struct salvage *salvage)
{
    static const char *const tables[] = {"meta", "text", "student", "override", "submission"};
    bool has_all[sizeof tables / sizeof *tables];
    bool is_done = db_run(&salvage->to, "PRAGMA foreign_keys = OFF") && db_begin_change(&salvage->to) &&
                   salvage_attempts(salvage);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && is_done; i++)
        is_done = salvage_rows(salvage, tables[i], &has_all[i]);
    salvage->recovery->lost_words = is_done && !has_all[0];
    salvage->recovery->lost_submissions = is_done && !has_all[4];
    return is_done &&
           db_run(&salvage->to, "INSERT OR IGNORE INTO submission SELECT source, student, max(number), 1 "
                                "FROM attempt GROUP BY source") &&
           db_run(&salvage->to,
                  "UPDATE submission SET attempt = (SELECT max(number) FROM attempt WHERE attempt.source = "
                  "submission.source) WHERE attempt NOT IN (SELECT number FROM attempt)") &&
           db_run(&salvage->to, "COMMIT");
}

/* "lab3", by the damaged store itself, in one of two places; "": it does not say. */
static void find_lab(const struct db *db, char *out, size_t size)
{
    char *lab = db_get(db, "lab");
    snprintf(out, size, "%s", lab ? lab : "");
    free(lab);
    sqlite3_stmt *statement =
        *out ? NULL : db_prepare(db, "SELECT lab FROM environment ORDER BY number LIMIT 1");
    bool is_done = statement;
    if (db_step(db, statement, &is_done))
        snprintf(out, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
}

/* What the damaged store still has goes into the new one, which is made if there was no backup. False: nothing can be had at all. */
static bool salvage_into(struct store *damaged, struct store *fresh, struct store_recovery *recovery)
{
    struct salvage salvage = {.recovery = recovery};
    char lab[64] = "";
    const bool is_open = db_open(&salvage.from, damaged, DB_SALVAGE);
    if (is_open)
        find_lab(&salvage.from, lab, sizeof lab);
    bool is_done = *recovery->backup || (*lab && store_fill(fresh, lab, true));
    if (is_done && is_open && db_open(&salvage.to, fresh, DB_WRITE))
        is_done = db_close(&salvage.to, salvage_all(&salvage));
    db_close(&salvage.from, true);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- in place of the damaged one */

/* The damaged file and what lies beside it, into a folder of its own. The store itself stays in its place as well until another takes
 * it: whatever ends this, one of them is there. */
static bool set_aside(struct store *store, const char *now, struct store_recovery *recovery)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal", "-seal"};
    char folder[sizeof store->path], from[sizeof folder + 20], to[sizeof folder + 40];
    snprintf(recovery->aside, sizeof recovery->aside, "damaged-%s", now);
    name_beside(store, recovery->aside, folder, sizeof folder);
    snprintf(to, sizeof to, "%s/results.db", folder);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return fail(store, folder);
    if (link(store->path, to) != 0 && rename(store->path, to) != 0 && errno != ENOENT)
        return fail(store, to);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(from, sizeof from, "%s%s", store->path, endings[i]);
        snprintf(to, sizeof to, "%s/results.db%s", folder, endings[i]);
        rename(from, to);
    }
    name_beside(store, "results.csv", from, sizeof from);
    snprintf(to, sizeof to, "%s/results.csv", folder);
    if (link(from, to) != 0)
        rename(from, to);
    return true;
}

/* It counts on from what was promised; *changes is what its seal will promise. */
static bool end_fresh(struct store *store, struct store *fresh, long sealed, long *changes)
{
    struct db db;
    char sql[60];
    bool is_done = db_open(&db, fresh, DB_WRITE);
    *changes = is_done ? db_count_changes(&db) : -1;
    is_done = *changes >= 0;
    *changes = *changes > sealed ? *changes : sealed + 1;
    snprintf(sql, sizeof sql, "PRAGMA user_version = %ld", *changes);
    is_done = is_done && db_run(&db, sql) &&
              db_run(&db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    db_close(&db, is_done);
    if (!is_done)
        snprintf(store->error, sizeof store->error, "%.600s", fresh->error);
    return is_done;
}

bool store_recover(struct store *store, const char *now, struct store_recovery *recovery)
{
    struct store fresh = {.error = ""};
    char path[sizeof fresh.path + 20];
    const long sealed = db_read_seal(store);
    long changes = 0;
    *recovery = (struct store_recovery){.attempts = 0};
    snprintf(fresh.path, sizeof fresh.path, "%.2700s-new", store->path);
    snprintf(path, sizeof path, "%s-seal", fresh.path);
    unlink(fresh.path);
    unlink(path);
    if (take_backup(store, fresh.path, recovery) && !db_write_seal(&fresh, 0))
        return fail(store, path);
    recovery->has_store = salvage_into(store, &fresh, recovery);
    if (recovery->has_store && !end_fresh(store, &fresh, sealed, &changes))
        return false;
    unlink(path);
    if (!set_aside(store, now, recovery))
        return false;
    if (!recovery->has_store) {
        name_beside(store, "results.csv", path, sizeof path);
        unlink(path);
        unlink(fresh.path);
        return unlink(store->path) == 0 || errno == ENOENT || fail(store, store->path);
    }
    *store->error = '\0';
    return (rename(fresh.path, store->path) == 0 || fail(store, store->path)) &&
           (db_write_seal(store, changes) || fail(store, store->path));
}
