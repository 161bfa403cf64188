/* recorder.c - turns what the virtual GPU is asked to do into a segment of a trace.
 * Addresses become places: a given buffer, an own allocation, a device variable. So do those that stand in arguments and
 * in small writes, where any aligned word that is an address of the device's counts as a pointer.
 * It runs in the process of the submission, so nobody believes it: trace_read() checks all that it wrote. What cannot be
 * carried becomes a note in words for the student; nothing is printed here. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/build.h"
#include "trace/texture.h"
#include "trace/trace.h"
#include "vgpu/vgpu.h"

/* Writes up to this size are searched for pointers: lists of rows, linked structures. Larger ones are numbers. */
enum { SEARCHED_BYTES = 64 << 10 };

struct own {
    uint64_t base, size;
    bool is_alive;
    bool is_for_kernels; /* managed memory that no copy or memset has filled: what it holds is the host's */
    uint32_t line;       /* of its allocation */
};

/* The runtime's number of an array, with the bytes of its rows and texels, or the handle of a texture. */
struct made {
    uint64_t id, row, texel;
    bool is_alive;
};

/* The runtime numbers streams and events for the whole process; a segment counts its own. */
struct numbering {
    uint64_t known[TRACE_MAX_STREAMS];
    uint32_t count;
};

/* One recording at a time; the runtime's lock is held whenever operations and messages come in. */
static struct recorder {
    struct trace *trace;
    struct trace_segment *segment;
    struct trace_given given[TRACE_MAX_GIVEN];
    struct own own[TRACE_MAX_OWN];
    uint32_t nown;
    struct made images[TRACE_MAX_OWN], objects[TRACE_MAX_OWN];
    uint32_t nimages, nobjects;
    struct numbering streams, events;
    struct numbering graphs, made; /* graphs, and what they became when they were made ready */
    uint64_t data;                 /* bytes in the whole trace */
    char source[256];
    uint64_t handles; /* of the runtime, made before */
    uint32_t line;    /* of the call under way */
    bool is_full;     /* a limit is passed: nothing more is recorded */
    bool is_out_of_memory;
} recorder;

static void (*listener)(const struct trace_note *note);
static void (*on_full)(void);
static uint32_t most_ops = TRACE_MAX_OPS;

/* ------------------------------------------------------------------------------------------- lines, notes */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The line in a "file:line" of the submission; 0: it is another file, or unknown. */
static uint32_t line_in_source(const char *place)
{
    const char *file = base_name(place), *colon = strrchr(file, ':');
    const size_t length = colon ? (size_t)(colon - file) : 0;
    if (!colon || strlen(recorder.source) != length || strncmp(file, recorder.source, length) != 0)
        return 0;
    return (uint32_t)strtoul(colon + 1, NULL, 10);
}

static uint32_t line_of_caller(void)
{
    char place[512];
    return vgpu_caller(place, sizeof place) ? line_in_source(place) : 0;
}

static bool is_noted(const char *text, uint32_t line)
{
    const struct trace_segment *segment = recorder.segment;
    for (uint32_t i = 0; i < segment->nnotes; i++)
        if (segment->notes[i].line == line && !strcmp(segment->notes[i].text, text))
            return true;
    return false;
}

