/* options.c - the command line of ./grade: one table of options, the table of commands, one sentence per mistake.
 * Options may stand before or behind names; "--" ends them, so that any file can be named.
 * Whether labs, stages and files exist is not asked here. */
#include "grader/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "grader/commands.h"
#include "grader/platform.h"

/* ------------------------------------------------------------------------------------------- the tables */

#define FIELD(name) offsetof(struct options, name)

/* In the order of enum command_option. */
static const struct option_row rows[OPTION_COUNT] = {
    [OPTION_VIRTUAL] = {"virtual", NULL, "on the virtual GPU, even if there is a real one",
                        FIELD(is_virtual)},
    [OPTION_GPU] = {"gpu", "NAME", "as h200 h100 rtx4090 a100 t4 v100 gtx1080 p100: virtual", FIELD(gpu)},
    [OPTION_FILE] = {"file", "PATH", "another file than labs/lab3-.../lab3.cu", FIELD(file)},
    [OPTION_SOLUTION] = {"solution", NULL, "the kit's own solution", FIELD(is_solution)},
    [OPTION_STAGE] = {"stage", "ID,ID", "these stages alone", FIELD(stage)},
    [OPTION_JSON] = {"json", NULL, "one JSON object instead of the report", FIELD(is_json)},
    [OPTION_FORM] = {"form", "FORM", PLATFORM_FORMS ": as that platform wants it", FIELD(form)},
    [OPTION_AUDIT] = {"audit", NULL, "virtual GPU: all of the timed size is executed and compared",
                      FIELD(is_audit)},
    [OPTION_OUT] = {"out", "DIR", "where results.csv and NAME.json go (DIR/results)", FIELD(out)},
    [OPTION_JOBS] = {"jobs", "N", "submissions at a time; -j N too (as many as cores)", FIELD(jobs)},
    [OPTION_ONLY] = {"only", "WHO,WHO", "these students alone", FIELD(only)},
    [OPTION_REGRADE] = {"regrade", "WHAT", "again: all, failed, changed, or WHO,WHO", FIELD(regrade)},
    [OPTION_ROSTER] = {"roster", "CSV", "who is in the class: id, name, email, section", FIELD(roster)},
    [OPTION_DEADLINE] = {"deadline", "TIME", "what comes later is late: 2026-11-17T23:59+01:00",
                         FIELD(deadline)},
    [OPTION_LATE] = {"late", "RULE", "what it loses: \"10%/day, most 50%, 0 after 7 days\"", FIELD(late)},
    [OPTION_TAKE] = {"take", "WHICH", "of several of one student: last (or best)", FIELD(take)},
    [OPTION_SLURM] = {"slurm", NULL, "as tasks of a Slurm cluster", FIELD(is_slurm)},
    [OPTION_CHUNK] = {"chunk", "N", "with --slurm: submissions of a task (20)", FIELD(chunk)},
    [OPTION_SBATCH_ARGS] = {"sbatch-args", "ARGS", "with --slurm: for sbatch, \"--gres=gpu:1\"",
                            FIELD(sbatch_args)},
    [OPTION_LIST] = {"list", "FILE", "those whose names stand in FILE, each with a NUL", FIELD(list)},
    [OPTION_STATUS] = {"status", "STATUS", "those alone: graded, refused, missing, late, ...", FIELD(status)},
    [OPTION_SORT] = {"sort", "BY", "name, points, status or late", FIELD(sort)},
    [OPTION_OVERRIDE] = {"override", "WHO=N", "points by hand: N, without bonus, or N+BONUS; or none",
                         FIELD(override)},
    [OPTION_REASON] = {"reason", "TEXT", "why", FIELD(reason)},
    [OPTION_RECOVER] = {"recover", NULL, "a damaged store: from its backups and what can be read",
                        FIELD(is_recover)},
    [OPTION_HTML] = {"html", "FILE", "a page for a browser: lines, pictures, step by step", FIELD(html)},
    [OPTION_MORE] = {"more", NULL, "one level further than the last time", FIELD(is_more)},
    [OPTION_NO_SANDBOX] = {"no-sandbox", NULL, "go on where nothing keeps submissions from our files",
                           FIELD(needs_no_sandbox)},
    [OPTION_OUTPUT] = {"output", "PATH", "the file or folder to write; -o PATH too", FIELD(output)},
    [OPTION_GRADEBOOK] = {"gradebook", "CSV", "canvas: the gradebook that Canvas has exported",
                          FIELD(gradebook)},
    [OPTION_COLUMN] = {"column", "HEADING", "of the gradebook: the assignment (the one of the lab)",
                       FIELD(column)},
    [OPTION_BOM] = {"bom", NULL, "tables with a byte-order mark, for Excel", FIELD(has_mark)},
    [OPTION_PAGES] = {"pages", NULL, "a page for each student too, in folder pages", FIELD(is_pages)},
    [OPTION_EXPLAIN] = {"explain", "WHICH", "with --pages: stages explained: lost, or all", FIELD(explain)},
    [OPTION_ANONYMOUS] = {"anonymous", NULL, "pseudonyms instead of names", FIELD(is_anonymous)},
    [OPTION_LEADERBOARD] = {"leaderboard", NULL, "the fastest of each stage instead", FIELD(is_leaderboard)},
    [OPTION_NAMES] = {"names", "FILE", "with --leaderboard: ids of those to be named", FIELD(named)},
    [OPTION_LEAST] = {"least", "N", "submissions that are N % alike or more (60; short ones 85)",
                      FIELD(least)},
    [OPTION_VERBOSE] = {"verbose", NULL, "", FIELD(is_verbose)},
};

