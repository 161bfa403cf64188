/* clock.c - the virtual clock: when operations begin and end on streams and engines.
 * An operation begins when its stream is ready, its engine has a free part and the host has asked for it; nothing else
 * counts, so the same program gives the same times on every machine.
 * It executes nothing: kernels and copies have already happened when their time is booked.
 *
 * Copies take a latency and bytes over a rate. There is an engine for each direction, if the profile has two; while both
 * are busy, each is a little slower. Pinned memory is copied by the engine alone. Pageable memory passes through a
 * staging buffer that the host fills and empties: to the device the call returns when the last piece lies in the buffer,
 * to the host when the last byte has arrived. Memsets and copies within the device are kernels that use all SMs.
 *
 * Kernels of different streams share the SMs: one whose blocks fill a part of the places that the GPU has for them uses
 * that part for its time; a larger grid uses all. A kernel that finds less free runs in what there is, more slowly. That
 * two kernels compete for memory is not modelled. Operations are booked in the order in which the host gives them and
 * not moved afterwards; a later one may use a gap before an earlier one. */
#include "base/number.h"
#include "runtime/clock.h"

/* Pageable copies to the device, by size (the 64 KB are from CUDA's documentation, the rest from transfers.csv): small
 * ones are written into the command buffer, at about half the rate at which larger ones are staged. What fits into the
 * staging buffer does not wait for its stream: 256 KB does, 16 MB does not. The last piece is still under way when the
 * call returns. Sources beyond the host's cache are read more slowly. */
enum { SMALL_PAGEABLE = 64 << 10, STAGING_PIECE = 1 << 20, HOST_CACHE = 32 << 20 };
#define SMALL_PAGEABLE_RATE 0.5
#define BEYOND_CACHE_RATE   0.62
/* The overhead of a kernel within a graph, where an empty one takes 0.70 us (graph_100_events). */
#define GRAPH_OVERHEAD_US 0.54
/* When a stream's next operation runs on another engine than its last, that engine is told through memory and begins
 * so much later (kernel_then_copy_64K, copy_1M_then_spin_50us_*): nothing is lost if the last one has long ended. */
enum { HANDOVER_PS = 8000000 };
/* Each direction's speed while both are busy: 91 % of that of one alone (both_ways_two_streams). */
enum { DUPLEX_SPEED = CALENDAR_PARTS * 91 / 100 };
/* At most so many kernels run at a time (Programming Guide, maximum number of resident grids). */
enum { MAX_KERNELS = 128 };

static picoseconds host_time;
static _Thread_local unsigned graph_depth; /* this thread is launching a graph */
static struct calendar engines[ENGINES];
static struct CUstream_st legacy = {.is_legacy = true, .id = 1}, per_thread = {.id = 2};
static struct CUstream_st *streams;

/* ------------------------------------------------------------------------------------------- streams */

struct CUstream_st *stream_first(void)
{
    return streams;
}

void stream_add(struct CUstream_st *stream)
{
    stream->next = streams;
    streams = stream;
}

bool stream_remove(struct CUstream_st *stream)
{
    for (struct CUstream_st **link = &streams; *link; link = &(*link)->next)
        if (*link == stream) {
            *link = stream->next;
            return true;
        }
    return false;
}

struct CUstream_st *stream_of(cudaStream_t handle)
{
    if (handle == NULL || handle == cudaStreamLegacy)
        return &legacy;
    if (handle == cudaStreamPerThread)
        return &per_thread;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        if (stream == handle)
            return stream;
    return NULL;
}

bool stream_is_known(cudaStream_t stream)
{
    runtime_lock();
    bool is_known = stream_of(stream) != NULL;
    runtime_unlock();
    return is_known;
}

/* ------------------------------------------------------------------------------------------- time */

picoseconds clock_host(void)
{
    return __atomic_load_n(&host_time, __ATOMIC_RELAXED);
}

void clock_host_spend(picoseconds duration)
{
    if (!graph_depth)
        host_time += duration;
}

void clock_host_until(picoseconds time)
{
    if (time > host_time)
        host_time = time + HOST_WAKE;
}

void clock_graph_begin(void)
{
    runtime_lock();
    clock_host_spend(HOST_GRAPH);
    graph_depth++;
    runtime_unlock();
}

void clock_graph_end(void)
{
    runtime_lock();
    graph_depth--;
    runtime_unlock();
}

static bool is_blocking(const struct CUstream_st *stream)
{
    return !(stream->flags & cudaStreamNonBlocking);
}

