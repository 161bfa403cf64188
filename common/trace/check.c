/* check.c - the rules of a trace: what may stand in one, whoever made it.
 * Operations are walked in order, so that an own allocation is known to live where it is used. Arithmetic on numbers of a
 * trace comes after the check that it cannot overflow.
 * Files are read in file.c; what only the device code knows (kernels, variables) is checked by the player. */
#include "trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct checker {
    const struct trace *trace;
    const struct trace_segment *segment;
    uint64_t own[TRACE_MAX_OWN]; /* sizes; 0: freed */
    uint32_t nown;
    uint64_t data; /* bytes so far */
    uint32_t op;   /* the one being looked at */
    char *error;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct checker *checker, const char *format, ...)
{
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (checker->segment)
        snprintf(checker->error, checker->size, "The trace is not valid: segment %u, operation %u: %s.",
                 (unsigned)(checker->segment - checker->trace->segments), checker->op, what);
    else
        snprintf(checker->error, checker->size, "The trace is not valid: %s.", what);
    return false;
}

/* ------------------------------------------------------------------------------------------- places */

bool trace_extent(uint64_t pitch, uint64_t width, uint64_t height, uint64_t *bytes)
{
    if (!width || !height || width > TRACE_MAX_BYTES || height > TRACE_MAX_BYTES || pitch > TRACE_MAX_BYTES)
        return false;
    if (height == 1 ? pitch != 0 : pitch < width)
        return false;
    if (height > 1 && height - 1 > (TRACE_MAX_BYTES - width) / pitch)
        return false;
    *bytes = (height - 1) * pitch + width;
    return true;
}

static bool is_on_host(const struct checker *checker, const struct trace_place *place)
{
    return place->space == TRACE_GIVEN && place->index < checker->segment->ngiven &&
           checker->segment->given[place->index].is_host;
}

/* A place from which `bytes` bytes can be reached. */
static bool check_place(struct checker *checker, const struct trace_place *place, uint64_t bytes)
{
    uint64_t size = TRACE_MAX_BYTES;
    if (place->space == TRACE_GIVEN && place->index < checker->segment->ngiven)
        size = checker->segment->given[place->index].bytes;
    else if (place->space == TRACE_OWN && place->index < checker->nown && checker->own[place->index])
        size = checker->own[place->index];
    else if (place->space != TRACE_SYMBOL || place->index >= checker->trace->nnames)
        return refuse(checker, "there is no place %u.%u", (unsigned)place->space, place->index);
    if (place->offset > size || bytes > size - place->offset)
        return refuse(checker, "%llu bytes at %llu lie outside their buffer of %llu",
                      (unsigned long long)bytes, (unsigned long long)place->offset, (unsigned long long)size);
    return true;
}

/* Rows anywhere; only copies may have a side on the host. */
static bool check_any_rows(struct checker *checker, const struct trace_op *op,
                           const struct trace_place *place, uint64_t pitch)
{
    uint64_t bytes;
    if (!trace_extent(pitch, op->width, op->height, &bytes))
        return refuse(checker, "%llu rows of %llu bytes, %llu apart, are no memory",
                      (unsigned long long)op->height, (unsigned long long)op->width,
                      (unsigned long long)pitch);
    return check_place(checker, place, bytes);
}

static bool check_rows(struct checker *checker, const struct trace_op *op, const struct trace_place *place,
                       uint64_t pitch)
{
    if (is_on_host(checker, place))
        return refuse(checker, "given buffer %u is on the host", place->index);
    return check_any_rows(checker, op, place, pitch);
}

static bool is_seed(const struct trace_place *place)
{
    return place->space == TRACE_SEED && place->index < TRACE_SEED_FORMS;
}

