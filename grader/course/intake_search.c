/* intake_search.c - which of a submission's files is the lab's, and what is said where none is.
 * Takes names one by one, from a folder or from an archive; opens nothing. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/course/intake_parts.h"

enum { MOST_SHOWN = 5, MOST_RIVALS = 20 };

static const char *base_of(const char *shown)
{
    const char *slash = strrchr(shown, '/');
    return slash ? slash + 1 : shown;
}

void intake_search_free(struct intake_search *search)
{
    struct intake_candidate *candidates = search->candidates.items;
    for (size_t i = 0; i < search->candidates.count; i++) {
        free(candidates[i].shown);
        free(candidates[i].path);
    }
    for (size_t i = 0; i < search->names.count; i++)
        free(((char **)search->names.items)[i]);
    list_free(&search->candidates);
    list_free(&search->names);
    free(search->obstacle);
    free(search->trouble);
    *search = (struct intake_search){.lab_file = search->lab_file};
}

void intake_search_file(struct intake_search *search, const char *shown, int depth, const char *path,
                        size_t index)
{
    const enum intake_fit fit = intake_fit(base_of(shown), search->lab_file);
    search->files++;
    if (fit == INTAKE_OTHER)
        return;
    struct intake_candidate *one = list_push(&search->candidates, sizeof *one);
    if (one)
        *one = (struct intake_candidate){.shown = strdup(shown),
                                         .path = path ? strdup(path) : NULL,
                                         .index = index,
                                         .fit = fit,
                                         .depth = depth};
    if (!one || !one->shown || (path && !one->path))
        search->has_no_memory = true;
}

void intake_search_other(struct intake_search *search, const char *shown, const char *what)
{
    if (search->obstacle || intake_fit(base_of(shown), search->lab_file) > INTAKE_MENTIONS)
        return;
    if (asprintf(&search->obstacle, "%s is %s", shown, what) < 0) {
        search->obstacle = NULL;
        search->has_no_memory = true;
    }
}

void intake_search_nameless(struct intake_search *search, const char *shown)
{
    if (!search->obstacle &&
        asprintf(&search->obstacle, "in the archive there is %s: it says that it is UTF-8, and it is not",
                 shown) < 0) {
        search->obstacle = NULL;
        search->has_no_memory = true;
    }
}

void intake_search_name(struct intake_search *search, const char *shown)
{
    char **name = list_push(&search->names, sizeof *name);
    if (name)
        *name = strdup(shown);
    if (!name || !*name)
        search->has_no_memory = true;
}

/* ------------------------------------------------------------------------------------------- the choice */

/* Among files that only end in .cu depth counts for nothing: one of many is a guess. */
static int rank_of(const struct intake_candidate *one)
{
    return (int)one->fit * (INTAKE_DEEPEST + 2) + (one->fit == INTAKE_CUDA ? 0 : one->depth);
}

static const struct intake_candidate *find_best(const struct intake_search *search, size_t *rivals)
{
    const struct intake_candidate *all = search->candidates.items, *best = NULL;
    *rivals = 0;
    for (size_t i = 0; i < search->candidates.count; i++) {
        if (all[i].fit >= INTAKE_ARCHIVE)
            continue;
        if (!best || rank_of(&all[i]) < rank_of(best)) {
            best = &all[i];
            *rivals = 0;
        }
        *rivals += rank_of(&all[i]) == rank_of(best);
    }
    return best;
}

/* "lab3 (1).cu, lab3_final.cu". */
static void list_rivals(FILE *file, const struct intake_search *search, int rank, size_t count)
{
    const struct intake_candidate *all = search->candidates.items;
    size_t shown = 0;
    for (size_t i = 0; i < search->candidates.count && shown < MOST_RIVALS; i++) {
        if (all[i].fit < INTAKE_ARCHIVE && rank_of(&all[i]) == rank)
            fprintf(file, "%s%s", shown++ ? ", " : "", all[i].shown);
    }
    if (count > shown)
        fprintf(file, " and %zu more", count - shown);
}

/* "it holds Lab3.c, notes.txt and 3 more". */
static void list_names(FILE *file, const struct intake_search *search)
{
    char *const *names = search->names.items;
    const size_t count = search->names.count;
    fputs(count ? "it holds " : "it is empty", file);
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++)
        fprintf(file, "%s%s", i ? ", " : "", names[i]);
    if (count > MOST_SHOWN)
        fprintf(file, " and %zu more", count - MOST_SHOWN);
}

static char *make_flaw(const struct intake_search *search, const char *where,
                       const struct intake_candidate *best, size_t rivals)
{
    char *flaw = NULL;
    size_t size;
    FILE *file = open_memstream(&flaw, &size);
    if (!file)
        return NULL;
    if (best && best->fit != INTAKE_CUDA) {
        fprintf(file, "several files could be %s, and none was taken: ", search->lab_file);
        list_rivals(file, search, rank_of(best), rivals);
    } else if (search->obstacle) {
        fputs(search->obstacle, file);
    } else {
        fprintf(file, "there is no %s in the %s: ", search->lab_file, where);
        list_names(file, search);
    }
    return fclose(file) == 0 ? flaw : NULL;
}

const struct intake_candidate *intake_choose(const struct intake_search *search, const char *where,
                                             char **flaw)
{
    size_t rivals;
    const struct intake_candidate *best = find_best(search, &rivals);
    *flaw = NULL;
    /* A link in the place of the file hides nothing: whoever made it meant that one. */
    const bool is_hidden = best && best->fit != INTAKE_EXACT && search->obstacle;
    if (best && rivals == 1 && !is_hidden)
        return best;
    *flaw = make_flaw(search, where, is_hidden ? NULL : best, rivals);
    return NULL;
}

bool intake_has_rivals(const struct intake_search *search)
{
    size_t rivals;
    const struct intake_candidate *best = find_best(search, &rivals);
    return best && best->fit < INTAKE_CUDA && rivals > 1;
}

/* Another file whose name begins as the lab's: whoever reads the note should know of it. */
static const struct intake_candidate *find_other(const struct intake_search *search,
                                                 const struct intake_candidate *chosen)
{
    const struct intake_candidate *all = search->candidates.items;
    for (size_t i = 0; i < search->candidates.count; i++) {
        if (&all[i] != chosen && all[i].fit <= INTAKE_VARIANT)
            return &all[i];
    }
    return NULL;
}

char *intake_describe(const struct intake_search *search, const struct intake_candidate *chosen)
{
    char *note;
    if (chosen->fit == INTAKE_EXACT && chosen->depth == 0)
        return strdup("");
    const struct intake_candidate *other = find_other(search, chosen);
    if (asprintf(&note, "%s was taken for %s%s%s", chosen->shown, search->lab_file,
                 other ? ", though there is also " : "", other ? other->shown : "") < 0)
        return NULL;
    return note;
}
