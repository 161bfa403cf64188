/* clock.c - the virtual clock: when operations begin and end on streams and engines.
 * An operation begins when its stream is ready, its engine has a free part and the host has asked for it; nothing else
 * counts, so the same program gives the same times on every machine.
 * It executes nothing: kernels and copies have already happened when their time is booked.
 *
 * Copies take a latency and bytes over a rate. There is an engine for each direction, if the profile has two; while both
 * are busy, each is a little slower. Pinned memory is copied by the engine alone. Pageable memory passes through a
 * staging buffer that the host fills and empties: to the device the call returns when the last piece lies in the buffer,
 * to the host when the last byte has arrived. Memsets and copies within the device are kernels that use all SMs. Bytes
 * that are few travel with the stream's commands instead, and need no engine.
 *
 * Kernels pass the front end one after the other. Those of different streams share the GPU: the places for their blocks, of
 * which a small grid fills a part and a larger one all, and what the model says that each keeps busy of the SMs' units, of L2
 * and of DRAM. A kernel that finds less free of one of them than it would take alone runs in what there is, more slowly.
 * Operations are booked in the order in which the host gives them and not moved afterwards: the first has all it wants, the
 * last what is left. A later one may use a gap before an earlier one. What kernels lose in each other's caches is not
 * modelled. */
#include "base/number.h"
#include "runtime/clock.h"

/* Pageable copies to the device, by size (the 64 KB are from CUDA's documentation, the rest from transfers.csv): small
 * ones are written into the command buffer, more slowly than larger ones are staged: 0.33, 0.38 and 0.7 of that rate on
 * three hosts. What fits into the staging buffer does not wait for its stream: 256 KB does, 16 MB does not. The last piece
 * is still under way when the call returns. What lies beyond the host's cache is read and written more slowly: by how much
 * differs between hosts and from run to run (hosts.csv; 64 MB: 7.1 to 11.9 GB/s in, 10 to 16 out); these are in the middle. */
enum { SMALL_PAGEABLE = 64 << 10, STAGING_PIECE = 1 << 20, HOST_CACHE = 32 << 20 };
#define SMALL_PAGEABLE_RATE 0.38
#define BEYOND_CACHE_RATE   0.55 /* to the device: read */
#define BEYOND_CACHE_WRITES 0.90 /* to the host: written */
/* Pageable copies to the host: engine and host take turns on the first 512 KB, where the host gets its part at a lower rate;
 * beyond, both work at a time (calls.csv, d2h_pageable_sync_* less d2h_pinned_sync_*). */
enum { IN_TURNS = 512 << 10 };
#define IN_TURNS_RATE 0.61
/* What small memsets and small pageable copies take: their bytes stand among the commands of their stream, no engine is asked
 * (calls.csv, memset_async_4B and h2d_pageable_async_4B to 64K, held, less an event). Memsets of 4 KB are such, of 8 KB not. */
enum { SMALL_MEMSET = 4 << 10 };
#define INLINE_US  0.74
#define INLINE_GBS 12.5
/* From pinned memory, 1 KB passes with the commands too, 4 KB does not (calls.csv, h2d_pinned_async_*, held). */
enum { SMALL_PINNED = 1 << 10 };
/* To read the host's memory takes a round trip over the link, to write there does not: so much more and less than the
 * profile's mean (calls.csv, h2d_pinned_async_64K and d2h_pinned_async_64K, events_idle). */
#define HALF_ROUND_TRIP_US 0.5
/* What a memset or a copy within the device takes as a kernel, beyond a launch and its bytes: memset_async_64K, held. */
#define FILL_US 0.35
/* Copies of rows within the device, as shares of the memory's rate, and what each row takes at least and besides its bytes
 * (d2d_rows_of_64 to 16384). Where short rows end is a guess: those of 1 KB are short, those of 4 KB long. */
