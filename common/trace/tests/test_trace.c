/* test_trace.c - trace files: what is written comes back, and what is damaged or forged is refused in words.
 * The forger here knows the checksum: after every change of a byte he sets it right, so that only the rules stand
 * between him and a player. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/build.h"
#include "trace/trace.h"

static char path[64], error[512];

/* ------------------------------------------------------------------------------------------- a trace of everything */

static const struct trace_place given0 = {TRACE_GIVEN, 0, 16}, own0 = {TRACE_OWN, 0, 0},
                                symbol = {TRACE_SYMBOL, 1, 4};

static struct trace_op *add(struct trace_segment *segment, enum trace_kind kind)
{
    struct trace_op *op = trace_add_op(segment, kind);
    ck_assert_ptr_nonnull(op);
    op->line = 10 + segment->nops;
    return op;
}

static void set_data(struct trace_op *op, uint64_t size)
{
    op->data = malloc(size);
    op->size = size;
    for (uint64_t i = 0; i < size; i++)
        op->data[i] = (uint8_t)(i * 7);
}

static void relocate(struct trace_op *op, uint64_t at, struct trace_place place)
{
    op->relocations = trace_grow(op->relocations, op->nrelocations, 1, sizeof *op->relocations);
    op->relocations[op->nrelocations++] = (struct trace_relocation){at, place};
}

static void add_memory(struct trace_segment *segment)
{
    struct trace_op *op = add(segment, TRACE_ALLOC);
    op->to = own0;
    op->width = 256;
    op = add(segment, TRACE_WRITE);
    op->to = own0;
    op->to_pitch = 64;
    op->width = 24;
    op->height = 3;
    op->stream = 2;
    set_data(op, 72);
    relocate(op, 8, given0);
    relocate(op, 64, symbol);
    op = add(segment, TRACE_READ);
    op->from = given0;
    op->width = 984;
    op->height = 1;
    op = add(segment, TRACE_COPY);
    op->to = symbol;
    op->from = own0;
    op->from_pitch = 32;
    op->to_pitch = 16;
    op->width = 16;
    op->height = 8;
    op = add(segment, TRACE_SET);
    op->to = given0;
    op->value = 255;
    op->width = op->height = 1;
}

static void add_launch(struct trace_segment *segment)
{
    struct trace_op *op = add(segment, TRACE_LAUNCH);
    const struct trace_op shape = {
        .grid = {3, 2, 1}, .block = {32, 4, 2}, .shared = 65536, .shared_limit = 99328};
    memcpy(op->grid, shape.grid, sizeof op->grid);
    memcpy(op->block, shape.block, sizeof op->block);
    op->shared = shape.shared;
    op->shared_limit = shape.shared_limit;
    op->is_cooperative = true;
    op->stream = 1;
    set_data(op, 36);
    relocate(op, 0, given0);
    relocate(op, 16, (struct trace_place){TRACE_OWN, 0, 256});
    relocate(op, 32, (struct trace_place){TRACE_SEED, TRACE_LOW_PLUS, 9});
    op->arguments = trace_grow(NULL, 0, 3, sizeof *op->arguments);
    op->narguments = 3;
    op->arguments[0] = (struct trace_argument){0, 8};
    op->arguments[1] = (struct trace_argument){8, 24};
    op->arguments[2] = (struct trace_argument){32, 4};
}

static void add_order(struct trace_segment *segment)
{
    struct trace_op *op = add(segment, TRACE_EVENT_RECORD);
    op->stream = 1;
    op->value = 3;
    op = add(segment, TRACE_STREAM_WAIT);
    op->stream = 2;
    op->value = 3;
    add(segment, TRACE_SYNC)->stream = TRACE_ALL_STREAMS;
    add(segment, TRACE_FREE)->to = own0;
}

static void add_host(struct trace_segment *segment)
{
    struct trace_op *op = add(segment, TRACE_COPY);
    op->to = (struct trace_place){TRACE_GIVEN, 2, 8};
    op->from = given0;
    op->width = 16;
    op->height = 1;
    op = add(segment, TRACE_SAY);
    op->to = (struct trace_place){TRACE_GIVEN, 2, 0};
    set_data(op, 24);
}

static void add_steps(struct trace_segment *segment)
{
    struct trace_op *op = add(segment, TRACE_EVENT_SYNC);
    op->value = 3;
    add(segment, TRACE_STREAM)->stream = 5;
    op = add(segment, TRACE_PIN);
    op->to = (struct trace_place){TRACE_GIVEN, 2, 0};
    op->width = 24;
    op = add(segment, TRACE_HOST);
    op->to = (struct trace_place){TRACE_GIVEN, 2, 16};
    op->from = (struct trace_place){TRACE_GIVEN, 2, 4};
    op->width = 8;
    op->height = 12;
    op->value = 1;
    op = add(segment, TRACE_COPY);
    op->to = (struct trace_place){TRACE_GIVEN, 2, 0};
    op->from = given0;
    op->width = 4;
    op->height = 1;
    op->is_sync = true;
}

static void add_graph(struct trace_segment *segment)
{
    add(segment, TRACE_CAPTURE)->stream = 5;
    struct trace_op *op = add(segment, TRACE_SET);
    op->stream = 5;
    op->to = given0;
    op->width = op->height = 1;
    add(segment, TRACE_CAPTURE_END)->stream = 5;
    add(segment, TRACE_GRAPH_MAKE);
    add(segment, TRACE_GRAPH_LAUNCH)->stream = 1;
}

