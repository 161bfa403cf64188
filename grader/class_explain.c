/* class_explain.c - pages that explain stages, for students' pages: see class_page.h.
 * Each is made by ./grade explain in a process of its own, from the text that the store has: submissions are compiled and run where
 * they always are, in the sandbox. What is there already stays, unless the stage was graded again. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/class_page.h"
#include "grader/crew.h"
#include "grader/explain.h"
#include "grader/files.h"
#include "grader/put.h"
#include "grader/self.h"

void class_explained_name(const struct class_page *page, const struct course_member *member,
                          const struct record_stage *stage, char *out, size_t size)
{
    char file[PAGES_NAME];
    pages_file_name(page->salt, member->id, file);
    snprintf(out, size, "%.*s.%.60s.html", (int)(strlen(file) - strlen(".html")), file, stage->id);
}

bool class_is_explained(const struct class_page *page, const struct course_member *member,
                        const struct record_stage *stage)
{
    char name[PAGES_NAME + 80], path[GRADE_PATH + 300];
    struct stat made;
    long long begun;
    class_explained_name(page, member, stage, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", page->folder, name);
    return stat(path, &made) == 0 && course_read_time(member->record->begun, &begun) &&
           made.st_mtime >= (time_t)begun;
}

/* ------------------------------------------------------------------------------------------- one at a time */

struct task {
    const struct course_member *member;
    const struct record_stage *stage;
};

struct explaining {
    struct class_page *page;
    struct task *tasks;
    int count, done;
};

/* Where a piece has its file, and what ./grade says of it. */
static void name_places(const struct explaining *all, int piece, char *folder, char *log, size_t size)
{
    snprintf(folder, size, "%s/explain-%d", all->page->session->folder, piece);
    snprintf(log, size, "%s/explain-%d.log", all->page->session->folder, piece);
}

static bool write_text(const struct explaining *all, const struct task *task, const char *folder,
                       const char *path)
{
    size_t size;
    struct store store = all->page->store;
    void *text = store_get_text(&store, task->member->record->hash, &size);
    const bool is_done = text && mkdir(folder, 0700) == 0 && files_write(path, text, size);
    free(text);
    return is_done;
}

static void work(void *context, int piece, int place, FILE *out)
{
    const struct explaining *all = context;
    const struct task *task = &all->tasks[piece];
    const struct record_environment *where = task->member->environment;
    const char *lab = all->page->course.lab;
    char folder[GRADE_PATH + 60], log[GRADE_PATH + 60], source[GRADE_PATH + 120], name[PAGES_NAME + 80],
        html[GRADE_PATH + 300], words[300] = "";
    (void)place;
    name_places(all, piece, folder, log, sizeof log);
    snprintf(source, sizeof source, "%s/%s.cu", folder, lab);
    class_explained_name(all->page, task->member, task->stage, name, sizeof name);
    snprintf(html, sizeof html, "%s/%s", all->page->folder, name);
    const bool is_virtual = strcmp(where->backend, "virtual") == 0;
    const char *argv[] = {"explain",
                          lab,
                          "--stage",
                          task->stage->id,
                          "--file",
                          source,
                          "--html",
                          html,
                          is_virtual ? "--gpu" : "--virtual",
                          is_virtual ? where->gpu : NULL,
                          NULL};
    char back[PAGES_NAME];
    pages_file_name(all->page->salt, task->member->id, back);
    setenv(EXPLAIN_BACK, back, 1);
    unlink(html);
    if (!write_text(all, task, folder, source))
        fputs("its text cannot be had", out);
    else if (self_run(&all->page->session->kit, argv, log) != 0 || access(html, R_OK) != 0) {
        self_last_line(log, words, sizeof words);
        fputs(*words ? words : "no page came of it", out);
    }
    files_remove_tree(folder);
}

static bool done(void *context, int piece, const char *bytes, size_t count, bool is_whole)
{
    struct explaining *all = context;
    const struct task *task = &all->tasks[piece];
    char name[PAGES_NAME + 80];
    class_explained_name(all->page, task->member, task->stage, name, sizeof name);
    printf("%3d of %d  ", ++all->done, all->count);
    put_name(task->member->name, 24);
    if (is_whole && !count)
        printf("%-14s %s\n", task->stage->id, name);
    else
        printf("%-14s no page: %.*s\n", task->stage->id, (int)(count < 160 ? count : 160),
               bytes ? bytes : "");
    fflush(stdout);
    all->page->failed += !is_whole || count;
    return true;
}

/* ------------------------------------------------------------------------------------------- all */

static bool is_wanted(const struct class_page *page, const struct course_member *member,
                      const struct record_stage *stage)
{
    const bool is_lost = stage->points < stage->most;
    return (is_lost || strcmp(page->session->options->explain, "all") == 0) && *member->record->hash &&
           strcmp(member->record->status, record_status_names[RECORD_BUILD_FAILED]) != 0 &&
           strcmp(member->record->status, record_status_names[RECORD_REFUSED]) != 0 &&
           !class_is_explained(page, member, stage);
}

static void list_tasks(struct explaining *all, const struct course_member *const *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct record *record = members[i]->record;
        for (size_t s = 0; record && s < record->nstages; s++)
            if (is_wanted(all->page, members[i], &record->stages[s]))
                all->tasks[all->count++] = (struct task){members[i], &record->stages[s]};
    }
}

bool class_explain(struct class_page *page, const struct course_member *const *members, size_t count)
{
    const struct options *options = page->session->options;
    struct explaining all = {.page = page};
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most += members[i]->record ? members[i]->record->nstages : 0;
    int *pieces = calloc(most + 1, sizeof *pieces);
    all.tasks = calloc(most + 1, sizeof *all.tasks);
    bool is_done = pieces && all.tasks;
    if (is_done)
        list_tasks(&all, members, count);
    for (int i = 0; is_done && i < all.count; i++)
        pieces[i] = i;
    const struct crew crew = {.size = options->jobs ? atoi(options->jobs) : page->session->cores,
                              .work = work,
                              .done = done,
                              .is_stopped = sandbox_is_stopped,
                              .context = &all};
    if (is_done && all.count)
        is_done = crew_run(&crew, pieces, all.count);
    free(pieces);
    free(all.tasks);
    return is_done || session_fail(page->session, "Stages could not be explained: %s.", strerror(errno));
}
