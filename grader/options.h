/* options.h - the command line of ./grade, read into one struct; and the help, made of the same tables.
 * No side effects: what is wrong comes back as a sentence. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct command;

enum { OPTIONS_NAMES = 4, OPTIONS_JOBS = 64 };

struct options {
    const struct command *command;
    char lab[32];                     /* "lab3"; "": the command wants none */
    const char *names[OPTIONS_NAMES]; /* what stands behind the lab, "DIR"; NULL: nothing */
    const char *stage;                /* id or row; NULL: all */
    const char *gpu;                  /* profile of the virtual GPU; NULL: its default */
    const char *file;                 /* the submission; NULL: the lab's own file */
    const char *form;                 /* of the report: a platform's, see platform.h; NULL: text */
    const char *out;                  /* batch: where results go */
    const char *jobs;    /* batch: how many submissions at a time; NULL: as many as there are cores */
    const char *only;    /* batch: these students; results, export: this one */
    const char *regrade; /* batch, results: all, failed, changed, or names */
    const char *roster;  /* batch: a table of who is in the class */
    const char *deadline, *late, *take; /* batch: when, what late points lose, last or best */
    const char *list;                   /* batch: a file with the names of the submissions that are meant */
    const char *chunk, *sbatch_args;    /* batch: submissions of a task, and what sbatch is told besides */
    bool is_slurm;                      /* batch: on the machines of a cluster */
    const char *status, *sort;          /* results: those alone, and in which order */
    const char *override, *reason;      /* results: points by hand */
    bool is_recover;                    /* results: of a damaged store what can be had */
    const char *output;                 /* export: the file or folder; page, similar: the page */
    const char *gradebook, *column;     /* export: Canvas' own table, and which of its columns */
    bool has_mark;                      /* export: tables begin as Excel wants them */
    const char *html;                   /* explain: the page to write */
    const char *explain;                /* page: which stages, lost or all */
    const char *named;                  /* page: a file with ids of those who are named */
    const char *least;                  /* similar: pairs below so many percent are left out */
    bool is_pages, is_anonymous, is_leaderboard; /* page: which */
    bool is_help, is_version;                    /* they say it all: nothing else was looked at */
    bool is_virtual, is_solution, is_json, is_verbose;
    bool is_more;  /* hint: one level further */
    bool is_audit; /* the timed case is executed as a whole on the virtual GPU, and compared in full */
    bool
        needs_no_sandbox; /* batch: goes on where nothing keeps submissions from reading this machine's files */
};

/* A row of the table of options. The help, the man page and the completions are all made of these and of commands.h. */
struct option_row {
    const char *name;
    const char *value; /* "PATH": its field is a text; NULL: a switch */
    const char *meaning;
    size_t field;
};
const struct option_row *options_row(int which); /* enum command_option */
bool options_takes(const struct command *command, int which);

/* False: *error says what is wrong, in one sentence. */
bool options_read(struct options *options, int argc, char **argv, char *error, size_t size);
/* Whether points of such a run are the student's, and are kept; others never overwrite them. */
static inline bool options_are_for_points(const struct options *options)
{
    return !options->file && !options->is_solution && !options->gpu;
}
/* A screen of 24 lines of 80 columns at most. NULL: of all commands together. */
void options_put_help(const struct command *command, FILE *file);

#endif