enum { LONG_ROW = 2 << 10 };
#define LONG_ROWS_RATE  0.378
#define SHORT_ROWS_RATE 0.731
#define ROW_US          5e-5
#define LEAST_ROW_US    1.26e-4
/* The overhead of a kernel within a graph, where an empty one takes 0.68 us; the first of a graph is launched as any other
 * (calls.csv, graph_empty_1 to 100, held). */
#define GRAPH_OVERHEAD_US 0.54
/* One kernel after the other passes the front end, whatever their streams: 16 that are ready at a time begin so far apart
 * (calls.csv, fork_join_40us_each_16, held). Nothing in one stream follows that closely. */
enum { FRONT_END_PS = 700000 };
/* When a stream's next operation runs on another engine than its last, that engine is told through memory and begins
 * so much later (kernel_then_copy_64K, copy_1M_then_spin_50us_*): nothing is lost if the last one has long ended. */
enum { HANDOVER_PS = 8000000 };
/* Each direction's speed while both are busy: 91 % of that of one alone (both_ways_two_streams). */
enum { DUPLEX_SPEED = CALENDAR_PARTS * 91 / 100 };
/* At most so many kernels run at a time (Programming Guide, maximum number of resident grids). */
enum { MAX_KERNELS = 128 };

static picoseconds host_time;
static picoseconds work_time; /* of all copies and kernels, as if each had its engine to itself */
static _Thread_local unsigned graph_depth; /* this thread is launching a graph */
static _Thread_local bool is_graph_begun;  /* and has launched its first kernel */
static struct calendar engines[ENGINES], front_end;
static struct CUstream_st legacy = {.is_legacy = true, .id = 1}, per_thread = {.id = 2};
static struct CUstream_st *streams;
static struct {
    picoseconds time, blocking_time;
} gone; /* when the last work of streams that are destroyed is done: of all, and of those that the default stream waits for */

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

static bool is_blocking(const struct CUstream_st *stream)
{
    return !(stream->flags & cudaStreamNonBlocking);
}

/* What was given to a stream is done, also if the stream is destroyed before. */
static void note_gone(const struct CUstream_st *stream)
{
    gone.time = larger_of(gone.time, stream->time);
    if (is_blocking(stream))
        gone.blocking_time = larger_of(gone.blocking_time, stream->time);
}