static bool check_relocations(struct checker *checker, const struct trace_op *op)
{
    uint64_t end = 0; /* of the word before */
    for (uint32_t i = 0; i < op->nrelocations; i++) {
        const struct trace_relocation *relocation = &op->relocations[i];
        const uint32_t bytes = trace_word_bytes(&relocation->place);
        if (relocation->at < end || relocation->at > op->size || op->size - relocation->at < bytes)
            return refuse(checker, "pointer %u lies outside the data", i);
        if (!(is_seed(&relocation->place) || check_place(checker, &relocation->place, 0)))
            return false;
        if (is_on_host(checker, &relocation->place))
            return refuse(checker, "pointer %u points to the host", i);
        end = relocation->at + bytes;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- operations */

static bool check_alloc(struct checker *checker, const struct trace_op *op)
{
    if (op->to.space != TRACE_OWN || op->to.index != checker->nown || op->to.offset ||
        checker->nown == TRACE_MAX_OWN)
        return refuse(checker, "allocation %u comes out of turn", op->to.index);
    if (!op->width || op->width > TRACE_MAX_BYTES)
        return refuse(checker, "an allocation of %llu bytes", (unsigned long long)op->width);
    checker->own[checker->nown++] = op->width;
    return true;
}

static bool check_free(struct checker *checker, const struct trace_op *op)
{
    if (op->to.space != TRACE_OWN || op->to.offset || !check_place(checker, &op->to, 1))
        return refuse(checker, "a free of what is no own allocation");
    checker->own[op->to.index] = 0;
    return true;
}

static bool check_write(struct checker *checker, const struct trace_op *op)
{
    if (!check_rows(checker, op, &op->to, op->to_pitch))
        return false;
    if (op->size != op->width * op->height)
        return refuse(checker, "%llu bytes of data for %llu rows of %llu", (unsigned long long)op->size,
                      (unsigned long long)op->height, (unsigned long long)op->width);
    return true;
}

static bool check_read(struct checker *checker, const struct trace_op *op)
{
    return check_rows(checker, op, &op->from, op->from_pitch);
}

static bool check_copy(struct checker *checker, const struct trace_op *op)
{
    if (is_on_host(checker, &op->to) && is_on_host(checker, &op->from))
        return refuse(checker, "a copy from the host to the host");
    return check_any_rows(checker, op, &op->to, op->to_pitch) &&
           check_any_rows(checker, op, &op->from, op->from_pitch);
}

static bool check_set(struct checker *checker, const struct trace_op *op)
{
    if (op->value > UINT8_MAX)
        return refuse(checker, "%u is no byte", op->value);
    return check_rows(checker, op, &op->to, op->to_pitch);
}

static bool check_shape(struct checker *checker, const struct trace_op *op)
{
    static const uint32_t grid_limits[3] = {INT32_MAX, 65535, 65535}, block_limits[3] = {1024, 1024, 64};
    for (int i = 0; i < 3; i++)
        if (!op->grid[i] || op->grid[i] > grid_limits[i] || !op->block[i] || op->block[i] > block_limits[i])
            return refuse(checker, "a launch of %ux%ux%u blocks of %ux%ux%u threads", op->grid[0],
                          op->grid[1], op->grid[2], op->block[0], op->block[1], op->block[2]);
    if ((uint64_t)op->block[0] * op->block[1] * op->block[2] > 1024)
        return refuse(checker, "a block of more than 1024 threads");
    if (op->shared > 1 << 20 || op->shared_limit > 1 << 20)
        return refuse(checker, "%u bytes of shared memory, limit %u", op->shared, op->shared_limit);
    return true;
}

static bool check_launch(struct checker *checker, const struct trace_op *op)
{
    uint64_t end = 0; /* of the argument before */
    if (op->name >= checker->trace->nnames)
        return refuse(checker, "there is no name %u", op->name);
    if (op->size > TRACE_MAX_ARGUMENTS)
        return refuse(checker, "%llu bytes of arguments", (unsigned long long)op->size);
    for (uint32_t i = 0; i < op->narguments; i++) {
        const struct trace_argument *argument = &op->arguments[i];
        if (argument->offset < end || !argument->size || argument->offset > op->size ||
            argument->size > op->size - argument->offset)
            return refuse(checker, "argument %u lies outside the data", i);
        end = (uint64_t)argument->offset + argument->size;
    }
    return check_shape(checker, op);
}

static bool check_event(struct checker *checker, const struct trace_op *op)
{
    return op->value < TRACE_MAX_EVENTS || refuse(checker, "there is no event %u", op->value);
}

static bool check_sync(struct checker *checker, const struct trace_op *op)
{
    (void)checker;
    (void)op;
    return true;
}

static bool check_say(struct checker *checker, const struct trace_op *op)
{
    if (!is_on_host(checker, &op->to) || op->to.offset || op->nrelocations)
        return refuse(checker, "an answer that is in no host buffer");
    const uint64_t bytes = checker->segment->given[op->to.index].bytes;
    return op->size == bytes || refuse(checker, "an answer of %llu bytes for a buffer of %llu",
                                       (unsigned long long)op->size, (unsigned long long)bytes);
}

/* What a kind uses beside stream and line; the rest must be 0. */
enum { TO = 1, FROM = 2, VALUE = 4, DATA = 8, WIDTH = 16, HEIGHT = 32, KERNEL = 64, ALL_STREAMS = 128 };
static const struct {
    unsigned uses;
    bool (*check)(struct checker *checker, const struct trace_op *op);
} rules[TRACE_KINDS] = {
    [TRACE_ALLOC] = {TO | WIDTH, check_alloc},
    [TRACE_FREE] = {TO, check_free},
    [TRACE_WRITE] = {TO | DATA | WIDTH | HEIGHT, check_write},
    [TRACE_READ] = {FROM | WIDTH | HEIGHT, check_read},
    [TRACE_COPY] = {TO | FROM | WIDTH | HEIGHT, check_copy},
    [TRACE_SET] = {TO | VALUE | WIDTH | HEIGHT, check_set},
    [TRACE_LAUNCH] = {KERNEL | DATA, check_launch},
    [TRACE_EVENT_RECORD] = {VALUE, check_event},
    [TRACE_STREAM_WAIT] = {VALUE, check_event},
    [TRACE_SYNC] = {ALL_STREAMS, check_sync},
    [TRACE_SAY] = {TO | DATA, check_say},
};

static bool is_nothing(const struct trace_place *place)
{
    return place->space == TRACE_NOWHERE && !place->index && !place->offset;
}

static bool is_no_kernel(const struct trace_op *op)
{
    static const uint32_t none[3];
    return !op->name && !memcmp(op->grid, none, sizeof none) && !memcmp(op->block, none, sizeof none) &&
           !op->shared && !op->shared_limit && !op->is_cooperative && !op->narguments;
}

static bool uses_only(const struct trace_op *op, unsigned uses)
{
    return (uses & TO || (is_nothing(&op->to) && !op->to_pitch)) &&
           (uses & FROM || (is_nothing(&op->from) && !op->from_pitch)) && (uses & VALUE || !op->value) &&
           (uses & DATA || (!op->size && !op->nrelocations)) && (uses & WIDTH || !op->width) &&
           (uses & HEIGHT || (!op->height && !op->to_pitch && !op->from_pitch)) &&
           (uses & KERNEL || is_no_kernel(op));
}

static bool check_op(struct checker *checker, const struct trace_op *op)
{
    if (op->kind >= TRACE_KINDS)
        return refuse(checker, "there is no kind %u of operation", (unsigned)op->kind);
    if (!uses_only(op, rules[op->kind].uses))
        return refuse(checker, "it holds what its kind has no use for");
    const bool is_all = op->stream == TRACE_ALL_STREAMS && rules[op->kind].uses & ALL_STREAMS;
    if (op->stream >= TRACE_MAX_STREAMS && !is_all)
        return refuse(checker, "there is no stream %u", op->stream);
    if (op->size > TRACE_MAX_DATA - checker->data)
        return refuse(checker, "there are more than %d bytes of data", TRACE_MAX_DATA);
    checker->data += op->size;
    return rules[op->kind].check(checker, op) && check_relocations(checker, op);
}

/* ------------------------------------------------------------------------------------------- the whole */

/* Reports print these texts: none may hold what a terminal would obey. */
static bool is_printable(const char *text, size_t room)
{
    const size_t length = strnlen(text, room);
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return length < room;
}

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.%";
    const size_t length = strlen(name);
    return length > 0 && length <= TRACE_MAX_NAME && strspn(name, letters) == length;
}

static bool check_notes(struct checker *checker)
{
    const struct trace_segment *segment = checker->segment;
    if (segment->nnotes > TRACE_MAX_NOTES)
        return refuse(checker, "there are %u notes", segment->nnotes);
    for (uint32_t i = 0; i < segment->nnotes; i++)
        if (!is_printable(segment->notes[i].text, sizeof segment->notes[i].text))
            return refuse(checker, "note %u is no plain text", i);
    return is_printable(segment->stage, sizeof segment->stage) ||
           refuse(checker, "its stage has no plain name");
}

static bool check_given(struct checker *checker)
{
    const struct trace_segment *segment = checker->segment;
    if (segment->ngiven > TRACE_MAX_GIVEN)
        return refuse(checker, "there are %u given buffers", segment->ngiven);
    for (uint32_t i = 0; i < segment->ngiven; i++)
        if (segment->given[i].bytes > TRACE_MAX_BYTES)
            return refuse(checker, "given buffer %u is too large", i);
    return true;
}

static bool check_segment(struct checker *checker, const struct trace_segment *segment)
{
    uint32_t launches = 0;
    checker->segment = segment;
    checker->nown = checker->op = 0;
    if (!check_given(checker) || !check_notes(checker))
        return false;
    if (segment->nops > TRACE_MAX_OPS)
        return refuse(checker, "there are %u operations", segment->nops);
    for (; checker->op < segment->nops; checker->op++) {
        if (!check_op(checker, &segment->ops[checker->op]))
            return false;
        launches += segment->ops[checker->op].kind == TRACE_LAUNCH;
    }
    return launches == segment->nlaunches || refuse(checker, "the launches are miscounted");
}

bool trace_check_segment(const struct trace *trace, const struct trace_segment *segment, char *error,
                         size_t size)
{
    struct checker checker = {.trace = trace, .error = error, .size = size};
    return check_segment(&checker, segment);
}

bool trace_check(const struct trace *trace, char *error, size_t size)
{
    struct checker checker = {.trace = trace, .error = error, .size = size};
    if (trace->nsegments > TRACE_MAX_SEGMENTS || trace->nnames > TRACE_MAX_NAMES)
        return refuse(&checker, "there are %u segments and %u names", trace->nsegments, trace->nnames);
    for (uint32_t i = 0; i < trace->nnames; i++)
        if (!is_name(trace->names[i]))
            return refuse(&checker, "name %u is none", i);
    for (uint32_t i = 0; i < trace->nsegments; i++)
        if (!check_segment(&checker, &trace->segments[i]))
            return false;
    return true;
}
