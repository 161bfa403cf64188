/* file.h - whole files.
 * Only plain files are read: a pipe or a device could make the reader wait for ever, or give bytes without end. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* All bytes of a file, and a NUL behind them, to be freed; *size does not count the NUL. NULL, with errno set: it cannot be
 * read (EISDIR, EINVAL: it is no plain file), or has more than limit bytes (EFBIG). A path from a stranger should not
 * follow links: what they point to may be somebody else's. */
void *file_read(const char *path, size_t limit, bool follows_links, size_t *size);

#endif