static const struct trace_texture floats = {.bits = {32, 32}, .kind = 2};

static void add_array(struct trace_segment *segment, uint32_t index, uint64_t width, uint64_t height)
{
    struct trace_op *op = add(segment, TRACE_ARRAY_ALLOC);
    op->to = (struct trace_place){TRACE_IMAGE, index, 0};
    op->width = width;
    op->height = height;
    op->texture = floats;
}

/* An array of 8 rows of 64 bytes and one of a row; 128 bytes of given memory as 2 rows. */
static void add_textures(struct trace_segment *segment)
{
    add_array(segment, 0, 64, 8);
    add_array(segment, 1, 64, 0);
    struct trace_op *op = add(segment, TRACE_ARRAY_WRITE);
    op->to = (struct trace_place){TRACE_IMAGE, 0, 2 * 64 + 8};
    op->width = 56;
    op->height = 6;
    set_data(op, 336);
    op = add(segment, TRACE_ARRAY_COPY);
    op->to = (struct trace_place){TRACE_IMAGE, 1, 0};
    op->from = given0;
    op->width = 16;
    op->height = 1;
    op->stream = 1;
    op = add(segment, TRACE_ARRAY_COPY);
    op->to = (struct trace_place){TRACE_GIVEN, 2, 0};
    op->from = (struct trace_place){TRACE_IMAGE, 0, 64};
    op->to_pitch = 16;
    op->width = 8;
    op->height = 2;
    op = add(segment, TRACE_TEXTURE);
    op->to = (struct trace_place){TRACE_OBJECT, 0, 0};
    op->from = (struct trace_place){TRACE_IMAGE, 0, 0};
    op->texture = (struct trace_texture){.address = {1, 3, 0}, .filter = 1, .border = {0x3f800000}};
    op = add(segment, TRACE_TEXTURE);
    op->to = (struct trace_place){TRACE_OBJECT, 1, 0};
    op->from = given0;
    op->from_pitch = 64;
    op->width = 32;
    op->height = 2;
    op->texture = floats;
    op->texture.is_normalized = 1;
    op = add(segment, TRACE_LAUNCH);
    for (int i = 0; i < 3; i++)
        op->grid[i] = op->block[i] = 1;
    set_data(op, 16);
    relocate(op, 8, (struct trace_place){TRACE_OBJECT, 1, 0});
    op->arguments = trace_grow(NULL, 0, 2, sizeof *op->arguments);
    op->narguments = 2;
    op->arguments[0] = (struct trace_argument){0, 8};
    op->arguments[1] = (struct trace_argument){8, 8};
    add(segment, TRACE_DROP)->to = (struct trace_place){TRACE_OBJECT, 1, 0};
    add(segment, TRACE_DROP)->to = (struct trace_place){TRACE_IMAGE, 0, 0};
}

static struct trace_segment *add_segment(struct trace *trace, const char *stage, uint32_t which)
{
    struct trace_segment *segment = trace_add_segment(trace);
    snprintf(segment->stage, sizeof segment->stage, "%s", stage);
    segment->which = which;
    segment->given = trace_grow(NULL, 0, 3, sizeof *segment->given);
    segment->ngiven = 3;
    segment->given[0].bytes = 1000;
    segment->given[1].bytes = 1ull << 33;
    segment->given[2] = (struct trace_buffer){24, true};
    return segment;
}

static struct trace *make_trace(void)
{
    struct trace *trace = trace_new();
    uint32_t index;
    ck_assert(trace_add_name(trace, "_Z4stepPfi", &index) && index == 0);
    ck_assert(trace_add_name(trace, "weights", &index) && index == 1);
    struct trace_segment *segment = add_segment(trace, "tiled", 4);
    add_memory(segment);
    add_launch(segment);
    add_order(segment);
    add_host(segment);
    add_steps(segment);
    add_graph(segment);
    add_textures(segment);
    struct trace_note *note = trace_add_note(segment);
    snprintf(note->text, sizeof note->text, "cudaMallocManaged cannot be replayed.");
    note->line = 41;
    note->is_fatal = true;
    add_segment(trace, "tiled", TRACE_TIMED);
    return trace;
}

/* ------------------------------------------------------------------------------------------- bytes */

struct bytes {
    uint8_t *at;
    size_t count;
};

static struct bytes slurp(void)
{
    struct stat status;
    struct bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rb");
    ck_assert(file && stat(path, &status) == 0);
    bytes.count = (size_t)status.st_size;
    bytes.at = malloc(bytes.count);
    ck_assert_uint_eq(fread(bytes.at, 1, bytes.count, file), bytes.count);
    fclose(file);
    return bytes;
}

static void spit(const uint8_t *at, size_t count)
{
    int file = open(path, O_WRONLY);
    ck_assert(file >= 0 && pwrite(file, at, count, 0) == (ssize_t)count &&
              ftruncate(file, (off_t)count) == 0);
    close(file);
}

static struct bytes written(const struct trace *trace)
{
    ck_assert_msg(trace_write(trace, path, error, sizeof error), "%s", error);
    return slurp();
}