picoseconds clock_ready(const struct CUstream_st *stream)
{
    picoseconds time = larger_of(host_time, stream->time);
    if (!stream->is_legacy)
        return is_blocking(stream) ? larger_of(time, legacy.time) : time;
    time = larger_of(time, per_thread.time);
    for (const struct CUstream_st *other = streams; other; other = other->next)
        if (is_blocking(other))
            time = larger_of(time, other->time);
    return time;
}

/* The calendar of an engine: with one copy engine, both directions share it. */
static struct calendar *calendar_of(enum engine engine)
{
    bool is_shared = engine == ENGINE_TO_HOST && runtime_config()->gpu->copy_engines < 2;
    return &engines[is_shared ? ENGINE_TO_DEVICE : engine];
}

/* A driver's queue is not endless: when it is full, the host waits until half of it is done. */
static void make_room(struct calendar *calendar)
{
    if (!calendar_has_room(calendar))
        clock_host_until(calendar->changes[calendar->count / 2].time);
    calendar_forget(calendar, host_time);
}

/* What an operation can have of its engine at a time. */
struct offer {
    uint32_t parts; /* that are free for it */
    uint32_t speed; /* parts' worth of work that it gets done with them */
    picoseconds until;
};

static struct offer offer_sms(picoseconds time, uint32_t wanted)
{
    struct offer offer;
    uint32_t free_parts = CALENDAR_PARTS - calendar_taken(&engines[ENGINE_COMPUTE], time, &offer.until);
    offer.parts = offer.speed = smaller_of(free_parts, wanted);
    return offer;
}

static struct offer offer_copy(enum engine engine, picoseconds time)
{
    struct offer offer = {0};
    enum engine opposite = engine == ENGINE_TO_DEVICE ? ENGINE_TO_HOST : ENGINE_TO_DEVICE;
    picoseconds own_change, other_change;
    bool is_taken = calendar_taken(calendar_of(engine), time, &own_change) != 0;
    bool is_duplex = calendar_taken(calendar_of(opposite), time, &other_change) != 0;
    offer.until = smaller_of(own_change, other_change);
    if (is_taken)
        return offer;
    offer.parts = CALENDAR_PARTS;
    offer.speed = is_duplex ? DUPLEX_SPEED : CALENDAR_PARTS;
    return offer;
}

static picoseconds steps_for(uint64_t work, uint32_t speed)
{
    return speed ? divide_up(work, speed) : CALENDAR_NEVER;
}

/* An operation of some length on an engine, of which it can use so many parts. */
static void run(struct CUstream_st *stream, enum engine engine, picoseconds duration, uint32_t parts)
{
    struct calendar *calendar = calendar_of(engine);
    make_room(calendar);
    picoseconds time = clock_ready(stream);
    if (stream->last.engine != engine)
        time = larger_of(time, stream->last.time + HANDOVER_PS);
    uint64_t work = smaller_of(duration, CALENDAR_NEVER / CALENDAR_PARTS) * parts;
    while (work) {
        struct offer offer = engine == ENGINE_COMPUTE ? offer_sms(time, parts) : offer_copy(engine, time);
        picoseconds step = smaller_of(steps_for(work, offer.speed), offer.until - time);
        calendar_take(calendar, time, time + step, offer.parts);
        work -= smaller_of(work, step * offer.speed);
        time += step;
    }
    stream->time = time;
    stream->last = (struct finish){time, engine};
}

picoseconds clock_idle(void)
{
    picoseconds time = larger_of(larger_of(host_time, legacy.time), per_thread.time);
    for (const struct CUstream_st *stream = streams; stream; stream = stream->next)
        time = larger_of(time, stream->time);
    return time;
}

static picoseconds from_us(double us)
{
    return us > 0 ? (picoseconds)(us * PS_PER_US + 0.5) : 0;
}

/* ------------------------------------------------------------------------------------------- operations */

static double bytes_us(uint64_t bytes, double gbs)
{
    return (double)bytes / (gbs * 1e3);
}

/* What memsets and copies within the device are. */
static void run_fill(struct CUstream_st *stream, double us)
{
    clock_host_spend(HOST_LAUNCH);
    run(stream, ENGINE_COMPUTE, from_us(runtime_config()->gpu->launch_overhead_us + us), CALENDAR_PARTS);
}

static void run_copy(struct CUstream_st *stream, enum engine engine, double us)
{
    run(stream, engine, from_us(runtime_config()->gpu->copy_overhead_us + us), CALENDAR_PARTS);
}

