/* watch.c - the watching half of vgpu.h: one watcher, told of messages, prints, launches and operations.
 * A program that is not watched pays one test of a pointer.
 * Who calls is found from the host's return addresses, as for messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/texture.h"
#include "memory/cache.h"
#include "memory/used.h"
#include "profile/profile.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/explained.h"
#include "runtime/image.h"
#include "runtime/watch.h"

static struct vgpu_watcher watcher;
static unsigned holds; /* operations are not told */

static void pass_message(const struct vgpu_message *message, void *context)
{
    (void)context;
    watcher.message(watcher.context, message);
}

void vgpu_watch(const struct vgpu_watcher *who)
{
    runtime_begin();
    runtime_lock();
    watcher = who ? *who : (struct vgpu_watcher){0};
    report_set_sink(watcher.message ? pass_message : NULL, NULL);
    order_tell_anew();
    runtime_unlock();
}

/* ------------------------------------------------------------------------------------------- operations */

bool watch_is_on(void)
{
    return watcher.launched || watcher.operation || watcher.message;
}

bool watch_wants_profile(void)
{
    return (watcher.launched && watcher.wants_profile) || runtime_config()->is_explained;
}

bool watch_wants_operations(void)
{
    return watcher.operation != NULL;
}

void watch_operation(const struct vgpu_operation *operation)
{
    if (!watcher.operation || holds)
        return;
    runtime_lock();
    watcher.operation(watcher.context, operation);
    runtime_unlock();
}

void watch_other(const char *call)
{
    watch_operation(&(struct vgpu_operation){.kind = VGPU_OTHER, .call = call});
}

/* Created streams have ids from 3 on. */
static void tell_span(struct vgpu_span span)
{
    char name[200] = "";
    if (!watcher.timed && !explained_wants_spans())
        return;
    if (span.name && *span.name)
        name_of_function(span.name, name, sizeof name);
    span.name = name;
    if (watcher.timed)
        watcher.timed(watcher.context, &span);
    if (explained_wants_spans())
        explained_span(&span);
}

__attribute__((constructor)) static void listen(void)
{
    clock_told = tell_span;
}

uint64_t watch_stream(cudaStream_t stream)
{
    const struct CUstream_st *found = watch_wants_operations() ? stream_of(stream) : NULL;
    return found ? clock_number(found) : 0;
}

void watch_event(enum vgpu_operation_kind kind, const char *call, cudaEvent_t event, cudaStream_t stream)
{
    watch_operation(&(struct vgpu_operation){
        .kind = kind, .call = call, .stream = watch_stream(stream), .event = event->number});
}

void watch_sync(const char *call, cudaStream_t stream, bool is_device_wide)
{
    watch_operation(&(struct vgpu_operation){
        .kind = VGPU_SYNC, .call = call, .stream = watch_stream(stream), .is_device_wide = is_device_wide});
}

void watch_stream_made(cudaStream_t stream)
{
    watch_operation(&(struct vgpu_operation){.kind = VGPU_STREAM,
                                             .call = "cudaStreamCreate",
                                             .stream = watch_stream(stream),
                                             .is_nonblocking = stream->flags & cudaStreamNonBlocking});
}

void watch_pinned(const char *call, const void *pointer, uint64_t bytes)
{
    watch_operation(
        &(struct vgpu_operation){.kind = VGPU_PIN, .call = call, .to = pointer, .width = bytes, .height = 1});
}

void watch_graph(enum vgpu_operation_kind kind, const char *call, cudaStream_t stream, uint32_t graph,
                 uint32_t made)
{
    watch_operation(&(struct vgpu_operation){
        .kind = kind, .call = call, .stream = watch_stream(stream), .value = graph, .made = made});
}

void watch_hold(void)
{
    runtime_lock();
    holds++;
    runtime_unlock();
}

void watch_go_on(void)
{
    runtime_lock();
    holds--;
    runtime_unlock();
}

void watch_alloc(const char *call, const void *pointer, uint64_t bytes, cudaStream_t stream)
{
    watch_operation(&(struct vgpu_operation){.kind = VGPU_ALLOC,
                                             .call = call,
                                             .stream = watch_stream(stream),
                                             .to = pointer,
                                             .width = bytes,
                                             .height = 1,
                                             .is_to_device = true});
}

void watch_free(const char *call, const void *pointer, cudaStream_t stream)
{
    watch_operation(&(struct vgpu_operation){.kind = VGPU_FREE,
                                             .call = call,
                                             .stream = watch_stream(stream),
                                             .to = pointer,
                                             .is_to_device = true});
}

/* ------------------------------------------------------------------------------------------- launches, prints */

#define COUNTER(name, unit, meaning) #name,
static const char *const counter_names[] = {
#include "core/counters.def"
    "registers_per_thread",     "occupancy", "time_us", "shared_bytes_per_block", "blocks_per_sm",
    "spilled_bytes_per_thread", "flop"};