static void make_plain(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* A fatal note finds room also where there are already enough of others. */
static void note_text(bool is_fatal, enum vgpu_finding kind, uint32_t line, char *text)
{
    make_plain(text);
    if (is_noted(text, line))
        return;
    struct trace_note *note = trace_add_note(recorder.segment);
    if (!note && is_fatal && recorder.segment->nnotes)
        note = &recorder.segment->notes[recorder.segment->nnotes - 1];
    if (!note)
        return;
    *note = (struct trace_note){.kind = kind, .line = line, .is_fatal = is_fatal};
    memcpy(note->text, text, strlen(text));
    if (listener)
        listener(note);
}

static void note_list(bool is_fatal, enum vgpu_finding kind, const char *format, va_list arguments)
{
    char text[sizeof recorder.segment->notes->text];
    vsnprintf(text, sizeof text, format, arguments);
    note_text(is_fatal, kind, recorder.line, text);
}

__attribute__((format(printf, 2, 3))) static void note(bool is_fatal, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_list(is_fatal, VGPU_NOTHING, format, arguments);
    va_end(arguments);
}

/* A call that is wrong, whoever carries it out: a fatal note of that kind. */
__attribute__((format(printf, 2, 3))) static void refuse(enum vgpu_finding kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_list(true, kind, format, arguments);
    va_end(arguments);
}

static bool run_out(void)
{
    recorder.is_out_of_memory = recorder.is_full = true;
    return false;
}

/* ------------------------------------------------------------------------------------------- operations */

static struct trace_op *add_op(enum trace_kind kind)
{
    if (recorder.segment->nops >= most_ops) {
        refuse(
            VGPU_ENDLESS_CALLS,
            "The entry point makes more than %u runtime calls, and the grader replays no more. This was the "
            "last: does the loop around it come to an end?",
            most_ops);
        trace_drop_ops(recorder.segment); /* nobody replays them */
        recorder.is_full = true;
        return NULL;
    }
    struct trace_op *op = trace_add_op(recorder.segment, kind);
    if (op)
        op->line = recorder.line;
    else
        run_out();
    return op;
}

/* False: there are too many. */
static bool number_of(struct numbering *numbering, uint64_t id, uint32_t *number)
{
    for (*number = 0; *number < numbering->count; ++*number)
        if (numbering->known[*number] == id)
            return true;
    if (numbering->count == TRACE_MAX_STREAMS) {
        note(true, "The entry point uses more than %d streams or events.", TRACE_MAX_STREAMS);
        recorder.is_full = true;
        return false;
    }
    numbering->known[numbering->count++] = id;
    return true;
}

static bool is_known(const struct numbering *numbering, uint64_t id)
{
    for (uint32_t i = 0; i < numbering->count; i++)
        if (numbering->known[i] == id)
            return true;
    return false;
}

static struct trace_op *add_op_on_stream(enum trace_kind kind, const struct vgpu_operation *operation)
{
    uint32_t stream;
    if (!number_of(&recorder.streams, operation->stream, &stream))
        return NULL;
    struct trace_op *op = add_op(kind);
    if (op)
        op->stream = stream;
    return op;
}

/* ------------------------------------------------------------------------------------------- places */

static bool name_of(const char *name, uint32_t *index)
{
    return trace_add_name(recorder.trace, name, index) || run_out();
}

static bool add_own(uint64_t base, uint64_t size, bool is_managed)
{
    if (recorder.nown == TRACE_MAX_OWN) {
        note(true, "The entry point allocates more than %d times; the grader replays no more.",
             TRACE_MAX_OWN);
        recorder.is_full = true;
        return false;
    }
    struct trace_op *op = add_op(TRACE_ALLOC);
    if (!op)
        return false;
    op->to = (struct trace_place){TRACE_OWN, recorder.nown, 0};
    op->width = size;
    recorder.own[recorder.nown++] = (struct own){base, size, true, is_managed, recorder.line};
    return true;
}

static bool find_given(uint64_t address, const struct vgpu_place *found, struct trace_place *place)
{
    for (uint32_t i = 0; i < recorder.segment->ngiven; i++) {
        const uint64_t device = (uint64_t)(uintptr_t)recorder.given[i].memory;
        if (!recorder.given[i].is_host && device >= found->base && device < found->base + found->size &&
            address >= device && address - device <= recorder.given[i].bytes) {
            *place = (struct trace_place){TRACE_GIVEN, i, address - device};
            return true;
        }
    }
    return false;
}

/* A host buffer of the harness; its end, where nothing else begins, is a place of its own. */
static bool find_host(uint64_t address, struct trace_place *place)
{
    for (uint32_t i = 0; i < recorder.segment->ngiven; i++) {
        const uint64_t first = (uint64_t)(uintptr_t)recorder.given[i].memory;
        if (recorder.given[i].is_host && address >= first && address - first <= recorder.given[i].bytes) {
            *place = (struct trace_place){TRACE_GIVEN, i, address - first};
            return true;
        }
    }
    return false;
}

static struct own *find_own(uint64_t base, uint32_t *index)
{
    for (*index = 0; *index < recorder.nown; ++*index)
        if (recorder.own[*index].is_alive && recorder.own[*index].base == base)
            return &recorder.own[*index];
    return NULL;
}

/* True if an address lies in what this segment allocated and freed. In a replay something else would be there. */
static bool is_freed(uint64_t address)
{
    for (uint32_t i = 0; i < recorder.nown; i++)
        if (!recorder.own[i].is_alive && address >= recorder.own[i].base &&
            address - recorder.own[i].base < recorder.own[i].size)
            return true;
    return false;
}

/* Memory from before this segment, kept in a static variable: in the replay it is new, because a result must not depend
 * on calls before it. */
static bool adopt(const struct vgpu_place *found)
{
    note(false,
         "This uses device memory that was not allocated in this call of the entry point; its content from "
         "earlier calls is not kept.");
    return add_own(found->base, found->size, found->memory == VGPU_MANAGED);
}

static bool find_device_place(uint64_t address, const struct vgpu_place *found, struct trace_place *place)
{
    uint32_t index;
    if (find_given(address, found, place))
        return true;
    if (!find_own(found->base, &index) && !adopt(found))
        return false;
    *place = (struct trace_place){TRACE_OWN, index, address - found->base};
    return true;
}

static bool find_place(uint64_t address, const struct vgpu_place *found, struct trace_place *place)
{
    if (found->memory == VGPU_DEVICE_MEMORY || (found->memory == VGPU_MANAGED && !found->symbol))
        return find_device_place(address, found, place);
    *place = (struct trace_place){TRACE_SYMBOL, 0, address - found->base};
    return found->memory == VGPU_SYMBOL && found->symbol && name_of(found->symbol, &place->index);
}

/* Whether the rows of a copy or memset end inside memory of `size` bytes. */
static bool is_inside(const struct vgpu_operation *operation, uint64_t pitch, const struct trace_place *place,
                      uint64_t size)
{
    uint64_t bytes;
    return trace_extent(operation->height > 1 ? pitch : 0, operation->width, operation->height, &bytes) &&
           bytes <= size && place->offset <= size - bytes;
}

/* The device side of a copy or memset. */
static bool find_side(const struct vgpu_operation *operation, const void *pointer, uint64_t pitch,
                      struct trace_place *place)
{
    struct vgpu_place found;
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (vgpu_locate(address, &found) && find_place(address, &found, place) &&
        is_inside(operation, pitch, place,
                  place->space == TRACE_GIVEN ? recorder.given[place->index].bytes : found.size)) {
        if (place->space == TRACE_OWN)
            recorder.own[place->index].is_for_kernels = false;
        return true;
    }
    note(true,
         "%s works on memory that the grader cannot replay; only memory of cudaMalloc and device variables "
         "can be.",
         operation->call);
    return false;
}

/* The host side of a copy, which begins at `place`. */
static bool check_host_side(const struct vgpu_operation *operation, uint64_t pitch,
                            const struct trace_place *place)
{
    const uint64_t size = recorder.given[place->index].bytes;
    if (is_inside(operation, pitch, place, size))
        return true;
    refuse(VGPU_COPY_BOUNDS,
           "%s goes on past the end of a host array: it begins at byte %llu of %llu and moves %llu%s.",
           operation->call, (unsigned long long)place->offset, (unsigned long long)size,
           (unsigned long long)operation->width, operation->height > 1 ? " in each row" : "");
    return false;
}

/* ------------------------------------------------------------------------------------------- pointers in data */

static bool add_relocation(struct trace_op *op, uint64_t at, const struct trace_place *place)
{
    struct trace_relocation *grown = trace_grow(op->relocations, op->nrelocations, 1, sizeof *grown);
    if (!grown)
        return run_out();
    op->relocations = grown;
    op->relocations[op->nrelocations++] = (struct trace_relocation){at, *place};
    return true;
}

static const char *const memory_names[] = {[VGPU_DEVICE_MEMORY] = "device memory",
                                           [VGPU_SYMBOL] = "a device variable",
                                           [VGPU_MANAGED] = "a managed variable",
                                           [VGPU_OTHER_MEMORY] = "an array or the device's heap"};

/* A list of arrays or textures; the last of an id is the one that lives, if any does. */
static struct made *find_made(struct made *list, uint32_t count, uint64_t id, uint32_t *index)
{
    for (*index = count; (*index)-- > 0;)
        if (list[*index].id == id && list[*index].is_alive)
            return &list[*index];
    return NULL;
}

static bool is_destroyed(uint64_t handle)
{
    for (uint32_t i = 0; i < recorder.nobjects; i++)
        if (recorder.objects[i].id == handle && !recorder.objects[i].is_alive)
            return true;
    return false;
}

static bool find_texture(uint64_t word, const char *holder, struct trace_place *place)
{
    *place = (struct trace_place){TRACE_OBJECT, 0, 0};
    if (find_made(recorder.objects, recorder.nobjects, word, &place->index))
        return true;
    if (is_destroyed(word))
        refuse(VGPU_NO_SUCH_TEXTURE,
               "%s is a texture object that has been destroyed: destroy it behind its last use.", holder);
    else
        note(true,
             "%s is a texture object that this call of the entry point did not make; the grader replays "
             "each call alone: make the texture in every call, and destroy it there.",
             holder);
    return false;
}

static bool lies_in(enum vgpu_memory memory, const void *pointer)
{
    struct vgpu_place found;
    return vgpu_locate((uint64_t)(uintptr_t)pointer, &found) && found.memory == memory;
}

static const char mapped[] =
    "%s holds a pointer to mapped host memory. A GPU reaches that over the bus, but the grader does not "
    "replay it: "
    "kernels work on memory of cudaMalloc here, which cudaMemcpyAsync fills from pinned memory and empties.";

/* holder: what the word stands in, for the note. Adopted memory adds an operation before this one, so places come first:
 * see find_pointers(). */
static bool look_at_word(uint64_t word, const char *holder, struct trace_place *place)
{
    struct vgpu_place found;
    if (word && find_host(word, place) && lies_in(VGPU_PINNED, (const void *)(uintptr_t)word)) {
        note(true, mapped, holder);
        return false;
    }
    if (word && find_host(word, place)) {
        refuse(VGPU_HOST_POINTER,
               "%s is a pointer to host memory, which kernels cannot reach: copy the array to memory of "
               "cudaMalloc first, and pass that.",
               holder);
        return false;
    }
    if (!word)
        return false;
    if (vgpu_is_texture(word))
        return find_texture(word, holder, place);
    if (!vgpu_locate(word, &found)) {
        if (is_freed(word))
            refuse(VGPU_USE_AFTER_FREE,
                   "%s points to device memory that has been freed: free it behind its last use.", holder);
        return false;
    }
    if (find_place(word, &found, place))
        return true;
    if (!recorder.is_full && found.memory == VGPU_PINNED)
        note(true, mapped, holder);
    else if (!recorder.is_full)
        note(
            true,
            "%s holds a pointer to %s; the grader can replay only memory of cudaMalloc and device variables.",
            holder, memory_names[found.memory]);
    return false;
}

/* Arguments that are a device variable's name in host code. */
static void refuse_variables(const struct trace_op *op)
{
    char advice[300];
    for (uint64_t at = 0; at + sizeof(uint64_t) <= op->size; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, op->data + at, sizeof word);
        if (vgpu_is_variable(word, advice, sizeof advice))
            refuse(VGPU_HOST_POINTER, "%s", advice);
    }
}

