/* hint.c - ./grade hint lab3.3: help with one stage in small steps, by what was found in the student's own file.
 * Three levels: a nudge and a question; the line or the counter; what to do next, and where it is explained. How far a student
 * has come is a line in build/results/labN.hints; another kind of problem begins from the first. What is said comes from the
 * lab's table, from the checkers and from the student's file: nothing here knows a solution. No points are given. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/explain.h"
#include "grader/files.h"
#include "grader/history.h"
#include "grader/place.h"
#include "grader/put.h"

enum { LEVELS = 3, INDENT = 2, MOST_LINES = 12, FEW_LINES = 5, MOST_KEPT = 1 << 16 };
enum { MOST_HANDOUT = 1 << 22, MOST_TEXT = 1 << 26 };

/* What is to be helped with. */
struct problem {
    struct grading *grading;
    struct stage_result *result;
    bool is_unbuilt; /* the file could not be compiled or linked: no stage was looked at */
    bool has_cause;  /* the likely cause is told as well */
    char kind[80];   /* "build", "race", "concept:barriers"; another one is another problem */
};

static const struct score_bound *first_missed(const struct score *score)
{
    for (int i = 0; i < LAB_BOUNDS && score->bounds[i].bound; i++)
        if (!score->bounds[i].holds)
            return &score->bounds[i];
    return NULL;
}

static void name_kind(struct problem *problem)
{
    const struct score *score = &problem->result->score;
    const struct score_bound *missed = score->symptom == LAB_CONCEPT ? first_missed(score) : NULL;
    snprintf(problem->kind, sizeof problem->kind, "%s%s%s",
             problem->is_unbuilt ? "build" : lab_symptom_name(score->symptom), missed ? ":" : "",
             missed ? missed->bound->counter : "");
}

/* ------------------------------------------------------------------------------------------- the level that was reached */

/* A line for each stage: "padded concept:shared_load_wavefronts 2". Lines that cannot be read count as none. */
static void name_kept(const struct session *session, char *out, size_t size)
{
    snprintf(out, size, "%s/%s.hints", session->kit.results, session->entry->id);
}

static char *read_kept(const struct session *session)
{
    char path[GRADE_PATH];
    size_t size;
    name_kept(session, path, sizeof path);
    return (char *)files_read(path, MOST_KEPT, true, &size);
}