#undef COUNTER
enum { COUNTERS = sizeof counter_names / sizeof *counter_names };

static void fill_values(double values[COUNTERS], const struct counters *counters)
{
    const double filled[] = {
#define COUNTER(name, unit, meaning) (double)counters->name,
#include "core/counters.def"
#undef COUNTER
    };
    memcpy(values, filled, sizeof filled);
}

/* The lines of a launch and the memory of their values. */
struct told_lines {
    struct vgpu_line *lines;
    double *values;
    size_t count;
};

static void make_lines(struct told_lines *out, const struct launch *launch)
{
    struct line_list list = {NULL, 0};
    *out = (struct told_lines){NULL, NULL, 0};
    if (!(watcher.wants_lines || watch_wants_profile()) || !counters_by_line(&list, launch, own_loc))
        list.count = 0;
    out->lines = calloc(list.count + 1, sizeof *out->lines);
    out->values = calloc(list.count + 1, COUNTERS * sizeof *out->values);
    for (size_t i = 0; out->lines && out->values && i < list.count; i++) {
        double *values = out->values + i * COUNTERS;
        fill_values(values, &list.lines[i].counters);
        out->lines[out->count++] = (struct vgpu_line){list.lines[i].file, list.lines[i].line, values};
    }
    free(list.lines);
}

/* Which instructions of the module were executed, in the order of its text: functions are decoded, and their instructions get their
 * ids, in the order in which they are needed, which another process need not share. NULL: out of memory. */
static uint8_t *list_executed(const struct launch *launch, size_t *count)
{
    const struct module *module = launch->kernel->module;
    *count = 0;
    for (uint32_t f = 0; f < module->nfunctions; f++)
        *count += module->functions[f].ptx->ninsns;
    uint8_t *executed = calloc(*count + 1, 1), *next = executed;
    for (uint32_t f = 0; executed && launch->stats && f < module->nfunctions; f++) {
        const struct function *function = &module->functions[f];
        for (uint32_t i = 0; function->code && i < function->ncode; i++) {
            const struct insn *insn = &function->code[i];
            if (insn->id && launch_stat(launch, insn->id)->warps)
                next[insn->source - function->ptx->insns] = 1;
        }
        next += function->ptx->ninsns;
    }
    return executed;
}

static enum vgpu_amount amount_of(const struct insn *insn, const struct insn_stat *stat)
{
    if (insn->flow == FLOW_BARRIER)
        return VGPU_BARRIERS;
    if (insn->is_atomic)
        return stat->shared_requests ? VGPU_SHARED_ATOMICS : VGPU_GLOBAL_ATOMICS;
    if (insn->is_async)
        return VGPU_BYTES_LOADED;
    if (stat->shared_requests)
        return insn->is_store ? VGPU_SHARED_WRITTEN : VGPU_SHARED_READ;
    if (stat->local_requests)
        return VGPU_LOCAL_MOVED;
    if (stat->requests && insn->class == CLASS_GLOBAL)
        return insn->is_store ? VGPU_BYTES_STORED : VGPU_BYTES_LOADED;
    return insn->class == CLASS_FP64   ? VGPU_DOUBLES
           : insn->class == CLASS_WARP ? VGPU_EXCHANGES
                                       : VGPU_AMOUNTS;
}

static bool is_in_bytes(enum vgpu_amount amount)
{
    return amount >= VGPU_BYTES_LOADED && amount <= VGPU_LOCAL_MOVED;
}

static void add_amounts(const struct launch *launch, double *amounts)
{
    const struct module *module = launch->kernel->module;
    for (uint32_t f = 0; launch->stats && f < module->nfunctions; f++)
        for (uint32_t i = 0; module->functions[f].code && i < module->functions[f].ncode; i++) {
            const struct insn *insn = &module->functions[f].code[i];
            const struct insn_stat *stat = launch_stat(launch, insn->id);
            const enum vgpu_amount amount = insn->id && stat->warps ? amount_of(insn, stat) : VGPU_AMOUNTS;
            const double threads = (double)LANES * (double)stat->warps - (double)stat->idle;
            if (amount != VGPU_AMOUNTS)
                amounts[amount] +=
                    threads * (is_in_bytes(amount) ? insn->width * (insn->count ? insn->count : 1) : 1);
        }
}

