/* beside.c - see beside.h. It knows neither kernels nor memory: only who runs, who waits and who follows whom. */
#define _GNU_SOURCE
#include "runtime/beside.h"

#include <driver_types.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* How long a kernel lets others go on before it looks again, and how often in vain while the host waits for it: seconds. */
enum { MOMENT_NS = 200000, MOST_MOMENTS = 10000 };

struct beside {
    void (*run)(void *context, struct beside *job);
    void *context;
    cudaStream_t stream;
    bool is_over, is_waiting;
    bool has_waited; /* for the host, or for another job */
    bool is_left;    /* nobody looks at it any more */
    unsigned moments;
    struct beside *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct beside *jobs, **last = &jobs; /* that are not over, oldest first */
static unsigned nhosts;                     /* threads of the host that wait for jobs */
static bool is_device_taken;

/* ------------------------------------------------------------------------------------------- order */

static bool is_legacy(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy;
}

/* Under the lock: a job, older than `until`, that work on the stream has to follow. */
static bool has_before(cudaStream_t stream, const struct beside *until)
{
    for (const struct beside *job = jobs; job && job != until; job = job->next)
        if (job->stream == stream || is_legacy(job->stream) || is_legacy(stream))
            return true;
    return false;
}

static void unlink_job(struct beside *job)
{
    struct beside **link = &jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    if (last == &job->next)
        last = link;
}

/* ------------------------------------------------------------------------------------------- jobs */

static void *serve(void *argument)
{
    struct beside *job = argument;
    pthread_mutex_lock(&lock);
    while (has_before(job->stream, job))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    job->run(job->context, job);
    pthread_mutex_lock(&lock);
    unlink_job(job);
    job->is_over = true;
    const bool is_left = job->is_left;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (is_left)
        free(job);
    return NULL;
}

static bool start(struct beside *job)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, job) != 0)
        return false;
    pthread_detach(thread);
    *last = job;
    last = &job->next;
    return true;
}

bool beside_run(void (*run)(void *context, struct beside *job), void *context, cudaStream_t stream)
{
    struct beside *job = malloc(sizeof *job);
    if (!job)
        return false;
    *job = (struct beside){.run = run, .context = context, .stream = stream};
    pthread_mutex_lock(&lock);
    const bool is_behind = has_before(stream, NULL);
    job->has_waited = is_behind;
    const bool is_started = start(job);
    while (is_started && !is_behind && !job->is_over && !job->is_waiting)
        pthread_cond_wait(&changed, &lock);
    const bool is_done = !is_started || job->is_over;
    job->is_left = !is_done;
    pthread_mutex_unlock(&lock);
    if (is_done)
        free(job);
    return is_started;
}

/* ------------------------------------------------------------------------------------------- the device */

static void take(void)
{
    while (is_device_taken)
        pthread_cond_wait(&changed, &lock);
    is_device_taken = true;
}

static void give(void)
{
    is_device_taken = false;
    pthread_cond_broadcast(&changed);
}

void beside_take_device(void)
{
    pthread_mutex_lock(&lock);
    take();
    pthread_mutex_unlock(&lock);
}

void beside_give_device(void)
{
    pthread_mutex_lock(&lock);
    give();
    pthread_mutex_unlock(&lock);
}

bool beside_wait_for_host(struct beside *job, bool is_first)
{
    const struct timespec moment = {0, MOMENT_NS};
    pthread_mutex_lock(&lock);
    job->is_waiting = job->has_waited = true;
    job->moments = is_first || !nhosts ? 0 : job->moments + 1;
    const bool is_hopeful = job->moments < MOST_MOMENTS;
    give();
    pthread_mutex_unlock(&lock);
    if (is_hopeful)
        nanosleep(&moment, NULL);
    pthread_mutex_lock(&lock);
    take();
    job->is_waiting = false;
    pthread_mutex_unlock(&lock);
    return is_hopeful;
}

bool beside_has_waited(struct beside *job)
{
    pthread_mutex_lock(&lock);
    const bool has_waited = job->has_waited;
    pthread_mutex_unlock(&lock);
    return has_waited;
}

/* ------------------------------------------------------------------------------------------- the host */

void beside_wait(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    nhosts++;
    while (has_before(stream, NULL))
        pthread_cond_wait(&changed, &lock);
    nhosts--;
    pthread_mutex_unlock(&lock);
}

bool beside_is_busy(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    const bool is_busy = has_before(stream, NULL);
    pthread_mutex_unlock(&lock);
    return is_busy;
}
