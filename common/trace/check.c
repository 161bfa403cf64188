/* check.c - the rules of a trace: what may stand in one, whoever made it.
 * Operations are walked in order, so that an own allocation is known to live where it is used. Arithmetic on numbers of a
 * trace comes after the check that it cannot overflow.
 * Files are read in file.c; what only the device code knows (kernels, variables) is checked by the player. */
#include "trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/texture.h"

struct checker {
    const struct trace *trace;
    const struct trace_segment *segment;
    uint64_t own[TRACE_MAX_OWN]; /* sizes; 0: freed */
    uint32_t nown;
    bool is_stream_used[TRACE_MAX_STREAMS];
    uint32_t ngraphs, nmade;                  /* captured, and made ready */
    uint32_t captured;                        /* the stream that is being captured; 0: none is */
    struct trace_image images[TRACE_MAX_OWN]; /* row 0: dropped */
    uint32_t nimages;
    bool is_object[TRACE_MAX_OWN]; /* false: dropped */
    uint32_t nobjects;
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

static bool is_object(const struct checker *checker, const struct trace_place *place)
{
    return place->space == TRACE_OBJECT && place->index < checker->nobjects && !place->offset &&
           checker->is_object[place->index];
}

static bool check_relocations(struct checker *checker, const struct trace_op *op)
{
    uint64_t end = 0; /* of the word before */
    for (uint32_t i = 0; i < op->nrelocations; i++) {
        const struct trace_relocation *relocation = &op->relocations[i];
        const uint32_t bytes = trace_word_bytes(&relocation->place);
        if (relocation->at < end || relocation->at > op->size || op->size - relocation->at < bytes)
            return refuse(checker, "pointer %u lies outside the data", i);
        if (!(is_seed(&relocation->place) || is_object(checker, &relocation->place) ||
              check_place(checker, &relocation->place, 0)))
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

static bool check_stream(struct checker *checker, const struct trace_op *op)
{
    return (op->stream && !checker->is_stream_used[op->stream]) ||
           refuse(checker, "stream %u is made after its first use", op->stream);
}

static bool check_host_bytes(struct checker *checker, const struct trace_place *place, uint64_t bytes)
{
    if (!is_on_host(checker, place))
        return refuse(checker, "a place that is not on the host");
    return bytes ? check_place(checker, place, bytes) : refuse(checker, "no bytes");
}

static bool check_pin(struct checker *checker, const struct trace_op *op)
{
    return check_host_bytes(checker, &op->to, op->width);
}

static bool check_host(struct checker *checker, const struct trace_op *op)
{
    if (op->value >= TRACE_MAX_HOSTS || op->to_pitch || op->from_pitch || checker->captured)
        return refuse(checker, "there is no step %u of the host here", op->value);
    return check_host_bytes(checker, &op->to, op->width) && check_host_bytes(checker, &op->from, op->height);
}

static bool check_capture(struct checker *checker, const struct trace_op *op)
{
    if (!op->stream || checker->captured)
        return refuse(checker, "stream %u cannot be captured here", op->stream);
    checker->captured = op->stream;
    return true;
}

static bool check_capture_end(struct checker *checker, const struct trace_op *op)
{
    if (!op->stream || checker->captured != op->stream || checker->ngraphs == TRACE_MAX_GRAPHS)
        return refuse(checker, "no capture of stream %u ends here", op->stream);
    checker->captured = 0;
    checker->ngraphs++;
    return true;
}

static bool check_graph_make(struct checker *checker, const struct trace_op *op)
{
    if (op->value >= checker->ngraphs || checker->nmade == TRACE_MAX_GRAPHS)
        return refuse(checker, "there is no graph %u", op->value);
    checker->nmade++;
    return true;
}

static bool check_graph_launch(struct checker *checker, const struct trace_op *op)
{
    return op->value < checker->nmade || refuse(checker, "no graph %u is ready", op->value);
}

/* ------------------------------------------------------------------------------------------- arrays, textures */

static const struct trace_image *image_at(const struct checker *checker, const struct trace_place *place)
{
    return place->space == TRACE_IMAGE && place->index < checker->nimages && checker->images[place->index].row
               ? &checker->images[place->index]
               : NULL;
}

static bool check_array_alloc(struct checker *checker, const struct trace_op *op)
{
    struct trace_image image;
    if (op->to.space != TRACE_IMAGE || op->to.index != checker->nimages || op->to.offset ||
        checker->nimages == TRACE_MAX_OWN)
        return refuse(checker, "array %u comes out of turn", op->to.index);
    if (op->to_pitch || op->from_pitch || !trace_image_of(op, &image))
        return refuse(checker, "there is no array of %llu rows of %llu bytes", (unsigned long long)op->height,
                      (unsigned long long)op->width);
    checker->images[checker->nimages++] = image;
    return true;
}

/* One side of a copy: whole texels of an array, or rows of memory. */
static bool check_side(struct checker *checker, const struct trace_op *op, const struct trace_place *place,
                       uint64_t pitch)
{
    const struct trace_image *image = image_at(checker, place);
    if (!image)
        return check_any_rows(checker, op, place, pitch);
    if (pitch || !trace_is_in_image(image, op, place->offset))
        return refuse(checker, "%llu rows of %llu bytes at %llu are no part of array %u",
                      (unsigned long long)op->height, (unsigned long long)op->width,
                      (unsigned long long)place->offset, place->index);
    return true;
}

static bool check_array_write(struct checker *checker, const struct trace_op *op)
{
    if (!image_at(checker, &op->to) || op->from_pitch)
        return refuse(checker, "there is no array %u", op->to.index);
    return check_side(checker, op, &op->to, op->to_pitch) &&
           (op->size == op->width * op->height ||
            refuse(checker, "%llu bytes of data for %llu rows of %llu", (unsigned long long)op->size,
                   (unsigned long long)op->height, (unsigned long long)op->width));
}

static bool check_array_copy(struct checker *checker, const struct trace_op *op)
{
    const struct trace_image *to = image_at(checker, &op->to), *from = image_at(checker, &op->from);
    if (!to && !from)
        return refuse(checker, "a copy of arrays without an array");
    if (to && from && to->texel != from->texel)
        return refuse(checker, "a copy between arrays of different texels");
    return check_side(checker, op, &op->to, op->to_pitch) &&
           check_side(checker, op, &op->from, op->from_pitch);
}

/* Memory behind a texture: width bytes, or rows that are so far apart; one row may have a pitch, too. */
static bool check_texels(struct checker *checker, const struct trace_op *op)
{
    const uint32_t texel = trace_texel_bytes(&op->texture);
    uint64_t bytes = op->width;
    if (!texel || !op->width || op->width % texel)
        return refuse(checker, "%llu bytes are no texels", (unsigned long long)op->width);
    if (op->height ? op->from_pitch < op->width ||
                         !trace_extent(op->height > 1 ? op->from_pitch : 0, op->width, op->height, &bytes)
                   : op->from_pitch != 0)
        return refuse(checker, "%llu rows, %llu apart, are no image", (unsigned long long)op->height,
                      (unsigned long long)op->from_pitch);
    if (is_on_host(checker, &op->from))
        return refuse(checker, "a texture of host memory");
    return check_place(checker, &op->from, bytes);
}

/* An array has its own format and extent. */
static bool check_array_texels(struct checker *checker, const struct trace_op *op)
{
    static const uint32_t none[4];
    return (!op->width && !op->height && !op->from_pitch && !op->from.offset && !op->texture.kind &&
            !memcmp(op->texture.bits, none, sizeof none)) ||
           refuse(checker, "a texture that gives an array another form");
}

static bool check_texture(struct checker *checker, const struct trace_op *op)
{
    if (op->to.space != TRACE_OBJECT || op->to.index != checker->nobjects || op->to.offset || op->to_pitch ||
        checker->nobjects == TRACE_MAX_OWN)
        return refuse(checker, "texture %u comes out of turn", op->to.index);
    if (!trace_is_sampling(&op->texture))
        return refuse(checker, "a texture is sampled in no known way");
    checker->is_object[checker->nobjects++] = true;
    return image_at(checker, &op->from) ? check_array_texels(checker, op) : check_texels(checker, op);
}

static bool check_drop(struct checker *checker, const struct trace_op *op)
{
    if (is_object(checker, &op->to))
        checker->is_object[op->to.index] = false;
    else if (image_at(checker, &op->to) && !op->to.offset)
        checker->images[op->to.index].row = 0;
    else
        return refuse(checker, "it drops what is neither array nor texture");
    return true;
}

/* ------------------------------------------------------------------------------------------- rules of all kinds */

/* What a kind uses beside stream and line; the rest must be 0. */
enum {
    TO = 1,
    FROM = 2,
    VALUE = 4,
    DATA = 8,
    WIDTH = 16,
    HEIGHT = 32,
    KERNEL = 64,
    ALL_STREAMS = 128,
    SYNC = 256,
    TEXTURE = 512
};
static const struct {
    unsigned uses;
    bool (*check)(struct checker *checker, const struct trace_op *op);
} rules[TRACE_KINDS] = {
    [TRACE_ALLOC] = {TO | WIDTH, check_alloc},
    [TRACE_FREE] = {TO, check_free},
    [TRACE_WRITE] = {TO | DATA | WIDTH | HEIGHT | SYNC, check_write},
    [TRACE_READ] = {FROM | WIDTH | HEIGHT | SYNC, check_read},
    [TRACE_COPY] = {TO | FROM | WIDTH | HEIGHT | SYNC, check_copy},
    [TRACE_SET] = {TO | VALUE | WIDTH | HEIGHT, check_set},
    [TRACE_LAUNCH] = {KERNEL | DATA, check_launch},
    [TRACE_EVENT_RECORD] = {VALUE, check_event},
    [TRACE_STREAM_WAIT] = {VALUE, check_event},
    [TRACE_SYNC] = {ALL_STREAMS, check_sync},
    [TRACE_SAY] = {TO | DATA, check_say},
    [TRACE_EVENT_SYNC] = {VALUE, check_event},
    [TRACE_STREAM] = {0, check_stream},
    [TRACE_PIN] = {TO | WIDTH, check_pin},
    [TRACE_HOST] = {TO | FROM | VALUE | WIDTH | HEIGHT, check_host},
    [TRACE_CAPTURE] = {0, check_capture},
    [TRACE_CAPTURE_END] = {0, check_capture_end},
    [TRACE_GRAPH_MAKE] = {VALUE, check_graph_make},
    [TRACE_GRAPH_LAUNCH] = {VALUE, check_graph_launch},
    [TRACE_ARRAY_ALLOC] = {TO | VALUE | WIDTH | HEIGHT | TEXTURE, check_array_alloc},
    [TRACE_ARRAY_WRITE] = {TO | DATA | WIDTH | HEIGHT, check_array_write},
    [TRACE_ARRAY_COPY] = {TO | FROM | WIDTH | HEIGHT, check_array_copy},
    [TRACE_TEXTURE] = {TO | FROM | WIDTH | HEIGHT | TEXTURE, check_texture},
    [TRACE_DROP] = {TO, check_drop},
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
           (uses & KERNEL || is_no_kernel(op)) && (uses & SYNC || !op->is_sync) &&
           (uses & TEXTURE || trace_is_no_texture(&op->texture));
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
    if (op->is_sync && op->stream)
        return refuse(checker, "a copy that the host waits for, on stream %u", op->stream);
    const bool is_good = rules[op->kind].check(checker, op) && check_relocations(checker, op);
    if (!is_all)
        checker->is_stream_used[op->stream] = true;
    return is_good;
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
    checker->nown = checker->nimages = checker->nobjects = checker->op = 0;
    checker->ngraphs = checker->nmade = checker->captured = 0;
    memset(checker->is_stream_used, 0, sizeof checker->is_stream_used);
    if (!check_given(checker) || !check_notes(checker))
        return false;
    if (segment->nops > TRACE_MAX_OPS)
        return refuse(checker, "there are %u operations", segment->nops);
    for (; checker->op < segment->nops; checker->op++) {
        if (!check_op(checker, &segment->ops[checker->op]))
            return false;
        launches += segment->ops[checker->op].kind == TRACE_LAUNCH;
    }
    if (checker->captured)
        return refuse(checker, "a capture does not end");
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
