/* similar.c - ./grade similar DIR: groups of submissions that have more in common than what everybody has.
 * How alike two are says course/alike.h; here are the texts, the list and the page. That two are alike proves nothing: a person
 * looks at them and decides. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grader/course/alike.h"
#include "grader/course/pages.h"
#include "grader/files.h"
#include "grader/grade.h"
#include "grader/put.h"

enum { LISTED = 10, SHOWN = 40, PLACES = 6, MOST_TEXTS = 3000, NAME_COLUMNS = 26, MOST_PAGE = 1600000 };
#define MOST_SOURCE ((size_t)4 << 20)

struct search {
    struct session *session;
    struct store store;
    struct course course;
    char *given[3]; /* what every student has */
    char **sources; /* what the texts point to; to be freed */
    const char **names;
    struct alike_text *texts;
    size_t count;
    struct alike_pair *pairs; /* those above the limit */
    size_t npairs;
    struct alike_groups groups;
};

/* ------------------------------------------------------------------------------------------- texts */

static void add_text(struct search *search, char *source, const char *name, bool is_solution)
{
    if (!source || search->count == MOST_TEXTS)
        free(source);
    else {
        search->sources[search->count] = source;
        search->names[search->count] = name;
        search->texts[search->count++] = (struct alike_text){.text = source, .is_solution = is_solution};
    }
}

/* A text with zeros in it ends there: a compiler takes no more of it either. */
static void add_members(struct search *search)
{
    for (size_t i = 0; i < search->course.nmembers; i++) {
        const struct course_member *member = &search->course.members[i];
        size_t size;
        if (!member->record || !*member->record->hash)
            continue;
        char *bytes = store_get_text(&search->store, member->record->hash, &size);
        char *source = bytes ? strndup(bytes, size < MOST_SOURCE ? size : MOST_SOURCE) : NULL;
        free(bytes);
        add_text(search, source, member->name, false);
    }
}

/* What the kit has of a lab: a row of the table. */
enum kit_text { SKELETON, HEADER, HANDOUT, GIVEN, SOLUTION = GIVEN };
static char *read_kit_text(const struct search *search, enum kit_text which)
{
    static const char *const folders[] = {"common/lab/skeletons/", "labs/", "handouts/", "solutions/"};
    static const char *const ends[] = {".cu", ".h", ".md", ".cu"};
    const struct labs_entry *lab = labs_by_id(&search->session->labs, search->course.lab);
    char path[GRADE_PATH + 600];
    size_t size;
    if (!lab)
        return NULL;
    const bool is_in_folder = which != HANDOUT;
    snprintf(path, sizeof path, "%s/%s%s%s%s%s", search->session->kit.root, folders[which], lab->folder,
             is_in_folder ? "/" : "", is_in_folder ? lab->id : "", ends[which]);
    return (char *)files_read(path, MOST_SOURCE, true, &size);
}

/* The kit's own solution stands among them where the kit has it: who is like it is told as well. */
static bool read_texts(struct search *search)
{
    const size_t room = search->course.nmembers + 2;
    search->sources = calloc(room, sizeof *search->sources);
    search->names = calloc(room, sizeof *search->names);
    search->texts = calloc(room, sizeof *search->texts);
    if (!search->sources || !search->names || !search->texts)
        return session_fail(search->session, "Out of memory.");
    for (int i = GIVEN - 1; i >= 0; i--)
        search->given[i] = read_kit_text(search, i);
    if (!search->given[SKELETON])
        return session_fail(search->session, "The skeleton of %s cannot be read: %s.", search->course.lab,
                            strerror(errno));
    add_members(search);
    add_text(search, read_kit_text(search, SOLUTION), "the kit's solution", true);
    return alike_read(search->texts, search->count, search->given, GIVEN) ||
           session_fail(search->session, "Out of memory.");
}

/* ------------------------------------------------------------------------------------------- groups */

/* 0: as much as the kit thinks right for texts of their length. */
static int least_of(const struct search *search)
{
    return search->session->options->least ? atoi(search->session->options->least) : 0;
}

/* "at least 60 % alike". */
static void write_least(const struct search *search, char *words, size_t size)
{
    if (least_of(search))
        snprintf(words, size, "at least %d %% alike", least_of(search));
    else
        snprintf(words, size, "at least %d %% alike (short ones %d %%)", ALIKE_PART, ALIKE_MOSTLY);
}

