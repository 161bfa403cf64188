/* manual.h - the man page of ./grade, made of the tables that the help is made of. */
#ifndef MANUAL_H
#define MANUAL_H

#include <stdio.h>

/* `./grade --man`: roff with the macros of man(7). */
void manual_put(FILE *file);

#endif
