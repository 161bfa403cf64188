/* commands.h - what ./grade can be told to do. A new command is one row of the table in commands.c, and its function.
 * options.c reads the command line by this table and makes the help of it; grade.c opens as much of a session as the row
 * asks for; main.c calls the function. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "grader/grade.h"

/* Options that a command takes; options.c has a row for each, in this order. */
enum command_option {
    OPTION_VIRTUAL,
    OPTION_GPU,
    OPTION_FILE,
    OPTION_SOLUTION,
    OPTION_STAGE,
    OPTION_JSON,
    OPTION_FORM,
    OPTION_AUDIT,
    OPTION_OUT,
    OPTION_JOBS,
    OPTION_ONLY,
    OPTION_REGRADE,
    OPTION_ROSTER,
    OPTION_DEADLINE,
    OPTION_LATE,
    OPTION_TAKE,
    OPTION_SLURM,
    OPTION_CHUNK,
    OPTION_SBATCH_ARGS,
    OPTION_LIST,
    OPTION_STATUS,
    OPTION_SORT,
    OPTION_OVERRIDE,
    OPTION_REASON,
    OPTION_RECOVER,
    OPTION_HTML,
    OPTION_MORE,
    OPTION_NO_SANDBOX,
    OPTION_OUTPUT,
    OPTION_GRADEBOOK,
    OPTION_COLUMN,
    OPTION_BOM,
    OPTION_PAGES,
    OPTION_EXPLAIN,
    OPTION_ANONYMOUS,
    OPTION_LEADERBOARD,
    OPTION_NAMES,
    OPTION_LEAST,
    OPTION_VERBOSE,
    OPTION_COUNT
};
#define TAKES(option) (1ull << OPTION_##option)

struct command {
    const char *name; /* "batch"; "": nothing is said, or only a lab */
    /* Behind the name, "lab3 DIR": "lab3" and "lab3.2" are a lab, "[DIR]" may be missing; at most OPTIONS_NAMES besides the lab. */
    const char *words;
    const char *summary;      /* what it does, in the line of --help */
    const char *more;         /* lines for its own --help; "": none */
    const char *verbose;      /* what -v shows; NULL: it takes no -v */
    unsigned long long takes; /* TAKES(JSON) | ...; -v by the field above */
    enum session_depth depth;
    bool is_for_others; /* submissions are strangers': links in their places are not followed */
    enum outcome (*run)(struct session *session);
};

enum { COMMANDS_MOST = 24 };
/* The first two have no name: ./grade alone, and ./grade lab3. The last has no function. */
enum { COMMAND_LIST, COMMAND_GRADE, COMMAND_NAMED };
extern const struct command commands[];

#endif
