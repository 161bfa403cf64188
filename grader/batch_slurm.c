/* batch_slurm.c - a batch over the machines of a Slurm cluster: an array of tasks, each of which is a batch over a part of the class,
 * by the same code, into a folder of its own; what they find is taken over into the store.
 *
 * The folder of submissions, the results and the kit must lie where all machines see them. Results outrank what Slurm says: a part is
 * done when its file `finished` is there. A part whose tasks are gone without that is given to Slurm again; it goes on from what
 * its own store has. So a task that is lost, repeated or killed costs time, and nothing else. What an earlier batch has left behind
 * is taken over before anything is given out. */
#define _GNU_SOURCE
#include "grader/batch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/busy.h"
#include "grader/files.h"
#include "grader/recorded.h"

enum { CHUNK = 20, TRIES = 3, POLL_MS = 500, POLLS_PER_LOOK = 6, LOOKS_BEFORE_LOST = 2, MOST_WORDS = 64 };
extern char **environ;

struct part {
    int *pieces; /* into the intake */
    int count;
    bool is_done;
};

struct cluster {
    struct batch *batch;
    char run[GRADE_PATH + 60]; /* this batch's folder of parts */
    struct part *parts;
    int nparts;
    char job[60]; /* Slurm's number of the array; "": none */
};

/* ------------------------------------------------------------------------------------------- programs */

/* What a program prints, up to `size`. False: it could not be started, or ended with something else than 0. */
static bool ask(char *const argv[], char *out, size_t size)
{
    int ends[2], status = 0;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got = 1; !error && got > 0 && used + 1 < size; used += got > 0 ? (size_t)got : 0)
        got = read(ends[0], out + used, size - 1 - used);
    close(ends[0]);
    out[used] = '\0';
    while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    errno = error;
    return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ------------------------------------------------------------------------------------------- parts */

static void name_in(const struct cluster *cluster, int part, const char *end, char *out, size_t size)
{
    snprintf(out, size, "%s/%d%s", cluster->run, part, end);
}

static bool write_list(const struct cluster *cluster, int index)
{
    const struct part *part = &cluster->parts[index];
    char path[GRADE_PATH + 120], *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    for (int i = 0; i < part->count; i++) /* names may hold anything but a NUL */
        fwrite(cluster->batch->intake.list[part->pieces[i]].source, 1,
               strlen(cluster->batch->intake.list[part->pieces[i]].source) + 1, file);
    name_in(cluster, index, ".list", path, sizeof path);
    const bool is_done = fclose(file) == 0 && files_write(path, text, size);
    free(text);
    return is_done;
}

static bool divide(struct cluster *cluster)
{
    struct batch *batch = cluster->batch;
    const int chunk = batch->session->options->chunk ? atoi(batch->session->options->chunk) : CHUNK;
    int todo = 0;
    for (size_t i = 0; i < batch->intake.count; i++)
        todo += batch->is_todo[i];
    cluster->nparts = (todo + chunk - 1) / chunk;
    cluster->parts = calloc((size_t)cluster->nparts + 1, sizeof *cluster->parts);
    bool is_done = cluster->parts;
    for (size_t i = 0, k = 0; is_done && i < batch->intake.count; i++) {
        if (!batch->is_todo[i])
            continue;
        struct part *part = &cluster->parts[k++ / (size_t)chunk];
        if (!part->pieces)
            part->pieces = calloc((size_t)chunk, sizeof *part->pieces);
        is_done = part->pieces;
        if (part->pieces)
            part->pieces[part->count++] = (int)i;
    }
    for (int i = 0; is_done && i < cluster->nparts; i++)
        is_done = write_list(cluster, i);
    return is_done ||
           session_fail(batch->session, "%s cannot be written: %s.", cluster->run, strerror(errno));
}

/* ------------------------------------------------------------------------------------------- the job */

/* In single quotes, whatever is in it. */
static void put_quoted(FILE *file, const char *text)
{
    fputs(" '", file);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, file);
    putc('\'', file);
}

