/* trace.c - a trace in memory: making one, growing it, finding a segment, telling an operation in words.
 * Whoever owns a struct trace owns all that hangs on it; trace_free() takes the whole.
 * Nothing here judges what a trace says: the rules are in check.c. */
#include "trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/build.h"

/* ------------------------------------------------------------------------------------------- growing */

static size_t room_for(uint32_t count)
{
    size_t room = count ? 1 : 0;
    while (room < count)
        room *= 2;
    return room;
}

void *trace_grow(void *array, uint32_t count, uint32_t more, size_t item_bytes)
{
    const size_t room = room_for(count), wanted = room_for(count + more);
    if (wanted == room && array)
        return array;
    uint8_t *bigger = realloc(array, (wanted ? wanted : 1) * item_bytes);
    if (bigger)
        memset(bigger + room * item_bytes, 0, (wanted - room) * item_bytes);
    return bigger;
}

struct trace *trace_new(void)
{
    return calloc(1, sizeof(struct trace));
}

struct trace_segment *trace_add_segment(struct trace *trace)
{
    struct trace_segment *grown = trace->nsegments < TRACE_MAX_SEGMENTS
                                      ? trace_grow(trace->segments, trace->nsegments, 1, sizeof *grown)
                                      : NULL;
    if (!grown)
        return NULL;
    trace->segments = grown;
    return &trace->segments[trace->nsegments++];
}

struct trace_op *trace_add_op(struct trace_segment *segment, enum trace_kind kind)
{
    struct trace_op *grown =
        segment->nops < TRACE_MAX_OPS ? trace_grow(segment->ops, segment->nops, 1, sizeof *grown) : NULL;
    if (!grown)
        return NULL;
    segment->ops = grown;
    struct trace_op *op = &segment->ops[segment->nops++];
    op->kind = kind;
    segment->nlaunches += kind == TRACE_LAUNCH;
    return op;
}

struct trace_note *trace_add_note(struct trace_segment *segment)
{
    struct trace_note *grown = segment->nnotes < TRACE_MAX_NOTES
                                   ? trace_grow(segment->notes, segment->nnotes, 1, sizeof *grown)
                                   : NULL;
    if (!grown)
        return NULL;
    segment->notes = grown;
    return &segment->notes[segment->nnotes++];
}

bool trace_add_name(struct trace *trace, const char *name, uint32_t *index)
{
    for (*index = 0; *index < trace->nnames; ++*index)
        if (!strcmp(trace->names[*index], name))
            return true;
    char **grown =
        trace->nnames < TRACE_MAX_NAMES ? trace_grow(trace->names, trace->nnames, 1, sizeof *grown) : NULL;
    if (!grown)
        return false;
    trace->names = grown;
    trace->names[trace->nnames] = strdup(name);
    return trace->names[trace->nnames] && ++trace->nnames;
}

/* ------------------------------------------------------------------------------------------- freeing */

static void free_op(struct trace_op *op)
{
    free(op->data);
    free(op->relocations);
    free(op->arguments);
    memset(op, 0, sizeof *op);
}

void trace_drop_ops(struct trace_segment *segment)
{
    for (uint32_t i = 0; i < segment->nops; i++)
        free_op(&segment->ops[i]);
    free(segment->ops);
    segment->ops = NULL;
    segment->nops = segment->nlaunches = 0;
}

/* Its place is empty again, as the array's growth expects. */
void trace_drop_segment(struct trace *trace)
{
    struct trace_segment *segment = &trace->segments[--trace->nsegments];
    trace_drop_ops(segment);
    free(segment->given);
    free(segment->notes);
    memset(segment, 0, sizeof *segment);
}

void trace_free(struct trace *trace)
{
    if (!trace)
        return;
    while (trace->nsegments)
        trace_drop_segment(trace);
    for (uint32_t i = 0; i < trace->nnames; i++)
        free(trace->names[i]);
    free(trace->segments);
    free(trace->names);
    free(trace);
}

const struct trace_segment *trace_find(const struct trace *trace, const char *stage, uint32_t which)
{
    for (uint32_t i = 0; i < trace->nsegments; i++)
        if (trace->segments[i].which == which && !strcmp(trace->segments[i].stage, stage))
            return &trace->segments[i];
    return NULL;
}

/* ------------------------------------------------------------------------------------------- in words */

struct line {
    char *out;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *line, const char *format, ...)
{
    if (line->used >= line->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line->out + line->used, line->size - line->used, format, arguments);
    va_end(arguments);
    line->used += n > 0 ? (size_t)n : 0;
}

static void say_place(struct line *line, const struct trace *trace, const char *word,
                      const struct trace_place *place)
{
    static const char *const numbered[] = {
        [TRACE_GIVEN] = "given", [TRACE_OWN] = "own", [TRACE_IMAGE] = "array", [TRACE_OBJECT] = "texture"};
    if (place->space < sizeof numbered / sizeof *numbered && numbered[place->space])
        say(line, "%s%s %u", word, numbered[place->space], place->index);
    if (place->space == TRACE_SEED)
        say(line, "%sseed", word);
    if (place->space == TRACE_SYMBOL)
        say(line, "%s%s", word, place->index < trace->nnames ? trace->names[place->index] : "?");
    if (place->space != TRACE_NOWHERE && place->offset)
        say(line, "+%llu", (unsigned long long)place->offset);
}

