/* arena.c - memory that is freed all at once: a list of chunks, each twice the size of the last.
 * Chunks come from calloc, so whatever an arena hands out reads as zero.
 * Not for threads: an arena has one owner at a time. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 4 * 1024 * 1024, ALIGNMENT = 16 };

struct chunk {
    struct chunk *next;
    size_t used, size;
    alignas(ALIGNMENT) unsigned char data[];
};

struct arena {
    struct chunk *chunks; /* the newest first */
    size_t next_size;
};

struct arena *arena_new(void)
{
    struct arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->next_size = FIRST_CHUNK;
    return arena;
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

static struct chunk *add_chunk(struct arena *arena, size_t need)
{
    size_t size = need > arena->next_size ? need : arena->next_size;
    struct chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    if (arena->next_size < LARGEST_CHUNK)
        arena->next_size *= 2;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size)
        chunk = add_chunk(arena, size);
    if (!chunk)
        return NULL;
    void *memory = chunk->data + chunk->used;
    chunk->used += size;
    return memory;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t size)
{
    char *copy = arena_alloc(arena, size + 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}
