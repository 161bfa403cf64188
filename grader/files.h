/* files.h - whole files, folders and text, for a program that handles hostile ones.
 * Links are never followed where the caller says so; nothing is read beyond a limit. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A regular file of at most `most` bytes, with a NUL behind it; NULL: errno says why (EFBIG, ELOOP for a link, ...). */
uint8_t *files_read(const char *path, size_t most, bool follows_links, size_t *size);
/* From now on files are for their owner alone. What the user's umask was is kept: */
void files_keep_private(void);
/* a file that holds nobody's grade, and that its user may want to show, gets the mode that his umask leaves. */
void files_show(const char *path);
/* For its owner alone, whatever the umask and whatever was there. */
bool files_write(const char *path, const void *bytes, size_t size);
/* For all who can come to its folder: what jobs of the sandbox read. */
bool files_give(const char *path, const void *bytes, size_t size);
/* Writes beside it and renames: a reader sees the old file or the new one. */
bool files_replace(const char *path, const void *bytes, size_t size);
/* And those above it. New ones are their owner's alone. */
bool files_make_folder(const char *path);
/* How many names a folder holds; less than 0: it cannot be read. */
int files_count(const char *path);
/* The same, and one that is there already becomes its owner's alone, if it is ours: for results of students. */
bool files_make_private(const char *path);
void files_remove_tree(const char *path);
/* Holds a lock until the descriptor is closed, however the process ends. -1: errno says why; EWOULDBLOCK: another one has it. */
int files_lock(const char *path);
/* Puts `by` in place of every `what` in a text. NULL: out of memory. */
char *files_substitute(const char *text, const char *what, const char *by);
/* The first `most` lines, and how many more there are. In place. */
size_t files_cut_lines(char *text, size_t most);

#endif
