/* similar.c - ./grade similar DIR: pairs of submissions that have more in common than what everybody has.
 * What is known is taken out of the texts (course/alike.h), sim_c of the package similarity-tester finds runs in common in what is
 * left: once for all pairs, in the sandbox, over files that have numbers for names. That two are alike proves nothing: a person
 * looks at the pair and decides. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"
#include "grader/course/alike.h"
#include "grader/course/pages.h"
#include "grader/files.h"
#include "grader/grade.h"
#include "grader/put.h"

enum { LISTED = 20, SHOWN = 40, LEAST = 50, MOST_TEXTS = 3000, NAME_COLUMNS = 26, MOST_PAGE = 1600000 };
#define MOST_SOURCE ((size_t)4 << 20)
#define MIB         ((size_t)1 << 20)

static const struct sandbox_profile profile = {.name = "sim_c",
                                               .is_isolated = true,
                                               .sleep_s = 60,
                                               .cpu_s = 120,
                                               .processes = 8,
                                               .output_bytes = 128 * MIB,
                                               .file_bytes = MIB,
                                               .room_bytes = MIB,
                                               .data_bytes = 2048 * MIB,
                                               .memory_bytes = 2048 * MIB};

struct search {
    struct session *session;
    struct store store;
    struct course course;
    char *skeleton;
    char folder[GRADE_PATH + 40]; /* of the numbered files */
    char **sources;               /* what the texts point to; to be freed */
    const char **names;
    struct alike_text *texts;
    size_t count;
    struct alike_run *runs;
    struct alike_pair *pairs;
    size_t nruns, npairs, nalike; /* nalike: those above the limit */
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

static char *read_kit_file(const struct search *search, const char *folder)
{
    const struct labs_entry *lab = labs_by_id(&search->session->labs, search->course.lab);
    char path[GRADE_PATH + 600];
    size_t size;
    snprintf(path, sizeof path, "%s/%s/%s/%s.cu", search->session->kit.root, folder, lab ? lab->folder : "",
             lab ? lab->id : "");
    return (char *)files_read(path, MOST_SOURCE, true, &size);
}

/* The kit's own solution stands among them where the kit has it: who is like it is told as well. */
static bool read_texts(struct search *search)
{
    const size_t room = search->course.nmembers + 2;
    search->sources = calloc(room, sizeof *search->sources);
    search->names = calloc(room, sizeof *search->names);
    search->texts = calloc(room, sizeof *search->texts);
    search->skeleton = read_kit_file(search, "common/lab/skeletons");
    if (!search->sources || !search->names || !search->texts)
        return session_fail(search->session, "Out of memory.");
    if (!search->skeleton)
        return session_fail(search->session, "The skeleton of %s cannot be read: %s.", search->course.lab,
                            strerror(errno));
    add_members(search);
    add_text(search, read_kit_file(search, "solutions"), "the kit's solution", true);
    return alike_read(search->texts, search->count, search->skeleton) ||
           session_fail(search->session, "Out of memory.");
}

/* ------------------------------------------------------------------------------------------- sim_c */

static bool write_one(const struct search *search, size_t which)
{
    char path[GRADE_PATH + 80];
    snprintf(path, sizeof path, "%s/%zu.c", search->folder, which + 1);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    alike_write(&search->texts[which], file);
    return fclose(file) == 0;
}

static bool write_files(struct search *search)
{
    snprintf(search->folder, sizeof search->folder, "%s/texts", search->session->folder);
    bool is_done = mkdir(search->folder, 0755) == 0;
    for (size_t i = 0; i < search->count && is_done; i++)
        is_done = write_one(search, i);
    return is_done || session_fail(search->session, "%s: %s.", search->folder, strerror(errno));
}

/* The sandbox's keeper must lie where the job's user can come. */
static bool open_sandbox(struct search *search)
{
    struct session *session = search->session;
    char from[GRADE_PATH + 20], keeper[GRADE_PATH + 20];
    size_t size;
    snprintf(from, sizeof from, "%s/keeper", session->kit.build);
    snprintf(keeper, sizeof keeper, "%s/keeper", session->folder);
    uint8_t *bytes = files_read(from, 16 * MIB, true, &size);
    const bool is_done = bytes && files_write(keeper, bytes, size) && chmod(keeper, 0755) == 0;
    free(bytes);
    if (!is_done)
        return session_fail(session, "%s: %s. `make grade-%s` makes it.", from, strerror(errno),
                            search->course.lab);
    sandbox_open(&session->sandbox, session->folder, keeper);
    session->sandbox.hidden[0] = session->kit.root;
    session->sandbox.hidden[1] = session->folder;
    return true;
}

static char **make_words(const struct search *search, char *program, char *run)
{
    static char *const options[] = {"-n", "-e", "-s", "-T", "-w", "300", "-r"};
    enum { OPTIONS = sizeof options / sizeof *options };
    char **words = calloc(search->count + OPTIONS + 3, sizeof *words);
    size_t used = 0;
    if (!words)
        return NULL;
    words[used++] = program;
    for (size_t i = 0; i < OPTIONS; i++)
        words[used++] = options[i];
    words[used++] = run;
    for (size_t i = 0; i < search->count; i++) {
        if (search->texts[i].own >= ALIKE_RUN &&
            asprintf(&words[used++], "%s/%zu.c", search->folder, i + 1) < 0)
            words[used - 1] = NULL;
    }
    return words;
}

