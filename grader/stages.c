/* stages.c - runs the scout and the judges, a process per stage, and keeps what they say with its stage.
 * Scouts hold student code: isolated, and nothing of theirs is used but a trace. Judges hold none, but read what a submission
 * made: they are isolated too, and see what they are asked about and nothing else.
 * Stages run side by side; a GPU measures one at a time. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/wrap.h"
#include "grader/busy.h"
#include "grader/clues.h"
#include "grader/files.h"
#include "grader/scout.h"

#define MOST_SOURCE ((size_t)4 << 20)

enum { MOST_WORDS = 32, WORD = GRADE_PATH + 100, GPU_LIMIT_S = 100, CPU_LIMIT_S = 500, MOST_SHOWN = 4000 };
#define MOST_TRACE ((size_t)64 << 20)

/* A command line, the memory of its words, and those of them that name files which the program reads. */
struct command_line {
    char words[MOST_WORDS][WORD];
    char *argv[MOST_WORDS + 1];
    int count;
    const char *visible[MOST_WORDS + 2];
    int nvisible;
};

static void add_word(struct command_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_word(struct command_line *line, const char *format, ...)
{
    va_list list;
    if (line->count == MOST_WORDS)
        return;
    va_start(list, format);
    vsnprintf(line->words[line->count], WORD, format, list);
    va_end(list);
    line->argv[line->count] = line->words[line->count];
    line->argv[++line->count] = NULL;
}

/* The last word is a file's path: the sandbox shows the file. */
static void show_word(struct command_line *line)
{
    line->visible[line->nvisible++] = line->argv[line->count - 1];
}

/* What is shared by a round of processes, one per stage, and one more for its time. */
enum { ROUND_JOBS = 2 * GRADE_STAGES };
struct round {
    struct grading *grading;
    struct stages_cell *cells; /* NULL: the round is about grading->stages */
    int rows[ROUND_JOBS];      /* of the jobs in either */
    struct command_line *lines;
    struct sandbox_job jobs[ROUND_JOBS];
    struct sandbox_result results[ROUND_JOBS];
    bool measures[ROUND_JOBS]; /* the job is about a time alone */
    int count;
    bool is_doubtful;            /* a scout ended as if the kit had failed */
    bool is_again;               /* what was measured is measured once more */
    bool is_large[GRADE_STAGES]; /* by row: a judge has left the timed case */
};

static void tell_finished(struct grading *grading)
{
    while (grading->next_shown < grading->nstages && grading->stages[grading->next_shown].is_done) {
        const struct stage_result *result = &grading->stages[grading->next_shown++];
        if (grading->on_stage)
            grading->on_stage(grading, result);
    }
    if (grading->next_shown < grading->nstages)
        busy_doing("judging %s", grading->stages[grading->next_shown].stage->id);
}

static bool open_round(struct round *round, struct grading *grading)
{
    *round = (struct round){.grading = grading};
    round->lines = calloc(ROUND_JOBS, sizeof *round->lines);
    return round->lines || grading_fail(grading, OUTCOME_OURS, "Out of memory.");
}

static void close_round(struct round *round)
{
    for (int i = 0; i < round->count; i++)
        sandbox_free(&round->results[i]);
    free(round->lines);
}

static void run_round(struct round *round, int parallel, sandbox_done *done)
{
    sandbox_run_growing(&round->grading->session->sandbox, round->jobs, round->results, &round->count,
                        parallel, done, round);
}

/* ------------------------------------------------------------------------------------------- scouts */

static void describe_stage(struct stage_result *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void describe_stage(struct stage_result *stage, const char *format, ...)
{
    va_list list;
    char *text = NULL;
    va_start(list, format);
    if (vasprintf(&text, format, list) >= 0 && !stage->trouble)
        stage->trouble = text;
    else
        free(text);
    va_end(list);
}

/* The last bytes that a program printed. */
static const char *tail(const char *text, size_t size)
{
    return !text ? "" : size > MOST_SHOWN ? text + size - MOST_SHOWN : text;
}

/* How the virtual GPU begins to speak of its limits. */
static const char a_limit[] = "limit of the virtual GPU";

static const char use_less_memory[] =
    "Host code may use 2 GB of memory: allocate less, or give back what is no longer needed.";
static const char look_at_loops[] =
    "This is about the function that launches the kernel, not about the kernel: look at its "
    "loops. Memory copied back to the host holds zeros while it is recorded.";

/* Endings of host code: what they are a symptom of, and what to do. Of the rows for one ending the first counts whose words
 * the program has said. */
static const struct {
    enum sandbox_end end;
    const char *words; /* NULL: any */
    enum lab_symptom symptom;
    const char *hint;
} endings[] = {
    {SANDBOX_ASLEEP, NULL, LAB_ENDLESS, look_at_loops},
    {SANDBOX_CPU, NULL, LAB_ENDLESS, look_at_loops},
    {SANDBOX_MEMORY, NULL, LAB_STOPPED,
     "Allocate less, and start fewer processes: host code may use 3 GB of memory in all."},
    {SANDBOX_FLOOD, NULL, LAB_STOPPED, "Take the printing out of the function that launches the kernel."},
    {SANDBOX_SIGNAL, SCOUT_NO_MEMORY, LAB_STOPPED, use_less_memory},
    {SANDBOX_SIGNAL, "std::bad_alloc", LAB_STOPPED, use_less_memory},
    {SANDBOX_SIGNAL, "device pointer used on the host", LAB_STOPPED,
     "Only kernels and copies may follow device pointers: what the host needs of them is copied first."},
    {SANDBOX_SIGNAL, NULL, LAB_STOPPED,
     "This is about the function that launches the kernel, not about the kernel: look for an index or a "
     "pointer that is wrong there. Memory copied back to the host holds zeros while it is recorded."},
    {SANDBOX_EXITED, NULL, LAB_STOPPED, "An entry point returns to its caller; it must not end the program."},
};

/* hint: NULL: the table's. */
static void end_stage(struct grading *grading, struct stage_result *stage, enum lab_symptom symptom,
                      const char *hint)
{
    score_failed(grading->session->lab, stage->stage, symptom, hint, stage->trouble, &stage->score);
    stage->is_done = true;
}

static void score_ending(struct grading *grading, struct stage_result *stage, enum sandbox_end end,
                         const char *said)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (endings[i].end != end || (endings[i].words && !strstr(said, endings[i].words)))
            continue;
        end_stage(grading, stage, endings[i].symptom, endings[i].hint);
        return;
    }
}