static struct bytes written_example(void)
{
    struct trace *trace = make_trace();
    struct bytes bytes = written(trace);
    trace_free(trace);
    return bytes;
}

enum { CHECKSUM_AT = 16, LENGTH_AT = 24, HEADER = 32 };

static void put(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* FNV-1a, written anew. */
static void set_right(uint8_t *at, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = HEADER; i < count; i++) {
        hash ^= at[i];
        hash *= 1099511628211u;
    }
    put(at + CHECKSUM_AT, hash);
    put(at + LENGTH_AT, count - HEADER);
}

static bool is_sentence(const char *text)
{
    const size_t length = strlen(text);
    return length > 10 && text[0] >= 'A' && text[0] <= 'Z' && text[length - 1] == '.';
}

/* Refused in words, or as good as any trace. Returns whether it was taken. */
static bool survives(void)
{
    char line[300];
    error[0] = '\0';
    struct trace *trace = trace_read(path, error, sizeof error);
    if (!trace) {
        ck_assert_msg(is_sentence(error), "no sentence: '%s'", error);
        return false;
    }
    ck_assert(trace_check(trace, error, sizeof error));
    for (uint32_t i = 0; i < trace->nsegments; i++)
        for (uint32_t j = 0; j < trace->segments[i].nops; j++)
            trace_describe(trace, &trace->segments[i].ops[j], line, sizeof line);
    trace_free(trace);
    return true;
}

/* ------------------------------------------------------------------------------------------- files */

START_TEST(what_is_written_comes_back_byte_for_byte)
{
    struct bytes first = written_example();
    struct trace *trace = trace_read(path, error, sizeof error);
    ck_assert_msg(trace != NULL, "%s", error);
    struct bytes second = written(trace);
    ck_assert_uint_eq(first.count, second.count);
    ck_assert(memcmp(first.at, second.at, first.count) == 0);
    trace_free(trace);
    free(first.at);
    free(second.at);
}
END_TEST

START_TEST(every_field_comes_back)
{
    struct trace *before = make_trace();
    struct bytes bytes = written(before);
    struct trace *after = trace_read(path, error, sizeof error);
    const struct trace_segment *a = &before->segments[0], *b = trace_find(after, "tiled", 4);
    ck_assert_ptr_nonnull(b);
    ck_assert_ptr_nonnull(trace_find(after, "tiled", TRACE_TIMED));
    ck_assert_ptr_null(trace_find(after, "naive", 4));
    ck_assert_ptr_null(trace_find(after, "tiled", 5));
    ck_assert_uint_eq(b->nops, a->nops);
    ck_assert_uint_eq(b->nlaunches, 2);
    ck_assert_uint_eq(b->given[1].bytes, 1ull << 33);
    ck_assert(b->given[2].is_host && !b->given[1].is_host);
    ck_assert_str_eq(b->notes[0].text, a->notes[0].text);
    ck_assert(b->notes[0].is_fatal && b->notes[0].line == 41);
    for (uint32_t i = 0; i < a->nops; i++) {
        struct trace_op one = a->ops[i], other = b->ops[i];
        ck_assert(!one.size || memcmp(one.data, other.data, one.size) == 0);
        for (uint32_t j = 0; j < one.nrelocations; j++)
            ck_assert(memcmp(&one.relocations[j], &other.relocations[j], sizeof *one.relocations) == 0);
        for (uint32_t j = 0; j < one.narguments; j++)
            ck_assert(memcmp(&one.arguments[j], &other.arguments[j], sizeof *one.arguments) == 0);
        one.data = other.data;
        one.relocations = other.relocations;
        one.arguments = other.arguments;
        ck_assert_msg(memcmp(&one, &other, sizeof one) == 0, "operation %u differs", i);
    }
    trace_free(before);
    trace_free(after);
    free(bytes.at);
}
END_TEST

START_TEST(the_example_has_every_kind_of_operation)
{
    struct trace *trace = make_trace();
    unsigned kinds = 0;
    for (uint32_t i = 0; i < trace->segments[0].nops; i++)
        kinds |= 1u << trace->segments[0].ops[i].kind;
    ck_assert_uint_eq(kinds, (1u << TRACE_KINDS) - 1);
    trace_free(trace);
}
END_TEST

