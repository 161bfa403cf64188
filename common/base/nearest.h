/* nearest.h - which of some words somebody may have meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Letters that must be put in, taken out, changed, or swapped with their neighbour to make one word of the other. */
size_t nearest_distance(const char *a, const char *b);
/* The first of those that take the fewest changes, at most two and less than half of the word; NULL: none is near. The list ends
 * with NULL. */
const char *nearest_word(const char *word, const char *const *words);

#endif