/* CHECK() prints why and ends with 1. */
static bool is_by_check(const struct sandbox_result *result)
{
    return result->end == SANDBOX_EXITED && result->status == 1 && result->err_bytes;
}

/* That a case finds no room is the fault of cases before it: alone, all of them fit. */
static bool explain_words(struct grading *grading, struct stage_result *stage, const char *said)
{
    if (strncmp(said, "scout: ", 7) != 0 || !strstr(said, "do not fit"))
        return false;
    describe_stage(stage, "Device memory ran out: %s() keeps what it allocates.", stage->stage->entry);
    end_stage(grading, stage, LAB_LAUNCH,
              "Give back with cudaFree() what the entry point gets from cudaMalloc().");
    return true;
}

/* What the program said, with the student's name for the file. NULL: no memory. */
static char *words_of(const struct grading *grading, const struct sandbox_result *result)
{
    char compiled[60], named[sizeof grading->shown + 1];
    snprintf(compiled, sizeof compiled, "%s.cu:", grading->session->entry->id);
    snprintf(named, sizeof named, "%s:", grading->shown);
    return files_substitute(tail(result->err, result->err_bytes), compiled, named);
}

static void explain_end(struct grading *grading, struct stage_result *stage,
                        const struct sandbox_result *result, const char *said)
{
    char how[300];
    sandbox_describe(result, &sandbox_scout, how, sizeof how);
    if (result->end == SANDBOX_FAILED || result->end == SANDBOX_STOPPED) {
        grading_fail(grading, OUTCOME_OURS, "The scout %s.", how);
        return;
    }
    if (result->end == SANDBOX_EXITED && explain_words(grading, stage, said))
        return;
    score_ending(grading, stage, result->end, said);
    if (is_by_check(result)) {
        describe_stage(stage, "%s", said);
        end_stage(grading, stage, strstr(said, a_limit) ? LAB_LIMIT : LAB_LAUNCH, NULL);
    } else {
        describe_stage(stage, "The host code of %s() %s.%s%s", stage->stage->entry, how, *said ? "\n" : "",
                       said);
    }
}

