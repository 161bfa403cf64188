/* alike_report.c - which texts ./grade similar takes for alike: alike_report LEAST SOLUTION GIVEN... -- TEXT...
 * A line for each pair of TEXT, by their numbers: "group 0 3", or "short 0 3" where they share too little to be sure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "grader/course/alike.h"

enum { MOST = 400 };

static char *read_all(const char *path)
{
    size_t size;
    char *text = file_read(path, (size_t)4 << 20, true, &size);
    if (!text) {
        perror(path);
        exit(2);
    }
    return text;
}

int main(int argc, char **argv)
{
    static struct alike_text texts[MOST];
    static char *given[MOST];
    size_t count = 0, ngiven = 0, npairs;
    int i = 3;
    for (; i < argc && strcmp(argv[i], "--") != 0 && ngiven < MOST; i++)
        given[ngiven++] = read_all(argv[i]);
    for (i++; i < argc && count + 1 < MOST; i++)
        texts[count++].text = read_all(argv[i]);
    texts[count++] = (struct alike_text){.text = read_all(argv[2]), .is_solution = true};
    if (!alike_read(texts, count, given, ngiven))
        return 2;
    struct alike_pair *pairs = alike_rank(texts, count, atoi(argv[1]), &npairs);
    for (size_t k = 0; pairs && k < npairs; k++) {
        if (!texts[pairs[k].b].is_solution)
            printf("%s %u %u %d\n", pairs[k].is_short ? "short" : "group", pairs[k].a, pairs[k].b,
                   pairs[k].percent);
    }
    alike_free(texts, count);
    free(pairs);
    return pairs ? 0 : 2;
}