static const struct trace_relocation *relocation_at(const struct trace_op *op, uint64_t at)
{
    for (uint32_t i = 0; i < op->nrelocations; i++)
        if (op->relocations[i].at == at)
            return &op->relocations[i];
    return NULL;
}

static void say_argument(struct line *line, const struct trace *trace, const struct trace_op *op,
                         uint32_t index)
{
    const struct trace_argument *argument = &op->arguments[index];
    const struct trace_relocation *relocation = relocation_at(op, argument->offset);
    uint64_t value = 0;
    say(line, "%s", index ? ", " : "");
    if (relocation && argument->size == sizeof value) {
        say_place(line, trace, "", &relocation->place);
    } else if (argument->size > sizeof value) {
        say(line, "%u bytes", argument->size);
    } else {
        for (uint32_t i = argument->size; i-- > 0;)
            value = value << 8 | op->data[argument->offset + i];
        say(line, "0x%llx", (unsigned long long)value);
    }
}

static void say_launch(struct line *line, const struct trace *trace, const struct trace_op *op)
{
    say(line, " %s grid %ux%ux%u block %ux%ux%u", op->name < trace->nnames ? trace->names[op->name] : "?",
        op->grid[0], op->grid[1], op->grid[2], op->block[0], op->block[1], op->block[2]);
    if (op->shared)
        say(line, " shared %u", op->shared);
    say(line, "%s(", op->is_cooperative ? " cooperative " : " ");
    for (uint32_t i = 0; i < op->narguments && line->used < line->size; i++)
        say_argument(line, trace, op, i);
    say(line, ")");
}

static void say_event(struct line *line, const struct trace *trace, const struct trace_op *op)
{
    (void)trace;
    say(line, " event %u", op->value);
}

static void say_number(struct line *line, const struct trace *trace, const struct trace_op *op)
{
    (void)trace;
    say(line, " number %u", op->value);
}

static void say_value(struct line *line, const struct trace *trace, const struct trace_op *op)
{
    (void)trace;
    say(line, " to 0x%02x", op->value);
}

static const struct {
    const char *verb, *to; /* what stands before its destination */
    void (*more)(struct line *line, const struct trace *trace, const struct trace_op *op);
} words[TRACE_KINDS] = {
    [TRACE_ALLOC] = {"allocate", " as ", NULL},
    [TRACE_FREE] = {"free", " ", NULL},
    [TRACE_WRITE] = {"write", " to ", NULL},
    [TRACE_READ] = {"read", NULL, NULL},
    [TRACE_COPY] = {"copy", " to ", NULL},
    [TRACE_SET] = {"set", " of ", say_value},
    [TRACE_LAUNCH] = {"launch", NULL, say_launch},
    [TRACE_EVENT_RECORD] = {"record", NULL, say_event},
    [TRACE_STREAM_WAIT] = {"wait for", NULL, say_event},
    [TRACE_SYNC] = {"synchronise", NULL, NULL},
    [TRACE_SAY] = {"say", " in ", NULL},
    [TRACE_EVENT_SYNC] = {"synchronise with", NULL, say_event},
    [TRACE_STREAM] = {"make a stream that does not block", NULL, NULL},
    [TRACE_PIN] = {"pin", " at ", NULL},
    [TRACE_HOST] = {"step of the host", " to ", say_number},
    [TRACE_CAPTURE] = {"begin to capture", NULL, NULL},
    [TRACE_CAPTURE_END] = {"end the capture", NULL, NULL},
    [TRACE_GRAPH_MAKE] = {"make ready graph", NULL, say_number},
    [TRACE_GRAPH_LAUNCH] = {"launch graph", NULL, say_number},
    [TRACE_ARRAY_ALLOC] = {"allocate", " as ", NULL},
    [TRACE_ARRAY_WRITE] = {"write", " to ", NULL},
    [TRACE_ARRAY_COPY] = {"copy", " to ", NULL},
    [TRACE_TEXTURE] = {"bind", " as ", NULL},
    [TRACE_DROP] = {"drop", " ", NULL},
};

void trace_describe(const struct trace *trace, const struct trace_op *op, char *out, size_t size)
{
    struct line line = {out, size, 0};
    if (op->line)
        say(&line, "line %u: ", op->line);
    say(&line, "%s", op->kind < TRACE_KINDS ? words[op->kind].verb : "?");
    if (op->height > 1 && op->kind != TRACE_HOST)
        say(&line, " %llu rows of", (unsigned long long)op->height);
    if (op->width)
        say(&line, " %llu bytes", (unsigned long long)op->width);
    say_place(&line, trace, " from ", &op->from);
    if (op->kind < TRACE_KINDS && words[op->kind].to)
        say_place(&line, trace, words[op->kind].to, &op->to);
    if (op->kind < TRACE_KINDS && words[op->kind].more)
        words[op->kind].more(&line, trace, op);
    if (op->stream == TRACE_ALL_STREAMS)
        say(&line, " the device");
    else if (op->stream)
        say(&line, " on stream %u", op->stream);
}