void watch_launched(const struct launch *launch, const struct counters *counters,
                    const struct occupancy *occupancy, const struct estimate *estimate)
{
    if (!watcher.launched && !runtime_config()->is_explained)
        return;
    const double whole[] = {launch->kernel->registers, occupancy->fraction,
                            estimate->time_us,         launch->kernel->shared_bytes + launch->dynamic_shared,
                            occupancy->blocks_per_sm,  launch->kernel->spill_bytes,
                            estimate->roofline.flop};
    double values[COUNTERS];
    struct told_lines lines;
    size_t ninstructions;
    uint8_t *executed = list_executed(launch, &ninstructions);
    double amounts[VGPU_AMOUNTS] = {0};
    add_amounts(launch, amounts);
    fill_values(values, counters);
    memcpy(values + COUNTERS - sizeof whole / sizeof *whole, whole, sizeof whole);
    make_lines(&lines, launch);
    struct profile profile = {.spent = NULL};
    if (estimate->spent)
        profile_make(&profile, launch, estimate, lines.lines, lines.count);
    const struct vgpu_launch told = {.kernel = launch->kernel_name,
                                     .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                     .block = {launch->dim[0], launch->dim[1], launch->dim[2]},
                                     .names = counter_names,
                                     .values = values,
                                     .ncounters = COUNTERS,
                                     .time_us = estimate->time_us,
                                     .limiter = estimate->limiter,
                                     .lines = lines.lines,
                                     .nlines = lines.count,
                                     .blocks = launch->nblocks,
                                     .of = launch->nblocks_asked,
                                     .first = launch->first_block,
                                     .is_partial = launch->is_partial,
                                     .executed = executed,
                                     .amounts = amounts,
                                     .ninstructions = executed ? ninstructions : 0,
                                     .profile = profile.spent ? &profile.told : NULL};
    if (watcher.launched)
        watcher.launched(watcher.context, &told);
    if (told.profile && runtime_config()->is_explained)
        explained_add(&told);
    profile_free(&profile);
    free(executed);
    free(lines.lines);
    free(lines.values);
}

bool watch_printed(const char *text, size_t size)
{
    if (watcher.printed)
        watcher.printed(watcher.context, text, size);
    return watcher.printed != NULL;
}

/* ------------------------------------------------------------------------------------------- questions */

static const enum vgpu_memory memories[] = {
    [ALLOC_DEVICE] = VGPU_DEVICE_MEMORY, [ALLOC_PINNED] = VGPU_PINNED, [ALLOC_MANAGED] = VGPU_MANAGED,
    [ALLOC_SYMBOL] = VGPU_SYMBOL,        [ALLOC_CONST] = VGPU_SYMBOL,  [ALLOC_HEAP] = VGPU_OTHER_MEMORY,
    [ALLOC_ARRAY] = VGPU_OTHER_MEMORY};

bool vgpu_locate(uint64_t address, struct vgpu_place *place)
{
    if (runtime_begin())
        return false;
    const struct allocation *found = memory_find(runtime_memory(), address);
    if (!found && address)
        found = memory_find(runtime_memory(), address - 1);
    if (!found)
        return false;
    *place = (struct vgpu_place){memories[found->kind], found->base, found->size, found->name};
    return true;
}

bool vgpu_is_texture(uint64_t word)
{
    return texture_table_is_handle(word);
}

bool vgpu_is_variable(uint64_t word, char *out, size_t size)
{
    return variable_advice(word, out, size);
}

static const struct allocation *allocation_at(uint64_t address)
{
    return runtime_begin() ? NULL : memory_find(runtime_memory(), address);
}

double vgpu_bytes_used(uint64_t address)
{
    const struct allocation *found = allocation_at(address);
    return found ? used_bytes(found, WORDS_USED) : 0;
}

double vgpu_bytes_stored(uint64_t address)
{
    const struct allocation *found = allocation_at(address);
    return found ? used_bytes(found, WORDS_STORED) : 0;
}

const uint64_t *vgpu_words_used(uint64_t address)
{
    const struct allocation *found = allocation_at(address);
    return found ? found->words[WORDS_USED].ever : NULL;
}

const uint64_t *vgpu_words_stored(uint64_t address)
{
    const struct allocation *found = allocation_at(address);
    return found ? found->words[WORDS_STORED].ever : NULL;
}

const uint64_t *vgpu_words_loaded(uint64_t address)
{
    const struct allocation *found = allocation_at(address);
    return found ? found->words[WORDS_LOADED].ever : NULL;
}

const void *vgpu_peek(uint64_t address)
{
    const struct allocation *found = allocation_at(address);
    return found ? found->host + (address - found->base) : NULL;
}

double vgpu_sectors_used(uint64_t address)
{
    const struct allocation *found = allocation_at(address);
    return found ? (double)cache_sectors_used(found) : 0;
}

void vgpu_each_touched(uint64_t address, void (*visit)(void *context, uint64_t offset, uint64_t bytes),
                       void *context)
{
    const struct allocation *found = runtime_begin() ? NULL : memory_find(runtime_memory(), address);
    uint64_t end = 0;
    for (uint64_t at = 0; found && (at = cache_next_touched(found, at, &end)) != UINT64_MAX; at = end)
        visit(context, at * 32, (end * 32 < found->size ? end * 32 : found->size) - at * 32);
}

bool vgpu_caller(char *out, size_t size)
{
    void *frames[ALLOC_FRAMES] = {NULL};
    report_frames(frames, ALLOC_FRAMES);
    return host_line(frames, ALLOC_FRAMES, out, size);
}