/* Collects the pointers among size bytes into *op, which is not yet part of the segment. */
static void find_pointers(struct trace_op *op, const char *holder)
{
    struct trace_place place;
    for (uint64_t at = 0; at + sizeof(uint64_t) <= op->size && !recorder.is_full; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, op->data + at, sizeof word);
        if (look_at_word(word, holder, &place))
            add_relocation(op, at, &place);
    }
}

static bool take_data(struct trace_op *op, uint64_t size)
{
    if (size > TRACE_MAX_DATA - recorder.data) {
        note(
            true,
            "The entry point copies more than %d MB from the host to the device; the grader replays no more.",
            TRACE_MAX_DATA >> 20);
        recorder.is_full = true;
        return false;
    }
    op->data = malloc(size ? size : 1);
    if (!op->data)
        return run_out();
    op->size = size;
    recorder.data += size;
    return true;
}

static void discard(struct trace_op *draft)
{
    free(draft->data);
    free(draft->relocations);
    free(draft->arguments);
}

/* Makes a draft, whose data and pointers are complete, the segment's next operation. */
static void add_draft(struct trace_op *draft, const struct vgpu_operation *operation)
{
    struct trace_op *op = recorder.is_full ? NULL : add_op_on_stream(draft->kind, operation);
    if (!op) {
        discard(draft);
        return;
    }
    draft->stream = op->stream;
    draft->line = op->line;
    draft->is_sync = operation->is_sync;
    *op = *draft;
}