enum { HELP = OPTION_COUNT, VERSION, LONG_NAMES };

static void name_options(struct option names[LONG_NAMES + 1])
{
    for (int i = 0; i < OPTION_COUNT; i++)
        names[i] =
            (struct option){rows[i].name, rows[i].value ? required_argument : no_argument, NULL, 256 + i};
    names[HELP] = (struct option){"help", no_argument, NULL, 256 + HELP};
    names[VERSION] = (struct option){"version", no_argument, NULL, 256 + VERSION};
    names[LONG_NAMES] = (struct option){NULL, 0, NULL, 0};
}

static bool fail(char *error, size_t size, const char *format, const char *what)
{
    snprintf(error, size, format, what);
    return false;
}

static bool takes(const struct command *command, int which)
{
    return which == OPTION_VERBOSE ? command->verbose != NULL : (command->takes >> which & 1) != 0;
}

const struct option_row *options_row(int which)
{
    return &rows[which];
}

bool options_takes(const struct command *command, int which)
{
    return takes(command, which);
}

/* ------------------------------------------------------------------------------------------- reading */

static void take_option(struct options *options, int which)
{
    if (which == HELP)
        options->is_help = true;
    else if (which == VERSION)
        options->is_version = true;
    else if (rows[which].value)
        *(const char **)((char *)options + rows[which].field) = optarg;
    else
        *(bool *)((char *)options + rows[which].field) = true;
}

/* " Did you mean --virtual?"; "": nobody knows. words ends with NULL. */
static bool fail_near(char *error, size_t size, const char *what, const char *word, const char *before,
                      const char *const *words)
{
    const char *near = nearest_word(word, words);
    snprintf(error, size, "There is no %s `%s%.60s`.%s%s%s%s", what, before, word,
             near ? " Did you mean " : "", near ? before : "", near ? near : "", near ? "?" : "");
    return false;
}

/* "--virtul", "--fiel=x"; a letter alone is near to nothing. */
static bool fail_option(char *error, size_t size, const char *given)
{
    const char *names[OPTION_COUNT + 3] = {"help", "version"};
    char word[60];
    if (strncmp(given, "--", 2) != 0)
        return fail(error, size, "There is no option `%s`.", given);
    for (int i = 0; i < OPTION_COUNT; i++)
        names[i + 2] = rows[i].name;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    return fail_near(error, size, "option", word, "--", names);
}

/* A first word that is near to a command was not meant for a lab. */
static bool check_command(const char *word, char *error, size_t size)
{
    const char *names[COMMANDS_MOST];
    int count = 0;
    for (const struct command *one = &commands[COMMAND_NAMED]; one->run && count < COMMANDS_MOST - 1; one++)
        names[count++] = one->name;
    names[count] = NULL;
    if (strncmp(word, "lab", 3) == 0 || !nearest_word(word, names))
        return true;
    return fail_near(error, size, "command", word, "", names);
}