static void explain_scout(struct grading *grading, struct stage_result *stage,
                          const struct sandbox_result *result)
{
    char *said = words_of(grading, result);
    explain_end(grading, stage, result, said ? said : "");
    free(said);
}

/* The trace came through a pipe; a submission can write anything into it, and nothing beside it. */
static bool take_trace(struct grading *grading, const char *name, const struct sandbox_result *result)
{
    char path[WORD];
    snprintf(path, sizeof path, "%s/%s.trace", grading->safe, name);
    if (result->end != SANDBOX_EXITED || result->status != 0 || result->product_error ||
        !result->report_bytes)
        return false;
    return files_give(path, result->report, result->report_bytes) ||
           grading_fail(grading, OUTCOME_OURS, "%s cannot be written: %s.", path, strerror(errno));
}

/* So ends a scout that fails itself, or that somebody kills; but so can a submission end it as well. */
static bool is_doubtful(const struct sandbox_result *result)
{
    return (result->end == SANDBOX_EXITED && result->status == 2) ||
           (result->end == SANDBOX_SIGNAL && result->status == SIGKILL);
}

static void scout_done(void *context, int job, struct sandbox_result *result)
{
    struct round *round = context;
    struct stage_result *stage = &round->grading->stages[round->rows[job]];
    round->is_doubtful = round->is_doubtful || is_doubtful(result);
    if (result->out_bytes)
        stage->printed = strdup(tail(result->out, result->out_bytes));
    if (take_trace(round->grading, stage->stage->id, result))
        return;
    if (result->end == SANDBOX_EXITED && result->status == 0) {
        describe_stage(stage, "The program ended before %s() had returned.", stage->stage->entry);
        score_ending(round->grading, stage, SANDBOX_EXITED, "");
        return;
    }
    explain_scout(round->grading, stage, result);
}

/* The kit's own host code, run the same way: if that fails, no submission is to blame. */
static void check_scouts(struct grading *grading)
{
    char program[WORD], how[300];
    snprintf(program, sizeof program, "%s/kit/baseline-scout", grading->session->folder);
    char *argv[] = {program, "--baseline", "--source", "baseline.cu", "--out", "control.trace", NULL};
    const char *visible[] = {program, NULL};
    const struct sandbox_job job = {.profile = &sandbox_scout,
                                    .argv = argv,
                                    .folder = grading->box,
                                    .visible = visible,
                                    .product = "control.trace"};
    struct sandbox_result result;
    sandbox_run(&grading->session->sandbox, &job, &result, 1, 1, NULL, NULL);
    sandbox_describe(&result, &sandbox_scout, how, sizeof how);
    if (!result.report_bytes)
        grading_fail(grading, OUTCOME_OURS, "The kit's own host code cannot be recorded: the scout %s.", how);
    sandbox_free(&result);
}

/* Two names where another step's function stands in the stage's place. */
static void name_trace(const struct lab_stage *stage, const struct lab_stage *step, char *out, size_t size)
{
    if (step == stage)
        snprintf(out, size, "%.90s", stage->id);
    else
        snprintf(out, size, "%.90s.%.90s", stage->id, step->id);
}