static void put_option(FILE *file, const char *name, const char *value)
{
    if (!value)
        return;
    fprintf(file, " --%s", name);
    put_quoted(file, value);
}

/* What a task runs: this batch's own options, over its part. */
static bool write_script(const struct cluster *cluster)
{
    const struct session *session = cluster->batch->session;
    const struct options *options = session->options;
    char path[GRADE_PATH + 120], program[GRADE_PATH + 20], *text = NULL,
                                                           *folder = realpath(options->names[0], NULL);
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file || !folder)
        return false;
    snprintf(program, sizeof program, "%s/grade", session->kit.root);
    fputs("#!/bin/sh\nexec", file);
    put_quoted(file, program);
    fprintf(file, " batch %s", options->lab);
    put_quoted(file, folder);
    put_option(file, "stage", options->stage);
    put_option(file, "gpu", options->gpu);
    fputs(options->is_virtual && !options->gpu ? " --virtual" : "", file);
    fputs(options->is_audit ? " --audit" : "", file);
    fputs(options->needs_no_sandbox ? " --no-sandbox" : "", file);
    put_option(file, "out", cluster->run);
    fputs("/$SLURM_ARRAY_TASK_ID", file);
    put_option(file, "list", cluster->run);
    fputs("/$SLURM_ARRAY_TASK_ID.list -j ${SLURM_CPUS_PER_TASK:-1}\n", file);
    free(folder);
    snprintf(path, sizeof path, "%s/job.sh", cluster->run);
    const bool is_done = fclose(file) == 0 && files_write(path, text, size);
    free(text);
    return is_done;
}

/* "0,3,4": the parts that are not done. */
static void list_missing(const struct cluster *cluster, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < cluster->nparts; i++) {
        if (!cluster->parts[i].is_done && used + 16 < size)
            used += (size_t)snprintf(out + used, size - used, "%s%d", used ? "," : "", i);
    }
}

static bool submit(struct cluster *cluster)
{
    struct session *session = cluster->batch->session;
    char array[8192] = "--array=", output[GRADE_PATH + 120], script[GRADE_PATH + 120];
    char *more = strdup(session->options->sbatch_args ? session->options->sbatch_args : ""), *rest = more;
    char *argv[MOST_WORDS + 8] = {"sbatch", "--parsable", "--requeue", array, output};
    int count = 5;
    list_missing(cluster, array + strlen(array), sizeof array - strlen(array));
    snprintf(output, sizeof output, "--output=%s/%%a.log", cluster->run);
    snprintf(script, sizeof script, "%s/job.sh", cluster->run);
    for (char *word; rest && (word = strsep(&rest, " ")) && count < MOST_WORDS;) {
        if (*word)
            argv[count++] = word;
    }
    argv[count] = script;
    const bool is_done = more && ask(argv, cluster->job, sizeof cluster->job);
    cluster->job[strcspn(cluster->job, ";\n")] = '\0';
    free(more);
    return is_done ||
           session_fail(session, errno == ENOENT ? "There is no sbatch here: --slurm wants Slurm's commands."
                                                 : "sbatch has refused the job: its words are above.");
}

static void cancel(const struct cluster *cluster)
{
    char ignored[200], *argv[] = {"scancel", "--quiet", (char *)(uintptr_t)cluster->job, NULL};
    if (*cluster->job)
        ask(argv, ignored, sizeof ignored);
}

/* Tasks of the job that wait or run; -1: Slurm does not say. */
static int count_alive(const struct cluster *cluster, int *running)
{
    static char text[1 << 16];
    char *argv[] = {"squeue", "-h", "-r", "-o", "%T", "-j", (char *)(uintptr_t)cluster->job, NULL};
    int alive = 0;
    *running = 0;
    if (!ask(argv, text, sizeof text))
        return strcmp(text, "") == 0 ? 0 : -1; /* a job that is long gone is unknown to squeue */
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        alive++;
        *running += strncmp(at, "RUNNING", 7) == 0;
    }
    return alive;
}

