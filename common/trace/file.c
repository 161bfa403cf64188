/* file.c - traces as files: a header (magic, version, checksum, length), then names and segments.
 * Numbers are little-endian and of fixed width. One walk over the fields serves both directions, so that reading and
 * writing cannot differ. Every count is held against the bytes that are left before memory is taken for it.
 * The checksum finds damage; forgery is found by trace_check(), which every trace passes on its way in and out. */
#include "trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/list.h"
#include "trace/build.h"

enum { HEADER_BYTES = 32, VERSION = 4, MAX_FILE = 96 << 20 };
static const char magic[8] = {'W', 'S', 't', 'r', 'a', 'c', 'e', '\n'};

struct coder {
    bool is_writing;
    uint8_t *bytes;
    size_t at, size; /* reading: all of bytes; writing: the room in it */
    const char *failure;
};

static bool fail(struct coder *coder, const char *failure)
{
    if (!coder->failure)
        coder->failure = failure;
    return false;
}

/* ------------------------------------------------------------------------------------------- numbers and bytes */

static bool make_room(struct coder *coder, size_t count)
{
    if (coder->failure || count > MAX_FILE - coder->at)
        return fail(coder, "it is too large");
    uint8_t *bytes = list_reserve(coder->bytes, &coder->size, coder->at + count, 1);
    if (!bytes)
        return fail(coder, "there is no memory left");
    coder->bytes = bytes;
    return true;
}

/* The next count bytes of the file, to be filled or read; NULL: there are none. */
static uint8_t *take(struct coder *coder, size_t count)
{
    if (coder->is_writing ? !make_room(coder, count) : coder->failure || count > coder->size - coder->at) {
        fail(coder, "it is cut off");
        return NULL;
    }
    coder->at += count;
    return coder->bytes + coder->at - count;
}

