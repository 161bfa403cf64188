/* self.h - ./grade started by ./grade, as a process of its own: what a command wants done in the way that another does it, in the
 * same rooms and with the same limits. */
#ifndef SELF_H
#define SELF_H

#include "grader/grade.h"

enum { SELF_WORDS = 24 };

/* argv: what stands behind ./grade, NULL at the end. All that it prints goes to the file `log`. Its exit status; -1: it did not
 * start or did not come to its end. */
int self_run(const struct kit *kit, const char *const *argv, const char *log);
/* The last line that is not empty, as plain text; "": there is none. */
void self_last_line(const char *log, char *out, size_t size);

#endif