/* ------------------------------------------------------------------------------------------- what they found */

static int find_piece(const struct batch *batch, const char *source)
{
    for (size_t i = 0; i < batch->intake.count; i++) {
        if (strcmp(batch->intake.list[i].source, source) == 0)
            return (int)i;
    }
    return -1;
}

/* A report lies beside its part's results. */
static void move_reports(const struct batch *batch, const char *folder)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, NULL, NULL);
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(names[i]->d_name);
        char from[GRADE_PATH + 600], to[GRADE_PATH + 600];
        snprintf(from, sizeof from, "%s/%s", folder, names[i]->d_name);
        snprintf(to, sizeof to, "%s/%s", batch->out, names[i]->d_name);
        if (length > 5 && strcmp(names[i]->d_name + length - 5, ".json") == 0)
            rename(from, to);
        free(names[i]);
    }
    free(names);
}

static bool take_one(struct batch *batch, struct store *from, struct record *record,
                     const struct record_environment *environment, bool is_leftover)
{
    const int piece = find_piece(batch, record->source);
    size_t size;
    if (piece < 0 ||
        (is_leftover && store_has(&batch->course.content, environment, record->source, record->hash)))
        return true;
    void *text = *record->hash ? store_get_text(from, record->hash, &size) : NULL;
    const struct intake_submission *one = &batch->intake.list[piece];
    const bool is_done = record_set(&record->student, one->student) &&
                         (!text || store_put_text(&batch->store, record->hash, text, size)) &&
                         store_put(&batch->store, environment, record);
    free(text);
    if (is_done)
        recorded_put_line(record, NULL, false);
    return is_done || session_fail(batch->session, "%s", batch->store.error);
}

/* Nobody writes there any more. is_leftover: perhaps it was taken over before. */
static bool take_part(struct batch *batch, const char *folder, bool is_leftover)
{
    struct store from;
    struct store_content content;
    store_name(&from, folder);
    if (!store_exists(&from))
        return true;
    bool is_done = store_load(&from, &content) || session_fail(batch->session, "%s", from.error);
    for (size_t i = 0; i < content.nrecords && is_done; i++)
        is_done = take_one(batch, &from, &content.records[i], &content.environments[i], is_leftover);
    store_content_free(&content);
    move_reports(batch, folder);
    return is_done && batch_reload(batch);
}

static bool is_finished(const char *folder)
{
    char path[GRADE_PATH + 400];
    snprintf(path, sizeof path, "%s/finished", folder);
    return access(path, F_OK) == 0;
}

static bool take_finished(struct cluster *cluster, int *left)
{
    bool is_fine = true;
    *left = 0;
    for (int i = 0; i < cluster->nparts && is_fine; i++) {
        struct part *part = &cluster->parts[i];
        char folder[GRADE_PATH + 120];
        name_in(cluster, i, "", folder, sizeof folder);
        if (!part->is_done && is_finished(folder)) {
            is_fine = take_part(cluster->batch, folder, false);
            part->is_done = true;
            cluster->batch->done += part->count;
        }
        *left += !part->is_done;
    }
    return is_fine;
}

/* Parts of an earlier batch that was broken off: what is finished is as good as our own. */
static bool take_leftovers(struct batch *batch, const char *parts)
{
    struct dirent **runs = NULL;
    const int count = scandir(parts, &runs, NULL, alphasort);
    bool is_fine = true;
    for (int i = 0; i < count; i++) {
        char run[GRADE_PATH + 300];
        snprintf(run, sizeof run, "%s/%s", parts, runs[i]->d_name);
        for (int p = 0; is_fine && *runs[i]->d_name != '.' && p < 10000; p++) {
            char folder[GRADE_PATH + 340];
            snprintf(folder, sizeof folder, "%s/%d", run, p);
            if (access(folder, F_OK) != 0)
                break;
            is_fine = !is_finished(folder) || take_part(batch, folder, true);
        }
        free(runs[i]);
    }
    free(runs);
    return is_fine;
}

