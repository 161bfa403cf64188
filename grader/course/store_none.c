/* store_none.c - in place of store.c where SQLite was not there when the kit was built: nothing is stored, and words say why. */
#include "grader/course/store.h"

#include <stdio.h>

static bool refuse(struct store *store)
{
    snprintf(store->error, sizeof store->error,
             "This kit was built without SQLite, so it keeps no store of results: install it "
             "(libsqlite3-dev, or sqlite-devel) and run make.");
    return false;
}

bool store_is_built_in(void)
{
    return false;
}

bool store_exists(const struct store *store)
{
    (void)store;
    return false;
}

bool store_make(struct store *store, const char *lab)
{
    (void)lab;
    return refuse(store);
}

bool store_put(struct store *store, const struct record_environment *environment, const struct record *record)
{
    (void)environment;
    (void)record;
    return refuse(store);
}

bool store_has_backup(const struct store *store)
{
    (void)store;
    return false;
}

bool store_put_text(struct store *store, const char *hash, const void *bytes, size_t size)
{
    (void)hash;
    (void)bytes;
    (void)size;
    return refuse(store);
}

void *store_get_text(struct store *store, const char *hash, size_t *size)
{
    (void)hash;
    (void)size;
    refuse(store);
    return NULL;
}

bool store_put_submissions(struct store *store, const struct store_submission *list, size_t count,
                           bool is_all)
{
    (void)list;
    (void)count;
    (void)is_all;
    return refuse(store);
}

bool store_set(struct store *store, const char *key, const char *value)
{
    (void)key;
    (void)value;
    return refuse(store);
}

char *store_get(struct store *store, const char *key)
{
    (void)key;
    refuse(store);
    return NULL;
}

bool store_put_students(struct store *store, const struct store_student *students, size_t count)
{
    (void)students;
    (void)count;
    return refuse(store);
}

bool store_put_override(struct store *store, const struct store_override *override)
{
    (void) override;
    return refuse(store);
}

bool store_drop_override(struct store *store, const char *student)
{
    (void)student;
    return refuse(store);
}

bool store_is_empty(const struct store *store)
{
    (void)store;
    return true;
}

bool store_check(struct store *store)
{
    return refuse(store);
}

bool store_backup(struct store *store, const char *now)
{
    (void)now;
    return refuse(store);
}

bool store_recover(struct store *store, const char *now, struct store_recovery *recovery)
{
    (void)now;
    *recovery = (struct store_recovery){.attempts = 0};
    return refuse(store);
}

bool store_load(struct store *store, struct store_content *content)
{
    *content = (struct store_content){.records = NULL};
    return refuse(store);
}
