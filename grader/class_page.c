/* class_page.c - ./grade page DIR: a class on a page for a browser, a page for each student, or the fastest of each stage.
 * All of it comes from the store of a batch; course/pages.h makes the pages. */
#define _GNU_SOURCE
#include "grader/class_page.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "grader/course/by_hand.h"
#include "grader/course/csv.h"
#include "grader/files.h"
#include "grader/recorded.h"
#include "page/page.h"

enum { MOST_NAMES = 1 << 20, MOST_STAGES = 64 };

/* ------------------------------------------------------------------------------------------- places */

static const char *folder_of(const struct class_page *page)
{
    return page->session->options->names[0];
}

/* Students' pages lie beside the class's. */
static void name_places(struct class_page *page)
{
    const struct options *options = page->session->options;
    if (options->output)
        snprintf(page->out, sizeof page->out, "%.2500s", options->output);
    else
        snprintf(page->out, sizeof page->out, "%.2500s/%s", folder_of(page),
                 options->is_leaderboard ? "board.html" : "class.html");
    const char *slash = strrchr(page->out, '/');
    snprintf(page->folder, sizeof page->folder, "%.*s%spages", slash ? (int)(slash - page->out) : 0,
             page->out, slash ? "/" : "");
}

static bool has_page(const struct pages *pages, const char *file)
{
    char path[GRADE_PATH + 300];
    snprintf(path, sizeof path, "%s/%s", pages->folder, file);
    return access(path, R_OK) == 0;
}

/* ------------------------------------------------------------------------------------------- the class's secret */

