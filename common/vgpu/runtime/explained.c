/* explained.c - see explained.h. Called with the runtime's lock held, and once more when the program is over. */
#include "runtime/explained.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/wrap.h"
#include "report/names.h"

struct explained {
    char *kernel; /* mangled */
    unsigned long long launches;
    double total_us, longest_us;
    char *words; /* about the longest */
};

static struct list kernels; /* of struct explained */

static struct explained *find(const char *kernel)
{
    struct explained *known = kernels.items;
    for (size_t i = 0; i < kernels.count; i++)
        if (!strcmp(known[i].kernel, kernel))
            return &known[i];
    char *name = strdup(kernel);
    struct explained *fresh = name ? list_push(&kernels, sizeof *fresh) : NULL;
    if (fresh)
        fresh->kernel = name;
    else
        free(name);
    return fresh;
}

void explained_add(const struct vgpu_launch *launch)
{
    struct explained *kernel = find(launch->kernel);
    char *words = NULL;
    size_t size;
    if (!kernel)
        return;
    kernel->launches++;
    kernel->total_us += launch->time_us;
    FILE *file = launch->time_us > kernel->longest_us ? open_memstream(&words, &size) : NULL;
    if (!file)
        return;
    vgpu_explain(file, launch, &(struct vgpu_page){.columns = (unsigned)wrap_columns(STDERR_FILENO)});
    fclose(file);
    free(kernel->words);
    kernel->words = words;
    kernel->longest_us = launch->time_us;
}

static int longest_first(const void *a, const void *b)
{
    const struct explained *x = a, *y = b;
    return x->total_us != y->total_us ? (x->total_us < y->total_us ? 1 : -1) : strcmp(x->kernel, y->kernel);
}

__attribute__((destructor)) static void tell(void)
{
    struct explained *known = kernels.items;
    if (!known)
        return;
    fflush(stdout);
    qsort(known, kernels.count, sizeof *known, longest_first);
    for (size_t i = 0; i < kernels.count; i++) {
        char name[200];
        name_of_function(known[i].kernel, name, sizeof name);
        fprintf(stderr, "vgpu: %s: %llu launch%s, %.2f us in all%s\n%s", name, known[i].launches,
                known[i].launches == 1 ? "" : "es", known[i].total_us,
                known[i].launches == 1 ? "" : "; this is the longest", known[i].words ? known[i].words : "");
    }
}
