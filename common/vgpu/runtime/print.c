/* print.c - what kernels print waits in a buffer until the host waits for the device, as on hardware.
 * Nothing is ever lost: a full buffer is shown at once, where hardware would overwrite its oldest part.
 * Formatting is exec/printf.c's business. */
#include "runtime/print.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"

enum { SHOW_AT = 1 << 20 };

static char *buffer;
static size_t used, capacity;

void print_show(void)
{
    if (!used)
        return;
    fwrite(buffer, 1, used, stdout);
    fflush(stdout);
    used = 0;
}

void print_keep(const char *text, size_t size)
{
    char *grown = list_reserve(buffer, &capacity, used + size, 1);
    if (!grown) {
        print_show();
        fwrite(text, 1, size, stdout);
        return;
    }
    buffer = grown;
    memcpy(buffer + used, text, size);
    used += size;
    if (used > SHOW_AT)
        print_show();
}