/* ------------------------------------------------------------------------------------------- what is told */

static void record_alloc(const struct vgpu_operation *operation)
{
    const uint64_t base = (uint64_t)(uintptr_t)operation->to;
    uint32_t index;
    struct own *stale = find_own(base, &index);
    if (stale)
        stale->is_alive = false;
    if (operation->width)
        add_own(base, operation->width, lies_in(VGPU_MANAGED, operation->to));
}

/* Managed memory is zeros as long as nobody writes to it, and kernels do not execute here. */
static void check_managed(const struct own *own)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)own->base;
    if (!own->is_for_kernels || !own->is_alive || (!bytes[0] && !memcmp(bytes, bytes + 1, own->size - 1)))
        return;
    recorder.line = own->line;
    note(true, "Host code writes to managed memory. The grader replays managed memory as memory of "
               "cudaMalloc, which "
               "kernels, copies and memsets alone can fill: use cudaMemcpy or cudaMemset.");
}

static void record_free(const struct vgpu_operation *operation)
{
    uint32_t index;
    struct own *own = find_own((uint64_t)(uintptr_t)operation->to, &index);
    for (uint32_t i = 0; i < recorder.segment->ngiven; i++)
        if (operation->to && operation->to == recorder.given[i].memory)
            refuse(VGPU_FREE_FOREIGN, "%s frees a buffer that the entry point got from its caller.",
                   operation->call);
    if (own)
        check_managed(own);
    struct trace_op *op = own ? add_op_on_stream(TRACE_FREE, operation) : NULL;
    if (!op)
        return;
    op->to = (struct trace_place){TRACE_OWN, index, 0};
    own->is_alive = false;
}

static void set_rows(struct trace_op *op, const struct vgpu_operation *operation)
{
    op->width = operation->width;
    op->height = operation->height;
    op->to_pitch = op->height > 1 && op->to.space ? operation->to_pitch : 0;
    op->from_pitch = op->height > 1 && op->from.space ? operation->from_pitch : 0;
}

static void record_write(const struct vgpu_operation *operation)
{
    struct trace_op draft = {.kind = TRACE_WRITE};
    if (!find_side(operation, operation->to, operation->to_pitch, &draft.to))
        return;
    set_rows(&draft, operation);
    const bool is_huge = operation->height > TRACE_MAX_DATA / operation->width;
    if (!take_data(&draft, is_huge ? UINT64_MAX : operation->width * operation->height)) {
        discard(&draft);
        return;
    }
    for (uint64_t row = 0; row < operation->height; row++)
        memcpy(draft.data + row * operation->width,
               (const uint8_t *)operation->from + row * operation->from_pitch, operation->width);
    if (draft.size <= SEARCHED_BYTES)
        find_pointers(&draft, operation->call);
    if (lies_in(VGPU_PINNED, operation->from))
        note(false,
             "%s sends pinned memory that host code itself has filled; the grader replays just these bytes, "
             "not what they were made from: pin the caller's array with cudaHostRegister instead.",
             operation->call);
    add_draft(&draft, operation);
}

static void record_read(const struct vgpu_operation *operation)
{
    struct trace_op draft = {.kind = TRACE_READ};
    if (!find_side(operation, operation->from, operation->from_pitch, &draft.from))
        return;
    note(false,
         "%s copies device memory to the host; host code runs only once, before any kernel has, and reads "
         "zeros.",
         operation->call);
    set_rows(&draft, operation);
    add_draft(&draft, operation);
}

static void record_device_copy(const struct vgpu_operation *operation)
{
    struct trace_op draft = {.kind = TRACE_COPY};
    if (!find_side(operation, operation->to, operation->to_pitch, &draft.to) ||
        !find_side(operation, operation->from, operation->from_pitch, &draft.from))
        return;
    set_rows(&draft, operation);
    add_draft(&draft, operation);
}

/* Between the device and a host buffer of the harness: whoever replays it has data of its own there. */
static void record_host_copy(const struct vgpu_operation *operation, bool is_to_device,
                             const struct trace_place *host)
{
    struct trace_op draft = {.kind = TRACE_COPY, .to = *host, .from = *host};
    const bool is_found = is_to_device
                              ? find_side(operation, operation->to, operation->to_pitch, &draft.to)
                              : find_side(operation, operation->from, operation->from_pitch, &draft.from);
    if (!is_found ||
        !check_host_side(operation, is_to_device ? operation->from_pitch : operation->to_pitch, host))
        return;
    set_rows(&draft, operation);
    add_draft(&draft, operation);
}

/* Pinned memory may count as the device's for the runtime, and managed memory as the host's; here pinned memory is what the host
 * sees, and managed memory what kernels do. */
static bool is_device_side(bool is_told, const void *pointer)
{
    return is_told ? !lies_in(VGPU_PINNED, pointer) : lies_in(VGPU_MANAGED, pointer);
}

