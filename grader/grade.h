/* grade.h - the map of the grader: what one run of ./grade knows, and what it finds out about one submission.
 * A session lives as long as the program; a grading is one submission. Errors are recorded once, where they happen, with
 * whose they are; only main.c and report_*.c print. */
#ifndef GRADE_H
#define GRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "grader/labs.h"
#include "grader/options.h"
#include "grader/sandbox/sandbox.h"
#include "grader/score.h"
#include "grader/tools.h"
#include "grader/verdict.h"
#include "lab/scale.h"

#define GRADE_VERSION "0.1.0"

/* The exit status as well. */
enum outcome {
    OUTCOME_GRADED,  /* points were given, perhaps none */
    OUTCOME_STUDENT, /* the submission could not be compiled or run */
    OUTCOME_OURS     /* the kit or the machine failed: no grade */
};

enum { GRADE_STAGES = 32, GRADE_STEPS = 6, GRADE_PATH = TOOLS_PATH };

/* ------------------------------------------------------------------------------------------- one run of ./grade */

/* Whose clock thresholds are made for, and what the virtual GPU is unless it is told. */
#define REFERENCE_GPU "h200"

/* How much of a session a command wants. */
enum session_depth {
    SESSION_KIT, /* the kit and which labs it has */
    SESSION_LAB, /* and the lab that is named; its table may not have been built yet */
    SESSION_ALL  /* and all that grading takes: tools, the lab's table and parts, the sandbox, the GPU */
};

struct session {
    const struct options *options;
    struct kit kit;
    struct labs labs;
    const struct labs_entry *entry; /* the lab that is named */
    const struct lab *lab;
    struct toolchain tools;
    struct sandbox sandbox;
    char folder[GRADE_PATH]; /* everything temporary lies in it */
    int cores;
    bool has_gpu;
    bool is_gpu_bare;  /* it cannot be had in the sandbox: who measures runs outside */
    char gpu[64];      /* its name */
    const char *model; /* what the virtual GPU is: "h200" */
    char error[2400];  /* why the session cannot go on; ours */
};

/* ------------------------------------------------------------------------------------------- one submission */

struct stage_result {
    const struct lab_stage *stage;
    int row; /* from 1 */
    bool is_wanted, is_done;
    bool is_measured;        /* by another judge than the one that looked at the results */
    struct verdict *verdict; /* NULL: the judge was never asked */
    /* On the GPU that was asked for, where another one's clock decides: the verdict has that one's. Not known: it decides. */
    struct verdict_time here;
    struct score score;
    char *trouble; /* why it was not; for the student; NULL: none */
    char *printed; /* what the submission printed; NULL: nothing */
};

struct grading {
    struct session *session;
    const char *source;    /* the submission's path, as it was named */
    char shown[300];       /* its name in reports; "": that of the path */
    char taken[300];       /* how it was chosen, if not by its name; "" */
    char box[GRADE_PATH];  /* folder of this submission's files; the sandbox may write to it */
    char safe[GRADE_PATH]; /* folder that only the grader writes to; lab3.cu in it is the submission's text */
    uint64_t seed;         /* of the judge's inputs: the submission's bytes decide */
    enum score_backend backend;
    bool is_for_check; /* it is only built: check.c asks its own questions */
    bool is_built;     /* by a run before, of the same text: box, safe, seed and warnings are that one's */
    struct stage_result stages[GRADE_STAGES];
    int nstages;
    enum outcome outcome;
    char *trouble;              /* why nothing was graded; NULL: it was */
    bool is_refused;            /* it was not for the compiler or the linker to say so */
    char *warnings;             /* of the compiler; NULL: none */
    double compiler_s;          /* what nvcc took of the time, by the clock on the wall */
    double step_s[GRADE_STEPS]; /* what each of the steps took */
    char note[300];             /* something that the reader should know; "" */
    /* Called as stages end, in the order of the table; NULL: nobody wants to know. */
    void (*on_stage)(const struct grading *grading, const struct stage_result *result);
    void *context; /* for whoever is called */
    int next_shown;
};

