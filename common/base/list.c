/* list.c - arrays that grow: see list.h. */
#include "base/list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

void *list_grow(void *items, size_t *capacity, size_t need, size_t item_size)
{
    size_t room = *capacity ? *capacity : FIRST_CAPACITY, bytes;
    while (room < need && room <= SIZE_MAX / 2)
        room *= 2;
    if (room < need)
        room = need;
    void *grown = __builtin_mul_overflow(room, item_size, &bytes) ? NULL : realloc(items, bytes);
    if (grown)
        *capacity = room;
    return grown;
}

void *list_push(struct list *list, size_t item_size)
{
    void *items = list_reserve(list->items, &list->capacity, list->count + 1, item_size);
    if (!items)
        return NULL;
    list->items = items;
    return memset((char *)items + list->count++ * item_size, 0, item_size);
}

void list_free(struct list *list)
{
    free(list->items);
    *list = (struct list){0};
}
