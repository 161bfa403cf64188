/* order.c - see order.h. Operations that are alive stand in a table; an order is a set of its places.
 * A new operation is compared with all that it does not come after. What was found once is taken as ordered from then on, so
 * that one missing wait is one message.
 * It knows what a call means for the host and for its stream, never how long anything takes: that is clock.c's. */
#include "runtime/order.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/names.h"
#include "report/report.h"
#include "runtime/clock.h"

enum { WORD_BITS = 64, MAX_TOLD = 128 };
/* Ranges of all operations together: 64 MB. */
#define MAX_RANGES ((size_t)1 << 22)

enum what { WHAT_USES, WHAT_ALLOCATES, WHAT_FREES, WHAT_HOST };

struct operation {
    uint64_t serial; /* from 1; 0: the place is free */
    enum what what;
    char name[120];            /* "kernel `blur`", "cudaMemcpyAsync" */
    unsigned long long stream; /* its id */
    uint64_t graph;            /* number of the launch of a graph that it is part of; 0: none */
    bool has_order;
    void *frames[ALLOC_FRAMES];
    struct footprint footprint;
};

static struct operation alive[MAX_ALIVE];
static unsigned ages[MAX_ALIVE]; /* places that are taken, the oldest first */
static unsigned nalive;
static uint64_t last_serial;
static size_t nranges;
static bool may_overlap;

static _Thread_local void *const *given_frames;
static _Thread_local uint64_t graph;

void order_may_overlap(void)
{
    __atomic_store_n(&may_overlap, true, __ATOMIC_RELAXED);
}

bool order_is_kept(void)
{
    return __atomic_load_n(&may_overlap, __ATOMIC_RELAXED) && runtime_config()->check == CHECK_FULL;
}

void order_set_frames(void *const *frames)
{
    given_frames = frames;
}

void order_frames(void **frames)
{
    if (given_frames)
        memcpy(frames, given_frames, ALLOC_FRAMES * sizeof *frames);
    else
        report_frames(frames, ALLOC_FRAMES);
}