static void record_copy(const struct vgpu_operation *operation)
{
    const bool is_to = is_device_side(operation->is_to_device, operation->to);
    const bool is_from = is_device_side(operation->is_from_device, operation->from);
    struct trace_place host;
    if (!operation->width || !operation->height)
        return;
    if (is_to != is_from && find_host((uint64_t)(uintptr_t)(is_to ? operation->from : operation->to), &host))
        record_host_copy(operation, is_to, &host);
    else if (is_to && is_from)
        record_device_copy(operation);
    else if (is_to)
        record_write(operation);
    else if (is_from)
        record_read(operation);
}

static void record_set(const struct vgpu_operation *operation)
{
    struct trace_op draft = {.kind = TRACE_SET, .value = operation->value & UINT8_MAX};
    if (!operation->width || !operation->height ||
        !find_side(operation, operation->to, operation->to_pitch, &draft.to))
        return;
    if (operation->value_bytes > 1)
        note(true, "%s sets words instead of bytes; the grader cannot replay that.", operation->call);
    set_rows(&draft, operation);
    add_draft(&draft, operation);
}

static bool take_arguments(struct trace_op *draft, const struct vgpu_operation *operation)
{
    const uint32_t count = operation->narguments;
    const uint32_t last = count ? count - 1 : 0;
    if (count && !(draft->arguments = calloc(count, sizeof *draft->arguments)))
        return run_out();
    if (!take_data(draft, count ? operation->argument_offsets[last] + operation->argument_sizes[last] : 0))
        return false;
    if (draft->size)
        memcpy(draft->data, operation->arguments, draft->size);
    draft->narguments = count;
    for (uint32_t i = 0; i < count; i++)
        draft->arguments[i] =
            (struct trace_argument){operation->argument_offsets[i], operation->argument_sizes[i]};
    return true;
}

static void record_launch(const struct vgpu_operation *operation)
{
    struct trace_op draft = {.kind = TRACE_LAUNCH,
                             .shared = operation->shared,
                             .shared_limit = operation->shared_limit,
                             .is_cooperative = operation->is_cooperative};
    for (int i = 0; i < 3; i++) {
        draft.grid[i] = operation->grid[i];
        draft.block[i] = operation->block[i];
    }
    if (!name_of(operation->kernel, &draft.name) || !take_arguments(&draft, operation)) {
        discard(&draft);
        return;
    }
    refuse_variables(&draft);
    find_pointers(&draft, "A kernel's argument");
    add_draft(&draft, operation);
}

static void record_event(const struct vgpu_operation *operation)
{
    static const enum trace_kind kinds[] = {[VGPU_EVENT_RECORD] = TRACE_EVENT_RECORD,
                                            [VGPU_STREAM_WAIT] = TRACE_STREAM_WAIT,
                                            [VGPU_EVENT_SYNC] = TRACE_EVENT_SYNC};
    uint32_t number;
    if (!number_of(&recorder.events, operation->event, &number))
        return;
    struct trace_op *op = add_op_on_stream(kinds[operation->kind], operation);
    if (op)
        op->value = number;
}

static void record_sync(const struct vgpu_operation *operation)
{
    struct trace_op *op = add_op_on_stream(TRACE_SYNC, operation);
    if (op && operation->is_device_wide)
        op->stream = TRACE_ALL_STREAMS;
}

/* Streams are blocking unless they say so. */
static void record_stream(const struct vgpu_operation *operation)
{
    if (operation->is_nonblocking)
        add_op_on_stream(TRACE_STREAM, operation);
}

/* Whoever replays it keeps memory pinned from the first time on. */
static bool is_pinned_already(const struct trace_place *place, uint64_t bytes)
{
    for (uint32_t i = 0; i < recorder.segment->nops; i++) {
        const struct trace_op *op = &recorder.segment->ops[i];
        if (op->kind == TRACE_PIN && op->to.index == place->index && op->to.offset <= place->offset &&
            place->offset + bytes <= op->to.offset + op->width)
            return true;
    }
    return false;
}

/* Memory of the program's own stays where it is: what it holds travels with each copy. */
static void record_pin(const struct vgpu_operation *operation)
{
    struct trace_place place;
    if (!find_host((uint64_t)(uintptr_t)operation->to, &place) ||
        operation->width > recorder.given[place.index].bytes - place.offset)
        return;
    if (is_pinned_already(&place, operation->width))
        return;
    struct trace_op *op = add_op(TRACE_PIN);
    if (!op)
        return;
    op->to = place;
    op->width = operation->width;
}

static void record_capture(const struct vgpu_operation *operation)
{
    add_op_on_stream(TRACE_CAPTURE, operation);
}

static void record_capture_end(const struct vgpu_operation *operation)
{
    uint32_t number;
    if (!operation->value)
        refuse(VGPU_CAPTURE_FORBIDS,
               "The capture failed: a call that cannot be captured came between its begin and its end.");
    else if (number_of(&recorder.graphs, operation->value, &number))
        add_op_on_stream(TRACE_CAPTURE_END, operation);
}

/* True if the number is one of this recording's. */
static bool find_graph(const struct vgpu_operation *operation, const struct numbering *numbering, uint32_t id,
                       uint32_t *number)
{
    *number = 0;
    if (is_known(numbering, id))
        return number_of((struct numbering *)numbering, id, number);
    note(true, "%s is given a graph that was not captured in this call of the entry point.", operation->call);
    return false;
}

