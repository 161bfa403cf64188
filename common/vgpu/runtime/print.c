/* print.c - what kernels print waits in a buffer until the host waits for the device, as on hardware.
 * Nothing is ever lost: a full buffer is shown at once, where hardware would overwrite its oldest part.
 * Formatting is exec/printf.c's business. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"
#include "runtime/watch.h"

enum { SHOW_AT = 1 << 20 };

static char *buffer;
static size_t used, capacity;

static bool grow(size_t need)
{
    if (need <= capacity)
        return true;
    char *grown = realloc(buffer, need * 2);
    if (!grown)
        return false;
    buffer = grown;
    capacity = need * 2;
    return true;
}

void runtime_show_printed(void)
{
    runtime_lock();
    if (used) {
        fwrite(buffer, 1, used, stdout);
        fflush(stdout);
        used = 0;
    }
    runtime_unlock();
}

void runtime_printed(const char *text, size_t size)
{
    if (!size || watch_printed(text, size))
        return;
    runtime_lock();
    if (grow(used + size)) {
        memcpy(buffer + used, text, size);
        used += size;
    } else {
        fwrite(buffer, 1, used, stdout);
        fwrite(text, 1, size, stdout);
        used = 0;
    }
    runtime_unlock();
    if (used > SHOW_AT)
        runtime_show_printed();
}