static void add_scout(struct round *round, int row, const struct lab_stage *stage,
                      const struct lab_stage *step, const char *const *visible)
{
    struct grading *grading = round->grading;
    struct command_line *line = &round->lines[round->count];
    char name[200];
    name_trace(stage, step, name, sizeof name);
    add_word(line, "%s", visible[0]);
    add_word(line, "--stage");
    add_word(line, "%s", stage->id);
    add_word(line, "--step");
    add_word(line, "%s", step->id);
    add_word(line, "--source");
    add_word(line, "%s.cu", grading->session->entry->id);
    add_word(line, "--shown");
    add_word(line, "%s", grading->shown);
    add_word(line, "--draw");
    add_word(line, "%llu", (unsigned long long)grading->seed);
    add_word(line, "--out");
    add_word(line, "%s.trace", name);
    round->jobs[round->count] = (struct sandbox_job){.profile = &sandbox_scout,
                                                     .argv = line->argv,
                                                     .folder = grading->box,
                                                     .visible = visible,
                                                     .product = line->argv[line->count - 1]};
    round->rows[round->count++] = row;
}

bool stages_scout(struct grading *grading)
{
    struct round round;
    char program[WORD];
    snprintf(program, sizeof program, "%s/scout", grading->safe);
    const char *visible[] = {program, NULL};
    if (!open_round(&round, grading))
        return false;
    for (int i = 0; i < grading->nstages; i++) {
        if (grading->stages[i].is_wanted)
            add_scout(&round, i, grading->stages[i].stage, grading->stages[i].stage, visible);
        else
            grading->stages[i].is_done = true;
    }
    run_round(&round, grading->session->cores, scout_done);
    if (round.is_doubtful)
        check_scouts(grading);
    close_round(&round);
    tell_finished(grading);
    return !grading->trouble;
}

/* ------------------------------------------------------------------------------------------- judges */

/* Options of the judge that name files of the kit or of this grading. */
static void fill_files(struct command_line *line, const struct grading *grading,
                       const struct stages_question *question)
{
    char trace[210], kit[GRADE_PATH + 10], source[40];
    snprintf(source, sizeof source, "%s.cu", grading->session->entry->id);
    name_trace(question->stage, question->step, trace, sizeof trace);
    strcat(trace, ".trace");
    snprintf(kit, sizeof kit, "%s/kit", grading->session->folder);
    const struct {
        const char *option, *folder, *name;
    } files[] = {{"--lab", kit, "lab.so"},
                 {"--source", grading->safe, source},
                 {"--trace", grading->safe, trace},
                 {"--fatbin", grading->safe, "fatbin"},
                 {"--baseline-trace", kit, "baseline.trace"},
                 {"--baseline-fatbin", kit, "baseline.fatbin"},
                 {"--kits", kit, "kits"}};
    add_word(line, "%s/%s", kit, question->is_on_gpu ? "judge-gpu" : "judge-virtual");
    show_word(line);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        add_word(line, "%s", files[i].option);
        add_word(line, "%s/%s", files[i].folder, files[i].name);
        show_word(line);
    }
}

static void fill_question(struct command_line *line, const struct grading *grading,
                          const struct stages_question *question)
{
    const struct session *session = grading->session;
    fill_files(line, grading, question);
    add_word(line, "--stage");
    add_word(line, "%s", question->stage->id);
    add_word(line, "--seed");
    add_word(line, "%llu", (unsigned long long)grading->seed);
    add_word(line, "--shown");
    add_word(line, "%s", grading->shown);
    add_word(line, "--limit");
    add_word(line, "%d", question->is_on_gpu ? GPU_LIMIT_S : CPU_LIMIT_S);
    if (question->has_no_check)
        add_word(line, "--no-check");
    if (question->is_brief)
        add_word(line, "--brief");
    if (question->is_ahead && !question->is_on_gpu)
        add_word(line, "--ahead");
    if (question->leaves_large && !question->is_on_gpu)
        add_word(line, "--leave-large");
    if (question->is_explained) {
        add_word(line, "--explain");
        add_word(line, "%d", question->columns ? question->columns : wrap_columns(STDOUT_FILENO));
        if (question->is_profiled)
            add_word(line, "--profile");
    }
    if (question->needed > 0) {
        add_word(line, "--needed");
        add_word(line, "%.0f", question->needed);
    }
    if (session->options->is_audit && !question->is_on_gpu)
        add_word(line, "--audit");
    if (!question->is_on_gpu) {
        add_word(line, "--gpu");
        add_word(line, "%s", question->model ? question->model : session->model);
    }
}

