/* doubt.c - see doubt.h. */
#include "grader/judge/doubt.h"

#include <math.h>

#include "grader/judge/counts.h"
#include "grader/judge/floor.h"
#include "grader/judge/sample.h"
#include "lab/scale.h"

const double doubt_most = 2e9;

static double size_in_sectors(const struct lab_buffer *buffer)
{
    return (double)((lab_buffer_bytes(buffer) + 31) / 32);
}

/* Sectors of a buffer that the result depends on: as many as the kit's own kernel uses. A few of an output may be left to a
 * block that is not in the sample. */
static double needed_sectors(const struct pass *answer, int index)
{
    enum { FEW = 128 };
    const struct lab_buffer *buffer = &answer->run.buffers[index];
    const double all = size_in_sectors(buffer);
    if (buffer->role == LAB_SCRATCH || (buffer->role == LAB_OUT && all <= FEW))
        return 0;
    return fmin(all, answer->used[index].sectors);
}

double doubt_needed_bytes(const struct pass *answer)
{
    double sectors = 0;
    for (int i = 0; i < answer->run.nbuffers; i++)
        sectors += needed_sectors(answer, i);
    return 32 * sectors;
}

/* Blocks from everywhere in the grid use places from everywhere in a buffer, if those of the kit's own kernel do; as many as there
 * are runs of neighbours in the sample. (Many blocks that share a few places would find them in L2, where a small buffer lies
 * anyway.) */
static bool is_spread(const struct pass *student, const struct pass *answer, int index)
{
    enum { FEW = 1024 };
    const double enough = 0.5, neighbours = 8;
    if (size_in_sectors(&answer->run.buffers[index]) <= FEW)
        return true;
    const double runs = (double)student->findings.launches.part.count / neighbours;
    return student->used[index].stripes >= enough * fmin(runs, answer->used[index].stripes);
}

/* Whoever computes from all inputs reads them, and whoever fills an output writes it. answer: NULL where the kit has none. */
static bool is_all_used(const struct pass *student, const struct pass *answer)
{
    /* a grid of which many blocks do nothing, and all of which nobody would wait for */
    const bool is_estimated =
        student->least >= SAMPLE_MANY && counts_value(student, "warp_instructions") > doubt_most;
    for (int i = 0; answer && i < student->run.nbuffers; i++) {
        const bool is_exact = student->run.buffers[i].role == LAB_OUT && !is_estimated;
        const double enough = is_exact ? sample_enough_written : 0.9;
        const double sectors = needed_sectors(answer, i);
        if (student->used[i].sectors < enough * sectors ||
            (sectors > 0 &&
             (student->used[i].bytes < enough * answer->used[i].bytes || !is_spread(student, answer, i))))
            return false;
    }
    return true;
}

static double work_of(const struct judge *judge, uint32_t which)
{
    struct lab_case sizes;
    struct lab_run run;
    if (!lab_find_case(judge->lab, judge->stage, which, judge->draw, &sizes))
        return 0;
    lab_begin_run(&run, judge->lab, judge->stage, &sizes, 0);
    return lab_work(&run);
}

/* For each unit of work as many instructions as where all of it was seen. Whoever takes no longer than memory does for the
 * bytes that it uses has gained nothing by doing less. */
static bool is_all_done(const struct judge *judge, const struct pass *student, const struct effort *middle)
{
    const double enough = 0.8, near = 1.5;
    const double small = work_of(judge, LAB_MIDDLE), large = work_of(judge, LAB_TIMED);
    if (!(small > 0) || student->time_us < near * floor_us(judge, &student->run))
        return true;
    return student->findings.covered.effort.instructions / large >= enough * middle->instructions / small;
}

/* The largest launch does the same part of all. (Where there are inputs, whoever does a part of the work twice leaves some of
 * them unread.) */
static bool is_divided_alike(const struct coverage *a, const struct coverage *b)
{
    const double alike = 0.7, all = a->effort.instructions;
    const double ratio = a->largest * b->effort.instructions / (all * b->largest);
    return !(all > 0) || !(b->largest > 0) || (ratio > alike && ratio < 1 / alike);
}

/* True if a case that was executed as a whole has shown the same. If its results are wrong, they are told; if they are right all
 * the same, the finding costs its points, and is no reason to doubt the results of the sample. */
static bool is_known(struct judge *judge, enum lab_symptom symptom)
{
    bool is_found = false;
    pthread_mutex_lock(&judge->lock);
    for (uint32_t i = 0; i < judge->verdict->nmessages; i++) {
        const struct verdict_message *one = &judge->verdict->messages[i];
        is_found =
            is_found || (one->which != LAB_TIMED && one->symptom == symptom && verdict_is_finding(one));
    }
    pthread_mutex_unlock(&judge->lock);
    return is_found;
}

const char *const doubt_little_used = "its blocks use less of the inputs and outputs than they need";

/* What makes it doubtful that the sample stands for the whole; NULL: nothing. */
const char *doubt_find(struct judge *judge, const struct pass *student, const struct pass *answer,
                       const struct coverage *middle)
{
    const enum lab_symptom symptom = student->findings.told.symptom;
    if (symptom != LAB_NO_SYMPTOM && symptom != LAB_STREAMS && !is_known(judge, symptom))
        return student->findings.told.text;
    if (student->doubt[0])
        return student->doubt;
    if (!is_all_used(student, answer))
        return doubt_little_used;
    if (!is_all_done(judge, student, &middle->effort))
        return "its kernels do less for each element than at smaller sizes";
    struct effort timed = student->findings.covered.effort;
    timed.measures[MEASURE_WORK] = work_of(judge, LAB_TIMED);
    const struct effort none = {.instructions = 0};
    const char *lack = effort_lacks(&timed, &middle->effort, judge->largest ? judge->largest : &none);
    if (lack)
        return lack;
    if (!lab_has_inputs(&student->run) && !is_divided_alike(&student->findings.covered, middle))
        return "its work is divided among launches otherwise than at smaller sizes";
    return NULL;
}

enum doubt_trust doubt_known(const struct pass *known, const struct pass *drawn)
{
    const double enough = 0.9, little = 0.02 * counts_value(drawn, "warp_instructions");
    const struct findings_launches *launches = &drawn->findings.launches;
    enum doubt_trust trust = DOUBT_NOTHING;
    for (size_t i = 0; i < launches->ncounters; i++) {
        const double due = launches->values[i], done = counts_value(known, launches->names[i]);
        const bool is_less = done < enough * due;
        if (is_less && due - done > little && known->time_us < drawn->time_us)
            return DOUBT_ALL;
        trust = is_less ? DOUBT_COUNTERS : trust;
    }
    for (int i = 0; i < drawn->run.nbuffers; i++)
        if (drawn->run.buffers[i].role == LAB_OUT &&
            known->used[i].bytes < sample_enough_written * drawn->used[i].bytes)
            return DOUBT_ALL;
    return known->time_us >= enough * drawn->time_us ? trust : DOUBT_ALL;
}
