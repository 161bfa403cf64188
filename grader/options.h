/* options.h - the command line of ./grade, read into one struct.
 * No side effects: what is wrong comes back as a sentence. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum command {
    COMMAND_LIST,
    COMMAND_GRADE,
    COMMAND_BATCH,
    COMMAND_CHECK,
    COMMAND_EXPLAIN,
    COMMAND_HELP,
    COMMAND_VERSION
};

struct options {
    enum command command;
    char lab[32];       /* "lab3"; "" for COMMAND_LIST */
    const char *stage;  /* id or row; NULL: all */
    const char *gpu;    /* profile of the virtual GPU; NULL: its default */
    const char *file;   /* the submission; NULL: the lab's own file */
    const char *folder; /* batch: the submissions */
    const char *out;    /* batch: where results go */
    bool is_virtual, is_solution, is_json, is_verbose;
    bool is_audit; /* the timed case is executed as a whole on the virtual GPU, and compared in full */
    bool
        needs_no_sandbox; /* batch: goes on where nothing keeps submissions from reading this machine's files */
};

extern const char options_help[];

/* False: *error says what is wrong, in one sentence. */
bool options_read(struct options *options, int argc, char **argv, char *error, size_t size);

#endif