START_TEST(operations_are_told_in_words)
{
    static const char *const lines[] = {
        "line 11: allocate 256 bytes as own 0",
        "line 12: write 3 rows of 24 bytes to own 0 on stream 2",
        "line 13: read 984 bytes from given 0+16",
        "line 14: copy 8 rows of 16 bytes from own 0 to weights+4",
        "line 15: set 1 bytes of given 0+16 to 0xff",
        ("line 16: launch _Z4stepPfi grid 3x2x1 block 32x4x2 shared 65536 cooperative (given 0+16, 24 bytes, "
         "0xf5eee7e0) on stream 1"),
        "line 17: record event 3 on stream 1",
        "line 18: wait for event 3 on stream 2",
        "line 19: synchronise the device",
        "line 20: free own 0",
        "line 21: copy 16 bytes from given 0+16 to given 2+8",
        "line 22: say in given 2",
        "line 23: synchronise with event 3",
        "line 24: make a stream that does not block on stream 5",
        "line 25: pin 24 bytes at given 2",
        "line 26: step of the host 8 bytes from given 2+4 to given 2+16 number 1",
        "line 27: copy 4 bytes from given 0+16 to given 2",
        "line 28: begin to capture on stream 5",
        "line 29: set 1 bytes of given 0+16 to 0x00 on stream 5",
        "line 30: end the capture on stream 5",
        "line 31: make ready graph number 0",
        "line 32: launch graph number 0 on stream 1",
        "line 33: allocate 8 rows of 64 bytes as array 0",
        "line 34: allocate 64 bytes as array 1",
        "line 35: write 6 rows of 56 bytes to array 0+136",
        "line 36: copy 16 bytes from given 0+16 to array 1 on stream 1",
        "line 37: copy 2 rows of 8 bytes from array 0+64 to given 2",
        "line 38: bind from array 0 as texture 0",
        "line 39: bind 2 rows of 32 bytes from given 0+16 as texture 1",
        "line 40: launch _Z4stepPfi grid 1x1x1 block 1x1x1 (0x312a231c150e0700, texture 1)",
        "line 41: drop texture 1",
        "line 42: drop array 0",
    };
    char line[300];
    struct trace *trace = make_trace();
    for (uint32_t i = 0; i < trace->segments[0].nops; i++) {
        trace_describe(trace, &trace->segments[0].ops[i], line, sizeof line);
        ck_assert_str_eq(line, lines[i]);
    }
    trace_describe(trace, &trace->segments[0].ops[5], line, 12);
    ck_assert_str_eq(line, "line 16: la");
    trace_free(trace);
}
END_TEST

START_TEST(a_file_that_is_not_there_or_no_plain_file_is_refused)
{
    ck_assert_ptr_null(trace_read("/nonexistent/trace", error, sizeof error));
    ck_assert(is_sentence(error));
    ck_assert_ptr_null(trace_read("/dev/zero", error, sizeof error));
    ck_assert(is_sentence(error));
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_ptr_null(trace_read(path, error, sizeof error));
    unlink(path);
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    ck_assert_ptr_null(trace_read(path, error, sizeof error));
    unlink(path);
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_said_so)
{
    struct trace *trace = make_trace();
    ck_assert(!trace_write(trace, "/nonexistent/trace", error, sizeof error));
    ck_assert(is_sentence(error));
    trace_free(trace);
}
END_TEST

/* ------------------------------------------------------------------------------------------- damage and forgery */

START_TEST(every_damaged_byte_is_noticed)
{
    struct bytes bytes = written_example();
    for (size_t i = 0; i < bytes.count; i++) {
        bytes.at[i] ^= 0x10;
        spit(bytes.at, bytes.count);
        ck_assert_msg(!survives(), "byte %zu", i);
        bytes.at[i] ^= 0x10;
    }
    free(bytes.at);
}
END_TEST

START_TEST(every_truncated_file_is_noticed)
{
    struct bytes bytes = written_example();
    for (size_t count = 0; count < bytes.count; count++) {
        spit(bytes.at, count);
        ck_assert_msg(!survives(), "%zu bytes", count);
        if (count < HEADER)
            continue;
        uint8_t *forged = malloc(count);
        memcpy(forged, bytes.at, count);
        set_right(forged, count);
        spit(forged, count);
        ck_assert_msg(!survives(), "%zu bytes, with their checksum", count);
        free(forged);
    }
    free(bytes.at);
}
END_TEST

START_TEST(every_forged_byte_is_refused_or_harmless)
{
    static const uint8_t values[] = {0, 1, 2, 5, 0x40, 0x7f, 0x80, 0xff};
    struct bytes bytes = written_example();
    unsigned taken = 0, refused = 0;
    for (size_t i = HEADER; i < bytes.count; i++)
        for (size_t v = 0; v < sizeof values; v++) {
            const uint8_t old = bytes.at[i];
            bytes.at[i] = values[v];
            set_right(bytes.at, bytes.count);
            spit(bytes.at, bytes.count);
            *(survives() ? &taken : &refused) += 1;
            bytes.at[i] = old;
        }
    /* Both happen often, so both paths were walked. */
    ck_assert_uint_gt(taken, 1000);
    ck_assert_uint_gt(refused, 1000);
    free(bytes.at);
}
END_TEST

/* ------------------------------------------------------------------------------------------- rules */

static struct trace_op *op_of(struct trace *trace, enum trace_kind kind)
{
    for (uint32_t i = 0; i < trace->segments[0].nops; i++)
        if (trace->segments[0].ops[i].kind == kind)
            return &trace->segments[0].ops[i];
    ck_abort_msg("no such operation");
}

