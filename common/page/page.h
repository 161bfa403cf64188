/* page.h - one page for a browser around one JSON value: its styles and scripts travel inside, nothing is fetched.
 * What the page shows is made by the scripts of this folder from the JSON alone, as text: whatever it holds, it is never taken
 * for markup. README.md of this folder says what the JSON has. */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"

struct page {
    const char *title;
    const char *json;  /* a valid value */
    const char *plain; /* what is shown where scripts do not run */
    /* Of another kind than kernels: what draws it, and styles besides page.css. NULL: it is about kernels. */
    const char *scripts, *styles;
};
void page_write(FILE *out, const struct page *page);
/* To a file. False: errno says why. */
bool page_save(const char *path, const struct page *page);
/* Whether a file is a page that page_save() wrote. */
bool page_is_one(const char *path);

/* A kernel, as an item of the JSON's list `kernels`: what `words` and `profile` are says vgpu.h, struct vgpu_told. */
struct page_kernel {
    unsigned long long launches;
    double total_us;
    const char *words, *profile;
};
void page_put_kernel(struct json *json, const struct page_kernel *kernel);

#endif