static bool make_salt(struct class_page *page)
{
    unsigned char bytes[PAGES_SALT / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return session_fail(page->session, "There are no random numbers: %s.", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(page->salt + 2 * i, 3, "%02x", bytes[i]);
    /* Results that nobody may write make a page all the same; only names of students' pages must be the same the next time. */
    if (!page->session->options->is_pages && access(page->store.path, W_OK) != 0)
        return true;
    return store_set(&page->store, "salt", page->salt) ||
           session_fail(page->session, "%s", page->store.error);
}

static bool find_salt(struct class_page *page)
{
    char *kept = store_get(&page->store, "salt");
    if (!kept)
        return session_fail(page->session, "%s", page->store.error);
    snprintf(page->salt, sizeof page->salt, "%s", kept);
    free(kept);
    return *page->salt || make_salt(page);
}

/* ------------------------------------------------------------------------------------------- pages */

static bool save(struct class_page *page, const char *path, const char *title, char *json, const char *plain)
{
    const bool is_saved = pages_save(path, title, json, plain);
    const int why = errno;
    free(json);
    return is_saved || session_fail(page->session, "%s cannot be written: %s.", path, strerror(why));
}

static size_t list_links(const struct class_page *page, const struct course_member *member,
                         struct pages_link *links, char (*names)[PAGES_NAME + 80])
{
    size_t count = 0;
    for (size_t i = 0; member->record && i < member->record->nstages && count < MOST_STAGES; i++) {
        const struct record_stage *stage = &member->record->stages[i];
        if (!class_is_explained(page, member, stage))
            continue;
        class_explained_name(page, member, stage, names[count], sizeof *names);
        links[count] = (struct pages_link){.text = "This stage explained: lines, accesses, step by step.",
                                           .href = names[count],
                                           .stage = stage->row};
        count++;
    }
    return count;
}

static bool save_student(struct class_page *page, const struct course_member *member)
{
    struct pages_link links[MOST_STAGES];
    char names[MOST_STAGES][PAGES_NAME + 80], file[PAGES_NAME], path[GRADE_PATH + 200], title[300],
        plain[200];
    const size_t count = list_links(page, member, links, names);
    pages_file_name(page->salt, member->id, file);
    snprintf(path, sizeof path, "%s/%s", page->folder, file);
    snprintf(title, sizeof title, "%.200s, %s", member->name, page->course.lab);
    snprintf(plain, sizeof plain, "%g of %ld points, bonus %g", member->points, page->course.most,
             member->bonus);
    return save(page, path, title, pages_student(&page->pages, member, links, count),
                member->has_grade ? plain : "No grade.");
}

/* Those that --only names, or all. To be freed; NULL: the session's error says why. */
static const struct course_member **choose_members(struct class_page *page, size_t *count)
{
    const struct course_member **list = calloc(page->course.nmembers + 1, sizeof *list);
    char why[500] = "Out of memory.";
    *count = 0;
    if (!list || !course_choose(&page->course, page->session->options->only, why, sizeof why)) {
        session_fail(page->session, "%s", why);
        free(list);
        return NULL;
    }
    for (size_t i = 0; i < page->course.nmembers; i++) {
        if (!page->course.members[i].is_left_out)
            list[(*count)++] = &page->course.members[i];
    }
    return list;
}

/* Whose page is which: for the instructor, beside what is published. */
static bool save_index(struct class_page *page)
{
    char path[GRADE_PATH + 200], file[PAGES_NAME], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return session_fail(page->session, "Out of memory.");
    fputs("student,name,email,page\n", out);
    for (size_t i = 0; i < page->course.nmembers; i++) {
        const struct course_member *one = &page->course.members[i];
        pages_file_name(page->salt, one->id, file);
        snprintf(path, sizeof path, "%s/%s", page->folder, file);
        if (access(path, F_OK) != 0)
            continue;
        csv_put(out, one->id, ',');
        csv_put(out, one->name, ',');
        csv_put(out, one->who ? one->who->email : "", ',');
        csv_put(out, file, '\n');
    }
    snprintf(path, sizeof path, "%s.csv", page->folder);
    const bool is_done = fclose(out) == 0 && files_replace(path, text, size);
    free(text);
    return is_done || session_fail(page->session, "%s cannot be written: %s.", path, strerror(errno));
}

/* "0123456789abcdef0123.html", and "0123456789abcdef0123.tiled.html" of the same. */
static bool is_of_class(const struct class_page *page, const char *name)
{
    char file[PAGES_NAME];
    bool is_one = false;
    for (size_t i = 0; i < page->course.nmembers && !is_one; i++) {
        pages_file_name(page->salt, page->course.members[i].id, file);
        is_one = strncmp(name, file, strcspn(file, ".") + 1) == 0;
    }
    return is_one;
}

/* Who copies the folder to publish it publishes no page of somebody who has left, or of an id that has changed. A folder elsewhere may
 * hold those of other classes. */
static void remove_old(const struct class_page *page)
{
    DIR *folder = page->session->options->output ? NULL : opendir(page->folder);
    size_t count = 0;
    for (struct dirent *one; folder && (one = readdir(folder));) {
        char path[GRADE_PATH + 300];
        snprintf(path, sizeof path, "%s/%.255s", page->folder, one->d_name);
        count += !is_of_class(page, one->d_name) && page_is_one(path) && unlink(path) == 0;
    }
    if (folder)
        closedir(folder);
    if (count)
        printf("%zu page%s of nobody in the class %s removed.\n", count, count == 1 ? "" : "s",
               count == 1 ? "is" : "are");
}

static bool save_students(struct class_page *page)
{
    size_t count;
    const struct course_member **list = choose_members(page, &count);
    /* One that is there may be others' as well: it stays as open as it is. */
    bool is_done = list && (files_make_folder(page->folder) ||
                            session_fail(page->session, "%s: %s.", page->folder, strerror(errno)));
    if (is_done && page->session->options->explain)
        is_done = class_explain(page, list, count);
    for (size_t i = 0; is_done && i < count; i++)
        is_done = save_student(page, list[i]);
    if (is_done)
        remove_old(page);
    is_done = is_done && save_index(page);
    free(list);
    if (is_done)
        printf("%zu student%s: %s/\n", count, count == 1 ? "'s page is in" : "s' pages are in", page->folder);
    return is_done;
}

static bool save_class(struct class_page *page)
{
    char title[300], *plain = pages_plain(&page->pages);
    snprintf(title, sizeof title, "%s, the class", page->course.lab);
    page->pages.has_page = has_page;
    page->pages.folder = page->folder;
    const bool is_done = save(page, page->out, title, pages_class(&page->pages), plain);
    free(plain);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the fastest */

/* One id a line; blank lines and those that begin with # say nothing. Points into the text. */
static struct pages_named *read_names(char *text, size_t *count)
{
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == '\n';
    struct pages_named *list = calloc(most, sizeof *list);
    *count = 0;
    for (char *rest = text, *line; list && (line = strsep(&rest, "\n"));) {
        line += strspn(line, " \t");
        size_t length = strlen(line);
        while (length && strchr(" \t\r", line[length - 1]))
            line[--length] = '\0';
        if (length && *line != '#')
            list[(*count)++].id = line;
    }
    return list;
}

static bool save_board(struct class_page *page)
{
    const char *path = page->session->options->named;
    char title[300], none[1] = "";
    size_t size, count;
    char *text = path ? (char *)files_read(path, MOST_NAMES, true, &size) : NULL;
    if (path && !text)
        return session_fail(page->session, "%s cannot be read: %s.", path, strerror(errno));
    struct pages_named *named = read_names(text ? text : none, &count);
    snprintf(title, sizeof title, "%s, the fastest", page->course.lab);
    const bool is_done = named && save(page, page->out, title, pages_board(&page->pages, named, count),
                                       "A table of speedups.");
    for (size_t i = 0; is_done && i < count; i++) {
        char *plain = named[i].is_known ? NULL : utf8_line(named[i].id);
        if (plain)
            printf("%s: nobody in the class has the id `%s`.\n", path, plain);
        free(plain);
    }
    free(named);
    free(text);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the command */

static bool check_sense(struct class_page *page)
{
    const struct options *options = page->session->options;
    if (options->is_anonymous && options->is_pages)
        return session_fail(page->session, "--anonymous and --pages: a student's page has a name.");
    if (options->is_leaderboard && (options->is_anonymous || options->is_pages))
        return session_fail(page->session, "--leaderboard makes one page, with names from --names alone.");
    if (options->named && !options->is_leaderboard)
        return session_fail(page->session, "--names is for --leaderboard.");
    if (options->explain && !options->is_pages)
        return session_fail(page->session, "--explain is for --pages.");
    if (options->explain && strcmp(options->explain, "lost") != 0 && strcmp(options->explain, "all") != 0)
        return session_fail(page->session, "--explain wants lost or all, not `%s`.", options->explain);
    return true;
}

static bool open_class(struct class_page *page)
{
    store_name(&page->store, folder_of(page));
    recorded_close(folder_of(page));
    if (store_is_built_in() && !store_exists(&page->store))
        return session_fail(
            page->session,
            "There are no results in %s. ./grade batch lab3 SUBMISSIONS --out RESULTS makes some.",
            folder_of(page));
    if (!by_hand_load_course(&page->course, &page->store))
        return session_fail(page->session, "%s", page->store.error);
    page->pages = (struct pages){.course = &page->course,
                                 .salt = page->salt,
                                 .is_anonymous = page->session->options->is_anonymous,
                                 .references = page->references,
                                 .measured = page->measured,
                                 .backend = "",
                                 .gpu = ""};
    return find_salt(page);
}

static bool make_pages(struct class_page *page)
{
    const struct options *options = page->session->options;
    class_find_references(page);
    if (options->is_leaderboard)
        return save_board(page);
    return (!options->is_pages || save_students(page)) && save_class(page);
}

enum outcome class_page_run(struct session *session)
{
    static struct class_page page;
    page = (struct class_page){.session = session};
    name_places(&page);
    const bool is_done =
        check_sense(&page) && session_make_folder(session) && open_class(&page) && make_pages(&page);
    if (is_done)
        printf("The page is %s.\n", page.out);
    else
        fprintf(stderr, "grade: %s\n", session->error);
    if (page.failed)
        printf("%d stage%s could not be explained: see above.\n", page.failed, page.failed == 1 ? "" : "s");
    course_free(&page.course);
    return is_done ? OUTCOME_GRADED : OUTCOME_OURS;
}