/* Each row breaks the valid example in one way. */
static void grow_read(struct trace *t)
{
    op_of(t, TRACE_READ)->width = 985;
}
static void huge_rows(struct trace *t)
{
    op_of(t, TRACE_COPY)->height = UINT64_MAX;
}
static void huge_width(struct trace *t)
{
    op_of(t, TRACE_SET)->width = UINT64_MAX - 8;
}
static void narrow_pitch(struct trace *t)
{
    op_of(t, TRACE_COPY)->from_pitch = 15;
}
static void past_own(struct trace *t)
{
    op_of(t, TRACE_COPY)->from.offset = 17;
}
static void unknown_given(struct trace *t)
{
    op_of(t, TRACE_SET)->to.index = 3;
}
static void unknown_own(struct trace *t)
{
    op_of(t, TRACE_WRITE)->to.index = 1;
}
static void unknown_name(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->name = 2;
}
static void unknown_symbol(struct trace *t)
{
    op_of(t, TRACE_COPY)->to.index = 2;
}
static void unknown_space(struct trace *t)
{
    op_of(t, TRACE_SET)->to.space = (enum trace_space)4;
}
static void no_space(struct trace *t)
{
    op_of(t, TRACE_SET)->to.space = TRACE_NOWHERE;
}
static void unknown_kind(struct trace *t)
{
    op_of(t, TRACE_SYNC)->kind = TRACE_KINDS;
}
static void unknown_stream(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->stream = TRACE_MAX_STREAMS;
}
static void launch_everywhere(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->stream = TRACE_ALL_STREAMS;
}
static void unknown_event(struct trace *t)
{
    op_of(t, TRACE_STREAM_WAIT)->value = TRACE_MAX_EVENTS;
}
static void no_byte(struct trace *t)
{
    op_of(t, TRACE_SET)->value = 256;
}
static void pointer_at_the_end(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->relocations[1].at = 29;
}
static void pointers_overlap(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->relocations[1].at = 7;
}
static void pointer_overflows(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->relocations[1].at = UINT64_MAX - 3;
}
static void pointer_past_own(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->relocations[1].place.offset = 257;
}
static void argument_past_data(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->arguments[2].size = 5;
}
static void arguments_overlap(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->arguments[1].offset = 7;
}
static void empty_argument(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->arguments[2].size = 0;
}
static void empty_grid(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->grid[2] = 0;
}
static void wide_grid(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->grid[1] = 65536;
}
static void large_block(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->block[0] = 1024;
}
static void much_shared(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->shared = UINT32_MAX;
}
static void seed_of_no_form(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->relocations[2].place.index = TRACE_SEED_FORMS;
}
static void seed_as_memory(struct trace *t)
{
    op_of(t, TRACE_SET)->to = (struct trace_place){TRACE_SEED, TRACE_SEED_PLUS, 0};
}
static void seed_at_the_end(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->relocations[2].place.index = TRACE_SEED_PLUS;
}
static void data_too_short(struct trace *t)
{
    op_of(t, TRACE_WRITE)->size = 71;
}
static void data_without_use(struct trace *t)
{
    op_of(t, TRACE_SET)->nrelocations = 1;
}
static void alloc_out_of_turn(struct trace *t)
{
    op_of(t, TRACE_ALLOC)->to.index = 1;
}
static void alloc_nothing(struct trace *t)
{
    op_of(t, TRACE_ALLOC)->width = 0;
}
static void alloc_too_much(struct trace *t)
{
    op_of(t, TRACE_ALLOC)->width = TRACE_MAX_BYTES + 1;
}
static void free_given(struct trace *t)
{
    op_of(t, TRACE_FREE)->to.space = TRACE_GIVEN;
}
static void free_inside(struct trace *t)
{
    op_of(t, TRACE_FREE)->to.offset = 8;
}
static void free_early(struct trace *t)
{
    struct trace_op *op = op_of(t, TRACE_EVENT_RECORD), *launch = op_of(t, TRACE_LAUNCH);
    *op = *launch;
    *launch = (struct trace_op){.kind = TRACE_FREE, .to = own0};
}
static void miscount(struct trace *t)
{
    t->segments[0].nlaunches = 3;
}
static void escape_in_note(struct trace *t)
{
    t->segments[0].notes[0].text[3] = '\033';
}
static void endless_note(struct trace *t)
{
    memset(t->segments[0].notes[0].text, 'a', sizeof t->segments[0].notes[0].text);
}
static void endless_stage(struct trace *t)
{
    memset(t->segments[1].stage, 'a', sizeof t->segments[1].stage);
}
static void name_with_a_space(struct trace *t)
{
    t->names[0][2] = ' ';
}
static void empty_name(struct trace *t)
{
    t->names[1][0] = '\0';
}
static void huge_given(struct trace *t)
{
    t->segments[1].given[0].bytes = UINT64_MAX;
}
static void set_on_host(struct trace *t)
{
    op_of(t, TRACE_SET)->to = (struct trace_place){TRACE_GIVEN, 2, 0};
}
static void read_from_host(struct trace *t)
{
    struct trace_op *read = op_of(t, TRACE_READ);
    read->from = (struct trace_place){TRACE_GIVEN, 2, 0};
    read->width = 8;
}
static void write_to_host(struct trace *t)
{
    struct trace_op *write = op_of(t, TRACE_WRITE);
    write->to = (struct trace_place){TRACE_GIVEN, 2, 0};
    write->height = 1;
    write->to_pitch = write->nrelocations = 0;
    write->size = 24;
}
static void host_to_host(struct trace *t)
{
    op_of(t, TRACE_COPY)->from = op_of(t, TRACE_COPY)->to = (struct trace_place){TRACE_GIVEN, 2, 0};
    op_of(t, TRACE_COPY)->height = 1;
    op_of(t, TRACE_COPY)->to_pitch = op_of(t, TRACE_COPY)->from_pitch = 0;
}
static void pointer_to_host(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->relocations[0].place = (struct trace_place){TRACE_GIVEN, 2, 0};
}
static void past_host(struct trace *t)
{
    op_of(t, TRACE_SAY)[-1].to.offset = 9;
}
static void late_stream(struct trace *t)
{
    op_of(t, TRACE_STREAM)->stream = 1;
}
static void default_stream(struct trace *t)
{
    op_of(t, TRACE_STREAM)->stream = 0;
}
static void pin_the_device(struct trace *t)
{
    op_of(t, TRACE_PIN)->to.index = 0;
}
static void pin_past_the_end(struct trace *t)
{
    op_of(t, TRACE_PIN)->width = 25;
}
static void pin_nothing(struct trace *t)
{
    op_of(t, TRACE_PIN)->width = 0;
}
static void step_on_the_device(struct trace *t)
{
    op_of(t, TRACE_HOST)->from.index = 0;
}
static void step_writes_past_the_end(struct trace *t)
{
    op_of(t, TRACE_HOST)->width = 9;
}
static void step_reads_past_the_end(struct trace *t)
{
    op_of(t, TRACE_HOST)->height = 21;
}
static void step_of_no_number(struct trace *t)
{
    op_of(t, TRACE_HOST)->value = TRACE_MAX_HOSTS;
}
static void sync_on_a_stream(struct trace *t)
{
    struct trace_op *copy = op_of(t, TRACE_HOST) + 1;
    copy->stream = 1;
}
static void sync_of_a_launch(struct trace *t)
{
    op_of(t, TRACE_LAUNCH)->is_sync = true;
}
static void unknown_event_to_wait_for(struct trace *t)
{
    op_of(t, TRACE_EVENT_SYNC)->value = TRACE_MAX_EVENTS;
}
static void capture_of_the_default_stream(struct trace *t)
{
    op_of(t, TRACE_CAPTURE)->stream = op_of(t, TRACE_CAPTURE_END)->stream = 0;
}
static void capture_ends_elsewhere(struct trace *t)
{
    op_of(t, TRACE_CAPTURE_END)->stream = 1;
}
static void capture_in_a_capture(struct trace *t)
{
    struct trace_op *set = op_of(t, TRACE_CAPTURE) + 1;
    *set = *op_of(t, TRACE_CAPTURE);
}
static void capture_without_end(struct trace *t)
{
    struct trace_op *end = op_of(t, TRACE_CAPTURE_END);
    end[0].kind = end[1].kind = end[2].kind = TRACE_SYNC; /* the graph is neither made ready nor launched */
}
static void step_in_a_capture(struct trace *t)
{
    struct trace_op *set = op_of(t, TRACE_CAPTURE) + 1;
    *set = *op_of(t, TRACE_HOST);
}
static void unknown_graph(struct trace *t)
{
    op_of(t, TRACE_GRAPH_MAKE)->value = 1;
}
static void graph_that_is_not_ready(struct trace *t)
{
    op_of(t, TRACE_GRAPH_LAUNCH)->value = 1;
}
static void said_to_the_device(struct trace *t)
{
    op_of(t, TRACE_SAY)->to.index = 0;
}
static void said_in_part(struct trace *t)
{
    op_of(t, TRACE_SAY)->size = 16;
}
static void said_with_a_pointer(struct trace *t)
{
    relocate(op_of(t, TRACE_SAY), 0, given0);
}