void order_graph_begin(void)
{
    static uint64_t last;
    graph = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

void order_graph_end(void)
{
    graph = 0;
    given_frames = NULL;
}

/* ------------------------------------------------------------------------------------------- sets */

static bool has(const struct order *order, unsigned place)
{
    return alive[place].serial && alive[place].serial <= order->seen &&
           (order->bits[place / WORD_BITS] >> place % WORD_BITS & 1);
}

/* Only those that are alive now. */
static struct order fresh(const struct order *order)
{
    struct order result = {.seen = last_serial};
    for (unsigned i = 0; i < nalive; i++)
        if (has(order, ages[i]))
            result.bits[ages[i] / WORD_BITS] |= 1ull << ages[i] % WORD_BITS;
    return result;
}

void order_join(struct order *order, const struct order *other)
{
    if (!nalive)
        return;
    const struct order added = fresh(other);
    if (order->seen != last_serial)
        *order = fresh(order);
    for (int i = 0; i < MAX_ALIVE / WORD_BITS; i++)
        order->bits[i] |= added.bits[i];
}

static void include(struct order *order, unsigned place)
{
    *order = fresh(order);
    order->bits[place / WORD_BITS] |= 1ull << place % WORD_BITS;
}

/* ------------------------------------------------------------------------------------------- life */

/* Of the i-th by age. */
static void forget(unsigned i)
{
    struct operation *operation = &alive[ages[i]];
    nranges -= footprint_size(&operation->footprint);
    footprint_free(&operation->footprint);
    operation->serial = 0;
    memmove(&ages[i], &ages[i + 1], (nalive - i - 1) * sizeof ages[0]);
    nalive--;
}

static unsigned free_place(void)
{
    unsigned place = 0;
    while (alive[place].serial)
        place++;
    return place;
}

/* An earlier one of the same call that did the same: whoever does not come after it does not come after the new one either. */
static void forget_equal(const struct operation *operation, const struct order *before)
{
    for (unsigned i = nalive; i-- > 0;) {
        const struct operation *old = &alive[ages[i]];
        if (has(before, ages[i]) && old->stream == operation->stream && old->what == operation->what &&
            memcmp(old->frames, operation->frames, sizeof old->frames) == 0 &&
            footprint_is_same(&old->footprint, &operation->footprint))
            forget(i);
    }
}

/* The place of an operation that lives from now on; it owns the footprint. */
static unsigned keep(const struct operation *operation, const struct order *before)
{
    const size_t size = footprint_size(&operation->footprint);
    forget_equal(operation, before);
    while (nalive == MAX_ALIVE || (nalive && nranges + size > MAX_RANGES))
        forget(0);
    const unsigned place = free_place();
    alive[place] = *operation;
    alive[place].serial = ++last_serial;
    ages[nalive++] = place;
    nranges += size;
    return place;
}

/* ------------------------------------------------------------------------------------------- who waits for whom */

static bool is_blocking(const struct CUstream_st *stream)
{
    return !(stream->flags & cudaStreamNonBlocking);
}

struct order order_before(const struct CUstream_st *stream)
{
    struct order order = stream->order;
    if (!nalive || (!stream->is_legacy && !is_blocking(stream)))
        return order;
    order_join(&order, &stream_of(NULL)->order);
    if (!stream->is_legacy)
        return order;
    order_join(&order, &stream_of(cudaStreamPerThread)->order);
    for (const struct CUstream_st *other = stream_first(); other; other = other->next)
        if (is_blocking(other))
            order_join(&order, &other->order);
    return order;
}

struct order order_mark(struct CUstream_st *stream)
{
    runtime_lock();
    stream->order = order_before(stream);
    const struct order order = stream->order;
    runtime_unlock();
    return order;
}

void order_host_waits(const struct order *order)
{
    runtime_lock();
    for (unsigned i = nalive; i-- > 0;)
        if (has(order, ages[i]))
            forget(i);
    runtime_unlock();
}

/* Of another stream than the default one, only its own work: not what the default stream was given later. */
void order_host_waits_for_stream(const struct CUstream_st *stream)
{
    runtime_lock();
    const struct order order = stream->is_legacy ? order_before(stream) : stream->order;
    order_host_waits(&order);
    runtime_unlock();
}

void order_host_waits_for_all(void)
{
    runtime_lock();
    while (nalive)
        forget(nalive - 1);
    runtime_unlock();
}

void order_drop(const struct CUstream_st *stream)
{
    runtime_lock();
    if (is_blocking(stream))
        order_join(&stream_of(NULL)->order, &stream->order);
    runtime_unlock();
}

/* ------------------------------------------------------------------------------------------- words */

static const char *const verbs[] = {
    [USE_READ] = "reads", [USE_WRITE] = "writes", [USE_ATOMIC] = "changes with atomics", [USE_FLAG] = "uses"};

static const char *verb_of(const struct operation *operation, enum use use)
{
    if (operation->what == WHAT_ALLOCATES || operation->what == WHAT_FREES)
        return operation->what == WHAT_FREES ? "frees" : "allocates";
    return verbs[use];
}

/* An argument without the blanks around it: the last of a call, or number `wanted` from 0. text begins behind the bracket. */
static bool find_argument(const char *text, int wanted, char *out, size_t size)
{
    int depth = 0, number = 0;
    const char *begin = text, *at = text;
    for (; *at && *at != ';'; at++) {
        const bool is_end = depth == 0 && (*at == ')' || !strncmp(at, ">>>", 3));
        if (is_end || (depth == 0 && *at == ',')) {
            if (is_end ? wanted < 0 || number == wanted : number == wanted)
                break;
            if (is_end)
                return false;
            begin = at + 1;
            number++;
        }
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    }
    begin += strspn(begin, " ");
    const char *end = at;
    while (end > begin && end[-1] == ' ')
        end--;
    const size_t length = (size_t)(end - begin);
    if (!*at || *at == ';' || !length || length >= size)
        return false;
    memcpy(out, begin, length);
    out[length] = '\0';
    return true;
}

/* What the program calls the stream where it gives it to the call or the launch; "": not to be seen in that line. */
static void name_stream(const char *place, char *out, size_t size)
{
    char file[260], line[400], name[40];
    const char *colon = strrchr(place, ':');
    out[0] = '\0';
    if (!colon || (size_t)(colon - place) >= sizeof file)
        return;
    snprintf(file, sizeof file, "%.*s", (int)(colon - place), place);
    if (!source_line(file, (uint32_t)strtoul(colon + 1, NULL, 10), line, sizeof line))
        return;
    const char *launch = strstr(line, "<<<"), *call = strstr(line, "Async(");
    const bool is_found = launch ? find_argument(launch + 3, 3, name, sizeof name)
                                 : call && find_argument(call + 6, -1, name, sizeof name);
    if (is_found && !isdigit((unsigned char)name[0]))
        snprintf(out, size, ", `%s`", name);
}

/* "cudaMemcpyAsync on stream 1, `copies` (prog.cu:77) writes". */
static void describe(const struct operation *operation, enum use use, const char *place, char *out,
                     size_t size)
{
    char where[120] = "", name[50];
    name_stream(place, name, sizeof name);
    if (operation->graph)
        snprintf(where, sizeof where, " in a graph");
    else if (operation->stream > 2)
        snprintf(where, sizeof where, " on stream %llu%s", operation->stream - 2, name);
    else if (operation->what != WHAT_HOST)
        snprintf(where, sizeof where, " on %s default stream", operation->stream == 1 ? "the" : "a thread's");
    const bool is_file = strchr(place, '.') && !strchr(place, ':'); /* no line: no call of the program's */
    if (operation->what == WHAT_HOST && is_file)
        snprintf(out, size, "%s%s %s", operation->name, where, verb_of(operation, use));
    else
        snprintf(out, size, "%s%s (%.160s) %s", operation->name, where, place, verb_of(operation, use));
}

/* The array's name for the first line, and "bytes 0 to 4095 of the 65536 allocated at prog.cu:60". */
static void name_place(struct range place, char *array, size_t array_size, char *bytes, size_t bytes_size)
{
    const struct allocation *allocation = memory_find(runtime_memory(), place.begin);
    char line[300] = "", whole[360] = "";
    uint64_t first = 0;
    array[0] = '\0';
    if (allocation) {
        first = place.begin - allocation->base;
        if (allocation->name || allocation->called) {
            if (allocation->name)
                name_short(allocation->name, array, array_size);
            else
                snprintf(array, array_size, "%s", allocation->called);
            snprintf(whole, sizeof whole, " of the %llu of `%.100s`", (unsigned long long)allocation->size,
                     array);
        } else if (host_line(allocation->frames, ALLOC_FRAMES, line, sizeof line)) {
            const char *slash = strrchr(line, '/');
            snprintf(array, array_size, "memory of %.60s", slash ? slash + 1 : line);
            snprintf(whole, sizeof whole, " of the %llu that were allocated at %s",
                     (unsigned long long)allocation->size, line);
        }
    }
    snprintf(bytes, bytes_size, "bytes %llu to %llu%s", (unsigned long long)first,
             (unsigned long long)(first + (place.end - place.begin) - 1), whole);
}

static enum vgpu_finding kind_of(const struct operation *now, const struct operation *other,
                                 const struct conflict *conflict)
{
    if (now->what == WHAT_HOST || other->what == WHAT_HOST)
        return VGPU_HOST_TOO_EARLY;
    if (now->what != WHAT_USES || other->what != WHAT_USES)
        return VGPU_STREAMS_MEMORY;
    if (now->graph && now->graph == other->graph)
        return VGPU_GRAPH_NODES;
    return conflict->first == USE_READ || conflict->second == USE_READ ? VGPU_STREAMS_READ_WRITE
                                                                       : VGPU_STREAMS_WRITE_WRITE;
}

static char told[MAX_TOLD][400]; /* pairs of lines */
static unsigned ntold;

void order_tell_anew(void)
{
    runtime_lock();
    ntold = 0;
    runtime_unlock();
}

/* Two lines are told of once, whichever of them came first. */
static bool is_told(const char *place, const char *other)
{
    char pair[400];
    const bool is_less = strcmp(place, other) < 0;
    snprintf(pair, sizeof pair, "%.190s %.190s", is_less ? place : other, is_less ? other : place);
    for (unsigned i = 0; i < ntold; i++)
        if (strcmp(told[i], pair) == 0)
            return true;
    if (ntold < MAX_TOLD)
        strcpy(told[ntold++], pair);
    return false;
}

static void tell(const struct operation *now, const struct operation *other, const struct conflict *conflict)
{
    char place[300] = "", with[300] = "", here[420], there[420], array[80], bytes[500], what[1400];
    host_line(now->frames, ALLOC_FRAMES, place, sizeof place);
    host_line(other->frames, ALLOC_FRAMES, with, sizeof with);
    if (is_told(place, with))
        return;
    describe(now, conflict->first, place, here, sizeof here);
    describe(other, conflict->second, with, there, sizeof there);
    name_place(conflict->place, array, sizeof array, bytes, sizeof bytes);
    snprintf(what, sizeof what, "%s %s; %s them, and may be under way still", here, bytes, there);
    report_pair(&(struct report_pair){kind_of(now, other, conflict), place, with, array, what, NULL});
}

/* ------------------------------------------------------------------------------------------- operations */

/* Kernels that share a flag may have made an order of their own. */
static bool may_be_ordered(const struct operation *a, const struct operation *b)
{
    return a->has_order && b->has_order && footprints_share_flag(&a->footprint, &b->footprint);
}

/* What it races with counts as ordered before it from now on. */
static void compare(const struct operation *now, struct order *before)
{
    for (unsigned i = 0; i < nalive; i++) {
        const struct operation *other = &alive[ages[i]];
        struct conflict conflict;
        if (has(before, ages[i]) || !footprints_conflict(&now->footprint, &other->footprint, &conflict) ||
            may_be_ordered(now, other))
            continue;
        tell(now, other, &conflict);
        include(before, ages[i]);
    }
}

static struct operation begin(const char *name, enum what what, const struct CUstream_st *stream)
{
    struct operation now = {.what = what, .stream = stream ? stream->id : 0, .graph = graph};
    snprintf(now.name, sizeof now.name, "%s", name);
    order_frames(now.frames);
    return now;
}

/* The stream goes on behind it. Gives what that is. */
static struct order give(struct operation *now, struct CUstream_st *stream)
{
    struct order order = order_before(stream);
    footprint_close(&now->footprint);
    compare(now, &order);
    if (!footprint_is_empty(&now->footprint))
        include(&order, keep(now, &order));
    stream->order = order;
    return order;
}

static void add_rows(struct footprint *footprint, enum use use, const struct order_rows *rows)
{
    for (uint64_t z = 0; z < rows->depth; z++)
        for (uint64_t y = 0; y < rows->height; y++) {
            const uint64_t at = address_of(rows->pointer) + z * rows->slice + y * rows->pitch;
            footprint_add(footprint, use, at, at + rows->width);
        }
}

/* Pageable memory is read before a call returns, and written as well. */
static bool host_waits(enum cudaMemcpyKind kind, bool is_pinned, bool is_async)
{
    if (kind == cudaMemcpyDeviceToDevice)
        return false;
    if (kind == cudaMemcpyHostToHost)
        return true;
    return is_pinned ? !is_async : kind == cudaMemcpyDeviceToHost;
}

void order_copy(const char *call, cudaStream_t handle, const struct order_rows *to,
                const struct order_rows *from, enum cudaMemcpyKind kind, bool is_pinned, bool is_async)
{
    const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
    const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
    const bool is_shared = is_pinned || kind == cudaMemcpyHostToHost; /* others may reach the host's side */
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    if (!is_async && from_host)
        order_host_waits_for_stream(stream); /* before the copy begins */
    if (order_is_kept()) {
        struct operation now = begin(call, WHAT_USES, stream);
        if (to->pointer && (is_shared || !to_host))
            add_rows(&now.footprint, USE_WRITE, to);
        if (from->pointer && (is_shared || !from_host))
            add_rows(&now.footprint, USE_READ, from);
        give(&now, stream);
    }
    if (host_waits(kind, is_pinned, is_async))
        order_host_waits_for_stream(stream);
    runtime_unlock();
}

/* A memset of memory that the host has too is over when the call returns. */
void order_set(const char *call, cudaStream_t handle, const struct order_rows *to)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    const struct allocation *allocation = memory_find(runtime_memory(), address_of(to->pointer));
    if (order_is_kept()) {
        struct operation now = begin(call, WHAT_USES, stream);
        add_rows(&now.footprint, USE_WRITE, to);
        give(&now, stream);
    }
    if (allocation && (allocation->kind == ALLOC_PINNED || allocation->kind == ALLOC_MANAGED))
        order_host_waits_for_stream(stream);
    runtime_unlock();
}

