/* elsewhere.c - see elsewhere.h. */
#include "profile/elsewhere.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "core/gpu.h"

enum { MOST_THREADS = 8 };

struct elsewhere {
    const struct profile *profile;
    pthread_t threads[MOST_THREADS];
    int nthreads;
    atomic_size_t next; /* the GPU that nobody has begun */
    size_t count;
    struct one {
        struct estimate estimate;
        bool fits;
    } ones[]; /* by GPU */
};

static bool is_here(const struct profile *profile, const struct gpu *gpu)
{
    return strcmp(gpu->id, profile->launch->gpu->id) == 0;
}

/* False: a block does not fit. */
static bool estimate_on(struct estimate *out, const struct launch *launch, const struct gpu *gpu)
{
    struct launch other = *launch;
    struct occupancy occupancy;
    gpu_occupancy(gpu, launch->kernel->registers, launch->kernel->shared_bytes + launch->dynamic_shared,
                  launch->dim[0] * launch->dim[1] * launch->dim[2], &occupancy);
    if (!occupancy.blocks_per_sm)
        return false;
    other.gpu = gpu;
    other.blocks_per_sm = occupancy.blocks_per_sm;
    other.resident_blocks = (uint64_t)occupancy.blocks_per_sm * gpu->sms;
    model_estimate(out, &other, &occupancy, MODEL_ROUGHLY);
    return true;
}

static void *estimate_next(void *argument)
{
    struct elsewhere *elsewhere = argument;
    for (size_t i; (i = atomic_fetch_add(&elsewhere->next, 1)) < elsewhere->count;)
        if (!is_here(elsewhere->profile, gpu_at(i)))
            elsewhere->ones[i].fits =
                estimate_on(&elsewhere->ones[i].estimate, elsewhere->profile->launch, gpu_at(i));
    return NULL;
}

struct elsewhere *elsewhere_begin(const struct profile *profile)
{
    size_t count = 0;
    while (gpu_at(count))
        count++;
    struct elsewhere *elsewhere = calloc(1, sizeof *elsewhere + count * sizeof *elsewhere->ones);
    if (!elsewhere)
        return NULL;
    const int cores = cores_usable();
    elsewhere->profile = profile;
    elsewhere->count = count;
    while (elsewhere->nthreads < cores - 1 && elsewhere->nthreads < MOST_THREADS &&
           pthread_create(&elsewhere->threads[elsewhere->nthreads], NULL, estimate_next, elsewhere) == 0)
        elsewhere->nthreads++;
    return elsewhere;
}

static void put_gpu(struct json *json, const char *gpu, const struct estimate *estimate, bool is_now)
{
    json_object(json, NULL);
    json_text(json, "gpu", gpu);
    json_number(json, "time_us", estimate->time_us);
    json_text(json, "limiter", estimate->limiter);
    json_bool(json, "isNow", is_now);
    json_end_object(json);
}

void elsewhere_put(struct json *json, struct elsewhere *elsewhere)
{
    if (!elsewhere)
        return;
    estimate_next(elsewhere); /* who waits can help */
    for (int i = 0; i < elsewhere->nthreads; i++)
        pthread_join(elsewhere->threads[i], NULL);
    json_list(json, "gpus");
    put_gpu(json, elsewhere->profile->launch->gpu->id, elsewhere->profile->estimate, true);
    for (size_t i = 0; i < elsewhere->count; i++) {
        if (!elsewhere->ones[i].fits)
            continue;
        put_gpu(json, gpu_at(i)->id, &elsewhere->ones[i].estimate, false);
        estimate_free(&elsewhere->ones[i].estimate);
    }
    json_end_list(json);
    free(elsewhere);
}