static const struct sandbox_profile *profile_for(const struct grading *grading,
                                                 const struct stages_question *question)
{
    return !question->is_on_gpu            ? &sandbox_judge
           : grading->session->is_gpu_bare ? &sandbox_bare_gpu
                                           : &sandbox_gpu;
}

static void add_question(struct round *round, int row, const struct stages_question *question,
                         char **environment)
{
    struct command_line *line = &round->lines[round->count];
    const struct grading *grading = round->grading;
    fill_question(line, grading, question);
    round->jobs[round->count] = (struct sandbox_job){.profile = profile_for(grading, question),
                                                     .argv = line->argv,
                                                     .visible = line->visible,
                                                     .environment = environment,
                                                     .has_report = true};
    round->rows[round->count++] = row;
}

/* The compiler saw a copy of the submission: its path becomes the student's name for it. Other names that the submission makes
 * up for its lines lose the folder, which is another one each time. */
static void rename_in(const struct grading *grading, char *field, size_t size)
{
    char copy[GRADE_PATH + 80], folder[GRADE_PATH + 2];
    snprintf(copy, sizeof copy, "%s/%s.cu", grading->box, grading->session->entry->id);
    snprintf(folder, sizeof folder, "%s/", grading->box);
    const char *const names[][2] = {{copy, grading->shown}, {folder, ""}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = strstr(field, names[i][0]) ? files_substitute(field, names[i][0], names[i][1]) : NULL;
        if (text)
            snprintf(field, size, "%s", text);
        free(text);
    }
}

/* In JSON the submission is called lab3.cu, whatever its name: that needs no escapes. */
static void rename_profile(const struct grading *grading, struct verdict_message *message)
{
    char folder[GRADE_PATH + 2];
    snprintf(folder, sizeof folder, "%s/", grading->box);
    char *text = files_substitute(message->text, folder, "");
    if (text) {
        free(message->text);
        message->text = text;
    }
}

static void rename_source(const struct grading *grading, struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->ncases; i++)
        rename_in(grading, verdict->cases[i].text, sizeof verdict->cases[i].text);
    for (uint32_t i = 0; i < verdict->nmessages; i++) {
        struct verdict_message *one = &verdict->messages[i];
        rename_in(grading, one->place, sizeof one->place);
        if (strcmp(one->severity, VERDICT_PROFILED) == 0 || strcmp(one->severity, VERDICT_MOMENT) == 0)
            rename_profile(grading, one);
        else
            rename_in(grading, one->text, strlen(one->text) + 1);
    }
}

/* A verdict that is not whole is our failure, and says why. */
static struct verdict *read_verdict(const struct grading *grading, const struct sandbox_result *result,
                                    const struct sandbox_profile *profile)
{
    char how[300];
    FILE *file = result->report_bytes ? fmemopen(result->report, result->report_bytes, "r") : NULL;
    struct verdict *verdict = file ? verdict_read(file) : verdict_new();
    if (file)
        fclose(file);
    if (verdict)
        rename_source(grading, verdict);
    if (!verdict || (verdict->is_complete && !*verdict->failure))
        return verdict;
    sandbox_describe(result, profile, how, sizeof how);
    if (!*verdict->failure || (result->end != SANDBOX_EXITED && !verdict->is_complete))
        snprintf(verdict->failure, sizeof verdict->failure, "%s %.150s.", profile->name, how);
    return verdict;
}

