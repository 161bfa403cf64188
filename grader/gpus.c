/* gpus.c - see gpus.h. The driver has a folder for each GPU, with a file `information`: lines such as "Model:  NVIDIA H200". */
#define _GNU_SOURCE
#include "grader/gpus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/files.h"

static void add(struct gpus *gpus, const char *name, size_t length)
{
    if (gpus->count < GPUS_MOST && length && length < sizeof gpus->names[0])
        snprintf(gpus->names[gpus->count++], sizeof gpus->names[0], "%.*s", (int)length, name);
}

/* The value behind "Model:", without blanks around it. */
static const char *find_value(const char *text, const char *key, size_t *length)
{
    const char *at = strstr(text, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " \t");
    *length = strcspn(at, "\n");
    while (*length && (at[*length - 1] == ' ' || at[*length - 1] == '\t'))
        --*length;
    return at;
}

static void add_if_alike(struct gpus *gpus, const char *path, const char *model)
{
    size_t size, model_length = 0, length = 0;
    char *text = (char *)files_read(path, 1 << 16, true, &size);
    const char *is = text ? find_value(text, "Model:", &model_length) : NULL,
               *uuid = text ? find_value(text, "GPU UUID:", &length) : NULL;
    const bool is_alike = is && strlen(model) == model_length && strncmp(is, model, model_length) == 0;
    if (is_alike && uuid && !memchr(uuid, '?', length)) /* a driver that is not up yet shows question marks */
        add(gpus, uuid, length);
    free(text);
}

void gpus_find(struct gpus *gpus, const char *proc, const char *visible, const char *model)
{
    struct dirent **names = NULL;
    *gpus = (struct gpus){.count = 0};
    for (const char *at = visible; at && *at; at += strcspn(at, ","), at += *at == ',')
        add(gpus, at, strcspn(at, ","));
    const int count = visible ? 0 : scandir(proc, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, "%.200s/%.300s/information", proc, names[i]->d_name);
        if (*names[i]->d_name != '.')
            add_if_alike(gpus, path, model);
        free(names[i]);
    }
    free(names);
}