bool stream_remove(struct CUstream_st *stream)
{
    for (struct CUstream_st **link = &streams; *link; link = &(*link)->next)
        if (*link == stream) {
            *link = stream->next;
            note_gone(stream);
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
    host_time = larger_of(host_time, time + HOST_WAKE);
}

void clock_graph_begin(void)
{
    runtime_lock();
    clock_host_spend(HOST_GRAPH);
    if (!graph_depth++)
        is_graph_begun = false;
    runtime_unlock();
}

void clock_graph_end(void)
{
    runtime_lock();
    graph_depth--;
    runtime_unlock();
}

picoseconds clock_done(const struct CUstream_st *stream)
{
    picoseconds time = stream->time;
    if (!stream->is_legacy)
        return is_blocking(stream) ? larger_of(time, legacy.time) : time;
    time = larger_of(time, larger_of(per_thread.time, gone.blocking_time));
    for (const struct CUstream_st *other = streams; other; other = other->next)
        if (is_blocking(other))
            time = larger_of(time, other->time);
    return time;
}

picoseconds clock_ready(const struct CUstream_st *stream)
{
    return larger_of(host_time, clock_done(stream));
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
    struct parts parts; /* that it takes */
    uint32_t speed;     /* of CALENDAR_PARTS: how fast it gets on with them */
    picoseconds until;
};

/* The kinds of parts that kernels take: places for blocks, and then the model's resources. Those of other engines: all. */
enum { PLACES, RESOURCES };
_Static_assert(RESOURCES + MODEL_RESOURCES <= CALENDAR_KINDS, "a calendar has room for all");
static const struct parts everything = {.of = {[PLACES] = CALENDAR_PARTS}};

static bool is_taken(const struct calendar *calendar, picoseconds time, picoseconds *until)
{
    return calendar_taken(calendar, time, until).of[PLACES] == CALENDAR_PARTS;
}

/* Blocks keep their places however slowly they get on; of all else, who gets on at half the speed takes half. */
static struct offer offer_gpu(picoseconds time, const struct parts *wanted)
{
    struct offer offer = {.speed = CALENDAR_PARTS};
    const struct parts taken = calendar_taken(&engines[ENGINE_COMPUTE], time, &offer.until);
    for (int k = 0; k < CALENDAR_KINDS; k++)
        if (wanted->of[k])
            offer.speed = smaller_of(offer.speed, (uint32_t)(CALENDAR_PARTS - taken.of[k]) * CALENDAR_PARTS /
                                                      wanted->of[k]);
    for (int k = 0; k < CALENDAR_KINDS; k++)
        offer.parts.of[k] = (uint16_t)divide_up(wanted->of[k] * offer.speed, CALENDAR_PARTS);
    offer.parts.of[PLACES] =
        (uint16_t)smaller_of((uint32_t)wanted->of[PLACES], (uint32_t)CALENDAR_PARTS - taken.of[PLACES]);
    return offer;
}

static struct offer offer_copy(enum engine engine, picoseconds time)
{
    struct offer offer = {0};
    enum engine opposite = engine == ENGINE_TO_DEVICE ? ENGINE_TO_HOST : ENGINE_TO_DEVICE;
    picoseconds own_change, other_change;
    const bool is_busy = is_taken(calendar_of(engine), time, &own_change);
    const bool is_duplex = is_taken(calendar_of(opposite), time, &other_change);
    offer.until = smaller_of(own_change, other_change);
    if (is_busy)
        return offer;
    offer.parts = everything;
    offer.speed = is_duplex ? DUPLEX_SPEED : CALENDAR_PARTS;
    return offer;
}

static picoseconds steps_for(uint64_t work, uint32_t speed)
{
    return speed ? divide_up(work, speed) : CALENDAR_NEVER;
}

/* When the next operation of a stream can begin on an engine, as far as its own order goes. */
static picoseconds ready_on(const struct CUstream_st *stream, enum engine engine)
{
    const picoseconds time = clock_ready(stream);
    return stream->last.engine == engine ? time : larger_of(time, stream->last.time + HANDOVER_PS);
}

static void finish_at(struct CUstream_st *stream, enum engine engine, picoseconds time)
{
    stream->time = time;
    stream->last = (struct finish){time, engine};
}

/* When a kernel that is ready at a time has the front end to itself. Kernels of a graph were prepared before. */
static picoseconds pass_front_end(picoseconds time)
{
    if (graph_depth)
        return time;
    for (picoseconds until; is_taken(&front_end, time, &until);)
        time = until;
    calendar_take(&front_end, time, time + FRONT_END_PS, everything);
    return time;
}

/* What is under way, for who watches. */
static struct vgpu_span deed;
void (*clock_told)(struct vgpu_span span);

uint64_t clock_number(const struct CUstream_st *stream)
{
    return !stream->is_legacy && stream->id > 2 ? stream->id - 2 : 0;
}

static void tell(const struct CUstream_st *stream, picoseconds start, picoseconds end)
{
    if (!clock_told)
        return;
    deed.stream = clock_number(stream);
    deed.start_us = (double)start / PS_PER_US;
    deed.end_us = (double)end / PS_PER_US;
    clock_told(deed);
}

/* An operation on an engine; how long it takes if it has the parts that it wants. */
static void run(struct CUstream_st *stream, enum engine engine, picoseconds duration, struct parts wanted)
{
    struct calendar *calendar = calendar_of(engine);
    make_room(calendar);
    make_room(&front_end);
    work_time += duration;
    picoseconds time = ready_on(stream, engine);
    if (engine == ENGINE_COMPUTE)
        time = pass_front_end(time);
    uint64_t work = smaller_of(duration, CALENDAR_NEVER / CALENDAR_PARTS) * CALENDAR_PARTS;
    picoseconds start = time;
    while (work) {
        struct offer offer = engine == ENGINE_COMPUTE ? offer_gpu(time, &wanted) : offer_copy(engine, time);
        picoseconds step = smaller_of(steps_for(work, offer.speed), offer.until - time);
        calendar_take(calendar, time, time + step, offer.parts);
        work -= smaller_of(work, step * offer.speed);
        start = offer.speed || start != time ? start : time + step;
        time += step;
    }
    finish_at(stream, engine, time);
    tell(stream, start, time);
}

void clock_host_wait(const struct CUstream_st *stream)
{
    clock_host_spend(HOST_SYNC);
    clock_host_until(clock_done(stream));
}

picoseconds clock_idle(void)
{
    picoseconds time = larger_of(gone.time, larger_of(legacy.time, per_thread.time));
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

/* What passes with the stream's commands. */
static void run_inline(struct CUstream_st *stream, double us)
{
    const picoseconds start = ready_on(stream, ENGINE_COMPUTE);
    finish_at(stream, ENGINE_COMPUTE, start + from_us(us));
    tell(stream, start, stream->time);
}

/* What memsets and copies within the device are. */
static double fill_us(double us)
{
    return runtime_config()->gpu->launch_overhead_us + FILL_US + us;
}

static void run_fill(struct CUstream_st *stream, double us)
{
    clock_host_spend(HOST_LAUNCH);
    run(stream, ENGINE_COMPUTE, from_us(fill_us(us)), everything);
}

static double copy_latency_us(enum engine engine)
{
    const double mean = runtime_config()->gpu->copy_overhead_us;
    return engine == ENGINE_TO_DEVICE ? mean + HALF_ROUND_TRIP_US : mean - HALF_ROUND_TRIP_US;
}

static void run_copy(struct CUstream_st *stream, enum engine engine, double us)
{
    run(stream, engine, from_us(copy_latency_us(engine) + us), everything);
}

/* Read and written: twice the bytes. They may stay in L2. */
static double within_us(uint64_t bytes)
{
    const struct gpu *gpu = runtime_config()->gpu;
    return bytes_us(2 * bytes, 2 * bytes <= gpu->l2_bytes ? gpu->l2_gbs : gpu->dram_gbs);
}

double clock_copy_within_us(uint64_t bytes)
{
    return fill_us(within_us(bytes));
}

/* Rows go another way, also where there is nothing between them. L2 makes no difference. */
static double rows_us(uint64_t bytes, uint64_t rows)
{
    const bool is_long = bytes / rows >= LONG_ROW;
    const double rate = runtime_config()->gpu->dram_gbs * (is_long ? LONG_ROWS_RATE : SHORT_ROWS_RATE);
    return larger_of(bytes_us(2 * bytes, rate) + (is_long ? 0 : ROW_US * (double)rows),
                     LEAST_ROW_US * (double)rows);
}

/* The host does not wait, whatever the call is. */
static void copy_within(struct CUstream_st *stream, uint64_t bytes, uint64_t rows)
{
    run_fill(stream, rows > 1 ? rows_us(bytes, rows) : within_us(bytes));
}

static void copy_pinned(struct CUstream_st *stream, enum engine engine, uint64_t bytes, bool is_async)
{
    const double us = bytes_us(bytes, runtime_config()->gpu->pinned_gbs);
    clock_host_spend(HOST_COPY);
    if (engine == ENGINE_TO_DEVICE && bytes <= SMALL_PINNED)
        run_inline(stream, copy_latency_us(engine) + us);
    else
        run_copy(stream, engine, us);
    if (!is_async)
        clock_host_until(stream->time);
}

/* Host memory that was copied piece after piece, each behind the one before: a large buffer in chunks is no more in the host's
 * cache than as a whole, nor is its beginning when the next pass begins there. Of the last few such walks. */
enum { WALKS = 16 };
static struct walk {
    uintptr_t begin, end;
    uint64_t before; /* bytes that the walk before it over this memory had */
} walks[WALKS];
static unsigned next_walk;

static struct walk *walk_at(uintptr_t address)
{
    for (int i = 0; i < WALKS; i++) {
        if (address >= walks[i].begin && address <= walks[i].end && walks[i].end)
            return &walks[i];
    }
    struct walk *fresh = &walks[next_walk++ % WALKS];
    *fresh = (struct walk){address, address, 0};
    return fresh;
}

static bool is_beyond_cache(const void *host, uint64_t bytes)
{
    const uintptr_t begin = (uintptr_t)host;
    struct walk *walk = walk_at(begin);
    if (begin != walk->end)
        *walk = (struct walk){begin, begin, walk->end - walk->begin};
    walk->end += bytes;
    return walk->end - walk->begin > HOST_CACHE || walk->before > HOST_CACHE;
}

static double staging_gbs(uint64_t bytes, bool is_beyond_cache)
{
    double rate = runtime_config()->gpu->pageable_gbs;
    if (bytes <= SMALL_PAGEABLE)
        return rate * SMALL_PAGEABLE_RATE;
    return is_beyond_cache ? rate * BEYOND_CACHE_RATE : rate;
}

/* A call that waits does so before it begins: "a stream sync is performed before the copy is initiated" (CUDA Runtime API,
 * API synchronization behavior). Others wait only if the bytes do not fit into the staging buffer. */
static void stage_to_device(struct CUstream_st *stream, const void *host, uint64_t bytes, bool is_async)
{
    const uint64_t piece = smaller_of(bytes, (uint64_t)STAGING_PIECE);
    if (!is_async || bytes > STAGING_PIECE)
        clock_host_wait(stream);
    clock_host_spend(HOST_COPY + from_us(bytes_us(bytes, staging_gbs(bytes, is_beyond_cache(host, bytes)))));
    if (bytes <= SMALL_PAGEABLE)
        run_inline(stream, INLINE_US + bytes_us(bytes, INLINE_GBS));
    else
        run_copy(stream, ENGINE_TO_DEVICE, bytes_us(piece, runtime_config()->gpu->pinned_gbs));
}

static void stage_to_host(struct CUstream_st *stream, const void *host, uint64_t bytes)
{
    const struct gpu *gpu = runtime_config()->gpu;
    const uint64_t first = smaller_of(bytes, (uint64_t)IN_TURNS);
    const double rate = is_beyond_cache(host, bytes) ? BEYOND_CACHE_WRITES : 1;
    clock_host_spend(HOST_COPY);
    run_copy(stream, ENGINE_TO_HOST,
             bytes_us(first, gpu->pinned_gbs) + bytes_us(bytes - first, gpu->pageable_gbs * rate));
    clock_host_until(stream->time);
    clock_host_spend(HOST_STAGE + from_us(bytes_us(first, gpu->pageable_gbs * IN_TURNS_RATE)));
}

/* Within host memory: the host does it, when the stream is ready. */
static void copy_on_host(struct CUstream_st *stream, uint64_t bytes)
{
    clock_host_wait(stream);
    clock_host_spend(HOST_COPY + from_us(bytes_us(bytes, runtime_config()->gpu->pageable_gbs)));
    stream->time = host_time;
}

static void copy(struct CUstream_st *stream, enum cudaMemcpyKind kind, uint64_t bytes, uint64_t rows,
                 const void *pageable, bool is_async)
{
    if (kind == cudaMemcpyDeviceToDevice)
        copy_within(stream, bytes, rows);
    else if (kind == cudaMemcpyHostToHost)
        copy_on_host(stream, bytes);
    else if (!pageable)
        copy_pinned(stream, kind == cudaMemcpyHostToDevice ? ENGINE_TO_DEVICE : ENGINE_TO_HOST, bytes,
                    is_async);
    else if (kind == cudaMemcpyHostToDevice)
        stage_to_device(stream, pageable, bytes, is_async);
    else
        stage_to_host(stream, pageable, bytes);
}

void clock_copy(cudaStream_t handle, enum cudaMemcpyKind kind, uint64_t bytes, uint64_t rows,
                const void *pageable, bool is_async)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    deed = (struct vgpu_span){.kind = kind == cudaMemcpyHostToDevice   ? VGPU_SPAN_TO_DEVICE
                                      : kind == cudaMemcpyDeviceToHost ? VGPU_SPAN_TO_HOST
                                                                       : VGPU_SPAN_WITHIN,
                              .bytes = bytes};
    if (stream)
        copy(stream, kind, bytes, rows, pageable, is_async);
    runtime_unlock();
}

void clock_memset(cudaStream_t handle, uint64_t bytes)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    deed = (struct vgpu_span){.kind = VGPU_SPAN_FILL, .bytes = bytes};
    if (stream && bytes <= SMALL_MEMSET) {
        clock_host_spend(HOST_INLINE);
        run_inline(stream, INLINE_US + bytes_us(bytes, INLINE_GBS));
    } else if (stream) {
        run_fill(stream, bytes_us(bytes, runtime_config()->gpu->dram_gbs));
    }
    runtime_unlock();
}

