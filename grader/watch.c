/* watch.c - ./grade watch lab3: grades the first stage that has points left, again at every save, and goes on when it is solved.
 * What is graded and kept is what `./grade lab3.2` would grade and keep. A save while a grading is at work ends that one: its
 * result would be of a file that is no more. Ctrl-C comes as a signal, ends what is at work, and leaves nothing behind. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "grader/busy.h"
#include "grader/files.h"
#include "grader/history.h"
#include "grader/progress.h"
#include "grader/put.h"
#include "grader/saves.h"
#include "grader/screen.h"

enum { INDENT = 6, WAIT_MS = 200, MOST_SOURCE = 4 << 20 };

struct watch {
    struct session *session;
    struct options options; /* the session's; the stage is the one at hand */
    bool is_pinned;         /* the command line has named it */
    bool is_kept;           /* these runs count */
    char path[GRADE_PATH + 600];
    struct saves saves;
    struct screen screen;
    struct history history;
    struct progress progress;
    char news[1200]; /* what the run before has brought; "": nothing */
    char below[700]; /* lines below the picture */
    char doing[200]; /* what was last said to be done */

    /* of the run at work */
    struct grading *grading;
    double begun_s;
    bool is_outdated;     /* the file was saved meanwhile */
    struct grading built; /* the run before, if it has built the text at hand; else empty */
};

/* ------------------------------------------------------------------------------------------- what is to be seen */

static const struct lab_stage *find_stage(const struct watch *watch)
{
    return watch->options.stage ? lab_find_stage(watch->session->lab, watch->options.stage) : NULL;
}

static void put_head(struct watch *watch)
{
    const struct session *session = watch->session;
    const struct lab_stage *stage = find_stage(watch);
    const struct progress *progress = &watch->progress;
    const char *name = strrchr(watch->path, '/');
    char head[80];
    if (stage)
        snprintf(head, sizeof head, "%s.%d  %s", session->lab->id, (int)(stage - session->lab->stages) + 1,
                 stage->id);
    else
        snprintf(head, sizeof head, "%s%s%s", session->lab->id, watch->options.stage ? "." : "",
                 watch->options.stage ? watch->options.stage : "");
    painted(BOLD, "%s", head);
    printf("  %s\n", stage ? stage->title : session->lab->title);
    put_words(INDENT, "%s, on %s%s; %d of %d points%s", name ? name + 1 : watch->path,
              session->has_gpu ? "" : "the virtual GPU as ", session->has_gpu ? session->gpu : session->model,
              progress->points, progress->most, watch->is_kept ? " so far" : "; these runs do not count");
    putchar('\n');
}

/* The moment of success, above the next stage. It stays until the file is saved again. */
static void put_news(const struct watch *watch)
{
    if (!*watch->news)
        return;
    paint(GREEN);
    put_text(watch->news, 0, 1000);
    paint(PLAIN);
    putchar('\n');
}

/* A new picture, or a new block of lines. */
static void begin_picture(struct watch *watch)
{
    screen_begin(&watch->screen);
    screen_take(&watch->screen);
    put_news(watch);
    put_head(watch);
    screen_give(&watch->screen);
}

/* In a pipe once; on a terminal in the place of what was said before. */
static void show_doing(struct watch *watch, const char *what)
{
    snprintf(watch->doing, sizeof watch->doing, "%.190s", what);
    snprintf(watch->below, sizeof watch->below, "     %s ...\n", watch->doing);
    screen_draw(&watch->screen, watch->below);
}

static void say_begun(struct watch *watch)
{
    show_doing(watch, watch->grading->is_built ? "judging" : "compiling");
    if (!watch->screen.is_terminal)
        fputs(watch->below, stdout);
    fflush(stdout);
}

static void show_stage(const struct grading *grading, const struct stage_result *result)
{
    struct watch *watch = grading->context;
    if (sandbox_is_stopped())
        return;
    screen_take(&watch->screen);
    report_stage(grading, result);
    screen_give(&watch->screen);
    screen_draw(&watch->screen, watch->below);
}

