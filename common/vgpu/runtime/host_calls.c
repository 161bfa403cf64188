/* host_calls.c - host functions of a stream (cudaLaunchHostFunc, callbacks): one thread runs them in order.
 * What was given to the device before a host function has already been executed when it is called; what follows waits
 * in host_calls_wait(). A host function itself must not wait: it is recognised by its thread.
 * It does not know streams: all host functions of a program share one queue. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime/beside.h"
#include "runtime/host_calls.h"

struct call {
    void (*function)(void *);
    void *context;
    struct call *next;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_changed = PTHREAD_COND_INITIALIZER;
static struct call *first, **last = &first;
static bool is_running, has_thread;
static pthread_t thread;

static struct call *take(void)
{
    while (!first) {
        is_running = false;
        pthread_cond_broadcast(&queue_changed);
        pthread_cond_wait(&queue_changed, &queue_lock);
    }
    struct call *call = first;
    first = call->next;
    if (!first)
        last = &first;
    is_running = true;
    return call;
}

static void *serve(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&queue_lock);
    for (;;) {
        struct call *call = take();
        pthread_mutex_unlock(&queue_lock);
        call->function(call->context);
        free(call);
        pthread_mutex_lock(&queue_lock);
    }
    return NULL;
}

static bool start_thread(void)
{
    if (!has_thread && pthread_create(&thread, NULL, serve, NULL) == 0) {
        has_thread = true;
        pthread_detach(thread);
    }
    return has_thread;
}

cudaError_t host_call(void (*function)(void *), void *context)
{
    struct call *call = malloc(sizeof *call);
    if (!call)
        return cudaErrorMemoryAllocation;
    *call = (struct call){function, context, NULL};
    pthread_mutex_lock(&queue_lock);
    bool is_served = start_thread();
    if (is_served) {
        *last = call;
        last = &call->next;
        is_running = true;
        pthread_cond_broadcast(&queue_changed);
    }
    pthread_mutex_unlock(&queue_lock);
    if (!is_served)
        free(call);
    return is_served ? cudaSuccess : cudaErrorOperatingSystem;
}

static bool is_serving_thread(void)
{
    return has_thread && pthread_equal(pthread_self(), thread);
}

void host_calls_wait_functions(void)
{
    pthread_mutex_lock(&queue_lock);
    while (is_running && !is_serving_thread())
        pthread_cond_wait(&queue_changed, &queue_lock);
    pthread_mutex_unlock(&queue_lock);
}

/* A host function may not call CUDA at all. One that does must not wait for a kernel that may wait for it. */
void host_calls_wait(cudaStream_t stream)
{
    host_calls_wait_functions();
    if (!is_serving_thread())
        beside_wait(stream);
}

bool host_calls_pending(cudaStream_t stream)
{
    pthread_mutex_lock(&queue_lock);
    bool is_pending = is_running && !is_serving_thread();
    pthread_mutex_unlock(&queue_lock);
    return is_pending || beside_is_busy(stream);
}