struct verdict *stages_ask(struct grading *grading, const struct stages_question *question)
{
    struct round round;
    if (!open_round(&round, grading))
        return NULL;
    add_question(&round, 0, question, NULL);
    run_round(&round, 1, NULL);
    struct verdict *verdict = read_verdict(grading, &round.results[0], round.jobs[0].profile);
    close_round(&round);
    return verdict;
}

bool stages_ask_all(struct grading *grading, const struct stages_question *questions, int count,
                    struct verdict **verdicts)
{
    struct round round;
    char *alone[] = {"VGPU_THREADS=1", NULL};
    if (!open_round(&round, grading))
        return false;
    for (int i = 0; i < count; i++)
        add_question(&round, i, &questions[i], alone);
    run_round(&round, grading->session->cores, NULL);
    for (int i = 0; i < count; i++)
        verdicts[i] = read_verdict(grading, &round.results[i], round.jobs[i].profile);
    close_round(&round);
    return !sandbox_is_stopped();
}

/* What the text tells goes before the hint for such results, and after what a checker has found. */
static void look_at_text(const struct grading *grading, struct stage_result *stage)
{
    struct score *score = &stage->score;
    const bool is_about_values = score->symptom == LAB_WRONG || score->symptom == LAB_EDGE;
    const bool is_about_step = score->symptom == LAB_CONCEPT || score->symptom == LAB_SLOW;
    char path[GRADE_PATH + 400], clue[250], hint[sizeof score->hint];
    size_t size;
    if (!is_about_values && !is_about_step)
        return;
    snprintf(path, sizeof path, "%s/%s.cu", grading->safe, grading->session->entry->id);
    char *source = (char *)files_read(path, MOST_SOURCE, false, &size);
    snprintf(path, sizeof path, "%s/common/lab/skeletons/%s/%s.cu", grading->session->kit.root,
             grading->session->entry->folder, grading->session->entry->id);
    char *skeleton = (char *)files_read(path, MOST_SOURCE, true, &size);
    if (source && is_about_values && clues_find_unset(source, stage->stage, score->hint, sizeof score->hint))
        lab_name_first(score->fault ? score->fault->text : "", score->hint, sizeof score->hint);
    else if (source && skeleton &&
             clues_find_other_kernel(source, skeleton, grading->session->lab, stage->stage, clue,
                                     sizeof clue)) {
        memcpy(hint, score->hint, sizeof hint);
        snprintf(score->hint, sizeof score->hint, "%s %.300s", clue, hint);
    }
    free(skeleton);
    free(source);
}

static void conclude(struct grading *grading, struct stage_result *stage)
{
    if (!stage->verdict || *stage->verdict->failure)
        grading_fail(grading, OUTCOME_OURS, "Stage %s could not be judged: %s", stage->stage->id,
                     stage->verdict ? stage->verdict->failure : "out of memory.");
    else {
        score_stage(grading->session->lab, stage->stage, stage->verdict, &stage->score);
        look_at_text(grading, stage);
    }
    stage->is_done = true;
}

bool stages_are_apart(const struct session *session, const struct lab_stage *stage)
{
    return session->has_gpu || !strcmp(session->model, REFERENCE_GPU) ||
           lab_is_apart_on(stage, session->model);
}

/* By another clock than that of the judge that looked at the results. */
static bool is_measured_later(const struct grading *grading, const struct stage_result *stage)
{
    return grading->backend == SCORE_GPU || !stages_are_apart(grading->session, stage->stage);
}

/* Only right results are worth a measurement, where there is something to compare them with. */
static bool is_worth_measuring(const struct grading *grading, const struct stage_result *stage)
{
    return verdict_is_right(stage->verdict) && lab_baseline(grading->session->lab, stage->stage) &&
           (grading->backend == SCORE_GPU || stage->verdict->time.is_known);
}

