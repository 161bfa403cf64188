/* nearest.c - see nearest.h. */
#include "base/nearest.h"

#include <string.h>

#include "base/number.h"

enum { MOST = 40, ENOUGH = 2 }; /* letters of a word; changes */

static size_t step(const char *a, const char *b, size_t rows[3][MOST + 1], size_t i, size_t k)
{
    size_t(*now)[MOST + 1] = &rows[i % 3], (*before)[MOST + 1] = &rows[(i + 2) % 3];
    const size_t changed = (*before)[k - 1] + (a[i - 1] != b[k - 1]);
    size_t least = smaller_of(changed, smaller_of((*before)[k], (*now)[k - 1]) + 1);
    if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        least = smaller_of(least, rows[(i + 1) % 3][k - 2] + 1);
    return least;
}

size_t nearest_distance(const char *a, const char *b)
{
    const size_t na = strlen(a), nb = strlen(b);
    size_t rows[3][MOST + 1];
    if (na > MOST || nb > MOST)
        return na > nb ? na : nb;
    for (size_t k = 0; k <= nb; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= na; i++) {
        rows[i % 3][0] = i;
        for (size_t k = 1; k <= nb; k++)
            rows[i % 3][k] = step(a, b, rows, i, k);
    }
    return rows[na % 3][nb];
}

const char *nearest_word(const char *word, const char *const *words)
{
    size_t least = smaller_of((size_t)ENOUGH, (strlen(word) - (*word != '\0')) / 2) + 1;
    const char *best = NULL;
    for (; *words; words++) {
        const size_t distance = nearest_distance(word, *words);
        if (distance < least) {
            least = distance;
            best = *words;
        }
    }
    return best;
}