static void array_out_of_turn(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->to.index = 1;
}
static void array_of_no_format(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->texture.bits[1] = 16;
}
static void array_of_three_channels(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->texture.bits[2] = 32;
    op_of(t, TRACE_ARRAY_ALLOC)->width = 60;
}
static void array_of_small_floats(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->texture.bits[0] = op_of(t, TRACE_ARRAY_ALLOC)->texture.bits[1] = 8;
}
static void array_of_unknown_kind(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->texture.kind = 3;
}
static void array_of_half_texels(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->width = 68;
}
static void wide_array(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->width = 131073 * 8;
}
static void high_array(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->height = UINT64_MAX;
}
static void sampled_array(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->to_pitch = 64;
}
static void array_for_surfaces(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)->value = 2;
}
static void write_past_a_row(struct trace *t)
{
    op_of(t, TRACE_ARRAY_WRITE)->to.offset += 8;
}
static void write_past_the_rows(struct trace *t)
{
    op_of(t, TRACE_ARRAY_WRITE)->to.offset += 64;
}
static void write_half_a_texel(struct trace *t)
{
    op_of(t, TRACE_ARRAY_WRITE)->to.offset -= 4;
}
static void write_to_no_array(struct trace *t)
{
    op_of(t, TRACE_ARRAY_WRITE)->to.index = 2;
}
static void write_at_the_end_of_numbers(struct trace *t)
{
    op_of(t, TRACE_ARRAY_WRITE)->to.offset = UINT64_MAX - 63;
}
static void write_too_little(struct trace *t)
{
    op_of(t, TRACE_ARRAY_WRITE)->size = 335;
}
static void array_as_memory(struct trace *t)
{
    op_of(t, TRACE_SET)->to = (struct trace_place){TRACE_IMAGE, 0, 0};
}
static void pointer_to_an_array(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[2].relocations[0].place = (struct trace_place){TRACE_IMAGE, 0, 0};
}
static void copy_without_an_array(struct trace *t)
{
    op_of(t, TRACE_ARRAY_COPY)->to = given0;
}
static void copy_past_an_array(struct trace *t)
{
    op_of(t, TRACE_ARRAY_COPY)->to.offset = 56;
}
static void copy_past_memory(struct trace *t)
{
    op_of(t, TRACE_ARRAY_COPY)->from.offset = 1000;
}
static void copy_of_other_texels(struct trace *t)
{
    op_of(t, TRACE_ARRAY_ALLOC)[1].texture.bits[1] = 0;
    op_of(t, TRACE_ARRAY_COPY)->from = (struct trace_place){TRACE_IMAGE, 0, 0};
}
static void texture_out_of_turn(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)->to.index = 1;
}
static void texture_of_a_part(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)->from.offset = 64;
}
static void texture_of_another_form(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)->texture.bits[0] = 32;
}
static void texture_of_unknown_address(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)->texture.address[2] = 4;
}
static void texture_of_unknown_filter(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)->texture.filter = 2;
}
static void texture_past_memory(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[1].from_pitch = 960;
}
static void texture_of_narrow_rows(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[1].from_pitch = 24;
}
static void texture_of_many_rows(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[1].height = UINT64_MAX;
}
static void texture_of_the_host(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[1].from = (struct trace_place){TRACE_GIVEN, 2, 0};
    op_of(t, TRACE_TEXTURE)[1].width = 8;
    op_of(t, TRACE_TEXTURE)[1].height = 1;
}
static void texture_of_a_texture(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[1].from = (struct trace_place){TRACE_OBJECT, 0, 0};
}
static void handle_of_no_texture(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[2].relocations[0].place.index = 2;
}
static void handle_with_an_offset(struct trace *t)
{
    op_of(t, TRACE_TEXTURE)[2].relocations[0].place.offset = 1;
}
static void handle_of_the_dropped(struct trace *t)
{
    struct trace_op *launch = &op_of(t, TRACE_TEXTURE)[2], keep = *launch;
    *launch = launch[1];
    launch[1] = keep;
}
static void texture_of_the_dropped(struct trace *t)
{
    struct trace_op *write = op_of(t, TRACE_ARRAY_COPY);
    *write = (struct trace_op){.kind = TRACE_DROP, .to = {TRACE_IMAGE, 0, 0}};
}
static void drop_given(struct trace *t)
{
    op_of(t, TRACE_DROP)->to = given0;
}
static void drop_twice(struct trace *t)
{
    op_of(t, TRACE_DROP)[1].to = op_of(t, TRACE_DROP)->to;
}
static void texture_without_use(struct trace *t)
{
    op_of(t, TRACE_SET)->texture.border[3] = 1;
}

