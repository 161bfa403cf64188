/* place.h - what a report says about a line of the submission, in the form that editors and terminals look for:
 *     labs/lab3-bank-conflicts/lab3.cu:44: error: out of bounds read in global memory: `in`
 * nvcc, g++, the checkers and the scout each have a form of their own; all of them become this one.
 * .vscode/tasks.json has the patterns that read it. Pure: no files, no printing. */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>

/* The text with each line that begins with a place in the file `shown` rewritten: the file is called `path` there. Other
 * lines stay as they are. NULL: out of memory. */
char *place_text(const char *text, const char *shown, const char *path);
/* The text begins with a place in that file. */
bool place_is_first(const char *text, const char *shown);

#endif
