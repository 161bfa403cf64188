/* follow.c - see follow.h, and feeds/feeds.h for what is done with it. */
#include "runtime/follow.h"

#include "core/trail.h"
#include "feeds/feeds.h"
#include "runtime/runtime.h"
#include "vgpu.h"

static struct feeds *pass; /* NULL: nobody wants to know */

uint32_t follow_wants(const struct launch *launch)
{
    return !launch->is_recorded  ? 0
           : pass                ? feeds_wants(pass, launch)
           : launch->is_pictured ? TRAIL_STEPS
                                 : 0;
}

void follow_explain(struct launch *launch, double time_us)
{
    static const struct feeds_roots roots = {.all_global = true};
    struct feeds_counters counters;
    launch->feeds = launch->is_pictured && launch->trail_steps ? feeds_new() : NULL;
    if (!launch->feeds)
        return;
    feeds_launch(launch->feeds, launch, time_us);
    feeds_solve(launch->feeds, &roots, &counters);
}

void follow_launch(struct launch *launch, double time_us)
{
    if (pass && launch->feeds)
        feeds_move(pass, launch->feeds);
    else if (pass && launch->is_recorded)
        feeds_launch(pass, launch, time_us);
    feeds_free(launch->feeds);
    launch->feeds = NULL;
}

static const struct allocation *on_device(const void *pointer)
{
    const struct allocation *found = memory_find(runtime_memory(), (uintptr_t)pointer);
    return found && found->kind != ALLOC_PINNED ? found : NULL;
}

void follow_copy(const void *to, const void *from, uint64_t bytes)
{
    if (!pass)
        return;
    const struct allocation *target = on_device(to), *source = on_device(from);
    feeds_copy(pass, target, target ? (uintptr_t)to - target->base : 0, source,
               source ? (uintptr_t)from - source->base : 0, bytes);
}

void follow_forget(void)
{
    feeds_free(pass);
    pass = NULL;
}

void vgpu_follow(bool is_followed)
{
    if (runtime_begin())
        return;
    runtime_lock();
    follow_forget();
    pass = is_followed ? feeds_new() : NULL;
    runtime_unlock();
}

_Static_assert((int)COUNTERS_COUNT <= (int)VGPU_FOLLOWED_COUNTERS &&
                   (int)FEEDS_INPUTS == (int)VGPU_FOLLOWED_INPUTS,
               "room for all");

static void fill(struct vgpu_mattered *out, const struct feeds_counters *counters)
{
#define COUNTER(name, unit, meaning) #name,
    static const char *const names[] = {
#include "core/counters.def"
    };
#undef COUNTER
    *out = (struct vgpu_mattered){.is_known = counters->is_known,
                                  .names = names,
                                  .ncounters = COUNTERS_COUNT,
                                  .idle_launches = counters->idle_launches,
                                  .idle_us = counters->idle_us,
                                  .idle_lanes = counters->lanes};
    for (int i = 0; i < COUNTERS_COUNT; i++) {
        out->all[i] = counters->all[i];
        for (int k = 0; k < FEEDS_INPUTS; k++)
            out->of[k][i] = counters->of[k][i];
        out->own[i] = counters->of[FEEDS_OWN][i];
    }
}

void vgpu_mattered(const struct vgpu_wanted *wanted, struct vgpu_mattered *out)
{
    const struct feeds_roots roots = {.addresses = wanted->outputs,
                                      .count = wanted->noutputs,
                                      .host_reads = wanted->host_reads,
                                      .sources = wanted->inputs,
                                      .nsources =
                                          wanted->ninputs < FEEDS_INPUTS ? wanted->ninputs : FEEDS_INPUTS};
    struct feeds_counters counters = {.is_known = false};
    if (pass && !runtime_begin()) {
        runtime_lock();
        feeds_solve(pass, &roots, &counters);
        follow_forget();
        runtime_unlock();
    }
    fill(out, &counters);
}