static bool find_groups(struct search *search)
{
    if (!read_texts(search))
        return false;
    search->pairs = alike_rank(search->texts, search->count, least_of(search), &search->npairs);
    return (search->pairs &&
            alike_group(search->texts, search->count, search->pairs, search->npairs, &search->groups)) ||
           session_fail(search->session, "Out of memory.");
}

static bool is_with_solution(const struct search *search, const struct alike_pair *pair)
{
    return search->texts[pair->a].is_solution || search->texts[pair->b].is_solution;
}

/* By what a text belongs to its group: what it has of the kit's solution, else the pair that is most alike. */
static const struct alike_pair *pair_of(const struct search *search, uint32_t text)
{
    const struct alike_pair *strongest = NULL;
    for (size_t i = 0; i < search->npairs; i++) {
        const struct alike_pair *pair = &search->pairs[i];
        if (pair->a != text && pair->b != text)
            continue;
        if (is_with_solution(search, pair))
            return pair;
        strongest = strongest ? strongest : pair;
    }
    return strongest;
}

/* The pairs that make a group, one for each member, the most alike first; none twice. Returns how many; `pairs` has room for all members. */
static size_t pairs_of(const struct search *search, const struct alike_group *group,
                       const struct alike_pair **pairs)
{
    size_t count = 0;
    for (size_t i = 0; i < group->nmembers; i++) {
        const struct alike_pair *pair = pair_of(search, group->members[i]);
        size_t place = 0;
        while (place < count && pairs[place] < pair) /* they are sorted */
            place++;
        if (place < count && pairs[place] == pair)
            continue;
        memmove(&pairs[place + 1], &pairs[place], (count++ - place) * sizeof *pairs);
        pairs[place] = pair;
    }
    return count;
}

static void write_heading(const struct search *search, const struct alike_group *group, char *words,
                          size_t size)
{
    size_t near = 0;
    for (size_t i = 0; i < group->nmembers; i++) {
        const struct alike_pair *pair = pair_of(search, group->members[i]);
        near += is_with_solution(search, pair) && pair->percent >= ALIKE_NEARLY;
    }
    const size_t named = near ? near : group->nmembers, others = group->nmembers - named;
    char more[60] = "";
    if (others)
        snprintf(more, sizeof more, "; %zu more %s like %s", others, others == 1 ? "is" : "are",
                 near == 1 ? "it" : "them");
    snprintf(words, size, "%zu submission%s %s%s", named, named == 1 ? "" : "s",
             near ? named == 1 ? "is nearly the kit's solution" : "are nearly the kit's solution"
             : group->has_solution        ? "share much with the kit's solution"
             : group->strongest->is_short ? "are alike, but in little that could be written otherwise"
                                          : "are alike",
             more);
}

/* ------------------------------------------------------------------------------------------- the list */

/* "12-14, 40 of anna": lines that the other text does not have. */
static void write_apart(const struct search *search, uint32_t which, FILE *file)
{
    const struct alike_text *text = &search->texts[which];
    int listed = 0;
    for (size_t i = 0, end; i < text->nlines; i = end) {
        for (end = i; end < text->nlines && text->lines[end].is_apart;)
            end++;
        if (end == i)
            end++;
        else if (listed++ < PLACES) {
            fprintf(file, "%s%zu", listed > 1 ? ", " : "", i + 1);
            if (end - i > 1)
                fprintf(file, "-%zu", end);
        }
    }
    if (listed > PLACES)
        fprintf(file, " and %d more places", listed - PLACES);
    fprintf(file, "%s of %s", listed ? "" : "none", search->names[which]);
}

static bool is_apart(const struct alike_text *text)
{
    for (size_t i = 0; i < text->nlines; i++) {
        if (text->lines[i].is_apart)
            return true;
    }
    return false;
}

static bool put_differences(const struct search *search, const struct alike_pair *pair)
{
    char *words = NULL;
    size_t count, size;
    struct alike_run *runs = alike_find_runs(search->texts, pair, &count);
    FILE *file = runs ? open_memstream(&words, &size) : NULL;
    free(runs);
    if (!file)
        return false;
    if (is_apart(&search->texts[pair->a]) || is_apart(&search->texts[pair->b])) {
        fputs("The first two differ in lines ", file);
        write_apart(search, pair->a, file);
        fputs(", ", file);
        write_apart(search, pair->b, file);
        putc('.', file);
    } else
        fprintf(file, "%s and %s differ in nothing but names, numbers, order and layout.",
                search->names[pair->a], search->names[pair->b]);
    const bool is_done = fclose(file) == 0;
    if (is_done)
        put_text(words, 2, 4);
    free(words);
    return is_done;
}

