/* intake_folder.h - a folder of submissions for tests, and what is read from it. Each test begins with an empty one. */
#ifndef INTAKE_FOLDER_H
#define INTAKE_FOLDER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/course/intake.h"

static char base[64];       /* of this process's folders */
static struct intake taken; /* what the last read() found */
static struct store_student *roster;
static size_t nroster;

static void command(const char *what)
{
    char line[300];
    snprintf(line, sizeof line, what, base, base, base);
    ck_assert_int_eq(system(line), 0);
}

static void begin(void)
{
    snprintf(base, sizeof base, "/tmp/warpstep-intake-%d", (int)getpid());
    command("rm -rf %s && mkdir -p %s/in %s/work");
}

static void finish(void)
{
    intake_free(&taken);
    intake_free_roster(roster, nroster);
    roster = NULL;
    nroster = 0;
    command("rm -rf %s");
}

static const char *path_of(const char *name)
{
    static char path[8192];
    snprintf(path, sizeof path, "%s/in/%s", base, name);
    return path;
}

/* With all folders above it. */
static void put_bytes(const char *name, const void *bytes, size_t size)
{
    char path[8192];
    snprintf(path, sizeof path, "%s", path_of(name));
    for (char *slash = path + strlen(base) + 4; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    ck_assert_msg(file, "%s", path);
    ck_assert(fwrite(bytes, 1, size, file) == size);
    ck_assert(fclose(file) == 0);
}

static void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

/* Files that hold their own name. */
static void put_names(const char *const *names)
{
    for (; *names; names++)
        put(*names, *names);
}
#define PUT(...) put_names((const char *const[]){__VA_ARGS__, NULL})

static void read_intake(void)
{
    char folder[100], work[100], results[100];
    snprintf(folder, sizeof folder, "%s/in", base);
    snprintf(work, sizeof work, "%s/work", base);
    snprintf(results, sizeof results, "%s/in/results", base);
    const struct intake_order order = {.folder = folder,
                                       .file = "lab3.cu",
                                       .results = results,
                                       .work = work,
                                       .roster = roster,
                                       .nroster = nroster};
    intake_free(&taken);
    command("rm -rf %s/work && mkdir %s/work");
    ck_assert(intake_read(&taken, &order));
    for (size_t i = 0; i < taken.count; i++) {
        const struct intake_submission *one = &taken.list[i];
        ck_assert(one->source && one->student && one->note && one->submitted);
        ck_assert_msg(!one->path != !one->flaw, "%s", one->source);
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(one->source, taken.list[k].source);
    }
}

static __attribute__((unused)) void use_roster(const char *text)
{
    char error[200] = "";
    ck_assert_msg(intake_read_roster(text, &roster, &nroster, error, sizeof error), "%s", error);
}

static const struct intake_submission *find(const char *source)
{
    for (size_t i = 0; i < taken.count; i++) {
        if (strcmp(taken.list[i].source, source) == 0)
            return &taken.list[i];
    }
    ck_abort_msg("no submission %s", source);
    return NULL;
}

static bool holds(const char *path, const char *text)
{
    char bytes[300] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

/* This source is taken, with these bytes, and the note has these words; "": there is none. */
static __attribute__((unused)) void expect_file(const char *source, const char *text, const char *words)
{
    const struct intake_submission *one = find(source);
    ck_assert_msg(one->path, "%s: %s", source, one->flaw);
    ck_assert_msg(holds(one->path, text), "%s is %s", source, one->path);
    ck_assert_msg(*words ? strstr(one->note, words) != NULL : !*one->note, "%s: \"%s\"", source, one->note);
}

static void expect_flaw(const char *source, const char *words)
{
    const struct intake_submission *one = find(source);
    ck_assert_msg(one->flaw, "%s has %s", source, one->path);
    ck_assert_msg(strstr(one->flaw, words), "%s: %s", source, one->flaw);
    ck_assert_msg(!one->is_ours, "%s: %s", source, one->flaw);
}

static __attribute__((unused)) void expect_student(const char *source, const char *student)
{
    ck_assert_str_eq(find(source)->student, student);
}

#endif
