/* runtime_output.c - what kernels print: kept until the host waits for the device, as on a GPU.
 * It goes to the program's own stdout, so that it stays in order with what the host prints.
 * What a program never waits for is never shown; full checking says so at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output.h"

static char *held;
static size_t held_size, held_capacity;

static bool reserve(size_t size)
{
    if (size <= held_capacity)
        return true;
    size_t capacity = size * 2;
    char *grown = realloc(held, capacity);
    if (!grown)
        return false;
    held = grown;
    held_capacity = capacity;
    return true;
}

void output_hold(const char *text, size_t size)
{
    if (!size || !reserve(held_size + size))
        return;
    memcpy(held + held_size, text, size);
    held_size += size;
}

void output_show(void)
{
    if (!held_size)
        return;
    fwrite(held, 1, held_size, stdout);
    held_size = 0;
}

size_t output_held(void)
{
    return held_size;
}