/* "7 of 30 points, 23 are missing." */
static void write_points(const struct watch *watch, char *out, size_t size)
{
    const struct totals totals = grading_totals(watch->grading);
    int points = 0, most = 0;
    for (int i = 0; i < watch->grading->nstages; i++) {
        const struct stage_result *one = &watch->grading->stages[i];
        const int all = one->is_wanted && !one->stage->is_given ? lab_stage_points(one->stage) : 0;
        points += all ? one->score.all.points : 0;
        most += all;
    }
    if (most == 0)
        snprintf(out, size, "     given: there is nothing to earn here\n");
    else if (totals.most && totals.bonus)
        snprintf(out, size, "     %d of %d points, and %d bonus points\n", totals.points, totals.most,
                 totals.bonus);
    else if (points == most)
        snprintf(out, size, "     %d of %d points: solved\n", points, most);
    else
        snprintf(out, size, "     %d of %d points, %d missing\n", points, most, most - points);
}

static void write_times(const struct watch *watch, char *out, size_t size)
{
    char steps[200] = "";
    if (watch->options.is_verbose)
        grade_write_times(watch->grading, steps, sizeof steps);
    snprintf(out, size, "     %.2f s, of which the compiler took %.2f s%s%s\n",
             saves_now_s() - watch->begun_s, watch->grading->compiler_s, *steps ? "\n     " : "", steps);
}

/* The end of a run: points, times, and what is awaited; all of it stays in sight on the smallest terminal. */
static void show_end(struct watch *watch, bool is_waiting)
{
    char points[200] = "", times[400];
    if (!watch->grading->trouble)
        write_points(watch, points, sizeof points);
    write_times(watch, times, sizeof times);
    snprintf(watch->below, sizeof watch->below, "\n%s%s%s", points, times,
             is_waiting ? "     waiting for the next save; Ctrl-C ends\n" : "");
    screen_draw(&watch->screen, watch->below);
    if (!watch->screen.is_terminal)
        printf("%s\n", watch->below);
    fflush(stdout);
}

/* What the compiler said, and what went wrong. */
static void put_words_of(struct watch *watch, bool is_kept)
{
    const int reason = errno;
    screen_take(&watch->screen);
    report_words(watch->grading);
    if (watch->grading->outcome == OUTCOME_OURS)
        put_words(INDENT - 1, "Error of the kit, no grade: %s",
                  watch->grading->trouble ? watch->grading->trouble : "");
    if (!is_kept)
        put_words(INDENT - 1, "These points could not be kept in %s: %s.", watch->session->kit.results,
                  strerror(reason));
    screen_give(&watch->screen);
}

/* ------------------------------------------------------------------------------------------- a run */

/* A seed is made of all bytes of a text. Who writes the same ones once more has changed nothing. */
static bool is_another_text(const struct watch *watch, uint64_t seed)
{
    size_t size;
    uint8_t *bytes = files_read(watch->path, MOST_SOURCE, true, &size);
    const bool is_another = bytes && sha256_seed(0, bytes, size) != seed;
    free(bytes);
    return is_another;
}

static void take_turn(void *context, bool is_over)
{
    struct watch *watch = context;
    if (is_over || sandbox_is_stopped())
        return;
    if (saves_look(&watch->saves) && is_another_text(watch, watch->grading->seed)) {
        watch->is_outdated = true;
        sandbox_cancel();
    }
    if (strcmp(busy_what(), watch->doing) != 0 || screen_is_stale(&watch->screen))
        show_doing(watch, busy_what());
}

/* Best points of this evening, also those of files that do not count. */
static void note_points(struct watch *watch)
{
    for (int i = 0; i < watch->grading->nstages; i++) {
        const struct stage_result *one = &watch->grading->stages[i];
        if (one->is_wanted && one->is_done)
            progress_raise(&watch->progress, one->stage->id, one->score.all.points);
    }
}

