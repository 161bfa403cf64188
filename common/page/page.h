/* page.h - one page for a browser around one JSON value: its styles and scripts travel inside, nothing is fetched.
 * What the page shows is made by the scripts of this folder from the JSON alone, as text: whatever it holds, it is never taken
 * for markup. README.md of this folder says what the JSON has. */
#ifndef PAGE_H
#define PAGE_H

#include <stdio.h>

struct page {
    const char *title;
    const char *json;  /* a valid value */
    const char *plain; /* what is shown where scripts do not run */
};
void page_write(FILE *out, const struct page *page);

#endif