uint64_t clock_kernel_start(cudaStream_t handle)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    clock_host_spend(HOST_LAUNCH);
    picoseconds start = stream ? clock_ready(stream) : host_time;
    for (picoseconds until; is_taken(&engines[ENGINE_COMPUTE], start, &until);)
        start = until;
    runtime_unlock();
    return start / 1000;
}

static uint16_t parts_of(double share)
{
    return (uint16_t)smaller_of(share * CALENDAR_PARTS, CALENDAR_PARTS);
}

/* Places are free while a kernel is being launched, and again from its first blocks that nothing follows on to its last: on an
 * H200 kernels that fill it gain that much from streams (sharing_*_whole_* in transfers.csv). */
static double places_of(const struct estimate *estimate, double fill)
{
    const double running_us = estimate->time_us - estimate->launch_us;
    return running_us > 0 ? smaller_of(fill, 1) * (1 - estimate->tail) * running_us / estimate->time_us : 0;
}

static struct parts wanted_by(const struct estimate *estimate, double fill)
{
    struct parts wanted;
    wanted.of[PLACES] =
        larger_of(parts_of(places_of(estimate, fill)), (uint16_t)(CALENDAR_PARTS / MAX_KERNELS));
    for (int r = 0; r < MODEL_RESOURCES; r++)
        wanted.of[RESOURCES + r] = parts_of(estimate->shares[r]);
    return wanted;
}

void clock_kernel_end(cudaStream_t handle, const struct estimate *estimate, double fill, const char *name)
{
    runtime_lock();
    deed = (struct vgpu_span){.kind = VGPU_SPAN_KERNEL, .name = name};
    struct CUstream_st *stream = stream_of(handle);
    const bool is_prepared = graph_depth && is_graph_begun;
    double time_us = estimate->time_us;
    if (is_prepared)
        time_us -= runtime_config()->gpu->launch_overhead_us - GRAPH_OVERHEAD_US;
    is_graph_begun = true;
    if (stream)
        run(stream, ENGINE_COMPUTE, from_us(time_us), wanted_by(estimate, fill));
    runtime_unlock();
}

picoseconds clock_work(void)
{
    return work_time;
}

void clock_reset(void)
{
    runtime_lock();
    clock_host_until(clock_idle());
    runtime_unlock();
}
