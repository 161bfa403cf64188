/* judge.c - what the parts of the judge say, and the watchdog that ends a replay which does not end.
 * All that is shared with the watchdog is changed under the judge's lock. */
#define _GNU_SOURCE
#include "grader/judge/judge.h"

#include <stdarg.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------- what it says */

void judge_add_case(struct judge *judge, const struct lab_outcome *one)
{
    pthread_mutex_lock(&judge->lock);
    verdict_add_case(judge->verdict, one);
    pthread_mutex_unlock(&judge->lock);
}

void judge_drop_messages(struct judge *judge, uint32_t nmessages)
{
    pthread_mutex_lock(&judge->lock);
    verdict_drop_messages(judge->verdict, nmessages);
    pthread_mutex_unlock(&judge->lock);
}

void judge_fail(struct judge *judge, const char *format, ...)
{
    char *failure = judge->verdict->failure;
    va_list list;
    pthread_mutex_lock(&judge->lock);
    va_start(list, format);
    if (!failure[0])
        vsnprintf(failure, sizeof judge->verdict->failure, format, list);
    va_end(list);
    pthread_mutex_unlock(&judge->lock);
}

bool judge_has_failed(struct judge *judge)
{
    pthread_mutex_lock(&judge->lock);
    const bool has_failed = judge->verdict->failure[0];
    pthread_mutex_unlock(&judge->lock);
    return has_failed;
}

void judge_enter(struct judge *judge, uint32_t which, bool is_ours)
{
    pthread_mutex_lock(&judge->lock);
    judge->which = which;
    judge->is_ours = is_ours;
    pthread_mutex_unlock(&judge->lock);
}

/* ------------------------------------------------------------------------------------------- the watchdog */

void judge_write(struct judge *judge)
{
    pthread_mutex_lock(&judge->lock);
    if (!judge->is_written)
        verdict_write(judge->verdict, judge->out);
    judge->is_written = true;
    pthread_mutex_unlock(&judge->lock);
}

/* Kernels that never end hold the main thread for good: the process ends from here. */
static void *watch(void *argument)
{
    struct judge *judge = argument;
    const struct timespec limit = {.tv_sec = judge->limit_s};
    clock_nanosleep(judge->clock, 0, &limit, NULL);
    pthread_mutex_lock(&judge->lock);
    struct lab_outcome late = {.which = judge->which, .symptom = LAB_ENDLESS};
    const bool is_ours = judge->is_ours, is_written = judge->is_written;
    pthread_mutex_unlock(&judge->lock);
    if (judge->student.can_print) /* what it printed is not known before it ends */
        late.symptom = LAB_PRINTS;
    if (is_written)
        return NULL;
    snprintf(late.text, sizeof late.text, "It had not ended after %d s.", judge->limit_s);
    if (is_ours)
        judge_fail(judge, "The kit's own code had not ended after %d s.", judge->limit_s);
    else
        judge_add_case(judge, &late);
    judge_write(judge);
    _exit(is_ours ? 2 : 0);
}

void judge_start_watchdog(struct judge *judge)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, judge) != 0)
        judge_fail(judge, "The watchdog could not be started.");
    else
        pthread_detach(thread);
}