/* By the GPU, or the virtual one for which the thresholds were made. */
static void add_measurement(struct round *round, int row)
{
    struct grading *grading = round->grading;
    struct stage_result *stage = &grading->stages[row];
    const double *needed = verdict_counter(stage->verdict, "needed_bytes");
    const struct stages_question question = {.stage = stage->stage,
                                             .step = stage->stage,
                                             .is_on_gpu = grading->backend == SCORE_GPU,
                                             .model = REFERENCE_GPU,
                                             .has_no_check = true,
                                             .needed = needed ? *needed : 0};
    if (!question.is_on_gpu && !round->is_again)
        stage->here = stage->verdict->time;
    round->measures[round->count] = true;
    stage->is_measured = true;
    add_question(round, row, &question, NULL);
}

/* The time of another judge replaces that of the verdict, where it is an estimate. */
static void take_time(struct verdict *verdict, struct verdict *measured)
{
    verdict->time.is_known = false;
    if (measured)
        verdict_join(verdict, measured);
    verdict_free(measured);
}

/* What straddles a threshold is measured a second time. */
static void measured(void *context, int job, struct sandbox_result *result)
{
    struct round *round = context;
    struct grading *grading = round->grading;
    struct stage_result *stage = &grading->stages[round->rows[job]];
    take_time(stage->verdict, read_verdict(grading, result, round->jobs[job].profile));
    conclude(grading, stage);
    stage->is_done = round->is_again || !stage->score.is_generous;
    tell_finished(grading);
}

static void judge_done(void *context, int job, struct sandbox_result *result)
{
    struct round *round = context;
    struct grading *grading = round->grading;
    struct stage_result *stage = &grading->stages[round->rows[job]];
    if (round->measures[job]) {
        measured(context, job, result);
        return;
    }
    if (result->end == SANDBOX_CPU) {
        describe_stage(stage, "The kernels of %s() had not ended after %d s.", stage->stage->entry,
                       sandbox_judge.cpu_s);
        end_stage(grading, stage, LAB_ENDLESS, NULL);
        tell_finished(grading);
        return;
    }
    stage->verdict = read_verdict(grading, result, &sandbox_judge);
    if (stage->verdict && stage->verdict->is_large) {
        round->is_large[round->rows[job]] = true;
        verdict_free(stage->verdict);
        stage->verdict = NULL;
        return;
    }
    if (!is_measured_later(grading, stage) || !stage->verdict || *stage->verdict->failure)
        conclude(grading, stage);
    else if (grading->backend == SCORE_GPU && is_worth_measuring(grading, stage))
        add_measurement(round, round->rows[job]); /* the GPU need not wait for other stages' results */
    tell_finished(grading);
}

/* Stages whose timed case takes a gigabyte: one after the other, however many are graded side by side. */
static void judge_large(struct grading *grading, const bool *is_large)
{
    for (int i = 0; i < grading->nstages && !sandbox_is_stopped(); i++) {
        const struct lab_stage *stage = grading->stages[i].stage;
        const struct stages_question question = {.stage = stage, .step = stage};
        struct round round;
        if (!is_large[i] || !open_round(&round, grading))
            continue;
        const int lock = session_lock_memory(grading->session, true);
        add_question(&round, i, &question, NULL);
        if (!sandbox_is_stopped())
            run_round(&round, 1, judge_done);
        close_round(&round);
        if (lock >= 0)
            close(lock);
    }
}

bool stages_judge(struct grading *grading)
{
    struct round round;
    char *alone[] = {"VGPU_THREADS=1", NULL};
    int parallel = grading->session->cores;
    if (!open_round(&round, grading))
        return false;
    for (int i = 0; i < grading->nstages; i++) {
        const struct lab_stage *stage = grading->stages[i].stage;
        struct stages_question question = {.stage = stage,
                                           .step = stage,
                                           .is_ahead = round.count == 0 && grading->session->cores > 1,
                                           .leaves_large = true};
        if (!grading->stages[i].is_done) /* the first one is waited for: it may use all cores */
            add_question(&round, i, &question, round.count > 0 ? alone : NULL);
    }
    run_round(&round, parallel, judge_done);
    judge_large(grading, round.is_large);
    close_round(&round);
    return !grading->trouble;
}

/* ------------------------------------------------------------------------------------------- another clock */