static const struct {
    void (*change)(struct trace *trace);
    const char *name;
} forgeries[] = {
#define FORGERY(name)                                                                                        \
    {                                                                                                        \
        name, #name                                                                                          \
    }
    FORGERY(grow_read),
    FORGERY(huge_rows),
    FORGERY(huge_width),
    FORGERY(narrow_pitch),
    FORGERY(past_own),
    FORGERY(unknown_given),
    FORGERY(unknown_own),
    FORGERY(unknown_name),
    FORGERY(unknown_symbol),
    FORGERY(unknown_space),
    FORGERY(no_space),
    FORGERY(unknown_kind),
    FORGERY(unknown_stream),
    FORGERY(launch_everywhere),
    FORGERY(unknown_event),
    FORGERY(no_byte),
    FORGERY(pointer_at_the_end),
    FORGERY(pointers_overlap),
    FORGERY(pointer_overflows),
    FORGERY(pointer_past_own),
    FORGERY(argument_past_data),
    FORGERY(arguments_overlap),
    FORGERY(empty_argument),
    FORGERY(empty_grid),
    FORGERY(wide_grid),
    FORGERY(large_block),
    FORGERY(much_shared),
    FORGERY(data_too_short),
    FORGERY(data_without_use),
    FORGERY(alloc_out_of_turn),
    FORGERY(alloc_nothing),
    FORGERY(alloc_too_much),
    FORGERY(free_given),
    FORGERY(free_inside),
    FORGERY(free_early),
    FORGERY(miscount),
    FORGERY(escape_in_note),
    FORGERY(endless_note),
    FORGERY(endless_stage),
    FORGERY(seed_of_no_form),
    FORGERY(seed_as_memory),
    FORGERY(seed_at_the_end),
    FORGERY(name_with_a_space),
    FORGERY(empty_name),
    FORGERY(huge_given),
    FORGERY(set_on_host),
    FORGERY(read_from_host),
    FORGERY(write_to_host),
    FORGERY(host_to_host),
    FORGERY(pointer_to_host),
    FORGERY(past_host),
    FORGERY(late_stream),
    FORGERY(default_stream),
    FORGERY(pin_the_device),
    FORGERY(pin_past_the_end),
    FORGERY(pin_nothing),
    FORGERY(step_on_the_device),
    FORGERY(step_writes_past_the_end),
    FORGERY(step_reads_past_the_end),
    FORGERY(step_of_no_number),
    FORGERY(sync_on_a_stream),
    FORGERY(sync_of_a_launch),
    FORGERY(unknown_event_to_wait_for),
    FORGERY(capture_of_the_default_stream),
    FORGERY(capture_ends_elsewhere),
    FORGERY(capture_in_a_capture),
    FORGERY(capture_without_end),
    FORGERY(step_in_a_capture),
    FORGERY(unknown_graph),
    FORGERY(graph_that_is_not_ready),
    FORGERY(said_to_the_device),
    FORGERY(said_in_part),
    FORGERY(said_with_a_pointer),
    FORGERY(array_out_of_turn),
    FORGERY(array_of_no_format),
    FORGERY(array_of_three_channels),
    FORGERY(array_of_small_floats),
    FORGERY(array_of_unknown_kind),
    FORGERY(array_of_half_texels),
    FORGERY(wide_array),
    FORGERY(high_array),
    FORGERY(sampled_array),
    FORGERY(array_for_surfaces),
    FORGERY(write_past_a_row),
    FORGERY(write_past_the_rows),
    FORGERY(write_half_a_texel),
    FORGERY(write_to_no_array),
    FORGERY(write_at_the_end_of_numbers),
    FORGERY(write_too_little),
    FORGERY(array_as_memory),
    FORGERY(pointer_to_an_array),
    FORGERY(copy_without_an_array),
    FORGERY(copy_past_an_array),
    FORGERY(copy_past_memory),
    FORGERY(copy_of_other_texels),
    FORGERY(texture_out_of_turn),
    FORGERY(texture_of_a_part),
    FORGERY(texture_of_another_form),
    FORGERY(texture_of_unknown_address),
    FORGERY(texture_of_unknown_filter),
    FORGERY(texture_past_memory),
    FORGERY(texture_of_narrow_rows),
    FORGERY(texture_of_many_rows),
    FORGERY(texture_of_the_host),
    FORGERY(texture_of_a_texture),
    FORGERY(handle_of_no_texture),
    FORGERY(handle_with_an_offset),
    FORGERY(handle_of_the_dropped),
    FORGERY(texture_of_the_dropped),
    FORGERY(drop_given),
    FORGERY(drop_twice),
    FORGERY(texture_without_use),
#undef FORGERY
};
enum { FORGERIES = sizeof forgeries / sizeof *forgeries };

