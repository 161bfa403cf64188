/* list.h - arrays that grow as items come.
 * Room doubles when it is used up, so that an item costs the same on average however many there are.
 * Without memory nothing is lost: the items so far stay where they are, and the caller gets NULL. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>

struct list {
    void *items;
    size_t count, capacity;
};

/* A new item at the end, zeroed. Pointers to items hold until the next push. */
void *list_push(struct list *list, size_t item_size);
void list_free(struct list *list); /* the list is empty then, and can be used again */

/* Private: list_reserve() where there is not enough room. */
void *list_grow(void *items, size_t *capacity, size_t need, size_t item_size);

/* For arrays that keep their own count: gives items, moved if need be, with room for so many (at least one). What is new
 * is not cleared. */
static inline void *list_reserve(void *items, size_t *capacity, size_t need, size_t item_size)
{
    return need <= *capacity ? items : list_grow(items, capacity, need, item_size);
}

#endif