static void record_graph_make(const struct vgpu_operation *operation)
{
    uint32_t graph, made;
    if (!find_graph(operation, &recorder.graphs, operation->value, &graph) ||
        !number_of(&recorder.made, operation->made, &made))
        return;
    struct trace_op *op = add_op(TRACE_GRAPH_MAKE);
    if (op)
        op->value = graph;
}

static void record_graph_launch(const struct vgpu_operation *operation)
{
    uint32_t made;
    if (!find_graph(operation, &recorder.made, operation->made, &made))
        return;
    struct trace_op *op = add_op_on_stream(TRACE_GRAPH_LAUNCH, operation);
    if (op)
        op->value = made;
}

/* ------------------------------------------------------------------------------------------- arrays, textures */

/* The next operation makes array or texture number *count. NULL: there are too many. */
static struct trace_op *add_made(enum trace_kind kind, struct made *list, uint32_t *count,
                                 const struct made *one)
{
    if (*count == TRACE_MAX_OWN) {
        note(true, "The entry point makes more than %d arrays or textures; the grader replays no more.",
             TRACE_MAX_OWN);
        recorder.is_full = true;
        return NULL;
    }
    struct trace_op *op = add_op(kind);
    if (!op)
        return NULL;
    op->to = (struct trace_place){kind == TRACE_TEXTURE ? TRACE_OBJECT : TRACE_IMAGE, *count, 0};
    list[(*count)++] = *one;
    return op;
}

static struct trace_texture texture_of(const struct vgpu_texture *told)
{
    struct trace_texture texture = {.kind = told->kind,
                                    .filter = told->filter,
                                    .read = told->read,
                                    .is_normalized = told->is_normalized,
                                    .is_srgb = told->is_srgb};
    memcpy(texture.bits, told->bits, sizeof texture.bits);
    memcpy(texture.address, told->address, sizeof texture.address);
    memcpy(texture.border, told->border, sizeof texture.border);
    return texture;
}

static void record_array(const struct vgpu_operation *operation)
{
    const struct trace_texture format = texture_of(operation->texture);
    const struct made made = {operation->to_array, operation->width, trace_texel_bytes(&format), true};
    struct trace_op *op = add_made(TRACE_ARRAY_ALLOC, recorder.images, &recorder.nimages, &made);
    if (!op)
        return;
    op->width = operation->width;
    op->height = operation->height;
    op->value = operation->value;
    op->texture = format;
}

/* False: the array is from another call, and the segment cannot be replayed. */
static bool find_image(const struct vgpu_operation *operation, uint64_t number, uint64_t x, uint64_t y,
                       struct trace_place *place)
{
    *place = (struct trace_place){TRACE_IMAGE, 0, 0};
    const struct made *made = find_made(recorder.images, recorder.nimages, number, &place->index);
    if (!made) {
        note(true,
             "%s uses an array that this call of the entry point did not make; the grader replays each call "
             "alone: make the array in every call, and free it there.",
             operation->call);
        return false;
    }
    place->offset = y * made->row + x;
    if (x % made->texel == 0 && operation->width % made->texel == 0)
        return true;
    refuse(VGPU_COPY_BOUNDS,
           "%s moves %llu bytes of each row, from byte %llu on; an element of the array has %llu, and only "
           "whole ones can be moved: the width counts bytes.",
           operation->call, (unsigned long long)operation->width, (unsigned long long)x,
           (unsigned long long)made->texel);
    return false;
}

static void record_array_write(const struct vgpu_operation *operation, struct trace_op *draft)
{
    draft->kind = TRACE_ARRAY_WRITE;
    draft->from = (struct trace_place){TRACE_NOWHERE, 0, 0};
    draft->from_pitch = 0;
    if (!take_data(draft, operation->height > TRACE_MAX_DATA / operation->width
                              ? UINT64_MAX
                              : operation->width * operation->height))
        return;
    for (uint64_t row = 0; row < operation->height; row++)
        memcpy(draft->data + row * operation->width,
               (const uint8_t *)operation->from + row * operation->from_pitch, operation->width);
    add_draft(draft, operation);
}

/* The side of a copy that is no array: on the device, or a host buffer of the harness. *is_plain: other host memory. */
static bool find_memory(const struct vgpu_operation *operation, const void *pointer, uint64_t pitch,
                        bool is_told_device, struct trace_place *place, bool *is_plain)
{
    if (is_device_side(is_told_device, pointer))
        return find_side(operation, pointer, pitch, place);
    *is_plain = !find_host((uint64_t)(uintptr_t)pointer, place);
    return *is_plain || check_host_side(operation, pitch, place);
}

static void record_array_copy(const struct vgpu_operation *operation)
{
    struct trace_op draft = {.kind = TRACE_ARRAY_COPY};
    bool is_to_plain = false, is_from_plain = false;
    if (!(operation->to_array
              ? find_image(operation, operation->to_array, operation->to_x, operation->to_y, &draft.to)
              : find_memory(operation, operation->to, operation->to_pitch, operation->is_to_device, &draft.to,
                            &is_to_plain)) ||
        !(operation->from_array ? find_image(operation, operation->from_array, operation->from_x,
                                             operation->from_y, &draft.from)
                                : find_memory(operation, operation->from, operation->from_pitch,
                                              operation->is_from_device, &draft.from, &is_from_plain)))
        return;
    draft.width = operation->width;
    draft.height = operation->height;
    draft.to_pitch = operation->height > 1 && !operation->to_array ? operation->to_pitch : 0;
    draft.from_pitch = operation->height > 1 && !operation->from_array ? operation->from_pitch : 0;
    if (is_to_plain)
        note(false, "%s copies an array to the host; nothing that depends on kernels is there.",
             operation->call);
    else if (is_from_plain)
        record_array_write(operation, &draft);
    else
        add_draft(&draft, operation);
}

