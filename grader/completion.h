/* completion.h - what a shell offers behind ./grade when Tab is pressed.
 * The scripts know nothing of the kit: they ask `./grade --complete WORD...`, which answers from the tables that the help is made of,
 * and from the labs that are there. So they never grow old, and are the same for every version. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

/* The script for "bash" or "zsh". False: there is none for this shell. */
bool completion_put_script(const char *shell, FILE *file);
/* Words behind ./grade, the last of them the one at the cursor, perhaps "". A line for each candidate: the word, a tab, what it
 * means. ":files" and ":folders" leave it to the shell. Nothing is built, and no lab's program is run. */
void completion_put(int count, char **words, FILE *file);

#endif