/* The stage to work on: the first with points left; when there is none, all of them. */
static void choose_stage(struct watch *watch)
{
    const struct progress_stage *next = watch->progress.next;
    if (!watch->is_pinned)
        watch->options.stage = next ? next->id : NULL;
}

/* "Solved: lab3.2 tiled, 30 of 30 points, 2.17x. Learned: ..." and what comes now. */
static void write_news(struct watch *watch, const struct stage_result *solved)
{
    const struct progress_stage *next = watch->progress.next;
    char speed[60] = "", learned[900] = "";
    *watch->news = '\0';
    if (solved) {
        char times[32];
        lab_write_times(solved->score.speedup, times, sizeof times);
        if (solved->score.has_speedup)
            snprintf(speed, sizeof speed, ", %s", times);
        if (solved->stage->learned)
            snprintf(learned, sizeof learned, "\nLearned: %s", solved->stage->learned);
        snprintf(watch->news, sizeof watch->news, "Solved: %s.%d %s, %d of %d points%s.%s",
                 watch->session->lab->id, solved->row, solved->stage->id, solved->score.all.points,
                 solved->score.all.most, speed, learned);
    }
    const size_t used = strlen(watch->news);
    if (!watch->is_pinned)
        snprintf(watch->news + used, sizeof watch->news - used, "%s%s", used ? "\n" : "",
                 !next  ? "All stages are solved. This is the whole lab."
                 : used ? "This is the next one."
                        : "");
}

/* What the run has solved; NULL: nothing. */
static const struct stage_result *find_solved(const struct watch *watch)
{
    for (int i = 0; i < watch->grading->nstages; i++) {
        const struct stage_result *one = &watch->grading->stages[i];
        if (one->is_wanted && one->is_done && one->score.all.most &&
            one->score.all.points == one->score.all.most)
            return one;
    }
    return NULL;
}

/* Of a stage that stays, and that the next picture does not tell about. */
static void put_learned(struct watch *watch, const struct stage_result *solved)
{
    screen_take(&watch->screen);
    if (solved && watch->is_pinned && solved->stage->learned)
        put_words(INDENT - 1, "Learned: %s", solved->stage->learned);
    report_held(watch->grading);
    screen_give(&watch->screen);
}

/* True: the run has solved the stage at hand, and there is another one to look at. */
static bool conclude(struct watch *watch)
{
    const char *now = watch->options.stage;
    const struct stage_result *solved = watch->grading->nstages == 1 ? find_solved(watch) : NULL;
    if (!watch->grading->trouble)
        note_points(watch);
    const bool is_kept = one_keep(watch->grading);
    put_words_of(watch, is_kept);
    put_learned(watch, solved);
    choose_stage(watch);
    const bool goes_on = watch->options.stage != now;
    show_end(watch, !goes_on);
    if (goes_on)
        write_news(watch, solved);
    return goes_on;
}

/* Another stage of the same text needs no compiler. */
static void build_on(struct watch *watch, struct grading *grading)
{
    const struct grading *built = &watch->built;
    grading->is_built = *built->box && !is_another_text(watch, built->seed);
    if (grading->is_built) {
        memcpy(grading->box, built->box, sizeof grading->box);
        memcpy(grading->safe, built->safe, sizeof grading->safe);
        grading->seed = built->seed;
        grading->warnings = built->warnings ? strdup(built->warnings) : NULL;
    }
    watch->grading = grading;
}

static void keep_built(struct watch *watch, struct grading *grading, bool is_whole)
{
    grading_free(&watch->built);
    if (is_whole)
        watch->built = *grading;
    else
        grading_free(grading);
}