static void record_array_free(const struct vgpu_operation *operation)
{
    uint32_t index;
    struct made *made = find_made(recorder.images, recorder.nimages, operation->to_array, &index);
    struct trace_op *op = made ? add_op(TRACE_DROP) : NULL;
    if (!op)
        return;
    op->to = (struct trace_place){TRACE_IMAGE, index, 0};
    made->is_alive = false;
}

static void record_texture(const struct vgpu_operation *operation)
{
    struct trace_place from;
    struct vgpu_place found;
    const uint64_t address = (uint64_t)(uintptr_t)operation->from;
    if (operation->from_array) {
        if (!find_image(operation, operation->from_array, 0, 0, &from))
            return;
    } else if (!vgpu_locate(address, &found) || !find_place(address, &found, &from)) {
        note(true, "%s works on memory that the grader cannot replay; only memory of cudaMalloc can be.",
             operation->call);
        return;
    }
    struct trace_op *op = add_made(TRACE_TEXTURE, recorder.objects, &recorder.nobjects,
                                   &(struct made){operation->object, 0, 0, true});
    if (!op)
        return;
    op->from = from;
    op->width = operation->width;
    op->height = operation->height;
    op->from_pitch = operation->from_pitch;
    op->texture = texture_of(operation->texture);
}

static void record_texture_free(const struct vgpu_operation *operation)
{
    uint32_t index;
    struct made *made = find_made(recorder.objects, recorder.nobjects, operation->object, &index);
    struct trace_op *op = made ? add_op(TRACE_DROP) : NULL;
    if (!op)
        return;
    op->to = (struct trace_place){TRACE_OBJECT, index, 0};
    made->is_alive = false;
}

/* ------------------------------------------------------------------------------------------- all kinds */

static void record_other(const struct vgpu_operation *operation)
{
    note(true,
         "The grader cannot replay %s: an entry point may use cudaMalloc, cudaMallocAsync, cudaMallocManaged "
         "as "
         "scratch memory, copies, memsets, kernel launches, streams, events, cudaHostRegister, textures of "
         "memory "
         "or of flat arrays, and graphs.",
         operation->call);
}

static void (*const record[])(const struct vgpu_operation *operation) = {
    [VGPU_ALLOC] = record_alloc,
    [VGPU_FREE] = record_free,
    [VGPU_COPY] = record_copy,
    [VGPU_SET] = record_set,
    [VGPU_LAUNCH] = record_launch,
    [VGPU_EVENT_RECORD] = record_event,
    [VGPU_STREAM_WAIT] = record_event,
    [VGPU_SYNC] = record_sync,
    [VGPU_OTHER] = record_other,
    [VGPU_EVENT_SYNC] = record_event,
    [VGPU_STREAM] = record_stream,
    [VGPU_PIN] = record_pin,
    [VGPU_CAPTURE] = record_capture,
    [VGPU_CAPTURE_END] = record_capture_end,
    [VGPU_GRAPH_MAKE] = record_graph_make,
    [VGPU_GRAPH_LAUNCH] = record_graph_launch,
    [VGPU_ARRAY_ALLOC] = record_array,
    [VGPU_ARRAY_FREE] = record_array_free,
    [VGPU_ARRAY_COPY] = record_array_copy,
    [VGPU_TEXTURE] = record_texture,
    [VGPU_TEXTURE_FREE] = record_texture_free,
};

/* ------------------------------------------------------------------------------------------- the watcher */

static void watch_operation(void *context, const struct vgpu_operation *operation)
{
    (void)context;
    if (recorder.is_full)
        return;
    recorder.line = line_of_caller();
    record[operation->kind](operation);
    if (recorder.is_full && on_full)
        on_full();
}

/* Of the first line of a text, whole words that take no more than so many bytes. */
static int whole_words(const char *text, size_t most)
{
    size_t length = strcspn(text, "\n");
    if (length > most)
        for (length = most; length > 0 && text[length] != ' '; length--)
            continue;
    while (length > 0 && text[length - 1] == '.') /* who uses the words ends them */
        length--;
    return (int)length;
}

/* A runtime call that was refused. The second line of a message says what happened. */
static void watch_message(void *context, const struct vgpu_message *message)
{
    (void)context;
    char text[sizeof recorder.segment->notes->text];
    const char *second = strchr(message->text, '\n');
    const char *sentence = second ? second + strspn(second, "\n ") : "";
    recorder.line = line_in_source(message->place);
    if (!recorder.line)
        recorder.line = line_of_caller();
    snprintf(text, sizeof text, "%.*s%s%.*s.%s%.*s%s", whole_words(message->title, 100), message->title,
             *sentence ? ": " : "", whole_words(sentence, 300), sentence,
             *message->cause ? " Likely cause: " : "", whole_words(message->cause, 200), message->cause,
             *message->cause ? "." : "");
    note_text(false, message->kind, recorder.line, text);
}

/* ------------------------------------------------------------------------------------------- begin, end */

static uint64_t data_of(const struct trace *trace)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < trace->nsegments; i++)
        for (uint32_t j = 0; j < trace->segments[i].nops; j++)
            bytes += trace->segments[i].ops[j].size;
    return bytes;
}

