/* progress.c - see progress.h. */
#include "grader/progress.h"

#include <string.h>

static bool is_listed(const struct progress *progress, const char *id)
{
    for (int i = 0; i < progress->nstages; i++) {
        if (strcmp(progress->stages[i].id, id) == 0)
            return true;
    }
    return false;
}

static void list_table(struct progress *out, const struct lab *lab)
{
    for (int i = 0; i < lab->nstages && out->nstages < HISTORY_STAGES; i++) {
        const struct lab_stage *stage = &lab->stages[i];
        const int most = lab_stage_points(stage);
        if (most > 0 && !stage->is_given)
            out->stages[out->nstages++] = (struct progress_stage){.id = stage->id,
                                                                  .title = stage->title,
                                                                  .row = i + 1,
                                                                  .most = most,
                                                                  .is_bonus = stage->is_bonus};
    }
}

static void list_history(struct progress *out, const struct history *history)
{
    for (int i = 0; i < history->count; i++) {
        for (int k = 0; k < history->list[i].nstages && out->nstages < HISTORY_STAGES; k++) {
            const struct history_stage *stage = &history->list[i].stages[k];
            if (!is_listed(out, stage->id))
                out->stages[out->nstages++] = (struct progress_stage){
                    .id = stage->id, .title = "", .most = stage->most, .is_bonus = stage->is_bonus};
        }
    }
}

static void add_up(struct progress *out)
{
    const struct progress_stage *bonus = NULL;
    out->points = out->most = out->bonus = out->bonus_most = 0;
    out->next = NULL;
    for (int i = 0; i < out->nstages; i++) {
        const struct progress_stage *one = &out->stages[i];
        const struct progress_stage **next = one->is_bonus ? &bonus : &out->next;
        *(one->is_bonus ? &out->bonus : &out->points) += one->points;
        *(one->is_bonus ? &out->bonus_most : &out->most) += one->most;
        if (one->points < one->most && !*next)
            *next = one;
    }
    if (!out->next)
        out->next = bonus;
}

void progress_find(struct progress *out, const struct lab *lab, const struct history *history)
{
    *out = (struct progress){.nstages = 0};
    if (lab)
        list_table(out, lab);
    else
        list_history(out, history);
    for (int i = 0; i < out->nstages; i++) {
        struct progress_stage *one = &out->stages[i];
        const struct history_stage *best = history_best(history, one->id);
        one->is_tried = best != NULL;
        if (best)
            one->points = best->points < one->most ? best->points : one->most;
    }
    if (history->count)
        out->last = history->list[history->count - 1].when;
    add_up(out);
}

void progress_raise(struct progress *progress, const char *id, int points)
{
    for (int i = 0; i < progress->nstages; i++) {
        struct progress_stage *one = &progress->stages[i];
        if (strcmp(one->id, id) == 0 && points > one->points)
            one->points = points < one->most ? points : one->most;
    }
    add_up(progress);
}

static bool has_points_left(const struct progress *one)
{
    return one->next && !one->next->is_bonus;
}

/* -1: none was tried. */
static int find_latest(const struct progress *list, int count)
{
    int latest = -1;
    for (int i = 0; i < count; i++)
        if (list[i].last && (latest < 0 || list[i].last > list[latest].last))
            latest = i;
    return latest;
}

int progress_choose(const struct progress *list, int count)
{
    const int latest = find_latest(list, count), begin = latest < 0 ? 0 : latest;
    int bonus = -1;
    if (latest >= 0 && has_points_left(&list[latest]))
        return latest;
    for (int k = 0; k < count; k++) {
        const int i = (begin + k) % count;
        if (has_points_left(&list[i]) || list[i].nstages == 0)
            return i;
        if (list[i].next && bonus < 0)
            bonus = i;
    }
    return bonus;
}
