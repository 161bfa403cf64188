/* results.h - parts of ./grade results. */
#ifndef RESULTS_H
#define RESULTS_H

#include "grader/grade.h"

/* --recover: the store of a folder, damaged or not, as whole as it can be; prints what was recovered and what was not. */
enum outcome results_recover(struct session *session, const char *folder);

#endif