/* "lab3", "lab3.2", "lab3.padded". */
static bool take_lab(struct options *options, const char *text, char *error, size_t size)
{
    size_t length = strcspn(text, ".");
    if (length == 0 || length >= sizeof options->lab || strchr(text, '/'))
        return fail(error, size, "`%s` is not the name of a lab.", text);
    snprintf(options->lab, sizeof options->lab, "%.*s", (int)length, text);
    if (text[length] == '.' && !takes(options->command, OPTION_STAGE))
        return fail(error, size, "`%s` names a stage: here a lab is wanted as a whole.", text);
    if (text[length] == '.' && options->stage)
        return fail(error, size, "`%s` names a stage, and so does --stage.", text);
    if (text[length] == '.')
        options->stage = text + length + 1;
    return true;
}

/* The next of "lab3 [DIR]"; returns what follows it. */
static const char *next_word(const char *words, bool *is_lab, bool *is_optional)
{
    const size_t length = strcspn(words, " ");
    *is_lab = length >= 4 && strncmp(words, "lab3", 4) == 0;
    *is_optional = *words == '[';
    return words + length + strspn(words + length, " ");
}

static bool take_words(struct options *options, int count, char **given, char *error, size_t size)
{
    const struct command *command = options->command;
    char usage[200];
    int used = 0, names = 0;
    bool is_lab, is_optional;
    if (command == &commands[COMMAND_GRADE] && !check_command(given[0], error, size))
        return false;
    snprintf(usage, sizeof usage, "./grade %s%s%s", command->name, *command->name ? " " : "", command->words);
    for (const char *at = command->words; *at;) {
        at = next_word(at, &is_lab, &is_optional);
        if (used == count && is_optional)
            break;
        if (used == count)
            return fail(error, size, "A word is missing: %s", usage);
        if (is_lab && !take_lab(options, given[used], error, size))
            return false;
        if (!is_lab && names < OPTIONS_NAMES)
            options->names[names++] = given[used];
        used++;
    }
    if (used < count && command == &commands[COMMAND_GRADE])
        return fail(error, size, "One lab at a time: what is `%s`?", given[used]);
    if (used < count)
        return fail(error, size, "There are words too many: %s", usage);
    return true;
}

/* Returns how many words the command's name took. */
static int choose_command(struct options *options, int count, char **words)
{
    options->command = &commands[count ? COMMAND_GRADE : COMMAND_LIST];
    for (const struct command *one = &commands[COMMAND_NAMED]; count && one->run; one++) {
        if (strcmp(words[0], one->name) == 0) {
            options->command = one;
            return 1;
        }
    }
    return 0;
}

static bool is_given(const struct options *options, int which)
{
    const char *field = (const char *)options + rows[which].field;
    return rows[which].value ? *(const char *const *)field != NULL : *(const bool *)field;
}

static bool is_number(const char *text, long most)
{
    char *end;
    const long value = strtol(text, &end, 10);
    return end != text && !*end && value >= 1 && value <= most;
}

/* Options that the command does not take, and those that do not go together. */
static bool check_sense(const struct options *options, char *error, size_t size)
{
    const struct command *command = options->command;
    char name[60];
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!is_given(options, i) || takes(command, i))
            continue;
        if (command == &commands[COMMAND_LIST])
            return fail(error, size, "%s", "Which lab? ./grade lists them.");
        snprintf(name, sizeof name, "`./grade %s` takes no --%%s.", *command->name ? command->name : "lab3");
        return fail(error, size, name, rows[i].name);
    }
    if (options->form && !platform_is_known(options->form))
        return fail(error, size, "--form wants " PLATFORM_FORMS ", not `%s`.", options->form);
    if (options->form && options->is_json)
        return fail(error, size, "%s", "--form and --json name two forms: choose one.");
    if (options->output && options->command == &commands[COMMAND_GRADE] && !options->form)
        return fail(error, size, "%s", "-o is the file for --form.");
    if (options->jobs && !is_number(options->jobs, OPTIONS_JOBS))
        return fail(error, size, "-j wants a number from 1 to 64, not `%s`.", options->jobs);
    if (options->chunk && (!is_number(options->chunk, 10000) || !options->is_slurm))
        return fail(error, size, "--chunk wants --slurm and a number from 1 to 10000, not `%s`.",
                    options->chunk);
    if (options->reason && !options->override)
        return fail(error, size, "%s",
                    "--reason says why points are given by hand: --override WHO=POINTS --reason TEXT.");
    if (options->least && !is_number(options->least, 100))
        return fail(error, size, "--least wants a number from 1 to 100, not `%s`.", options->least);
    if (options->file && options->is_solution)
        return fail(error, size, "%s", "--file and --solution name two submissions: choose one.");
    return true;
}