/* To get ready takes a GPU's judge five times as long as to measure: the others do so while one has the device. */
static bool measure_round(struct grading *grading, bool is_again)
{
    enum { MOST_READY = 4 };
    const int cores = grading->session->cores;
    struct round round;
    if (!open_round(&round, grading))
        return false;
    round.is_again = is_again;
    for (int i = 0; i < grading->nstages; i++)
        if (!grading->stages[i].is_done && (is_again || !grading->stages[i].is_measured))
            add_measurement(&round, i);
    run_round(&round, grading->backend == SCORE_GPU ? smaller_of(cores, (int)MOST_READY) : 1, measured);
    close_round(&round);
    return !grading->trouble;
}

bool stages_measure(struct grading *grading)
{
    for (int i = 0; i < grading->nstages; i++)
        if (!grading->stages[i].is_done && !grading->stages[i].is_measured &&
            !is_worth_measuring(grading, &grading->stages[i]))
            conclude(grading, &grading->stages[i]);
    tell_finished(grading);
    return measure_round(grading, false) && (sandbox_is_stopped() || measure_round(grading, true));
}

/* ------------------------------------------------------------------------------------------- every step in one slot */

static void cell_recorded(void *context, int job, struct sandbox_result *result)
{
    struct round *round = context;
    struct stages_cell *cell = &round->cells[round->rows[job]];
    char name[200];
    name_trace(cell->stage, cell->step, name, sizeof name);
    cell->is_recorded = take_trace(round->grading, name, result);
    if (!cell->is_recorded)
        snprintf(cell->trouble, sizeof cell->trouble, "%.*s",
                 (int)strcspn(result->err ? result->err : "", "\n"), result->err ? result->err : "");
}

static void cell_judged(void *context, int job, struct sandbox_result *result)
{
    struct round *round = context;
    round->cells[round->rows[job]].verdict = read_verdict(round->grading, result, round->jobs[job].profile);
}

static bool record_cells(struct grading *grading, struct stages_cell *cells, int count)
{
    struct round round;
    char program[WORD];
    snprintf(program, sizeof program, "%s/scout", grading->safe);
    const char *visible[] = {program, NULL};
    if (!sandbox_own(&grading->session->sandbox, grading->box) || !open_round(&round, grading))
        return false;
    round.cells = cells;
    for (int i = 0; i < count; i++)
        add_scout(&round, i, cells[i].stage, cells[i].step, visible);
    run_round(&round, grading->session->cores, cell_recorded);
    close_round(&round);
    return true;
}

static bool judge_cells(struct grading *grading, struct stages_cell *cells, int count)
{
    struct round round;
    char *alone[] = {"VGPU_THREADS=1", NULL};
    if (!open_round(&round, grading))
        return false;
    round.cells = cells;
    for (int i = 0; i < count; i++) {
        struct stages_question question = {.stage = cells[i].stage, .step = cells[i].step};
        question.is_brief = cells[i].step != cells[i].stage;
        if (cells[i].is_recorded)
            add_question(&round, i, &question, alone);
    }
    run_round(&round, grading->session->cores, cell_judged);
    close_round(&round);
    return true;
}

bool stages_record_cells(struct grading *grading, struct stages_cell *cells, int count)
{
    return record_cells(grading, cells, count) && !sandbox_is_stopped();
}

bool stages_fill_cells(struct grading *grading, struct stages_cell *cells, int count)
{
    return record_cells(grading, cells, count) && judge_cells(grading, cells, count) && !sandbox_is_stopped();
}

void stages_measure_cell(struct grading *grading, struct stages_cell *cell, const char *model)
{
    struct stages_question question = {
        .stage = cell->stage, .step = cell->step, .model = model, .has_no_check = true};
    const double *needed = verdict_counter(cell->verdict, "needed_bytes");
    question.is_on_gpu = grading->backend == SCORE_GPU;
    question.needed = needed ? *needed : 0;
    take_time(cell->verdict, stages_ask(grading, &question));
}
