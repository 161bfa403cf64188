/* nvcc_options.c - see nvcc_options.h. The text is a stranger's: what it says is compared, never passed on. */
#include "lab/nvcc_options.h"

#include <string.h>

static const char begin[] = "// nvcc:", blanks[] = " \t\r";

static const char *find_option(const char *word, size_t length)
{
#define OPTION(text) text,
    static const char *const taken[] = {
#include "lab/nvcc_options.def"
    };
#undef OPTION
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strlen(taken[i]) == length && memcmp(taken[i], word, length) == 0)
            return taken[i];
    return NULL;
}

/* For a message: in plain letters, and not all of a long one. */
static void keep_refused(const char *word, size_t length, struct nvcc_options *out)
{
    for (size_t i = 0; i < length && i + 1 < sizeof out->refused; i++)
        out->refused[i] = word[i] > ' ' && word[i] <= '~' ? word[i] : '?';
}

static void read_words(const char *at, const char *end, struct nvcc_options *out)
{
    for (int count = 0; at < end && !*out->refused; count++) {
        const char *word = at;
        while (word < end && strchr(blanks, *word))
            word++;
        at = word;
        while (at < end && !strchr(blanks, *at))
            at++;
        if (at == word)
            return;
        const char *option = count < NVCC_OPTIONS ? find_option(word, (size_t)(at - word)) : NULL;
        if (option)
            out->words[count] = option;
        else
            keep_refused(word, (size_t)(at - word), out);
    }
}

void nvcc_options_read(const char *text, size_t size, struct nvcc_options *out)
{
    const char *last = text + size;
    *out = (struct nvcc_options){.line = 0};
    unsigned line = 1;
    for (const char *end; text < last; text = end + 1, line++) {
        end = memchr(text, '\n', (size_t)(last - text));
        end = end ? end : last;
        if ((size_t)(end - text) < sizeof begin - 1 || memcmp(text, begin, sizeof begin - 1) != 0)
            continue;
        out->line = line;
        read_words(text + sizeof begin - 1, end, out);
        return;
    }
}
