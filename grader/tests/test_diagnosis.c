/* test_diagnosis.c - what is told of a file that does not compile, and of one that does: test_diagnosis FILE, with what the compiler
 * said of it on stdin. */
#include <stdio.h>
#include <stdlib.h>

#include "grader/diagnosis.h"

static char *read_all(FILE *file)
{
    char *text = NULL, part[4096];
    size_t size, count;
    FILE *out = open_memstream(&text, &size);
    while (file && out && (count = fread(part, 1, sizeof part, file)) > 0)
        fwrite(part, 1, count, out);
    return out && fclose(out) == 0 ? text : NULL;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    char *source = read_all(file), *said = read_all(stdin);
    if (!file || !source || !said)
        return 2;
    fclose(file);
    char *text = diagnosis_write(said, argv[1], source);
    char *warnings = diagnosis_warn(said, argv[1], source);
    fputs(text ? text : "", stdout);
    fputs(text && !*text && warnings ? warnings : "", stdout);
    free(warnings);
    free(text);
    free(source);
    free(said);
    return 0;
}