/* The host may look at flags and atomics in memory that it shares with the device, and know then. */
static bool may_tell_host(const struct footprint *footprint)
{
    static const enum use uses[] = {USE_FLAG, USE_ATOMIC};
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
        for (size_t i = 0; i < footprint->of[uses[k]].count; i++) {
            const struct allocation *allocation =
                memory_find(runtime_memory(), footprint->of[uses[k]].items[i].begin);
            if (allocation && (allocation->kind == ALLOC_PINNED || allocation->kind == ALLOC_MANAGED))
                return true;
        }
    return false;
}

void order_launch(const char *kernel, cudaStream_t handle, bool has_order, struct footprint *footprint)
{
    char name[100], quoted[120];
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    name_of_function(kernel, name, sizeof name);
    snprintf(quoted, sizeof quoted, "kernel `%s`", name);
    struct operation now = begin(quoted, WHAT_USES, stream);
    now.has_order = has_order;
    now.footprint = *footprint;
    *footprint = (struct footprint){0};
    const bool is_telling = may_tell_host(&now.footprint);
    give(&now, stream);
    if (is_telling)
        order_host_waits_for_stream(stream);
    runtime_unlock();
}

void order_memory(const char *call, cudaStream_t handle, const void *pointer, uint64_t bytes, bool is_freed)
{
    if (!order_is_kept())
        return;
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    struct operation now = begin(call, is_freed ? WHAT_FREES : WHAT_ALLOCATES, stream);
    footprint_add(&now.footprint, USE_WRITE, address_of(pointer), address_of(pointer) + bytes);
    give(&now, stream);
    runtime_unlock();
}

/* It is compared with all that are alive, and does not live itself. */
void order_host_uses(const char *who, const void *pointer, uint64_t bytes, bool is_write)
{
    runtime_lock();
    if (nalive) {
        struct operation now = begin(who ? who : "the host", WHAT_HOST, NULL);
        struct order before = {0};
        footprint_add(&now.footprint, is_write ? USE_WRITE : USE_READ, address_of(pointer),
                      address_of(pointer) + bytes);
        compare(&now, &before);
        footprint_free(&now.footprint);
    }
    runtime_unlock();
}