bool options_read(struct options *options, int argc, char **argv, char *error, size_t size)
{
    struct option names[LONG_NAMES + 1];
    name_options(names);
    *options = (struct options){.command = &commands[COMMAND_LIST]};
    opterr = 0;
    optind = 0;
    for (int which; (which = getopt_long(argc, argv, ":vj:o:", names, NULL)) != -1;) {
        if (which == ':')
            return fail(error, size, "%s wants a value.", argv[optind - 1]);
        if (which == '?')
            return fail_option(error, size, argv[optind - 1]);
        take_option(options, which == 'v'   ? OPTION_VERBOSE
                             : which == 'j' ? OPTION_JOBS
                             : which == 'o' ? OPTION_OUTPUT
                                            : which - 256);
        if (options->is_version)
            return true;
    }
    /* "help", "help batch". */
    if (optind < argc && strcmp(argv[optind], "help") == 0) {
        options->is_help = true;
        optind++;
    }
    const int used = choose_command(options, argc - optind, argv + optind);
    if (options->is_help && used == 0 && optind < argc && !check_command(argv[optind], error, size))
        return false;
    if (options->is_help)
        return true;
    if (!take_words(options, argc - optind - used, argv + optind + used, error, size) ||
        !check_sense(options, error, size))
        return false;
    options->is_virtual = options->is_virtual || options->gpu;
    return true;
}

/* ------------------------------------------------------------------------------------------- help */

static void put_usage(const struct command *command, int width, FILE *file)
{
    char usage[100];
    snprintf(usage, sizeof usage, "./grade%s%s%s%s", *command->name ? " " : "", command->name,
             *command->words ? " " : "", command->words);
    fprintf(file, "%-*s", width, usage);
}

static void put_option(const char *name, const char *value, const char *meaning, FILE *file)
{
    char words[60];
    snprintf(words, sizeof words, "%s%s%s", name, value ? " " : "", value ? value : "");
    fprintf(file, "  --%-15s %s\n", words, meaning);
}

static void put_all(FILE *file)
{
    for (const struct command *one = commands; one->run; one++) {
        fputs("  ", file);
        put_usage(one, 25, file);
        fprintf(file, " %s\n", one->summary);
    }
    fputs("\n"
          "With --help behind it, each says more: ./grade lab3 --help\n"
          "\n",
          file);
    put_option("virtual", NULL, rows[OPTION_VIRTUAL].meaning, file);
    put_option("gpu", "NAME", rows[OPTION_GPU].meaning, file);
    fputs("  -v, --verbose     more: all counters, all attempts, ...\n"
          "\n"
          "Ends with 0: done; 1: the submission did not compile or run; 2: the kit or the\n"
          "machine is at fault.\n",
          file);
}

static void put_one(const struct command *command, FILE *file)
{
    put_usage(command, 0, file);
    fprintf(file, "%s%s\n\n", ": ", command->summary);
    fputs(command->more, file);
    if (*command->more)
        putc('\n', file);
    for (int i = 0; i < OPTION_VERBOSE; i++) {
        if (takes(command, i))
            put_option(rows[i].name, rows[i].value, rows[i].meaning, file);
    }
    if (command->verbose)
        fprintf(file, "  -v, --verbose     %s\n", command->verbose);
}

void options_put_help(const struct command *command, FILE *file)
{
    if (command)
        put_one(command, file);
    else
        put_all(file);
}
