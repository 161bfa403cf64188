/* public.c - the functions of vgpu.h, but for watching, which is watch.c's.
 * The CUDA runtime API is in the other runtime files. */
#include "memory/late.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/clock.h"
#include "runtime/handles.h"
#include "runtime/order.h"
#include "vgpu.h"

const char *vgpu_version(void)
{
    return VGPU_VERSION;
}

const char *vgpu_gpu(void)
{
    runtime_begin();
    return runtime_config()->gpu->id;
}

double vgpu_time_us(void)
{
    runtime_lock();
    double time = (double)clock_host() / PS_PER_US;
    runtime_unlock();
    return time;
}

double vgpu_work_us(void)
{
    runtime_lock();
    const double time = (double)clock_work() / PS_PER_US;
    runtime_unlock();
    return time;
}

void vgpu_host_spend(double us)
{
    if (runtime_begin() || !(us > 0))
        return;
    runtime_lock();
    clock_host_spend((picoseconds)(us * PS_PER_US));
    runtime_unlock();
}

double vgpu_copy_us(uint64_t bytes)
{
    return runtime_begin() ? 0 : clock_copy_within_us(bytes);
}

void vgpu_unsupported(const char *call, const char *why)
{
    if (!runtime_begin())
        runtime_unsupported(call, why);
}

void vgpu_set_execution(enum vgpu_execution execution)
{
    if (runtime_is_there())
        runtime_set_execution(execution);
}

void vgpu_set_timed(bool is_timed)
{
    if (runtime_is_there())
        runtime_set_timed(is_timed);
}

void vgpu_set_sample_least(unsigned blocks)
{
    if (runtime_is_there())
        runtime_set_sample_least(blocks);
}

void vgpu_set_sample_seed(uint64_t seed)
{
    if (runtime_is_there())
        runtime_set_sample_seed(seed);
}

void vgpu_set_order(enum vgpu_order order)
{
    if (runtime_is_there())
        runtime_set_order(order);
}

void vgpu_set_check(enum vgpu_check check)
{
    static const enum check_level levels[] = {
        [VGPU_CHECK_OFF] = CHECK_OFF, [VGPU_CHECK_BOUNDS] = CHECK_BOUNDS, [VGPU_CHECK_FULL] = CHECK_FULL};
    if (runtime_is_there())
        runtime_set_check(levels[check]);
}

void vgpu_set_use(bool is_noted)
{
    if (runtime_is_there())
        runtime_set_use(is_noted);
}

void vgpu_set_caches(bool has_caches)
{
    if (runtime_is_there())
        runtime_set_caches(has_caches);
}

uint64_t vgpu_set_garbage(uint64_t seed)
{
    if (!runtime_is_there())
        return 0;
    const uint64_t before = runtime_config()->garbage;
    runtime_set_garbage(seed);
    return before;
}

/* The allocation at a device pointer, under the runtime's lock; NULL: there is none. */
static struct allocation *find_allocation(const void *device)
{
    struct memory *memory = runtime_memory();
    return memory ? memory_find(memory, (uint64_t)(uintptr_t)device) : NULL;
}

void vgpu_name_memory(const void *device, const char *name)
{
    runtime_lock();
    struct allocation *allocation = find_allocation(device);
    if (allocation)
        allocation->called = name;
    runtime_unlock();
}

void vgpu_forget_writes(const void *device)
{
    runtime_lock();
    struct allocation *allocation = find_allocation(device);
    if (allocation)
        memory_forget_writes(allocation);
    runtime_unlock();
}

bool vgpu_fill_late(const void *device, vgpu_fill_fn *fill, void *context, int which)
{
    runtime_lock();
    struct allocation *allocation = find_allocation(device);
    const bool is_done = allocation && late_begin(allocation, fill, context, which);
    if (is_done)
        memory_mark_written(allocation, allocation->base, allocation->size);
    runtime_unlock();
    return is_done;
}

bool vgpu_fill_host_late(void *host, uint64_t bytes, vgpu_fill_fn *fill, void *context, int which)
{
    runtime_lock();
    struct memory *memory = runtime_memory();
    const bool is_done = memory && late_begin_host(memory, host, bytes, fill, context, which);
    runtime_unlock();
    return is_done;
}

void vgpu_end_late(const void *host)
{
    runtime_lock();
    if (host && runtime_memory())
        late_end_host(runtime_memory(), host);
    runtime_unlock();
}

void vgpu_bring(const void *address, uint64_t bytes)
{
    runtime_lock();
    if (runtime_memory())
        late_bring_at(runtime_memory(), (uint64_t)(uintptr_t)address, bytes);
    runtime_unlock();
}

void vgpu_halve_sms(void)
{
    if (runtime_is_there())
        runtime_halve_sms();
}

void vgpu_refuse_launches(int error)
{
    if (runtime_is_there())
        runtime_refuse_launches(error);
}

void vgpu_set_patience(uint64_t cost)
{
    if (runtime_is_there())
        runtime_set_patience(cost);
}

void vgpu_set_work(uint64_t instructions)
{
    if (runtime_is_there())
        runtime_set_work(instructions);
}

void vgpu_set_source(const char *path, const char *shown)
{
    source_only(path, shown);
}

void vgpu_set_caller(const char *place)
{
    report_set_caller(place);
}

uint64_t vgpu_handles(void)
{
    return runtime_begin() ? 0 : handles_last();
}

struct visitor {
    void (*visit)(void *context, const struct vgpu_handle *handle);
    void *context;
};

static void show_handle(const struct handle *handle, void *context)
{
    const struct visitor *visitor = context;
    char place[512] = "";
    if (!host_line(handle->frames, ALLOC_FRAMES, place, sizeof place))
        place[0] = '\0';
    visitor->visit(visitor->context,
                   &(struct vgpu_handle){handle_word(handle->kind), handle_call(handle->kind), place});
}

void vgpu_each_handle(uint64_t since, void (*visit)(void *context, const struct vgpu_handle *handle),
                      void *context)
{
    struct visitor visitor = {visit, context};
    handles_each(since, show_handle, &visitor);
}

void vgpu_host_reads(const void *pointer, uint64_t bytes, const char *who)
{
    if (!runtime_begin())
        order_host_uses(who, pointer, bytes, false);
}

void vgpu_host_writes(const void *pointer, uint64_t bytes, const char *who)
{
    if (!runtime_begin())
        order_host_uses(who, pointer, bytes, true);
}

const char *vgpu_severity_name(enum vgpu_severity severity)
{
    return report_severity_name(severity);
}

enum vgpu_severity vgpu_finding_severity(enum vgpu_finding kind)
{
    return report_severity(kind);
}

const char *vgpu_finding_name(enum vgpu_finding kind)
{
    return report_name(kind);
}
