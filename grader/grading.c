/* grading.c - what is known of one run and of one submission: errors with whose they are, points, and names.
 * Every step writes to it; it calls none of them. Prints nothing. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/utf8.h"

/* ------------------------------------------------------------------------------------------- errors */

bool session_fail(struct session *session, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*session->error) {
        vsnprintf(session->error, sizeof session->error, format, list);
        char *plain = utf8_plain(session->error); /* names of strangers may stand in it */
        if (plain)
            snprintf(session->error, sizeof session->error, "%s", plain);
        free(plain);
    }
    va_end(list);
    return false;
}

int session_lock_memory(const struct session *session, bool is_alone)
{
    char path[GRADE_PATH + 20];
    snprintf(path, sizeof path, "%s/memory", session->folder);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (lock >= 0 && flock(lock, is_alone ? LOCK_EX : LOCK_SH) != 0 && errno == EINTR &&
           !sandbox_is_stopped())
        continue;
    return lock;
}

static void note_trouble(struct grading *grading, enum outcome whose, const char *format, va_list list)
{
    char *text = NULL;
    if (grading->trouble)
        return;
    grading->trouble = vasprintf(&text, format, list) >= 0 ? text : NULL;
    grading->outcome = grading->trouble ? whose : OUTCOME_OURS;
}

bool grading_fail(struct grading *grading, enum outcome whose, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    note_trouble(grading, whose, format, list);
    va_end(list);
    return false;
}

bool grading_refuse(struct grading *grading, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    grading->is_refused = grading->is_refused || !grading->trouble;
    note_trouble(grading, OUTCOME_STUDENT, format, list);
    va_end(list);
    return false;
}

/* ------------------------------------------------------------------------------------------- one submission */

void grading_describe_case(const struct lab *lab, const struct lab_stage *stage, uint32_t which,
                           uint64_t draw, char *out, size_t size)
{
    struct lab_case found;
    if (lab_find_case(lab, stage, which, draw, &found))
        lab_describe_case(lab, stage, &found, out, size);
    else
        snprintf(out, size, "case %u", which);
}

void grading_write_replay(const struct grading *grading, const struct stage_result *result, uint32_t which,
                          char *out, size_t size)
{
    const struct lab *lab = grading->session->lab;
    char options[200];
    struct lab_case sizes;
    out[0] = 0;
    if (!result->verdict || !result->verdict->seed ||
        !lab_find_case(lab, result->stage, which, grading->seed, &sizes))
        return;
    lab_write_options(lab, result->stage, which, &sizes, options, sizeof options);
    snprintf(out, size, "build/%s %s%s%s%s --seed %llu", lab->id, result->stage->id, *options ? " " : "",
             options, which == LAB_TIMED ? " --all" : "",
             (unsigned long long)lab_seed(result->verdict->seed, which));
}

const char *grading_path(const struct grading *grading)
{
    const char *root = grading->session->kit.own;
    const size_t length = strlen(root);
    if (!grading->source)
        return grading->shown;
    const bool is_inside =
        length && strncmp(grading->source, root, length) == 0 && grading->source[length] == '/';
    return grading->source + (is_inside ? length + 1 : 0);
}

bool grading_only_asks(const struct lab *lab, const struct lab_stage *stage)
{
    struct lab_run run;
    bool is_asked = false, is_computed = false;
    lab_begin_run(&run, lab, stage, lab_timed_case(lab, stage), 1);
    for (int i = 0; i < run.nbuffers; i++) {
        is_asked |= run.buffers[i].role == LAB_OUT && run.buffers[i].sheet;
        is_computed |= run.buffers[i].role == LAB_OUT && !run.buffers[i].sheet;
    }
    return is_asked && !is_computed;
}

/* ------------------------------------------------------------------------------------------- one scale */

static double timed_work(const struct lab *lab, const struct lab_stage *stage)
{
    struct lab_run run;
    lab_begin_run(&run, lab, stage, lab_timed_case(lab, stage), 1);
    return lab_work(&run);
}

static const struct stage_result *find_result(const struct grading *grading, const struct lab_stage *stage)
{
    for (int i = 0; stage && i < grading->nstages; i++)
        if (grading->stages[i].stage == stage)
            return &grading->stages[i];
    return NULL;
}

/* Over the submission's own step before, where that does the same work and was measured by the same GPU's clock. */
static void find_gain(const struct grading *grading, const struct stage_result *result, double work,
                      struct lab_scale *out)
{
    const struct lab *lab = grading->session->lab;
    const struct stage_result *before = find_result(grading, lab_previous(lab, result->stage));
    if (!before || !before->is_done || !before->score.has_speedup || !before->score.is_right ||
        before->here.is_known != result->here.is_known || timed_work(lab, before->stage) != work)
        return;
    out->before = before->row;
    out->gain = before->verdict->time.student_us / out->us;
}

bool grading_find_scale(const struct grading *grading, const struct stage_result *result,
                        struct lab_scale *out)
{
    const struct lab *lab = grading->session->lab;
    if (!result->score.has_speedup || !result->verdict || !(result->verdict->time.student_us > 0))
        return false;
    const struct verdict_time *time = &result->verdict->time;
    const struct lab_most most = {.copy = time->ceiling, .fma = time->peak};
    const double work = timed_work(lab, result->stage);
    lab_find_scale(lab, result->stage, &most, work, time->student_us, time->baseline_us, out);
    out->speedup = time->speedup;
    out->need = result->score.needed;
    find_gain(grading, result, work, out);
    return true;
}

/* ------------------------------------------------------------------------------------------- points */

struct totals grading_totals(const struct grading *grading)
{
    struct totals totals = {0, 0, 0};
    for (int i = 0; i < grading->nstages; i++) {
        const struct stage_result *one = &grading->stages[i];
        if (one->stage->is_bonus) {
            totals.bonus += one->score.all.points;
        } else {
            totals.points += one->score.all.points;
            totals.most += lab_stage_points(one->stage);
        }
    }
    return totals;
}

void grading_free(struct grading *grading)
{
    for (int i = 0; i < grading->nstages; i++) {
        verdict_free(grading->stages[i].verdict);
        free(grading->stages[i].trouble);
        free(grading->stages[i].printed);
    }
    free(grading->trouble);
    free(grading->warnings);
    *grading = (struct grading){.session = NULL};
}