static bool take_result(struct search *search, const struct sandbox_result *result)
{
    char how[300];
    if (result->end != SANDBOX_EXITED || result->status != 0 || !result->out) {
        sandbox_describe(result, &profile, how, sizeof how);
        return session_fail(search->session, "sim_c %s", how);
    }
    search->runs = alike_read_runs(result->out, search->texts, search->count, &search->nruns);
    if (search->runs)
        search->pairs = alike_rank(search->texts, search->runs, search->nruns, &search->npairs);
    return search->pairs || session_fail(search->session, "Out of memory.");
}

static bool run_tool(struct search *search, char *program)
{
    char run[20];
    snprintf(run, sizeof run, "%d", ALIKE_RUN);
    char **words = make_words(search, program, run);
    const char *visible[] = {search->folder, NULL};
    struct sandbox_job job = {.profile = &profile, .argv = words, .visible = visible};
    struct sandbox_result result;
    if (!words)
        return session_fail(search->session, "Out of memory.");
    sandbox_run(&search->session->sandbox, &job, &result, 1, 1, NULL, NULL);
    const bool is_done = take_result(search, &result);
    sandbox_free(&result);
    for (size_t i = 9; words[i]; i++)
        free(words[i]);
    free(words);
    return is_done;
}

static bool find_pairs(struct search *search)
{
    char program[GRADE_PATH];
    if (!tools_on_path("sim_c", program, sizeof program))
        return session_fail(search->session,
                            "sim_c is not on this machine: install the package similarity-tester.");
    return read_texts(search) && open_sandbox(search) && write_files(search) && run_tool(search, program);
}

/* ------------------------------------------------------------------------------------------- the list */

static int least_of(const struct search *search)
{
    return search->session->options->least ? atoi(search->session->options->least) : LEAST;
}

static void put_list(struct search *search)
{
    const int least = least_of(search);
    while (search->nalike < search->npairs && search->pairs[search->nalike].percent >= least)
        search->nalike++;
    for (size_t i = 0; i < search->nalike && i < LISTED; i++) {
        const struct alike_pair *pair = &search->pairs[i];
        printf("%3d %%  %5ld tokens  ", pair->percent, pair->common);
        put_name(search->names[pair->a], NAME_COLUMNS);
        put_name(search->names[pair->b], NAME_COLUMNS);
        putchar('\n');
    }
    if (search->nalike > LISTED)
        printf("and %zu more\n", search->nalike - LISTED);
    printf("%s%zu text%s, %zu pair%s at least %d %% alike beyond what the skeleton or many others have.\n",
           search->nalike ? "\n" : "", search->count, search->count == 1 ? "" : "s", search->nalike,
           search->nalike == 1 ? "" : "s", least);
    if (search->nalike)
        puts("That two are alike proves nothing: look at them before you speak.");
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

static void put_pair(struct json *json, const struct alike_pair *pair)
{
    json_line(json);
    json_object(json, NULL);
    json_integer(json, "a", pair->a);
    json_integer(json, "b", pair->b);
    json_integer(json, "percent", pair->percent);
    json_integer(json, "tokens", pair->common);
    json_list(json, "runs");
    for (size_t i = 0; i < pair->nruns; i++) {
        const struct alike_run *run = &pair->runs[i];
        const uint32_t places[] = {run->a_from, run->a_to, run->b_from, run->b_to};
        json_list(json, NULL);
        for (int k = 0; k < 4; k++)
            json_integer(json, NULL, places[k]);
        json_end_list(json);
    }
    json_end_list(json);
    json_end_object(json);
}

/* How many pairs fit on a page, with their texts; those are marked. */
static size_t choose_texts(const struct search *search, bool *is_shown)
{
    size_t bytes = 0, pairs = 0;
    for (; pairs < search->nalike && pairs < SHOWN; pairs++) {
        const uint32_t both[] = {search->pairs[pairs].a, search->pairs[pairs].b};
        for (int k = 0; k < 2; k++)
            bytes += is_shown[both[k]] ? 0 : strlen(search->texts[both[k]].text);
        if (bytes > MOST_PAGE)
            break;
        is_shown[both[0]] = is_shown[both[1]] = true;
    }
    return pairs;
}

static char *make_json(const struct search *search, const char *title)
{
    char *text = NULL;
    size_t size;
    bool *is_shown = calloc(search->count + 1, sizeof *is_shown);
    struct json json = {.file = is_shown ? open_memstream(&text, &size) : NULL};
    const size_t pairs = is_shown ? choose_texts(search, is_shown) : 0;
    if (!json.file) {
        free(is_shown);
        return NULL;
    }
    json_object(&json, NULL);
    json_text(&json, "kind", "similar");
    json_text(&json, "title", title);
    json_integer(&json, "least", least_of(search));
    json_integer(&json, "count", (int64_t)search->count);
    json_integer(&json, "alike", (int64_t)search->nalike);
    json_list(&json, "pairs");
    for (size_t i = 0; i < pairs; i++)
        put_pair(&json, &search->pairs[i]);
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
    return text;
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
    const bool is_done = pages_save(path, title, json, "Pairs of submissions, side by side.");
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
    free(search->skeleton);
    free(search->runs);
    free(search->pairs);
    course_free(&search->course);
}

enum outcome similar_run(struct session *session)
{
    struct search search = {.session = session};
    bool is_done = open_class(&search) && session_make_folder(session) && find_pairs(&search);
    if (is_done) {
        put_list(&search);
        is_done = save_page(&search);
    }
    if (!is_done)
        fprintf(stderr, "grade: %s\n", session->error);
    close_search(&search);
    return is_done ? OUTCOME_GRADED : OUTCOME_OURS;
}
