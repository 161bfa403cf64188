/* page.c - see page.h. The styles and scripts are page_css and page_js, made by embed.sh. */
#include "page/page.h"

#include <string.h>

#include "page/parts.h"

static void put_escaped(FILE *out, const char *text)
{
    static const struct {
        char plain;
        const char *escaped;
    } escapes[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};
    for (; *text; text++) {
        size_t i = 0;
        while (i < sizeof escapes / sizeof *escapes && escapes[i].plain != *text)
            i++;
        if (i < sizeof escapes / sizeof *escapes)
            fputs(escapes[i].escaped, out);
        else
            putc(*text, out);
    }
}

/* In JSON "<" stands in texts alone: as an escape it can end no element. */
static void put_json(FILE *out, const char *json)
{
    for (;;) {
        const size_t length = strcspn(json, "<");
        fwrite(json, 1, length, out);
        if (!json[length])
            return;
        fputs("\\u003c", out);
        json += length + 1;
    }
}

/* How every page begins, and nothing else is likely to. */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'\">\n<title>";

void page_write(FILE *out, const struct page *page)
{
    fputs(head, out);
    put_escaped(out, page->title);
    fputs("</title>\n<style>\n", out);
    fputs(page_css, out);
    fputs(page->styles ? page->styles : "", out);
    fputs("</style>\n</head>\n<body>\n<main id=\"page\"><noscript><pre>", out);
    put_escaped(out, page->plain ? page->plain : "");
    fputs("</pre></noscript></main>\n<script type=\"application/json\" id=\"data\">\n", out);
    put_json(out, page->json);
    fputs("\n</script>\n<script>\n\"use strict\";\n", out);
    fputs(page->scripts ? page->scripts : page_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

bool page_save(const char *path, const struct page *page)
{
    FILE *file = page->json ? fopen(path, "w") : NULL;
    if (!file)
        return false;
    page_write(file, page);
    const bool is_written = !ferror(file);
    return fclose(file) == 0 && is_written;
}

bool page_is_one(const char *path)
{
    char begin[sizeof head];
    FILE *file = fopen(path, "r");
    const size_t count = file ? fread(begin, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    return count == sizeof head - 1 && memcmp(begin, head, count) == 0;
}

void page_put_kernel(struct json *json, const struct page_kernel *kernel)
{
    json_object(json, NULL);
    json_count(json, "launches", kernel->launches);
    json_number(json, "total_us", kernel->total_us);
    json_text(json, "words", kernel->words);
    json_raw(json, "profile", kernel->profile);
    json_end_object(json);
}