static bool put_group(const struct search *search, size_t which)
{
    const struct alike_group *group = &search->groups.list[which];
    const struct alike_pair **pairs = calloc(group->nmembers + 1, sizeof *pairs);
    char words[200];
    if (!pairs)
        return false;
    const size_t count = pairs_of(search, group, pairs);
    write_heading(search, group, words, sizeof words);
    printf("%s.\n", words);
    for (size_t i = 0; i < count && i < LISTED; i++) {
        printf("  %3d %%  %5ld tokens  ", pairs[i]->percent, pairs[i]->common);
        put_name(search->names[pairs[i]->a], NAME_COLUMNS);
        put_name(search->names[pairs[i]->b], NAME_COLUMNS);
        putchar('\n');
    }
    if (count > LISTED)
        printf("  and %zu more\n", count - LISTED);
    const bool is_done = put_differences(search, pairs[0]);
    putchar('\n');
    free(pairs);
    return is_done;
}

static bool put_list(struct search *search)
{
    bool is_done = true;
    for (size_t i = 0; i < search->groups.count && is_done; i++)
        is_done = put_group(search, i);
    const size_t found = search->groups.count - search->groups.nshort;
    size_t handed_in = 0;
    for (size_t i = 0; i < search->count; i++)
        handed_in += !search->texts[i].is_solution;
    char least[80];
    write_least(search, least, sizeof least);
    printf("%zu submission%s%s, %zu group%s of submissions %s, beyond what is given and what many write.\n",
           handed_in, handed_in == 1 ? "" : "s", handed_in < search->count ? " and the kit's solution" : "",
           found, found == 1 ? "" : "s", least);
    if (search->groups.nshort)
        printf("%zu more group%s of short texts, which have few ways to be written.\n", search->groups.nshort,
               search->groups.nshort == 1 ? "" : "s");
    if (search->groups.count)
        puts("That two are alike proves nothing: look at them before you speak.");
    return is_done || session_fail(search->session, "Out of memory.");
}

/* ------------------------------------------------------------------------------------------- the page */

/* Lines that are known, or that have something of their own. */
static void put_lines(struct json *json, const char *key, const struct alike_text *text, bool is_known)
{
    json_list(json, key);
    for (size_t i = 0; i < text->nlines; i++) {
        if (is_known ? text->lines[i].is_known : text->lines[i].own > 0)
            json_integer(json, NULL, (int64_t)i);
    }
    json_end_list(json);
}

static void put_source(struct json *json, const struct search *search, uint32_t which)
{
    const struct alike_text *text = &search->texts[which];
    json_line(json);
    json_object(json, NULL);
    json_integer(json, "number", which);
    json_text(json, "name", search->names[which]);
    json_text(json, "text", text->text);
    json_integer(json, "own", (int64_t)text->own);
    put_lines(json, "known", text, true);
    put_lines(json, "lines", text, false);
    json_end_object(json);
}

static bool put_pair(struct json *json, const struct search *search, size_t group,
                     const struct alike_pair *pair)
{
    size_t count;
    struct alike_run *runs = alike_find_runs(search->texts, pair, &count);
    json_line(json);
    json_object(json, NULL);
    json_integer(json, "group", (int64_t)group);
    json_integer(json, "a", pair->a);
    json_integer(json, "b", pair->b);
    json_integer(json, "percent", pair->percent);
    json_integer(json, "tokens", pair->common);
    json_list(json, "runs");
    for (size_t i = 0; runs && i < count; i++) {
        const uint32_t places[] = {runs[i].a_from, runs[i].a_to, runs[i].b_from, runs[i].b_to};
        json_list(json, NULL);
        for (int k = 0; k < 4; k++)
            json_integer(json, NULL, places[k]);
        json_end_list(json);
    }
    json_end_list(json);
    json_end_object(json);
    free(runs);
    return runs;
}

