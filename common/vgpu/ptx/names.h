/* names.h - a stack of names with a hash table over it: a newer name hides an older one until it is dropped.
 * Callers give the hash (base/hash.h: hash_text), since the lexer has it already. */
#ifndef VGPU_PTX_NAMES_H
#define VGPU_PTX_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum name_kind {
    NAME_REGISTER, /* index */
    NAME_RANGE,    /* %r<count>: index is the first; text is the stem */
    NAME_VECTOR,   /* .v2/.v4 register: index is the first, count the width */
    NAME_VARIABLE, /* item: struct ptx_var */
    NAME_LABEL,    /* index */
    NAME_FUNCTION, /* item: struct ptx_func */
    NAME_TEXT      /* item: a string in the arena */
};

struct name {
    const char *text;
    uint32_t size, hash, scope, next; /* next: 1 + index of an older name in the same bucket */
    enum name_kind kind;
    uint32_t index, count;
    void *item;
};

struct ptx_names {
    struct name *items;
    uint32_t count;
    size_t capacity;
    uint32_t *buckets;
    uint32_t nbuckets; /* a power of two, or 0 */
};

/* NULL: no memory. The name is text[0..size), which the caller keeps. */
struct name *names_add(struct ptx_names *names, const char *text, size_t size, uint32_t hash,
                       enum name_kind kind, uint32_t scope);
/* The newest of this name; ranges have names of their own. */
struct name *names_find(const struct ptx_names *names, const char *text, size_t size, uint32_t hash,
                        bool is_range);
void names_drop(struct ptx_names *names, uint32_t count); /* all but the oldest count */
void names_free(struct ptx_names *names);

#endif