/* ------------------------------------------------------------------------------------------- waiting */

static void show(const struct cluster *cluster, int alive, int running)
{
    busy_about("%d of %d", cluster->batch->done, cluster->batch->todo);
    busy_doing("job %s: %d tasks run, %d wait", cluster->job, running, alive - running);
    busy_turn(NULL, false);
}

/* Until all is finished, or no task is left. Twice: Slurm may be a moment behind. */
static bool wait_for(struct cluster *cluster, int *left)
{
    const struct timespec tick = {.tv_nsec = POLL_MS * 1000000L};
    int alive = 1, running = 0, lost = 0;
    bool is_fine = take_finished(cluster, left);
    for (int polls = 0; is_fine && *left && !sandbox_is_stopped() && lost < LOOKS_BEFORE_LOST; polls++) {
        nanosleep(&tick, NULL);
        if (polls % POLLS_PER_LOOK == POLLS_PER_LOOK - 1) {
            alive = count_alive(cluster, &running);
            lost = alive == 0 ? lost + 1 : 0;
        }
        show(cluster, alive, running);
        is_fine = take_finished(cluster, left);
    }
    busy_turn(NULL, true);
    return is_fine;
}

/* Whoever has no grade after all tries was not graded by our fault. */
static void find_ours(struct batch *batch)
{
    for (size_t i = 0; i < batch->intake.count; i++) {
        size_t at;
        const struct record *record = store_find(&batch->course.content, batch->intake.list[i].source, &at);
        batch->is_ours[i] =
            batch->is_todo[i] && (!record || strcmp(record->status, record_status_names[RECORD_ERROR]) == 0);
        batch->ours += batch->is_ours[i];
    }
}

static bool run_cluster(struct cluster *cluster)
{
    int left = 1;
    bool is_fine = divide(cluster) && write_script(cluster);
    for (int i = 0; i < TRIES && is_fine && left && cluster->nparts && !sandbox_is_stopped(); i++) {
        if (i)
            printf("%d part%s of the class got lost: once more\n", left, left == 1 ? "" : "s");
        fflush(stdout);
        is_fine = submit(cluster) && wait_for(cluster, &left);
        cancel(cluster); /* a task that was held or requeued has nothing left to do */
    }
    for (int i = 0; i < cluster->nparts && is_fine && left; i++) {
        char folder[GRADE_PATH + 120];
        name_in(cluster, i, "", folder, sizeof folder);
        is_fine = cluster->parts[i].is_done || take_part(cluster->batch, folder, false);
    }
    return is_fine;
}

bool batch_slurm(struct batch *batch)
{
    struct cluster cluster = {.batch = batch};
    char parts[GRADE_PATH + 20];
    snprintf(parts, sizeof parts, "%.2500s/slurm", batch->out);
    char *whole = files_make_folder(parts) ? realpath(parts, NULL) : NULL;
    if (!whole)
        return session_fail(batch->session, "%s cannot be made: %s.", parts, strerror(errno));
    snprintf(cluster.run, sizeof cluster.run, "%.2500s/%lld-%d", whole, (long long)time(NULL), (int)getpid());
    bool is_fine = take_leftovers(batch, whole) && batch_choose(batch);
    for (size_t i = 0; i < batch->intake.count; i++)
        batch->todo += batch->is_todo[i];
    if (is_fine && !files_make_folder(cluster.run))
        is_fine = session_fail(batch->session, "%s cannot be made: %s.", cluster.run, strerror(errno));
    is_fine = is_fine && run_cluster(&cluster);
    if (is_fine && !sandbox_is_stopped())
        files_remove_tree(whole);
    find_ours(batch);
    for (int i = 0; i < cluster.nparts; i++)
        free(cluster.parts[i].pieces);
    free(cluster.parts);
    free(whole);
    return is_fine;
}