/* True: there is something to grade at once, a newer text or the next stage. */
static bool grade_now(struct watch *watch)
{
    struct grading grading = {.on_stage = show_stage, .context = watch};
    bool goes_on = true;
    build_on(watch, &grading);
    watch->is_outdated = false;
    begin_picture(watch);
    say_begun(watch);
    sandbox_on_turn(take_turn, watch);
    grade_submission(&grading, watch->session, watch->path);
    sandbox_on_turn(NULL, NULL);
    if (watch->is_outdated) {
        sandbox_resume();
        if (!watch->screen.is_terminal)
            puts("     saved again: this run is given up\n");
        watch->begun_s = watch->saves.begun_s;
    } else if (!sandbox_is_stopped()) {
        goes_on = conclude(watch);
        watch->begun_s = saves_now_s();
    }
    keep_built(watch, &grading, goes_on && !watch->is_outdated && !grading.trouble);
    watch->grading = NULL;
    return goes_on;
}

/* ------------------------------------------------------------------------------------------- the command */

static void say_gone(struct watch *watch)
{
    snprintf(watch->below, sizeof watch->below,
             "     %s is gone or cannot be read: waiting for it; Ctrl-C ends\n", watch->saves.name);
    screen_draw(&watch->screen, watch->below);
    if (!watch->screen.is_terminal)
        fputs(watch->below, stdout);
    fflush(stdout);
}

/* False: the program is told to end, or nobody reads it any more. */
static bool wait_for_save(struct watch *watch)
{
    bool is_gone = false;
    while (!sandbox_is_stopped() && screen_has_reader(&watch->screen)) {
        if (saves_look(&watch->saves)) {
            watch->begun_s = watch->saves.begun_s;
            return true;
        }
        if (!is_gone && watch->saves.is_pending && !watch->saves.seen.can_read &&
            saves_now_s() - watch->saves.last_s > 0.5) {
            is_gone = true;
            say_gone(watch);
        }
        if (screen_is_stale(&watch->screen))
            screen_draw(&watch->screen, watch->below);
        saves_wait(&watch->saves, WAIT_MS);
    }
    return false;
}

/* Points of other files say nothing of this one. */
static void load_points(struct watch *watch)
{
    char path[GRADE_PATH];
    snprintf(path, sizeof path, "%s/%s.history", watch->session->kit.results, watch->session->entry->id);
    if (watch->is_kept && !history_load(&watch->history, path))
        fprintf(stderr, "grade: %s cannot be read: %s.\n", path, strerror(errno));
    report_damage(path, &watch->history);
    progress_find(&watch->progress, watch->session->lab, &watch->history);
}

static enum outcome refuse(const struct watch *watch)
{
    if (watch->options.file)
        fprintf(stderr,
                "grade: There is no file %s that can be read: save one there first, or leave --file out.\n",
                watch->path);
    else
        fprintf(stderr,
                "grade: There is no file %s that can be read: ./grade reset %s puts the skeleton there.\n",
                watch->path, watch->session->entry->id);
    return OUTCOME_STUDENT;
}

static void follow(struct watch *watch)
{
    bool goes_on = true;
    screen_open(&watch->screen);
    choose_stage(watch);
    write_news(watch, NULL);
    while (goes_on) {
        while (grade_now(watch) && !sandbox_is_stopped() && screen_has_reader(&watch->screen))
            continue;
        goes_on = wait_for_save(watch);
        write_news(watch, NULL);
    }
    screen_close(&watch->screen);
}

enum outcome watch_run(struct session *session)
{
    static struct watch watch;
    watch = (struct watch){.session = session,
                           .options = *session->options,
                           .is_pinned = session->options->stage != NULL,
                           .is_kept = options_are_for_points(session->options)};
    busy_close();
    session_find_source(session, watch.path, sizeof watch.path);
    saves_open(&watch.saves, watch.path);
    const bool is_there = saves_can_read(&watch.saves);
    watch.begun_s = saves_now_s();
    session->options = &watch.options;
    load_points(&watch);
    if (is_there)
        follow(&watch);
    saves_close(&watch.saves);
    grading_free(&watch.built);
    history_free(&watch.history);
    return is_there ? OUTCOME_GRADED : refuse(&watch);
}
