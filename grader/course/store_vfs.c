/* store_vfs.c - checksums of pages: see store_vfs.h. A file system of SQLite's own making, over the usual one: of a database's main
 * file it changes the last bytes of a page on the way to the disk and compares them on the way back; all else is handed through.
 * The WAL has checksums of its own. */
#include "grader/course/store_vfs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct checked {
    sqlite3_file base;
    int page_bytes; /* as the header says; 0: it was not seen yet */
    bool has_sums;
    unsigned char *copy; /* a page on its way to the disk */
};

/* The usual file system's part lies behind ours. */
static sqlite3_file *under(sqlite3_file *file)
{
    return (sqlite3_file *)((struct checked *)file + 1);
}

/* ------------------------------------------------------------------------------------------- sums */

static uint64_t sum_of(const unsigned char *page, int bytes, sqlite3_int64 offset)
{
    return hash_bytes(page, (size_t)bytes - STORE_VFS_RESERVE) ^ hash_word((uint64_t)offset + 1);
}

/* The first page tells how large pages are (bytes 16 and 17; 1 means 65536) and what is reserved in each (byte 20). */
static void see_header(struct checked *file, const unsigned char *bytes, int count, sqlite3_int64 offset)
{
    enum { HEADER = 100 };
    if (offset != 0 || count < HEADER || memcmp(bytes, "SQLite format 3", 16) != 0)
        return;
    const int size = bytes[16] << 8 | bytes[17];
    file->page_bytes = size == 1 ? 65536 : size;
    file->has_sums = bytes[20] == STORE_VFS_RESERVE;
}

static bool is_page(const struct checked *file, int count, sqlite3_int64 offset)
{
    return file->has_sums && count == file->page_bytes && count > STORE_VFS_RESERVE && offset % count == 0;
}

/* What lies behind the end of the file is read as zeros; a page that the end cuts through is not. */
static bool is_blank(const unsigned char *bytes, int count)
{
    return !bytes[0] && memcmp(bytes, bytes + 1, (size_t)count - 1) == 0;
}

static int read_checked(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset)
{
    struct checked *file = (struct checked *)base;
    uint64_t sum;
    const int status = under(base)->pMethods->xRead(under(base), bytes, count, offset);
    if (status == SQLITE_IOERR_SHORT_READ && is_page(file, count, offset) && !is_blank(bytes, count))
        return SQLITE_CORRUPT;
    if (status != SQLITE_OK)
        return status;
    see_header(file, bytes, count, offset);
    if (!is_page(file, count, offset))
        return SQLITE_OK;
    memcpy(&sum, (unsigned char *)bytes + count - STORE_VFS_RESERVE, sizeof sum);
    return sum == sum_of(bytes, count, offset) ? SQLITE_OK : SQLITE_CORRUPT;
}

static int write_checked(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset)
{
    struct checked *file = (struct checked *)base;
    see_header(file, bytes, count, offset);
    if (!is_page(file, count, offset))
        return under(base)->pMethods->xWrite(under(base), bytes, count, offset);
    unsigned char *copy = realloc(file->copy, (size_t)count);
    if (!copy)
        return SQLITE_IOERR_NOMEM;
    file->copy = copy;
    const uint64_t sum = sum_of(bytes, count, offset);
    memcpy(copy, bytes, (size_t)count - STORE_VFS_RESERVE);
    memcpy(copy + count - STORE_VFS_RESERVE, &sum, sizeof sum);
    return under(base)->pMethods->xWrite(under(base), copy, count, offset);
}

/* ------------------------------------------------------------------------------------------- all else */

static int close_checked(sqlite3_file *base)
{
    free(((struct checked *)base)->copy);
    return under(base)->pMethods->xClose(under(base));
}

#define PASS(name, parameters, arguments)                                                                    \
    static int name##_checked parameters                                                                     \
    {                                                                                                        \
        return under(base)->pMethods->name arguments;                                                        \
    }
PASS(xTruncate, (sqlite3_file * base, sqlite3_int64 size), (under(base), size))
PASS(xSync, (sqlite3_file * base, int flags), (under(base), flags))
PASS(xFileSize, (sqlite3_file * base, sqlite3_int64 *size), (under(base), size))
PASS(xLock, (sqlite3_file * base, int lock), (under(base), lock))
PASS(xUnlock, (sqlite3_file * base, int lock), (under(base), lock))
PASS(xCheckReservedLock, (sqlite3_file * base, int *is_held), (under(base), is_held))
PASS(xFileControl, (sqlite3_file * base, int which, void *value), (under(base), which, value))
PASS(xSectorSize, (sqlite3_file * base), (under(base)))
PASS(xDeviceCharacteristics, (sqlite3_file * base), (under(base)))
PASS(xShmMap, (sqlite3_file * base, int which, int size, int is_new, void volatile **at),
     (under(base), which, size, is_new, at))
PASS(xShmLock, (sqlite3_file * base, int offset, int count, int flags), (under(base), offset, count, flags))
PASS(xShmUnmap, (sqlite3_file * base, int is_gone), (under(base), is_gone))
#undef PASS

static void barrier_checked(sqlite3_file *base)
{
    under(base)->pMethods->xShmBarrier(under(base));
}

/* Version 2 has no pages that are mapped: all are read. */
static const sqlite3_io_methods methods = {.iVersion = 2,
                                           .xClose = close_checked,
                                           .xRead = read_checked,
                                           .xWrite = write_checked,
                                           .xTruncate = xTruncate_checked,
                                           .xSync = xSync_checked,
                                           .xFileSize = xFileSize_checked,
                                           .xLock = xLock_checked,
                                           .xUnlock = xUnlock_checked,
                                           .xCheckReservedLock = xCheckReservedLock_checked,
                                           .xFileControl = xFileControl_checked,
                                           .xSectorSize = xSectorSize_checked,
                                           .xDeviceCharacteristics = xDeviceCharacteristics_checked,
                                           .xShmMap = xShmMap_checked,
                                           .xShmLock = xShmLock_checked,
                                           .xShmBarrier = barrier_checked,
                                           .xShmUnmap = xShmUnmap_checked};

/* ------------------------------------------------------------------------------------------- the file system */

static sqlite3_vfs *usual;

static int open_checked(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given)
{
    (void)vfs;
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return usual->xOpen(usual, name, base, flags, given);
    *(struct checked *)base = (struct checked){.page_bytes = 0};
    const int status = usual->xOpen(usual, name, under(base), flags, given);
    /* What could not be opened is not closed, unless it says so. */
    base->pMethods = under(base)->pMethods ? &methods : NULL;
    return status;
}

const char *store_vfs_name(void)
{
    static sqlite3_vfs ours;
    if (usual)
        return ours.zName;
    usual = sqlite3_vfs_find(NULL);
    if (!usual)
        return NULL;
    ours = *usual;
    ours.zName = "warpstep";
    ours.szOsFile += (int)sizeof(struct checked);
    ours.xOpen = open_checked;
    ours.pNext = NULL;
    return sqlite3_vfs_register(&ours, 0) == SQLITE_OK ? ours.zName : NULL;
}

bool store_vfs_has_sums(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file &&
           file->pMethods == &methods && ((struct checked *)file)->has_sums;
}
