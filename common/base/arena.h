/* arena.h - memory that is freed all at once.
 * Every allocation is zeroed and aligned to 16 bytes; arena_free() releases everything.
 * Running out of memory returns NULL to nobody: callers get NULL and must fail cleanly. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena); /* NULL is fine */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_copy_text(struct arena *arena, const char *text, size_t size); /* NUL-terminated */

#endif
