/* store_vfs.h - a checksum on every page of the store.
 * SQLite notices a page whose form is broken; of a page whose numbers have changed it notices nothing. So each page of the database
 * ends with eight bytes that depend on all others and on its place, written and compared here, below SQLite: whatever is read from the
 * file is what was written, or an error. Other programs can read such a store, but what they write into it counts as damage. */
#ifndef STORE_VFS_H
#define STORE_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

enum { STORE_VFS_RESERVE = 8 }; /* bytes at the end of each page */

/* The name for sqlite3_open_v2(); NULL: SQLite has no file system. */
const char *store_vfs_name(void);
/* Whether pages of an open database have checksums: a new one has none until it is told to reserve the bytes. */
bool store_vfs_has_sums(sqlite3 *db);

#endif
