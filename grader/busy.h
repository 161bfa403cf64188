/* busy.h - one line on the terminal behind stderr that tells what is being done, once nothing has been said for half a second:
 * "| judging padded, 3 s". It takes itself away before anything else can be printed, and is never there in a pipe or a file. */
#ifndef BUSY_H
#define BUSY_H

#include <stdbool.h>

/* From now on, if stderr is a terminal. */
void busy_open(void);
void busy_close(void);

/* "3 of 20": what all that follows is about; "": nothing in particular. */
void busy_about(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "compiling lab3.cu". */
void busy_doing(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *busy_what(void);

/* Something was printed: silence begins anew. */
void busy_spoke(void);
/* To be called often while something is waited for; is_over: the wait is over, and the line goes. The sandbox does so. */
void busy_turn(void *context, bool is_over);

#endif