/* Read and written: twice the bytes. They may stay in L2. The host does not wait, whatever the call is. */
static void copy_within(struct CUstream_st *stream, uint64_t bytes)
{
    const struct gpu *gpu = runtime_config()->gpu;
    run_fill(stream, bytes_us(2 * bytes, 2 * bytes <= gpu->l2_bytes ? gpu->l2_gbs : gpu->dram_gbs));
}

static void copy_pinned(struct CUstream_st *stream, enum engine engine, uint64_t bytes, bool is_async)
{
    clock_host_spend(HOST_COPY);
    run_copy(stream, engine, bytes_us(bytes, runtime_config()->gpu->pinned_gbs));
    if (!is_async)
        clock_host_until(stream->time);
}

static double staging_gbs(uint64_t bytes)
{
    double rate = runtime_config()->gpu->pageable_gbs;
    if (bytes <= SMALL_PAGEABLE)
        return rate * SMALL_PAGEABLE_RATE;
    return bytes > HOST_CACHE ? rate * BEYOND_CACHE_RATE : rate;
}

static void stage_to_device(struct CUstream_st *stream, uint64_t bytes)
{
    uint64_t piece = smaller_of(bytes, (uint64_t)STAGING_PIECE);
    clock_host_spend(HOST_COPY);
    if (bytes > STAGING_PIECE)
        clock_host_until(clock_ready(stream));
    clock_host_spend(from_us(bytes_us(bytes, staging_gbs(bytes))));
    run_copy(stream, ENGINE_TO_DEVICE, bytes_us(piece, runtime_config()->gpu->pinned_gbs));
}

static void stage_to_host(struct CUstream_st *stream, uint64_t bytes)
{
    clock_host_spend(HOST_COPY);
    run_copy(stream, ENGINE_TO_HOST, bytes_us(bytes, runtime_config()->gpu->pageable_gbs));
    clock_host_until(stream->time);
}

/* Within host memory: the host does it, when the stream is ready. */
static void copy_on_host(struct CUstream_st *stream, uint64_t bytes)
{
    clock_host_until(clock_ready(stream));
    clock_host_spend(HOST_COPY + from_us(bytes_us(bytes, runtime_config()->gpu->pageable_gbs)));
    stream->time = host_time;
}

static void copy(struct CUstream_st *stream, enum cudaMemcpyKind kind, uint64_t bytes, bool is_pinned,
                 bool is_async)
{
    if (kind == cudaMemcpyDeviceToDevice)
        copy_within(stream, bytes);
    else if (kind == cudaMemcpyHostToHost)
        copy_on_host(stream, bytes);
    else if (is_pinned)
        copy_pinned(stream, kind == cudaMemcpyHostToDevice ? ENGINE_TO_DEVICE : ENGINE_TO_HOST, bytes,
                    is_async);
    else if (kind == cudaMemcpyHostToDevice)
        stage_to_device(stream, bytes);
    else
        stage_to_host(stream, bytes);
}

void clock_copy(cudaStream_t handle, enum cudaMemcpyKind kind, uint64_t bytes, bool is_pinned, bool is_async)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    if (stream)
        copy(stream, kind, bytes, is_pinned, is_async);
    runtime_unlock();
}

void clock_memset(cudaStream_t handle, uint64_t bytes)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    if (stream)
        run_fill(stream, bytes_us(bytes, runtime_config()->gpu->dram_gbs));
    runtime_unlock();
}

uint64_t clock_kernel_start(cudaStream_t handle)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    clock_host_spend(HOST_LAUNCH);
    picoseconds start = stream ? clock_ready(stream) : host_time;
    for (picoseconds until; calendar_taken(&engines[ENGINE_COMPUTE], start, &until) == CALENDAR_PARTS;)
        start = until;
    runtime_unlock();
    return start / 1000;
}

/* The part of the GPU's places that a grid fills, in whole parts. */
static uint32_t parts_of(double fill)
{
    const uint32_t least = CALENDAR_PARTS / MAX_KERNELS;
    const double wanted = fill * CALENDAR_PARTS;
    if (wanted >= CALENDAR_PARTS)
        return CALENDAR_PARTS;
    return wanted > least ? (uint32_t)wanted : least;
}

void clock_kernel_end(cudaStream_t handle, double time_us, double fill)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    double saved_us = graph_depth ? runtime_config()->gpu->launch_overhead_us - GRAPH_OVERHEAD_US : 0;
    if (stream)
        run(stream, ENGINE_COMPUTE, from_us(time_us - saved_us), parts_of(fill));
    runtime_unlock();
}

void clock_reset(void)
{
    runtime_lock();
    clock_host_until(clock_idle());
    runtime_unlock();
}
