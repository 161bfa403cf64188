/* main.c - compiler NVCC OPTION...: what `NVCC OPTION...` does, sooner. See compiler.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/compiler/compiler.h"

static void remove_folder(const char *folder)
{
    char path[4000];
    DIR *files = opendir(folder);
    for (struct dirent *one; files && (one = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0)
            unlink(path);
    }
    if (files)
        closedir(files);
    rmdir(folder);
}

static enum ending compile(char **nvcc, const char *folder, int *status)
{
    struct plan plan;
    const enum ending ending = plan_make(&plan, nvcc, folder) ? steps_run(&plan, folder, status) : ENDING_ODD;
    plan_free(&plan);
    return ending;
}

static enum ending try_steps(char **nvcc, int *status)
{
    const char *parent = getenv("TMPDIR");
    char folder[3000];
    snprintf(folder, sizeof folder, "%.2900s/warpstep-steps.XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        return ENDING_ODD;
    const enum ending ending = compile(nvcc, folder, status);
    remove_folder(folder);
    return ending;
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: %s NVCC OPTION...\n", argv[0]);
        return 2;
    }
    if (try_steps(argv + 1, &status) != ENDING_ODD)
        return status;
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
