/* entries.h - what lies in a folder of submissions: one entry for every name in it, none left out.
 * Names are data: any bytes that a file system allows. Links are not followed. Reads only. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include <stdbool.h>

struct entry {
    char *student; /* the name, or a file's without .cu; valid UTF-8, and no other entry's */
    char *source;  /* path of the file to grade; NULL: there is none */
    char *flaw;    /* why not, and what was found instead */
    bool is_ours;  /* it could not be looked at */
};

struct entries {
    struct entry *list;
    int count;
};

/* For the lab's file name, "lab3.cu". The folder `results` is left out, unless that file is in it. False: errno says why. */
bool entries_read(struct entries *entries, const char *folder, const char *file, const char *results);
void entries_free(struct entries *entries);

#endif