/* In grading.c. Records why it failed, once. Returns false, for `return grading_fail(...)`. */
bool grading_fail(struct grading *grading, enum outcome whose, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The student's, but not for the compiler or the linker to say: a file that is no submission. */
bool grading_refuse(struct grading *grading, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool session_fail(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Waits until nobody else of those who grade in this session does what takes a gigabyte (is_alone), or half of one. Not if the
 * grader is to stop. A descriptor to close afterwards; -1: there is none to be had. */
int session_lock_memory(const struct session *session, bool is_alone);
/* In grade.c: whether --stage names this one, or there is none. */
bool session_wants(const struct session *session, const struct lab_stage *stage);
/* The submission that the options name: a file, the kit's solution, or the lab's own file. */
void session_find_source(const struct session *session, char *out, size_t size);

/* "width 33, height 65": the case of a verdict, as the stage's kernels see it. */
void grading_describe_case(const struct lab *lab, const struct lab_stage *stage, uint32_t which,
                           uint64_t draw, char *out, size_t size);

/* True if all that a stage leaves are answers: it computes nothing. */
bool grading_only_asks(const struct lab *lab, const struct lab_stage *stage);
/* "build/lab3 tiled --case 4 --seed 77": runs what a verdict's case was; "": it is not known. */
void grading_write_replay(const struct grading *grading, const struct stage_result *result, uint32_t which,
                          char *out, size_t size);
/* The submission as an editor opens it: seen from the kit's folder if it lies there, else as it was named. */
const char *grading_path(const struct grading *grading);
/* How fast a stage is, and over what. False: it was not measured. */
bool grading_find_scale(const struct grading *grading, const struct stage_result *result,
                        struct lab_scale *out);

struct totals {
    int points, most, bonus;
};
struct totals grading_totals(const struct grading *grading);
void grading_free(struct grading *grading);

/* ------------------------------------------------------------------------------------------- grade.c */

/* Finds kit, tools and lab, makes what is missing, as deep as the command asks for. False: session->error says why.
 * session_close() always. */
bool session_open(struct session *session, const struct options *options);
void session_close(struct session *session);
/* A folder for what is temporary, session->folder; it goes when the session does. */
bool session_make_folder(struct session *session);
/* All steps for one file; everything that is found out stands in the grading. grading_free() always. */
void grade_submission(struct grading *grading, struct session *session, const char *source);
/* "compiling 0.81 s, linking 0.09 s, ...": steps that took no time are left out. */
void grade_write_times(const struct grading *grading, char *out, size_t size);

/* ------------------------------------------------------------------------------------------- the steps */

bool build_copy_headers(struct session *session);
/* What judges need of the kit, to where the sandbox's user can come. */
bool build_copy_kit(struct session *session);
/* Runs make for what the grader needs of the lab. */
bool build_make(struct session *session);
bool build_compile(struct grading *grading);
bool build_inspect(struct grading *grading);
bool build_link(struct grading *grading);
bool stages_scout(struct grading *grading);
bool stages_judge(struct grading *grading);
bool stages_measure(struct grading *grading);

/* One judge at work. step: whose function stands in the stage's place, mostly the stage itself. The verdict is never NULL but
 * for lack of memory. */
struct stages_question {
    const struct lab_stage *stage, *step;
    bool is_on_gpu, has_no_check;
    bool is_brief;     /* the first wrong case is enough */
    bool is_ahead;     /* it is waited for: what is verified is timed at the same time */
    bool leaves_large; /* a timed case that takes much memory is left for later: see struct verdict */
    bool is_explained; /* nothing is verified: where the time of the timed case goes, on the virtual GPU */
    bool is_profiled;  /* and that as JSON as well */
    int columns;       /* of that explanation; 0: those of the terminal */
    const char *model; /* what the virtual GPU is; NULL: what the session's is */
    double needed;     /* bytes that the result depends on, as another judge found; 0: unknown */
};
struct verdict *stages_ask(struct grading *grading, const struct stages_question *question);
/* Several at a time, at most GRADE_STAGES; a verdict for each, to be freed. False: nothing could be run. */
bool stages_ask_all(struct grading *grading, const struct stages_question *questions, int count,
                    struct verdict **verdicts);
/* False: on this virtual GPU the stage's thresholds are not known to tell its step from the one before. */
bool stages_are_apart(const struct session *session, const struct lab_stage *stage);

/* The function of one step in the place of a stage. */
struct stages_cell {
    const struct lab_stage *stage, *step;
    bool is_recorded;        /* its host code came to its end */
    char trouble[300];       /* what it said, if it did not */
    struct verdict *verdict; /* NULL: it was never asked */
};
/* Records and judges all of them, at most GRADE_STAGES. False: nothing could be run. */
bool stages_fill_cells(struct grading *grading, struct stages_cell *cells, int count);
/* Only records them. */
bool stages_record_cells(struct grading *grading, struct stages_cell *cells, int count);
/* Replaces the verdict's time by that of a judge that only measures, on the GPU if there is one, or on a virtual one (NULL: the
 * session's). */
void stages_measure_cell(struct grading *grading, struct stages_cell *cell, const char *model);

/* ------------------------------------------------------------------------------------------- reports and commands */

/* To stderr, which lines of a history could not be read; nothing if there are none. */
struct history;
void report_damage(const char *path, const struct history *history);
void report_begin(const struct grading *grading);
void report_stage(const struct grading *grading, const struct stage_result *result);
void report_end(const struct grading *grading);
/* The part of it that the compiler said: warnings, or why nothing was graded. */
void report_words(const struct grading *grading);
void report_json(const struct grading *grading, FILE *file);
/* "race", "out of bounds"; "": it is right. */
const char *report_verdict(enum lab_symptom symptom);
/* Where help is if hints are held back, because to find a bug is the task; nothing if none is. */
void report_held(const struct grading *grading);
/* What a checker found, without what it thinks the cause is where that is not wanted. */
void report_put_finding(const struct grading *grading, const char *found, bool has_cause, int indent,
                        int most_lines);
/* Paragraphs of checkers and compilers: places in the submission as editors look for them, see place.h. */
void report_put_places(const struct grading *grading, const char *text, int indent, int most_lines);
/* False: the bound is on a quotient, or on a share. */
bool report_is_count(const struct lab_bound *bound);
/* "32.0", "17": quotients have four digits, counts all of theirs. */
void report_write_number(bool is_count, double value, char *out, size_t size);
/* "1.05 or less", "4.0 or more", "1", "1 to 3". */
void report_write_goal(const struct lab_bound *bound, char *out, size_t size);
/* "speedup over the kit's naive: now 0.95x, needs 1.15x": of what is too slow for its step. */
void report_write_slow(const struct lab *lab, const struct stage_result *result, char *out, size_t size);
/* Writes a report beside its place and moves it there. */
bool report_save(const struct grading *grading, const char *path);

/* In one.c. Keeps what counts. False: it could not be written, and errno says why. */
bool one_keep(const struct grading *grading);

/* The commands; commands.c has the table. */
enum outcome list_run(struct session *session);
enum outcome one_run(struct session *session);
enum outcome history_run(struct session *session);
enum outcome reset_run(struct session *session);
enum outcome compare_run(struct session *session);
enum outcome doctor_run(struct session *session);
enum outcome batch_run(struct session *session);
enum outcome results_run(struct session *session);
enum outcome export_run(struct session *session);
enum outcome class_page_run(struct session *session);
enum outcome similar_run(struct session *session);
enum outcome check_run(struct session *session);
enum outcome watch_run(struct session *session);
enum outcome explain_run(struct session *session);
/* What a judge was asked to explain; NULL: nothing was. */
const struct verdict_message *explain_find_words(const struct verdict *verdict);
/* Of a stage whose kernels take less than half of its time: where it goes, in the first line of the text, and what to do about it,
 * in the second. NULL: kernels take most of it. */
const struct verdict_message *explain_find_pipeline(const struct verdict *verdict);
enum outcome hint_run(struct session *session);

#endif
