/* handles.h - what programs make and must give back, but for memory: handles.c. */
#ifndef VGPU_HANDLES_H
#define VGPU_HANDLES_H

#include "memory/memory.h"

enum handle_kind {
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_EXEC,
    HANDLE_TEXTURE,
    HANDLE_SURFACE,
    HANDLE_PINNED, /* host memory of the program's own that it registered */
    HANDLE_KINDS
};

struct handle {
    enum handle_kind kind;
    uint64_t value;             /* as the program knows it */
    uint64_t serial;            /* handles are numbered from 1 in program order */
    void *frames[ALLOC_FRAMES]; /* of the call that made it */
    struct handle *next;
};

void handle_made(enum handle_kind kind, uint64_t value);
void handle_gone(enum handle_kind kind, uint64_t value);
void handles_forget(void);   /* all of them: the device is reset */
uint64_t handles_last(void); /* the serial of the last one that was made */
/* Visits those that are there and came after `since`, the last one first, under the runtime's lock. */
void handles_each(uint64_t since, void (*visit)(const struct handle *handle, void *context), void *context);

const char *handle_word(enum handle_kind kind); /* "a stream is made" */
const char *handle_call(enum handle_kind kind); /* what gives it back: "cudaStreamDestroy" */

#endif