static bool is_line_of(const char *line, const char *stage)
{
    const size_t length = strlen(stage);
    return strncmp(line, stage, length) == 0 && line[length] == ' ';
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static int kept_level(const struct session *session, const struct problem *problem)
{
    char *text = read_kept(session), kind[sizeof problem->kind];
    int found = 0, level = 0;
    for (const char *line = text ? text : ""; *line; line = next_line(line))
        if (is_line_of(line, problem->result->stage->id) &&
            sscanf(strchr(line, ' '), " %79s %d", kind, &level) == 2 && !strcmp(kind, problem->kind))
            found = level;
    free(text);
    return found < 0 ? 0 : found > LEVELS ? LEVELS : found;
}

/* level 0: the stage is solved, and its line goes. */
static bool keep_level(const struct session *session, const struct problem *problem, int level)
{
    char path[GRADE_PATH], *old = read_kept(session), *text = NULL;
    const char *stage = problem->result->stage->id;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (const char *line = old ? old : ""; file && *line; line = next_line(line))
        if (!is_line_of(line, stage))
            fprintf(file, "%.*s\n", (int)strcspn(line, "\n"), line);
    if (file && level)
        fprintf(file, "%s %s %d\n", stage, problem->kind, level);
    free(old);
    name_kept(session, path, sizeof path);
    const bool is_kept = file && fclose(file) == 0 && files_make_private(session->kit.results) &&
                         files_replace(path, text, size);
    free(text);
    return is_kept;
}

/* ------------------------------------------------------------------------------------------- where more is written */

/* "No bank conflicts": the title of "## 3. No bank conflicts (TODO 2)". "": there is none. */
static void find_title(const struct session *session, int section, char *out, size_t size)
{
    char path[GRADE_PATH + 300], head[20];
    size_t bytes;
    snprintf(path, sizeof path, "%s/handouts/%s.md", session->kit.root, session->entry->folder);
    snprintf(head, sizeof head, "## %d. ", section);
    char *text = (char *)files_read(path, MOST_HANDOUT, true, &bytes);
    *out = '\0';
    for (const char *line = text ? text : ""; *line && !*out; line = next_line(line)) {
        if (strncmp(line, head, strlen(head)) != 0)
            continue;
        const char *title = line + strlen(head);
        const char *todo = strstr(title, " (TODO");
        const size_t length = strcspn(title, "\n");
        const bool is_shorter = todo && (size_t)(todo - title) < length;
        snprintf(out, size, "%.*s", (int)(is_shorter ? (size_t)(todo - title) : length), title);
    }
    free(text);
}

static void put_section(const struct problem *problem)
{
    const struct session *session = problem->grading->session;
    const int section = problem->result->stage->todo.section;
    char title[200];
    if (!section)
        return;
    find_title(session, section, title, sizeof title);
    const bool has_end = *title && strchr(".?!", title[strlen(title) - 1]);
    put_words(INDENT, "Read: handouts/%s.md, section %d%s%s%s", session->entry->folder, section,
              *title ? ": " : "", title, has_end ? "" : ".");
}

/* The first line of the student's text with these words, from 1; 0: none. A number is not the begin of a longer one. */
static int find_line(const struct grading *grading, const char *words)
{
    char path[GRADE_PATH + 80];
    size_t size;
    int line = 0, found = 0;
    snprintf(path, sizeof path, "%s/%s.cu", grading->safe, grading->session->entry->id);
    char *text = (char *)files_read(path, MOST_TEXT, false, &size);
    for (const char *at = text ? text : ""; *at && !found; at = next_line(at)) {
        const char *hit = memmem(at, strcspn(at, "\n"), words, strlen(words));
        const char behind = hit ? hit[strlen(words)] : '\0';
        line++;
        if (hit && (behind < '0' || behind > '9'))
            found = line;
    }
    free(text);
    return found;
}

/* ------------------------------------------------------------------------------------------- where the time goes */

struct told_line {
    unsigned number;
    char file[100]; /* "lab3.cu", or a header's name */
};

/* What ./grade explain says, in parts. "" or 0: it does not say it. */
struct told {
    double share; /* of the stage's time, by all launches of the kernel that the rest is about */
    unsigned long long launches; /* of that kernel */
    double us, without_us;       /* of its longest launch, as it is and without the limit */
    char limit[400];             /* "Limited by the banks of shared memory, busy 58 % of the time." */
    struct told_line line;       /* the most expensive one */
    int percent;                 /* of the time of all warps */
    char wait[120];              /* "mostly waiting for memory" */
    struct told_line bad_line;   /* the most expensive with an access that takes more than it must */
    char bad[200];               /* "shared load of `tile`: 32.0 passes a request, 1.0 would do" */
    char pipeline[1200];         /* where the time goes, where it is not the kernels' */
};

/* Where the words are while they are read. */
struct reader {
    char file[100];        /* that the most expensive lines are of, where they do not say otherwise */
    struct told_line line; /* the one that is told of; 0: none yet */
};

/* "Limited by latency: ... Without this limit it would take 54.48 us." */
static void take_limit(const char *text, size_t length, struct told *out)
{
    static const char without[] = " Without this limit it would take ";
    const char *more = memmem(text, length, without, sizeof without - 1);
    double us;
    if (more && sscanf(more + sizeof without - 1, "%lf us", &us) == 1) {
        out->without_us = us;
        length = (size_t)(more - text);
    }
    snprintf(out->limit, sizeof out->limit, "%.*s", (int)length, text);
}

/* "  42    92 %  work.h:42", or the line's text. */
static void take_line(const char *text, unsigned number, int percent, struct reader *reader, struct told *out)
{
    unsigned told;
    reader->line.number = number;
    if (sscanf(text, "%*u %*d %% %99[^ :\n]:%u", reader->line.file, &told) != 2 || told != number)
        memcpy(reader->line.file, reader->file, sizeof reader->file);
    if (out->line.number)
        return;
    out->line = reader->line;
    out->percent = percent;
}

/* One line of the explanation. */
static void take_told(const char *text, size_t length, struct reader *reader, struct told *out)
{
    static const char limited[] = "Limited by ", mostly[] = "mostly ", better[] = " would do";
    const char *time = memrchr(text, ':', length);
    unsigned number;
    int percent;
    if (!strncmp(text, "Kernel ", 7) && !(out->us > 0) && time)
        sscanf(time, ": %lf us", &out->us);
    if (!*out->limit && !strncmp(text, limited, sizeof limited - 1))
        take_limit(text, length, out);
    sscanf(text, "The most expensive lines of %99[^,\n]", reader->file);
    if (sscanf(text, "%u %d %% ", &number, &percent) == 2) {
        take_line(text, number, percent, reader, out);
    } else if (reader->line.number && !*out->wait && !strncmp(text, mostly, sizeof mostly - 1)) {
        snprintf(out->wait, sizeof out->wait, "%.*s", (int)strcspn(text, ";\n"), text);
    } else if (reader->line.number && !*out->bad && memmem(text, length, better, sizeof better - 1)) {
        out->bad_line = reader->line;
        snprintf(out->bad, sizeof out->bad, "%.*s", (int)length, text);
    }
}

/* What the words are about. */
static void take_title(const struct verdict *verdict, const struct verdict_message *words, struct told *out)
{
    double us = 0;
    if (explain_read_title(words, &out->launches, &us) && verdict->time.is_known &&
        verdict->time.student_us > 0)
        out->share = us / verdict->time.student_us;
}

static void ask(const struct problem *problem, struct told *out)
{
    const struct lab_stage *stage = problem->result->stage;
    enum { ONE_LINE = 400 };
    const struct stages_question question = {
        .stage = stage, .step = stage, .is_explained = true, .columns = ONE_LINE};
    const bool has_run = problem->result->verdict && !problem->result->trouble;
    struct verdict *verdict = has_run ? stages_ask(problem->grading, &question) : NULL;
    const struct verdict_message *words = verdict ? explain_find_words(verdict) : NULL;
    struct reader reader = {.file = ""};
    *out = (struct told){.share = 1, .launches = 1};
    const struct verdict_message *pipeline = verdict ? explain_find_pipeline(verdict) : NULL;
    if (pipeline)
        snprintf(out->pipeline, sizeof out->pipeline, "%.*s", (int)strcspn(pipeline->text, "\n"),
                 pipeline->text);
    if (words)
        take_title(verdict, words, out);
    for (const char *at = words ? words->text : ""; *at; at = next_line(at)) {
        const size_t spaces = strspn(at, " ");
        take_told(at + spaces, strcspn(at + spaces, "\n"), &reader, out);
    }
    verdict_free(verdict);
}

/* About a line of the file, as editors look for it. */
static void put_note(const struct problem *problem, int line, const char *text)
{
    put_words(INDENT, "%s:%d: note: %s", grading_path(problem->grading), line, text);
}

/* A line of another file than the student's is named by its file alone: it is not his to change. */
static void put_note_at(const struct problem *problem, const struct told_line *line, const char *text)
{
    if (!*line->file || strcmp(line->file, problem->grading->shown) == 0)
        put_note(problem, (int)line->number, text);
    else
        put_words(INDENT, "%s:%u: note: %s", line->file, line->number, text);
}

/* What the limit costs: of one launch, where there are several, or where other things take time as well. */
static void write_gain(const struct told *told, bool is_all, char *out, size_t size)
{
    *out = '\0';
    if (!(told->without_us > 0) || !(told->us > 0))
        return;
    if (told->launches > 1)
        snprintf(out, size,
                 " One of its %llu launches takes %.2f us, and would take %.2f us without this limit.",
                 told->launches, told->us, told->without_us);
    else if (!is_all)
        snprintf(out, size, " It takes %.2f us, and would take %.2f us without this limit.", told->us,
                 told->without_us);
    else
        snprintf(out, size, " Without this limit it would take %.2f us.", told->without_us);
}

/* What limits it, and what that is about, where it is not nearly all of the stage. when: "", "Now: ". */
static void put_limit(const struct told *told, const char *when)
{
    const double nearly_all = 0.75;
    const bool is_all = told->share >= nearly_all;
    char gain[200];
    if (*told->pipeline) {
        put_words(INDENT, "%s%s", when, told->pipeline);
        return;
    }
    write_gain(told, is_all, gain, sizeof gain);
    if (*told->limit && !is_all)
        put_words(INDENT,
                  "%s%cts longest kernel takes %.0f %% of the time; the rest goes to other launches, to "
                  "copies and to the host. That kernel is l%s%s",
                  when, *when ? 'i' : 'I', 100 * told->share, told->limit + 1, gain);
    else if (*told->limit)
        put_words(INDENT, "%s%c%s%s", when, *when ? 'l' : 'L', told->limit + 1, gain);
}

static void put_told(const struct problem *problem)
{
    struct told told;
    char text[400];
    ask(problem, &told);
    put_limit(&told, "");
    if (*told.pipeline) /* lines of a kernel matter little then */
        return;
    if (told.line.number) {
        snprintf(text, sizeof text, "warps spend %d %% of their time on this line%s%s", told.percent,
                 *told.wait ? ", " : "", told.wait);
        put_note_at(problem, &told.line, text);
    }
    if (told.bad_line.number)
        put_note_at(problem, &told.bad_line, told.bad);
}

/* ------------------------------------------------------------------------------------------- level 1: a nudge */

static const char unbuilt_nudge[] =
    "Your file could not be built, so nothing has run yet. The first error is the one "
    "to read, others may follow from it: what did the compiler expect at that place?";

/* What the output is made of: numbers that somebody has found out, not elements that a kernel computes. */
static bool is_of_answers(const struct problem *problem)
{
    const struct grading *grading = problem->grading;
    const struct lab_outcome *fault = problem->result->score.fault;
    struct lab_case sizes;
    struct lab_run run;
    if (!fault ||
        !lab_find_case(grading->session->lab, problem->result->stage, fault->which, grading->seed, &sizes))
        return false;
    lab_begin_run(&run, grading->session->lab, problem->result->stage, &sizes, 0);
    for (int i = 0; i < run.nbuffers; i++)
        if (run.buffers[i].role == LAB_OUT && (run.buffers[i].is_said || run.buffers[i].sheet))
            return true;
    return false;
}

static const char *nudge_wrong(const struct problem *problem)
{
    bool is_missing;
    const struct lab_outcome *fault = problem->result->score.fault;
    if (fault && strstr(fault->known, "written where nothing should be"))
        return "What should be written is right, but more is written. Which element is it, and which thread "
               "stores there?";
    if (!is_of_answers(problem))
        return NULL;
    const char *text = problem->result->score.fault->text;
    if (lab_is_about_answers(text, &is_missing) && !is_missing && strstr(text, "the answer"))
        return "Your answer is not right. What did you take it from, and which run would show whether it is "
               "right?";
    return is_missing
               ? "Not all answers are given yet. What do the runs before this step show, and what follows "
                 "from it?"
               : "Not all of your answers are right. What did you take each of them from: which "
                 "counter, time or status of which run?";
}

/* A goal of so much or more is missed by doing too little. */
static const char *nudge_concept(const struct problem *problem)
{
    const struct score_bound *missed = first_missed(&problem->result->score);
    if (!missed || !missed->is_known)
        return NULL;
    return missed->value < missed->bound->at_least
               ? "The results are right, but what the kernel does to get them is not yet what this stage is "
                 "about. What should it do more often than it does now?"
               : "The results are right, but what the kernel does to get them is not yet what this stage is "
                 "about. What should it do less often than the step before?";
}

/* A stage that copies, or works on the host, is more than its kernels. */
static const char *nudge_slow(const struct problem *problem)
{
    const double half = 0.5;
    const struct verdict *verdict = problem->result->verdict;
    const double *kernels_us = verdict ? verdict_counter(verdict, "time_us") : NULL;
    if (!kernels_us || !verdict->time.is_known || *kernels_us >= half * verdict->time.student_us)
        return NULL;
    return "The results are right, and it could be faster. Kernels take less than half of its time: what "
           "takes the "
           "rest, and could it be done faster, or at the same time as something else?";
}

/* Better words than those of symptoms.def, where the problem has them; NULL: it has none. */
static const char *(*const nudges[LAB_SYMPTOMS])(const struct problem *) = {[LAB_WRONG] = nudge_wrong,
                                                                            [LAB_PARTLY] = nudge_wrong,
                                                                            [LAB_CONCEPT] = nudge_concept,
                                                                            [LAB_SLOW] = nudge_slow};

static void nudge(const struct problem *problem)
{
    const enum lab_symptom symptom = problem->result->score.symptom;
    const char *own = !problem->is_unbuilt && nudges[symptom] ? nudges[symptom](problem) : NULL;
    put_words(INDENT, "%s", problem->is_unbuilt ? unbuilt_nudge : own ? own : lab_nudge(symptom));
}

/* ------------------------------------------------------------------------------------------- level 2: the line, the counter */

typedef void point_fn(const struct problem *problem);

static bool is_error(const char *line)
{
    const char *hit = memmem(line, strcspn(line, "\n"), ": error: ", 9);
    return hit && hit != line;
}

/* The first error, and the lines of source text below it; where there is no such line, as with linkers, what is said first. */
static void point_at_error(const struct problem *problem)
{
    const struct grading *grading = problem->grading;
    char *text = place_text(grading->trouble, grading->shown, grading_path(grading));
    const char *all = text ? text : grading->trouble, *error = all;
    while (*error && !is_error(error))
        error = next_line(error);
    const char *end = next_line(error);
    while (*end == ' ')
        end = next_line(end);
    char *part = *error ? strndup(error, (size_t)(end - error)) : strdup(all);
    put_text(part ? part : all, INDENT, *error ? MOST_LINES : FEW_LINES);
    free(part);
    free(text);
}

static void point_at_todo(const struct problem *problem)
{
    const struct lab_stage *stage = problem->result->stage;
    char todo[24], text[200];
    snprintf(todo, sizeof todo, "TODO %d", stage->todo.number);
    const int of_todo = find_line(problem->grading, todo),
              of_entry = find_line(problem->grading, stage->entry);
    snprintf(text, sizeof text,
             of_todo ? "%s says what comes in and what must come out" : "%.0s%s() begins here", todo,
             stage->entry);
    if (of_todo || of_entry)
        put_note(problem, of_todo ? of_todo : of_entry, text);
    put_words(INDENT, "The grader calls %s(): %s", stage->entry,
              problem->result->score.symptom == LAB_NO_LAUNCH ? "it launches no kernel."
              : problem->result->score.symptom == LAB_MISSING ? "it is not defined."
                                                              : "no element of the result is written.");
}

static void point_at_counters(const struct problem *problem)
{
    const struct score *score = &problem->result->score;
    char now[40], goal[100];
    for (int i = 0; i < LAB_BOUNDS && score->bounds[i].bound; i++) {
        const struct score_bound *one = &score->bounds[i];
        if (one->holds)
            continue;
        report_write_number(report_is_count(one->bound), one->value, now, sizeof now);
        report_write_goal(one->bound, goal, sizeof goal);
        put_words(INDENT, "%s: now %s, goal %s", one->bound->meaning, one->is_known ? now : "not measured",
                  goal);
    }
}

static void point_at_speed(const struct problem *problem)
{
    const struct score *score = &problem->result->score;
    struct lab_scale scale;
    char text[300];
    if (grading_find_scale(problem->grading, problem->result, &scale)) {
        lab_write_scale(&scale, text, sizeof text);
        put_words(INDENT, "%s", text);
    }
    if (score->is_too_slow && score->meets_bounds && score->bounds[0].bound)
        put_words(INDENT, "The counters are reached, but it is %s.",
                  score->is_earlier ? "too slow for this step, so they do not count"
                                    : "a little too slow for this step, which costs points");
    if (score->is_too_slow) {
        report_write_slow(problem->grading->session->lab, problem->result, text, sizeof text);
        put_words(INDENT, "%s", text);
    } else {
        put_words(INDENT, "speedup: now %.2f, goal %.2f or more", score->speedup, score->needed);
    }
    point_at_counters(problem);
}

static const char likely[] = "likely cause: ";

/* What was found and where; what is thought of it comes only with the last level. */
static void put_found(const struct problem *problem, const char *found)
{
    report_put_finding(problem->grading, found, problem->has_cause, INDENT, MOST_LINES);
}

static void point_at_finding(const struct problem *problem)
{
    const struct grading *grading = problem->grading;
    const struct stage_result *result = problem->result;
    const struct lab_outcome *fault = result->score.fault;
    const struct verdict_message *message = result->score.finding;
    char name[300], command[300];
    if (result->trouble)
        put_found(problem, result->trouble);
    if (message)
        put_found(problem, message->text);
    bool is_missing;
    const bool is_answers = fault && lab_is_about_answers(fault->text, &is_missing);
    if (fault && !is_answers) {
        grading_describe_case(grading->session->lab, result->stage, score_told_case(&result->score),
                              grading->seed, name, sizeof name);
        put_words(INDENT, "It shows with %s%s", name, message ? "." : ":");
    }
    if (fault && !message)
        put_found(problem, fault->text);
    if (!fault || is_answers)
        return;
    grading_write_replay(grading, result, score_told_case(&result->score), command, sizeof command);
    if (*command)
        put_words(INDENT, "By hand: %s%s", command,
                  grading->session->has_gpu ? " (make it with VIRTUAL=1)" : "");
}

/* Where nothing else is said, the finding or the wrong case speaks. */
static point_fn *const pointers[LAB_SYMPTOMS] = {
    [LAB_MISSING] = point_at_todo,     [LAB_NO_LAUNCH] = point_at_todo, [LAB_UNTOUCHED] = point_at_todo,
    [LAB_CONCEPT] = point_at_counters, [LAB_SLOW] = point_at_speed,
};

static void point_out(const struct problem *problem)
{
    point_fn *own = pointers[problem->result->score.symptom];
    if (problem->is_unbuilt)
        point_at_error(problem);
    else if (own)
        own(problem);
    else
        point_at_finding(problem);
}

/* ------------------------------------------------------------------------------------------- level 3: what to do */

/* What stands below the first error; where nothing does, what always helps. */
static const char *find_advice(const char *said)
{
    for (; *said; said = next_line(said))
        if (!strncmp(said, "-> ", 3))
            return said + 3;
        else if (strstr(said, "which is not in it"))
            return "A function is declared and called, but nowhere written. Has its name or its list of "
                   "parameters changed?";
    return "Fix only this one, and try again. What did you change since it compiled last?";
}

static void advise_unbuilt(const struct problem *problem)
{
    const struct session *session = problem->grading->session;
    const char *advice = find_advice(problem->grading->trouble);
    char *line = strndup(advice, strcspn(advice, "\n"));
    point_at_error(problem);
    put_marked("-> ", line ? line : advice, INDENT, 1000);
    free(line);
    put_words(INDENT, "The skeleton as it was: common/lab/skeletons/%s/%s.cu.", session->entry->folder,
              session->entry->id);
}

static void put_cause(const struct verdict_message *message)
{
    const char *cause = message ? strstr(message->text, likely) : NULL;
    if (cause)
        put_words(INDENT, "Likely cause: %.*s.", (int)strcspn(cause + strlen(likely), "\n"),
                  cause + strlen(likely));
}

/* A stage that is still to be written: what to begin with, and what will show that it is done. */
static void put_begin(const struct problem *problem)
{
    const struct lab *lab = problem->grading->session->lab;
    const struct lab_stage *stage = problem->result->stage, *before = lab_previous(lab, stage);
    char goal[100];
    if (before)
        put_words(INDENT,
                  "A way to begin: let it do what stage %d (%s) does, see that this is right, then change "
                  "one thing.",
                  (int)(before - lab->stages) + 1, before->id);
    for (int i = 0; i < LAB_BOUNDS && stage->bounds[i].counter; i++) {
        report_write_goal(&stage->bounds[i], goal, sizeof goal);
        put_words(INDENT, "Goal: %s: %s", stage->bounds[i].meaning, goal);
    }
}

static void advise(const struct problem *problem)
{
    const struct score *score = &problem->result->score;
    if (problem->is_unbuilt) {
        advise_unbuilt(problem);
        return;
    }
    struct problem whole = *problem;
    whole.has_cause = true;
    if (strstr(score->hint, "words above"))
        point_out(&whole);
    else if (!pointers[score->symptom])
        put_cause(problem->result->score.finding);
    put_marked("-> ", score->hint, INDENT, 1000);
    if (pointers[score->symptom] == point_at_todo && score->symptom != LAB_MISSING)
        put_begin(problem);
    if (score->symptom == LAB_CONCEPT || score->symptom == LAB_SLOW)
        put_told(problem);
    put_section(problem);
}

static void end_of_hints(const struct problem *problem)
{
    const struct session *session = problem->grading->session;
    const struct stage_result *result = problem->result;
    put_words(INDENT, "There are no more hints about this: what is left is to read and to try.");
    put_section(problem);
    if (problem->is_unbuilt)
        put_words(INDENT, "Compile by hand: make %s", session->entry->id);
    else if (!grading_only_asks(session->lab, result->stage))
        put_words(INDENT,
                  "Look: ./grade explain %s.%d shows where the time goes, line by line; build/%s %s runs it "
                  "by hand.",
                  session->entry->id, result->row, session->entry->id, result->stage->id);
}

/* ------------------------------------------------------------------------------------------- all points */

/* The next stage with points left, this one's followers first; NULL: none. */
static const struct lab_stage *find_next(const struct lab *lab, const struct lab_stage *from,
                                         const struct history *history)
{
    for (int i = 1; i < lab->nstages; i++) {
        const struct lab_stage *stage = &lab->stages[(from - lab->stages + i) % lab->nstages];
        const struct history_stage *best = history_best(history, stage->id);
        if (lab_stage_points(stage) && (!best || best->points < lab_stage_points(stage)))
            return stage;
    }
    return NULL;
}

static void put_next(const struct problem *problem)
{
    const struct session *session = problem->grading->session;
    const struct lab_stage *stage = problem->result->stage;
    const char *id = session->entry->id;
    char path[GRADE_PATH];
    struct history history;
    snprintf(path, sizeof path, "%s/%s.history", session->kit.results, id);
    const bool is_read = history_load(&history, path);
    const struct history_stage *best = is_read ? history_best(&history, stage->id) : NULL;
    const struct lab_stage *next = find_next(session->lab, stage, &history);
    if (!session->options->file && !session->options->gpu &&
        (!best || best->points < lab_stage_points(stage)))
        put_words(INDENT, "These points are not put down yet: ./grade %s.%d does it.", id,
                  problem->result->row);
    if (next)
        put_words(INDENT, "Next is stage %d (%s): handouts/%s.md, section %d, and ./grade %s.%d.",
                  (int)(next - session->lab->stages) + 1, next->title, session->entry->folder,
                  next->todo.section, id, (int)(next - session->lab->stages) + 1);
    else
        put_words(INDENT, "Every stage of %s has its points: ./grade says which lab is next.", id);
    history_free(&history);
}

static void put_solved(const struct problem *problem)
{
    const struct stage_result *result = problem->result;
    struct told told;
    put_words(INDENT, "It has all its points: nothing is left to fix.");
    if (result->stage->learned)
        put_words(INDENT, "Learned: %s", result->stage->learned);
    if (result->stage->bounds[0].counter || result->stage->speed[0].points) {
        ask(problem, &told);
        put_limit(&told, "Now: ");
    }
    put_next(problem);
}

/* ------------------------------------------------------------------------------------------- the command */

static void put_head(const struct problem *problem)
{
    const struct stage_result *result = problem->result;
    painted(BOLD, "%s.%d", problem->grading->session->entry->id, result->row);
    printf("  %s", result->stage->id);
    if (!problem->is_unbuilt)
        printf(", %d of %d points", result->score.all.points, lab_stage_points(result->stage));
    printf(": %s\n", result->stage->title);
}

static void put_level(const struct problem *problem, int level)
{
    static void (*const levels[LEVELS])(const struct problem *) = {nudge, point_out, advise};
    if (level > LEVELS) {
        end_of_hints(problem);
        return;
    }
    painted(DIM, "%*sHint %d of %d\n", INDENT, "", level, LEVELS);
    levels[level - 1](problem);
    if (level < LEVELS)
        put_words(INDENT, "If that does not help: ./grade hint %s.%d --more",
                  problem->grading->session->entry->id, problem->result->row);
}

static void help(struct problem *problem)
{
    const struct session *session = problem->grading->session;
    const struct score *score = &problem->result->score;
    const bool is_solved = !problem->is_unbuilt && score->all.points == score->all.most;
    name_kind(problem);
    const int level = session->options->is_more ? kept_level(session, problem) + 1 : 1;
    put_head(problem);
    if (is_solved)
        put_solved(problem);
    else
        put_level(problem, level);
    if (!keep_level(session, problem, is_solved ? 0 : level))
        fprintf(stderr, "grade: how far these hints have gone could not be kept in %s: %s.\n",
                session->kit.results, strerror(errno));
}

static struct stage_result *find_wanted(struct grading *grading)
{
    for (int i = 0; i < grading->nstages; i++)
        if (grading->stages[i].is_wanted)
            return &grading->stages[i];
    return NULL;
}

static enum outcome hint_file(struct session *session, const char *source)
{
    struct grading grading = {.session = NULL};
    grade_submission(&grading, session, source);
    struct problem problem = {.grading = &grading, .result = find_wanted(&grading)};
    problem.is_unbuilt = grading.trouble != NULL;
    const enum outcome outcome = grading.outcome;
    if (outcome == OUTCOME_OURS && !sandbox_is_stopped())
        fprintf(stderr, "grade: error of the kit, no hint: %s\n", grading.trouble ? grading.trouble : "");
    else if (outcome != OUTCOME_OURS && problem.result)
        help(&problem);
    grading_free(&grading);
    return outcome;
}

enum outcome hint_run(struct session *session)
{
    const char *name = session->options->stage;
    const struct lab_stage *stage = name ? lab_find_stage(session->lab, name) : NULL;
    char source[GRADE_PATH + 600];
    if (!stage) {
        fprintf(stderr, "grade: `hint` wants one stage: ./grade hint %s.2\n", session->entry->id);
        return OUTCOME_OURS;
    }
    if (stage->is_given) {
        printf("%s.%d  %s came with the file: there is nothing to write.\n", session->entry->id,
               (int)(stage - session->lab->stages) + 1, stage->id);
        return OUTCOME_GRADED;
    }
    session_find_source(session, source, sizeof source);
    if (access(source, F_OK) != 0) {
        fprintf(stderr, "There is no file %s.\n", source);
        return OUTCOME_STUDENT;
    }
    return hint_file(session, source);
}