/* Pairs of all groups, as far as they and their texts fit on a page; those texts are marked. */
static bool put_pairs(struct json *json, const struct search *search, bool *is_shown)
{
    const struct alike_pair **pairs = calloc(search->count + 1, sizeof *pairs);
    size_t bytes = 0, shown = 0;
    bool is_done = pairs;
    for (size_t i = 0; i < search->groups.count && is_done; i++) {
        const size_t count = pairs_of(search, &search->groups.list[i], pairs);
        for (size_t k = 0; k < count && is_done; k++) {
            const uint32_t both[] = {pairs[k]->a, pairs[k]->b};
            for (int side = 0; side < 2; side++)
                bytes += is_shown[both[side]] ? 0 : strlen(search->texts[both[side]].text);
            if (shown++ >= SHOWN || bytes > MOST_PAGE)
                continue;
            is_shown[both[0]] = is_shown[both[1]] = true;
            is_done = put_pair(json, search, i, pairs[k]);
        }
    }
    free(pairs);
    return is_done;
}

static void put_groups(struct json *json, const struct search *search)
{
    for (size_t i = 0; i < search->groups.count; i++) {
        const struct alike_group *group = &search->groups.list[i];
        char words[200];
        write_heading(search, group, words, sizeof words);
        json_line(json);
        json_object(json, NULL);
        json_text(json, "words", words);
        json_bool(json, "solution", group->has_solution);
        json_list(json, "members");
        for (size_t k = 0; k < group->nmembers; k++)
            json_text(json, NULL, search->names[group->members[k]]);
        json_end_list(json);
        json_end_object(json);
    }
}

/* NULL: out of memory. */
static char *make_json(const struct search *search, const char *title)
{
    char *text = NULL;
    size_t size;
    bool *is_shown = calloc(search->count + 1, sizeof *is_shown);
    struct json json = {.file = is_shown ? open_memstream(&text, &size) : NULL};
    if (!json.file) {
        free(is_shown);
        return NULL;
    }
    json_object(&json, NULL);
    json_text(&json, "kind", "similar");
    json_text(&json, "title", title);
    char least[80];
    write_least(search, least, sizeof least);
    json_text(&json, "least", least);
    json_integer(&json, "count", (int64_t)search->count);
    json_list(&json, "groups");
    put_groups(&json, search);
    json_end_list(&json);
    json_list(&json, "pairs");
    const bool is_done = put_pairs(&json, search, is_shown);
    json_end_list(&json);
    json_list(&json, "texts");
    for (uint32_t i = 0; i < search->count; i++) {
        if (is_shown[i])
            put_source(&json, search, i);
    }
    json_end_list(&json);
    json_end_object(&json);
    fclose(json.file);
    free(is_shown);
    if (!is_done)
        free(text);
    return is_done ? text : NULL;
}

static bool save_page(const struct search *search)
{
    const char *path = search->session->options->output;
    char title[200];
    if (!path) {
        puts("-o similar.html shows them side by side.");
        return true;
    }
    snprintf(title, sizeof title, "%s: submissions that are alike", search->course.lab);
    char *json = make_json(search, title);
    const bool is_done = pages_save(path, title, json, "Submissions that are alike, side by side.");
    const int why = errno;
    free(json);
    if (is_done)
        printf("The page is %s.\n", path);
    return is_done || session_fail(search->session, "%s cannot be written: %s.", path, strerror(why));
}

/* ------------------------------------------------------------------------------------------- the command */

static bool open_class(struct search *search)
{
    const char *folder = search->session->options->names[0];
    store_name(&search->store, folder);
    if (store_is_built_in() && !store_exists(&search->store))
        return session_fail(search->session,
                            "There are no results in %s: ./grade batch lab3 DIR --out %s makes them.", folder,
                            folder);
    return course_load(&search->course, &search->store) ||
           session_fail(search->session, "%s", search->store.error);
}

static void close_search(struct search *search)
{
    alike_free(search->texts, search->count);
    for (size_t i = 0; i < search->count; i++)
        free(search->sources[i]);
    free(search->sources);
    free(search->names);
    free(search->texts);
    for (int i = 0; i < GIVEN; i++)
        free(search->given[i]);
    free(search->pairs);
    alike_free_groups(&search->groups);
    course_free(&search->course);
}

enum outcome similar_run(struct session *session)
{
    struct search search = {.session = session};
    const bool is_done =
        open_class(&search) && find_groups(&search) && put_list(&search) && save_page(&search);
    if (!is_done)
        fprintf(stderr, "grade: %s\n", session->error);
    close_search(&search);
    return is_done ? OUTCOME_GRADED : OUTCOME_OURS;
}
