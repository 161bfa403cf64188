/* options.c - the command line of ./grade: one table of options, three commands, one sentence per mistake.
 * Options may stand before or behind names; "--" ends them, so that any file can be named.
 * Whether labs, stages and files exist is not asked here. */
#include "grader/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* 24 lines of 80 columns at most. */
const char options_help[] =
    "Compiles a submission, verifies it, times it, gives points and says what next.\n"
    "\n"
    "  ./grade                 the labs and what you have reached\n"
    "  ./grade lab3            all stages of lab3\n"
    "  ./grade lab3.2          one stage, by its row or its id (lab3.padded)\n"
    "  ./grade explain lab3.2  why the stage takes as long as it does, on the virtual GPU\n"
    "  ./grade batch lab3 DIR  every submission: folders with lab3.cu, files NAME.cu\n"
    "  ./grade check lab3      for instructors: are the lab's points for its steps?\n"
    "\n"
    "  --virtual        on the virtual GPU, even if there is a real one\n"
    "  --gpu NAME       as h200 h100 rtx4090 a100 t4 v100 gtx1080 p100, a virtual one\n"
    "  --file PATH      another file than labs/lab3-.../lab3.cu\n"
    "  --solution       the kit's own solution\n"
    "  --stage ID,ID    these stages alone\n"
    "  --json           one JSON object instead of the report\n"
    "  --audit          virtual GPU: all of the timed size is executed and compared\n"
    "  --out DIR        batch: where results.csv and NAME.json go (DIR/results)\n"
    "  --no-sandbox     batch: go on where nothing keeps submissions from our files\n"
    "  -v, --verbose    all goals, counters, cases, messages and warnings\n"
    "  --help, --version\n"
    "\n"
    "Ends with 0: graded; 1: the submission did not compile or run; 2: the kit or the\n"
    "machine is at fault. To run a stage by hand: build/lab3 --help\n";

/* Options with a value, then switches, then those that stand alone. */
enum { GPU, FILE_NAME, STAGE, OUT, VIRTUAL, SOLUTION, JSON, AUDIT, NO_SANDBOX, HELP, VERSION };

static const struct option names[] = {{"gpu", required_argument, NULL, GPU},
                                      {"file", required_argument, NULL, FILE_NAME},
                                      {"stage", required_argument, NULL, STAGE},
                                      {"out", required_argument, NULL, OUT},
                                      {"virtual", no_argument, NULL, VIRTUAL},
                                      {"solution", no_argument, NULL, SOLUTION},
                                      {"json", no_argument, NULL, JSON},
                                      {"audit", no_argument, NULL, AUDIT},
                                      {"no-sandbox", no_argument, NULL, NO_SANDBOX},
                                      {"verbose", no_argument, NULL, 'v'},
                                      {"help", no_argument, NULL, HELP},
                                      {"version", no_argument, NULL, VERSION},
                                      {NULL, 0, NULL, 0}};

static bool fail(char *error, size_t size, const char *format, const char *what)
{
    snprintf(error, size, format, what);
    return false;
}

static void take_option(struct options *options, int which)
{
    const char **const texts[] = {&options->gpu, &options->file, &options->stage, &options->out};
    bool *const switches[] = {&options->is_virtual, &options->is_solution, &options->is_json,
                              &options->is_audit, &options->needs_no_sandbox};
    if (which == 'v')
        options->is_verbose = true;
    else if (which == HELP || which == VERSION)
        options->command = which == HELP ? COMMAND_HELP : COMMAND_VERSION;
    else if (which >= VIRTUAL)
        *switches[which - VIRTUAL] = true;
    else
        *texts[which] = optarg;
}

/* "lab3", "lab3.2", "lab3.padded". */
static bool take_lab(struct options *options, const char *text, char *error, size_t size)
{
    size_t length = strcspn(text, ".");
    if (length == 0 || length >= sizeof options->lab || strchr(text, '/'))
        return fail(error, size, "`%s` is not the name of a lab.", text);
    snprintf(options->lab, sizeof options->lab, "%.*s", (int)length, text);
    if (text[length] == '.' && options->stage)
        return fail(error, size, "`%s` names a stage, and so does --stage.", text);
    if (text[length] == '.')
        options->stage = text + length + 1;
    return true;
}

static bool take_names(struct options *options, int count, char **words, char *error, size_t size)
{
    static const struct {
        const char *name;
        enum command command;
        int words;
        const char *usage;
    } commands[] = {{"batch", COMMAND_BATCH, 3, "`batch` wants a lab and a folder: ./grade batch lab3 DIR"},
                    {"check", COMMAND_CHECK, 2, "`check` wants a lab: ./grade check lab3"},
                    {"explain", COMMAND_EXPLAIN, 2, "`explain` wants a stage: ./grade explain lab3.2"}};
    if (count == 0)
        return true;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(words[0], commands[i].name) != 0)
            continue;
        options->command = commands[i].command;
        options->folder = count > 2 ? words[2] : NULL;
        if (count != commands[i].words)
            return fail(error, size, "%s", commands[i].usage);
        return take_lab(options, words[1], error, size);
    }
    options->command = COMMAND_GRADE;
    if (count > 1)
        return fail(error, size, "One lab at a time: what is `%s`?", words[1]);
    return take_lab(options, words[0], error, size);
}

/* Options that do not go together. */
static bool check_sense(const struct options *options, char *error, size_t size)
{
    if (options->file && options->is_solution)
        return fail(error, size, "%s", "--file and --solution name two submissions: choose one.");
    if (options->command == COMMAND_BATCH && (options->file || options->is_solution))
        return fail(error, size, "%s",
                    "`batch` takes its submissions from the folder: no --file, no --solution.");
    if (options->command == COMMAND_EXPLAIN && !options->stage)
        return fail(error, size, "%s", "`explain` wants a stage: ./grade explain lab3.2");
    if (options->out && options->command != COMMAND_BATCH)
        return fail(error, size, "%s", "--out goes with `batch` only.");
    if (options->command == COMMAND_LIST && (options->file || options->stage || options->is_solution))
        return fail(error, size, "%s", "Which lab? ./grade lists them.");
    return true;
}

bool options_read(struct options *options, int argc, char **argv, char *error, size_t size)
{
    *options = (struct options){.command = COMMAND_LIST};
    opterr = 0;
    optind = 0;
    for (int which; (which = getopt_long(argc, argv, ":v", names, NULL)) != -1;) {
        if (which == ':')
            return fail(error, size, "%s wants a value.", argv[optind - 1]);
        if (which == '?')
            return fail(error, size, "There is no option `%s`.", argv[optind - 1]);
        take_option(options, which);
        if (options->command == COMMAND_HELP || options->command == COMMAND_VERSION)
            return true;
    }
    if (!take_names(options, argc - optind, argv + optind, error, size))
        return false;
    options->is_virtual = options->is_virtual || options->gpu;
    return check_sense(options, error, size);
}