static bool take_given(const struct trace_given *given, uint32_t ngiven)
{
    struct trace_segment *segment = recorder.segment;
    segment->given = trace_grow(NULL, 0, ngiven, sizeof *segment->given);
    if (!segment->given || ngiven > TRACE_MAX_GIVEN)
        return false;
    segment->ngiven = ngiven;
    for (uint32_t i = 0; i < ngiven; i++) {
        recorder.given[i] = given[i];
        segment->given[i] = (struct trace_buffer){given[i].bytes, given[i].is_host};
    }
    return true;
}

void recorder_begin(struct trace *trace, const char *stage, uint32_t which, const struct trace_given *given,
                    uint32_t ngiven, const char *source)
{
    static const struct vgpu_watcher watcher = {.message = watch_message, .operation = watch_operation};
    recorder = (struct recorder){.trace = trace, .data = data_of(trace)};
    recorder.streams.count = 1; /* the default stream is number 0 in both countings */
    recorder.segment = trace_add_segment(trace);
    if (!recorder.segment || !take_given(given, ngiven)) {
        run_out();
        return;
    }
    snprintf(recorder.segment->stage, sizeof recorder.segment->stage, "%s", stage);
    snprintf(recorder.source, sizeof recorder.source, "%s", base_name(source));
    recorder.segment->which = which;
    recorder.handles = vgpu_handles();
    vgpu_set_execution(VGPU_EXECUTE_NONE);
    vgpu_watch(&watcher);
}

void recorder_host(uint32_t number, void *to, uint64_t to_bytes, const void *from, uint64_t from_bytes)
{
    struct trace_place to_place, from_place;
    if (!recorder.segment || recorder.is_full)
        return;
    recorder.line = line_of_caller();
    if (!find_host((uint64_t)(uintptr_t)to, &to_place) ||
        !find_host((uint64_t)(uintptr_t)from, &from_place) ||
        to_bytes > recorder.given[to_place.index].bytes - to_place.offset ||
        from_bytes > recorder.given[from_place.index].bytes - from_place.offset) {
        refuse(VGPU_COPY_BOUNDS,
               "A step of the host works on memory that is none of the host arrays that the entry point "
               "was given, or goes past its end.");
        return;
    }
    struct trace_op *op = to_bytes && from_bytes ? add_op(TRACE_HOST) : NULL;
    if (!op)
        return;
    op->value = number;
    op->to = to_place;
    op->from = from_place;
    op->width = to_bytes;
    op->height = from_bytes;
}

void recorder_say(uint32_t index)
{
    struct trace_op draft = {.kind = TRACE_SAY, .to = {TRACE_GIVEN, index, 0}};
    const struct vgpu_operation nothing = {.stream = 0};
    recorder.line = 0;
    if (recorder.is_full || recorder.is_out_of_memory || !take_data(&draft, recorder.given[index].bytes))
        return;
    memcpy(draft.data, recorder.given[index].memory, draft.size);
    add_draft(&draft, &nothing);
}

void recorder_listen(void (*heard)(const struct trace_note *note))
{
    listener = heard;
}

void recorder_set_most(uint32_t ops)
{
    most_ops = ops;
}

void recorder_on_full(void (*full)(void))
{
    on_full = full;
}

/* What breaks a rule of traces (a capture that does not end, say) is refused here in words: else it would be lost with all other
 * segments when they are written. */
static void refuse_the_impossible(void)
{
    char error[300];
    if (!recorder.segment || trace_check_segment(recorder.trace, recorder.segment, error, sizeof error))
        return;
    const char *why = strrchr(error, ':');
    recorder.line = 0;
    note(true, "The grader cannot replay these calls:%s", why ? why + 1 : error);
    trace_drop_ops(recorder.segment);
}

/* Operations tell of device memory; of what else is left behind, a note does: one for each line, with how often. */
struct left_behind {
    struct left {
        const char *what, *call; /* of the virtual GPU's tables */
        uint32_t line;
        unsigned times;
    } rows[TRACE_MAX_NOTES];
    int count;
};

static void count_handle(void *context, const struct vgpu_handle *handle)
{
    struct left_behind *left = context;
    const uint32_t line = line_in_source(handle->place);
    int i = 0;
    while (i < left->count && (left->rows[i].line != line || strcmp(left->rows[i].what, handle->what) != 0))
        i++;
    if (i == TRACE_MAX_NOTES)
        return;
    if (i == left->count)
        left->rows[left->count++] = (struct left){.what = handle->what, .call = handle->call, .line = line};
    left->rows[i].times++;
}

static void note_handles(void)
{
    struct left_behind left = {.count = 0};
    vgpu_each_handle(recorder.handles, count_handle, &left);
    for (const struct left *row = left.rows; row < left.rows + left.count; row++) {
        char text[sizeof recorder.segment->notes->text], times[60] = "";
        if (row->times > 1)
            snprintf(times, sizeof times, ", %u times in one call", row->times);
        recorder.line = row->line;
        snprintf(text, sizeof text, "%s here%s, and the entry point ends without %s() of %s", row->what,
                 times, row->call, row->times > 1 ? "them" : "it");
        note_text(false, VGPU_HANDLE_LEAK, row->line, text);
    }
}

bool recorder_end(void)
{
    if (recorder.segment && !recorder.is_out_of_memory) {
        note_handles();
        for (uint32_t i = 0; i < recorder.nown; i++)
            check_managed(&recorder.own[i]);
    }
    vgpu_watch(NULL);
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    if (!recorder.is_out_of_memory)
        refuse_the_impossible();
    return !recorder.is_out_of_memory;
}