static uint64_t little_endian(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Writes value, or gives what is read; 0 after a failure. */
static uint64_t number(struct coder *coder, uint64_t value, int count)
{
    uint8_t *bytes = take(coder, (size_t)count);
    if (!bytes)
        return 0;
    if (!coder->is_writing)
        return little_endian(bytes, count);
    for (int i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return value;
}

static void code_u32(struct coder *coder, uint32_t *value)
{
    *value = (uint32_t)number(coder, *value, 4);
}

static void code_u64(struct coder *coder, uint64_t *value)
{
    *value = number(coder, *value, 8);
}

static void code_bool(struct coder *coder, bool *value)
{
    const uint64_t read = number(coder, *value, 4);
    if (read > 1)
        fail(coder, "a yes or no is neither");
    *value = read == 1;
}

static void code_bytes(struct coder *coder, void *data, size_t count)
{
    uint8_t *bytes = take(coder, count);
    if (!bytes || !data) /* no bytes need no room */
        return;
    memcpy(coder->is_writing ? bytes : data, coder->is_writing ? data : bytes, count);
}

/* A table's length and, when reading, the table, empty. *array is NULL and *count 0 after a failure. least: the fewest
 * bytes that an item takes in the file. */
static bool code_table(struct coder *coder, void *array, uint32_t *count, size_t item_bytes, size_t least)
{
    void **table = array;
    code_u32(coder, count);
    if (coder->is_writing)
        return !coder->failure;
    if (!coder->failure && *count > (coder->size - coder->at) / least)
        fail(coder, "a table is longer than the file");
    if (!coder->failure && *count && !(*table = trace_grow(NULL, 0, *count, item_bytes)))
        fail(coder, "there is no memory left");
    if (coder->failure)
        *count = 0;
    return !coder->failure;
}

/* ------------------------------------------------------------------------------------------- operations */

enum {
    PLACE_BYTES = 16,
    RELOCATION_BYTES = 8 + PLACE_BYTES,
    ARGUMENT_BYTES = 8,
    GIVEN_BYTES = 12,
    NOTE_BYTES = 12 + sizeof((struct trace_note *)0)->text
};
enum {
    OP_BYTES = 9 * 4 + 2 * PLACE_BYTES + 4 * 8 + 6 * 4 + 8 + 8,
    SEGMENT_BYTES = 64 + 4 * 4,
    NAME_BYTES = 4
};

static void code_place(struct coder *coder, struct trace_place *place)
{
    place->space = (enum trace_space)number(coder, place->space, 4);
    code_u32(coder, &place->index);
    code_u64(coder, &place->offset);
}

static void code_data(struct coder *coder, struct trace_op *op)
{
    uint64_t size = number(coder, op->size, 8);
    if (coder->failure)
        return;
    if (!coder->is_writing && size > coder->size - coder->at) {
        fail(coder, "it is cut off");
        return;
    }
    if (!coder->is_writing && size && !(op->data = malloc(size))) {
        fail(coder, "there is no memory left");
        return;
    }
    op->size = size;
    code_bytes(coder, op->data, size);
}

static void code_relocations(struct coder *coder, struct trace_op *op)
{
    if (!code_table(coder, &op->relocations, &op->nrelocations, sizeof *op->relocations, RELOCATION_BYTES))
        return;
    for (uint32_t i = 0; i < op->nrelocations; i++) {
        code_u64(coder, &op->relocations[i].at);
        code_place(coder, &op->relocations[i].place);
    }
}

static void code_arguments(struct coder *coder, struct trace_op *op)
{
    if (!code_table(coder, &op->arguments, &op->narguments, sizeof *op->arguments, ARGUMENT_BYTES))
        return;
    for (uint32_t i = 0; i < op->narguments; i++) {
        code_u32(coder, &op->arguments[i].offset);
        code_u32(coder, &op->arguments[i].size);
    }
}

/* Only two kinds have one; trace_check() sees to it that it is empty in the others. */
static void code_texture(struct coder *coder, struct trace_op *op)
{
    struct trace_texture *texture = &op->texture;
    if (op->kind != TRACE_ARRAY_ALLOC && op->kind != TRACE_TEXTURE)
        return;
    for (int i = 0; i < 4; i++)
        code_u32(coder, &texture->bits[i]);
    code_u32(coder, &texture->kind);
    for (int i = 0; i < 3; i++)
        code_u32(coder, &texture->address[i]);
    code_u32(coder, &texture->filter);
    code_u32(coder, &texture->read);
    code_u32(coder, &texture->is_normalized);
    code_u32(coder, &texture->is_srgb);
    for (int i = 0; i < 4; i++)
        code_u32(coder, &texture->border[i]);
}

static void code_op(struct coder *coder, struct trace_op *op)
{
    op->kind = (enum trace_kind)number(coder, op->kind, 4);
    code_u32(coder, &op->stream);
    code_u32(coder, &op->line);
    code_place(coder, &op->to);
    code_place(coder, &op->from);
    code_u64(coder, &op->to_pitch);
    code_u64(coder, &op->from_pitch);
    code_u64(coder, &op->width);
    code_u64(coder, &op->height);
    code_u32(coder, &op->value);
    code_u32(coder, &op->name);
    for (int i = 0; i < 3; i++)
        code_u32(coder, &op->grid[i]);
    for (int i = 0; i < 3; i++)
        code_u32(coder, &op->block[i]);
    code_u32(coder, &op->shared);
    code_u32(coder, &op->shared_limit);
    code_bool(coder, &op->is_cooperative);
    code_bool(coder, &op->is_sync);
    code_data(coder, op);
    code_relocations(coder, op);
    code_arguments(coder, op);
    code_texture(coder, op);
}

/* ------------------------------------------------------------------------------------------- segments, names */

static void code_note(struct coder *coder, struct trace_note *note)
{
    code_bytes(coder, note->text, sizeof note->text);
    code_u32(coder, &note->kind);
    code_u32(coder, &note->line);
    code_bool(coder, &note->is_fatal);
}

static void code_segment(struct coder *coder, struct trace_segment *segment)
{
    code_bytes(coder, segment->stage, sizeof segment->stage);
    code_u32(coder, &segment->which);
    if (code_table(coder, &segment->given, &segment->ngiven, sizeof *segment->given, GIVEN_BYTES))
        for (uint32_t i = 0; i < segment->ngiven; i++) {
            code_u64(coder, &segment->given[i].bytes);
            code_bool(coder, &segment->given[i].is_host);
        }
    if (code_table(coder, &segment->ops, &segment->nops, sizeof *segment->ops, OP_BYTES))
        for (uint32_t i = 0; i < segment->nops && !coder->failure; i++) {
            code_op(coder, &segment->ops[i]);
            segment->nlaunches += !coder->is_writing && segment->ops[i].kind == TRACE_LAUNCH;
        }
    if (code_table(coder, &segment->notes, &segment->nnotes, sizeof *segment->notes, NOTE_BYTES))
        for (uint32_t i = 0; i < segment->nnotes; i++)
            code_note(coder, &segment->notes[i]);
}

static void code_name(struct coder *coder, char **name)
{
    uint32_t length = coder->is_writing ? (uint32_t)strlen(*name) : 0;
    code_u32(coder, &length);
    if (!coder->is_writing)
        *name = length <= coder->size - coder->at ? calloc(1, (size_t)length + 1) : NULL;
    if (!*name) {
        fail(coder, "a name is longer than the file");
        return;
    }
    code_bytes(coder, *name, length);
    if (strlen(*name) != length)
        fail(coder, "a name ends early");
}

static void code_trace(struct coder *coder, struct trace *trace)
{
    if (code_table(coder, &trace->names, &trace->nnames, sizeof *trace->names, NAME_BYTES))
        for (uint32_t i = 0; i < trace->nnames && !coder->failure; i++)
            code_name(coder, &trace->names[i]);
    if (code_table(coder, &trace->segments, &trace->nsegments, sizeof *trace->segments, SEGMENT_BYTES))
        for (uint32_t i = 0; i < trace->nsegments && !coder->failure; i++)
            code_segment(coder, &trace->segments[i]);
    if (!coder->is_writing && coder->at != coder->size)
        fail(coder, "something follows its end");
}

/* ------------------------------------------------------------------------------------------- the header */

struct header {
    char magic[8];
    uint32_t version, zero;
    uint64_t checksum, length; /* of what follows */
};

static void code_header(struct coder *coder, struct header *header)
{
    code_bytes(coder, header->magic, sizeof header->magic);
    code_u32(coder, &header->version);
    code_u32(coder, &header->zero);
    code_u64(coder, &header->checksum);
    code_u64(coder, &header->length);
}

static void check_header(struct coder *coder, const struct header *header)
{
    if (coder->failure || memcmp(header->magic, magic, sizeof magic) != 0)
        fail(coder, "it is no trace");
    else if (header->version != VERSION || header->zero)
        fail(coder, "it was written by another version of the kit");
    else if (header->length != coder->size - HEADER_BYTES)
        fail(coder, "it is cut off");
    else if (header->checksum != hash_bytes(coder->bytes + HEADER_BYTES, coder->size - HEADER_BYTES))
        fail(coder, "it is damaged");
}

/* ------------------------------------------------------------------------------------------- writing */

/* The walk changes nothing while it writes. */
static bool encode(const struct trace *trace, struct coder *coder)
{
    struct header header = {.version = VERSION};
    memcpy(header.magic, magic, sizeof magic);
    code_header(coder, &header);
    code_trace(coder, (struct trace *)trace);
    if (coder->failure)
        return false;
    const size_t size = coder->at;
    header.length = size - HEADER_BYTES;
    header.checksum = hash_bytes(coder->bytes + HEADER_BYTES, header.length);
    coder->at = 0;
    code_header(coder, &header);
    coder->at = size;
    return true;
}

static bool save(const struct coder *coder, const char *path, char *error, size_t size)
{
    errno = 0;
    FILE *file = fopen(path, "wb");
    bool is_good = file && fwrite(coder->bytes, 1, coder->at, file) == coder->at;
    const int first = errno;
    is_good = file && fclose(file) == 0 && is_good;
    if (!is_good)
        snprintf(error, size, "Cannot write %s: %s.", path, strerror(first ? first : errno));
    return is_good;
}

bool trace_write(const struct trace *trace, const char *path, char *error, size_t size)
{
    struct coder coder = {.is_writing = true};
    if (!trace_check(trace, error, size))
        return false;
    bool is_good = encode(trace, &coder);
    if (!is_good)
        snprintf(error, size, "Cannot write %s: %s.", path, coder.failure);
    is_good = is_good && save(&coder, path, error, size);
    free(coder.bytes);
    return is_good;
}

/* ------------------------------------------------------------------------------------------- reading */

/* A file that a stranger left: it may be a link, a pipe or too large. */
static const char *load(const char *path, struct coder *coder)
{
    coder->bytes = file_read(path, MAX_FILE, false, &coder->size);
    if (coder->bytes)
        return NULL;
    if (errno == EISDIR || errno == EINVAL || errno == EFBIG)
        return "it is no plain file, or too large";
    return errno == ENOMEM ? "there is no memory left" : strerror(errno);
}

static struct trace *decode(struct coder *coder)
{
    struct header header = {0};
    struct trace *trace = trace_new();
    if (!trace)
        return NULL;
    code_header(coder, &header);
    check_header(coder, &header);
    if (!coder->failure)
        code_trace(coder, trace);
    return trace;
}

struct trace *trace_read(const char *path, char *error, size_t size)
{
    struct coder coder = {0};
    coder.failure = load(path, &coder);
    struct trace *trace = coder.failure ? NULL : decode(&coder);
    free(coder.bytes);
    if (!trace || coder.failure)
        snprintf(error, size, "Cannot read %s: %s.", path,
                 coder.failure ? coder.failure : "there is no memory left");
    else if (trace_check(trace, error, size))
        return trace;
    trace_free(trace);
    return NULL;
}