START_TEST(a_broken_rule_is_refused)
{
    struct trace *trace = make_trace();
    ck_assert(trace_check(trace, error, sizeof error));
    forgeries[_i].change(trace);
    ck_assert_msg(!trace_check(trace, error, sizeof error), "%s passes", forgeries[_i].name);
    ck_assert_msg(is_sentence(error), "%s: '%s'", forgeries[_i].name, error);
    ck_assert_msg(!trace_write(trace, path, error, sizeof error), "%s is written", forgeries[_i].name);
    op_of(trace, TRACE_SET)->nrelocations = 0;
    trace_free(trace);
}
END_TEST

START_TEST(more_data_than_the_limit_is_refused)
{
    struct trace *trace = trace_new();
    struct trace_segment *segment = add_segment(trace, "tiled", 0);
    for (int i = 0; i < 2; i++) {
        struct trace_op *op = add(segment, TRACE_WRITE);
        op->to = (struct trace_place){TRACE_GIVEN, 1, 0};
        op->height = 1;
        op->width = op->size = TRACE_MAX_DATA / 2 + (uint64_t)i;
        op->data = NULL;
    }
    ck_assert(!trace_check(trace, error, sizeof error));
    segment->ops[1].width = --segment->ops[1].size;
    ck_assert_msg(trace_check(trace, error, sizeof error), "%s", error);
    trace_free(trace);
}
END_TEST

START_TEST(a_segment_takes_so_many_operations_and_no_more)
{
    struct trace *trace = trace_new();
    struct trace_segment *segment = add_segment(trace, "tiled", 0);
    for (int i = 0; i < TRACE_MAX_OPS; i++)
        ck_assert_ptr_nonnull(trace_add_op(segment, TRACE_SYNC));
    ck_assert_ptr_null(trace_add_op(segment, TRACE_SYNC));
    ck_assert(trace_check(trace, error, sizeof error));
    trace_free(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("trace");
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.40s/trace-XXXXXX", folder ? folder : "/tmp");
    close(mkstemp(path));
    tcase_add_test(tests, what_is_written_comes_back_byte_for_byte);
    tcase_add_test(tests, every_field_comes_back);
    tcase_add_test(tests, the_example_has_every_kind_of_operation);
    tcase_add_test(tests, operations_are_told_in_words);
    tcase_add_test(tests, a_file_that_is_not_there_or_no_plain_file_is_refused);
    tcase_add_test(tests, a_file_that_cannot_be_written_is_said_so);
    tcase_add_test(tests, every_damaged_byte_is_noticed);
    tcase_add_test(tests, every_truncated_file_is_noticed);
    tcase_add_test(tests, every_forged_byte_is_refused_or_harmless);
    tcase_add_loop_test(tests, a_broken_rule_is_refused, 0, FORGERIES);
    tcase_add_test(tests, more_data_than_the_limit_is_refused);
    tcase_add_test(tests, a_segment_takes_so_many_operations_and_no_more);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    unlink(path);
    return failed != 0;
}
