/* kernels.c - launches of a program or of a replay, told by kernel: struct vgpu_kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "vgpu.h"

static struct vgpu_told *find(struct vgpu_kernels *kernels, const char *name)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (!strcmp(kernels->told[i].kernel, name))
            return &kernels->told[i];
    char *copy = strdup(name);
    struct vgpu_told *grown =
        copy ? list_reserve(kernels->told, &kernels->capacity, kernels->count + 1, sizeof *grown) : NULL;
    if (!grown) {
        free(copy);
        return NULL;
    }
    kernels->told = grown;
    grown[kernels->count] = (struct vgpu_told){.kernel = copy};
    return &grown[kernels->count++];
}

/* What a function writes; NULL: no memory. */
static char *written(const struct vgpu_kernels *kernels, const struct vgpu_launch *launch, bool is_json)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (is_json)
        vgpu_profile_json(file, launch, !kernels->is_brief);
    else
        vgpu_explain(file, launch, &(struct vgpu_page){.columns = kernels->columns});
    fclose(file);
    return text;
}

static void add_file(struct vgpu_kernels *kernels, const char *name)
{
    for (size_t i = 0; i < kernels->nfiles; i++)
        if (!strcmp(kernels->files[i], name))
            return;
    char **grown = list_reserve(kernels->files, &kernels->files_capacity, kernels->nfiles + 1, sizeof *grown);
    if (!grown)
        return;
    kernels->files = grown;
    grown[kernels->nfiles] = strdup(name);
    kernels->nfiles += grown[kernels->nfiles] != NULL;
}

void vgpu_kernels_add(struct vgpu_kernels *kernels, const struct vgpu_launch *launch)
{
    const double clearly = 1.001; /* longer: launches that take the same are told once */
    struct vgpu_told *told = launch->profile ? find(kernels, launch->kernel) : NULL;
    if (!told)
        return;
    told->launches++;
    told->total_us += launch->time_us;
    if (launch->time_us <= clearly * told->longest_us)
        return;
    told->longest_us = launch->time_us;
    free(told->words);
    told->words = written(kernels, launch, false);
    if (!kernels->wants_json)
        return;
    free(told->json);
    told->json = written(kernels, launch, true);
    for (size_t i = 0; i < launch->nlines; i++)
        if (launch->lines[i].file[0])
            add_file(kernels, launch->lines[i].file);
}

static int longest_first(const void *a, const void *b)
{
    const struct vgpu_told *x = a, *y = b;
    return x->total_us != y->total_us ? (x->total_us < y->total_us ? 1 : -1) : strcmp(x->kernel, y->kernel);
}

void vgpu_kernels_sort(struct vgpu_kernels *kernels)
{
    if (kernels->count)
        qsort(kernels->told, kernels->count, sizeof *kernels->told, longest_first);
}

void vgpu_kernels_free(struct vgpu_kernels *kernels)
{
    for (size_t i = 0; i < kernels->count; i++) {
        free(kernels->told[i].kernel);
        free(kernels->told[i].words);
        free(kernels->told[i].json);
    }
    for (size_t i = 0; i < kernels->nfiles; i++)
        free(kernels->files[i]);
    free(kernels->told);
    free(kernels->files);
    *kernels = (struct vgpu_kernels){.told = NULL};
}
