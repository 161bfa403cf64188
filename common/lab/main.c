/* main.c - the program that a student runs by hand: build/lab3 [STAGE...] [options].
 * Runs stages at the timed size, or at another, checks the results and prints times on the scale of the reports. It gives no
 * points and trusts the submission: grading is the grader's work, in other processes.
 * Exit status: 0 all right, 1 something is wrong with the submission, 2 usage, or a failure of ours. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cuda_runtime_api.h>

#include "lab/buffers.h"
#include "lab/hand.h"
#include "lab/measure.h"
#include "lab/sweep.h"

enum { MOST_STAGES = 100 };

struct options {
    bool is_chosen[MOST_STAGES]; /* per row of the stage table */
    bool has_choice, is_list, is_help, has_references;
    bool is_json;         /* for programs to read */
    bool is_all;          /* all blocks are executed, at any size */
    long size[LAB_SIZES]; /* -1: not given */
    long number;          /* of a case of the table, from 1; 0: none was named */
    long reps;            /* 0: not given */
    uint64_t seed;
    struct sweep sweep;
};

/* Where the program's source lies, and the command that makes it; a program without them says nothing of its age. */
extern const char lab_source[] __attribute__((weak));
extern const char lab_command[] __attribute__((weak));

/* ------------------------------------------------------------------------------------------- options */

static void print_help(void)
{
    printf("usage: build/%s [STAGE...] [options]\n", lab.id);
    hand_put_words(lab.title);
    printf("Runs stages (all, if none is named), checks and times them.\n\n");
    for (int i = 0; i < LAB_SIZES && lab.size_names[i]; i++)
        printf("  -%c N       %s\n", lab.size_options[i],
               lab.size_words[i] ? lab.size_words[i] : lab.size_names[i]);
    printf("             (default, for each stage: the size that is timed)\n");
    printf("  --case N   a case of --list, as a report names it\n"
           "  --seed N   of the inputs (default: 1)\n"
           "  --all      virtual GPU: all blocks, at any size; it may take minutes\n"
           "  --reps N   on a GPU: so many measurements (default: as many as it takes)\n"
           "  --json     a line of JSON for each stage, and nothing else on standard output\n"
           "  --sweep %c=1..64  these stages at a row of sizes (or %c=1,3,5), as a curve\n"
           "  --list     the stages, their points, and the cases\n"
           "%s\n`./grade %s` gives points. Exit status: 0 right, 1 wrong, 2 not run.\n",
           lab.size_options[0], lab.size_options[0],
           lab.references ? "  --references   then what others take, and the last stage's share of it\n" : "",
           lab.id);
}

static void print_list(void)
{
    char name[300];
    for (int i = 0; i < lab.nstages; i++) {
        const struct lab_stage *stage = &lab.stages[i];
        printf("%3d  %-*s ", i + 1, hand_id_width(), stage->id);
        if (stage->is_given)
            printf("%-17s", "given");
        else
            printf("%2d points%s", lab_stage_points(stage), stage->is_bonus ? ", bonus " : "        ");
        printf("%s\n", stage->title);
    }
    printf("\ncases\n");
    for (int i = 0; i < lab.ncases; i++) {
        const struct lab_stage *only = lab.cases[i].stage ? lab_find_stage(&lab, lab.cases[i].stage) : NULL;
        lab_describe_case(&lab, only, &lab.cases[i], name, sizeof name);
        printf("%3d  %s%s%s\n", i + 1, name, lab.cases[i].stage ? ", of stage " : "",
               lab.cases[i].stage ? lab.cases[i].stage : "");
    }
}

static bool refuse(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s %s\nbuild/%s --help shows how to use it\n", lab.id, what, why, lab.id);
    return false;
}

static bool read_number(const char *text, long least, long *out)
{
    char why[80], *end;
    *out = strtol(text, &end, 10);
    if (end != text && !*end && *out >= least && *out <= INT32_MAX)
        return true;
    snprintf(why, sizeof why, "is no number from %ld to %d", least, INT32_MAX);
    return refuse(text, why);
}

static bool choose_stage(struct options *options, const char *name)
{
    const struct lab_stage *stage = lab_find_stage(&lab, name);
    if (!stage)
        return refuse("no stage is called", name);
    options->is_chosen[stage - lab.stages] = true;
    return options->has_choice = true;
}

/* 0 is a size where the table has a case with it. */
static bool read_size(struct options *options, int letter, const char *text)
{
    for (int i = 0; i < LAB_SIZES; i++) {
        long least = 1;
        for (int k = 0; k < lab.ncases; k++)
            least = lab.cases[k].size[i] < least ? lab.cases[k].size[i] : least;
        if (lab.size_options[i] && lab.size_options[i] == letter)
            return read_number(text, least, &options->size[i]);
    }
    return refuse("there is no such option", "");
}

static bool read_case(struct options *options, const char *text)
{
    return read_number(text, 1, &options->number) &&
           (options->number <= lab.ncases || refuse("there is no case", text));
}

static bool read_seed(struct options *options, const char *text)
{
    long seed;
    const bool is_read = read_number(text, 0, &seed);
    options->seed = (uint64_t)seed;
    return is_read;
}

static bool read_reps(struct options *options, const char *text)
{
    return read_number(text, 1, &options->reps);
}

static bool read_sweep(struct options *options, const char *text)
{
    const char *problem = sweep_read(text, &options->sweep);
    return !problem || refuse(text, problem);
}

/* Letters are the lab's own: sizes. */
static bool read_options(int argc, char **argv, struct options *options)
{
    enum { FIRST_SWITCH = 256, FIRST_VALUE = 512 };
    bool *const switches[] = {&options->is_list, &options->is_help, &options->is_all,
                              &options->has_references, &options->is_json};
    bool (*const values[])(struct options *, const char *) = {read_case, read_seed, read_reps, read_sweep};
    static const struct option names[] = {{"list", no_argument, NULL, FIRST_SWITCH},
                                          {"help", no_argument, NULL, FIRST_SWITCH + 1},
                                          {"all", no_argument, NULL, FIRST_SWITCH + 2},
                                          {"references", no_argument, NULL, FIRST_SWITCH + 3},
                                          {"json", no_argument, NULL, FIRST_SWITCH + 4},
                                          {"case", required_argument, NULL, FIRST_VALUE},
                                          {"seed", required_argument, NULL, FIRST_VALUE + 1},
                                          {"reps", required_argument, NULL, FIRST_VALUE + 2},
                                          {"sweep", required_argument, NULL, FIRST_VALUE + 3},
                                          {0}};
    char letters[2 * LAB_SIZES + 2] = ":";
    opterr = 0;
    for (int i = 0; i < LAB_SIZES && lab.size_options[i]; i++)
        snprintf(letters + strlen(letters), 3, "%c:", lab.size_options[i]);
    bool is_right = true;
    for (int option; is_right && (option = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
        if (option == '?' || option == ':')
            is_right = refuse(argv[optind - 1], option == '?' ? "is no option" : "wants a value");
        else if (option >= FIRST_VALUE)
            is_right = values[option - FIRST_VALUE](options, optarg);
        else if (option >= FIRST_SWITCH)
            *switches[option - FIRST_SWITCH] = true;
        else
            is_right = read_size(options, option, optarg);
    }
    while (is_right && optind < argc)
        is_right = choose_stage(options, argv[optind++]);
    return is_right;
}

/* ------------------------------------------------------------------------------------------- sizes */

/* The timed case, or that of the table which was named; with the sizes that were given. */
static struct lab_case choose_case(const struct lab_stage *stage, const struct options *options)
{
    struct lab_case chosen = options->number ? lab.cases[options->number - 1] : *lab_timed_case(&lab, stage);
    for (int i = 0; i < LAB_SIZES; i++)
        if (options->size[i] >= 0)
            chosen.size[i] = options->size[i];
    return chosen;
}

static bool is_wanted(const struct options *options, int row)
{
    const struct lab_case *named = options->number ? &lab.cases[options->number - 1] : NULL;
    return (!options->has_choice || options->is_chosen[row]) &&
           (!named || lab_case_applies(named, &lab.stages[row]));
}

static bool is_sampled(const struct lab_stage *stage, const struct lab_case *which,
                       const struct options *options)
{
    return buffers_are_virtual() && !options->is_all && lab_is_large(&lab, stage, which);
}

/* ------------------------------------------------------------------------------------------- the table */

/* By row: what was found out. */
static struct lab_scale scales[MOST_STAGES];
static double works[MOST_STAGES];

/* A speedup in a column of its own; one that is not known leaves it empty. */
static void add_cell(char *line, size_t size, double value)
{
    char cell[32] = "";
    if (value > 0)
        lab_write_times(value, cell, sizeof cell);
    snprintf(line + strlen(line), size - strlen(line), " %7s", cell);
}

static void put_head(const struct options *options)
{
    static const char *const names[] = {"rate", "share", "share or rate"};
    bool has_share = false, has_rate = false;
    for (int i = 0; i < lab.nstages; i++) {
        const bool is_share = lab_is_share(lab_unit(&lab, &lab.stages[i]));
        has_share = has_share || (is_wanted(options, i) && is_share);
        has_rate = has_rate || (is_wanted(options, i) && !is_share);
    }
    printf("\n     %-*s %-6s %11s  %-16s %7s %7s %7s\n", hand_id_width(), "stage", "result", "time",
           names[has_share + (has_share && has_rate)], "speedup", "before", "need");
}

static void put_scale(const struct lab_stage *stage, const char *result, const struct lab_scale *scale)
{
    char share[80], line[200];
    lab_write_share(scale, share, sizeof share);
    snprintf(line, sizeof line, "%8.2f us  %-16s", scale->us, share);
    add_cell(line, sizeof line, scale->base ? scale->speedup : 0);
    add_cell(line, sizeof line, scale->gain);
    add_cell(line, sizeof line, scale->need);
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
    hand_put_row(stage, result);
    printf("%s\n", line);
}

/* Over the stage before, where it ran before this one and does the same work. */
static void find_gain(const struct lab_stage *stage, int row)
{
    const struct lab_stage *before = lab_previous(&lab, stage);
    const int at = before ? (int)(before - lab.stages) : -1;
    if (at < 0 || !(scales[at].us > 0) || works[at] != works[row])
        return;
    scales[row].gain = scales[at].us / scales[row].us;
    scales[row].before = at + 1;
}

/* "1 2 13": the rows for which a text is the same as for this one. */
static void write_rows(const char *const *texts, int row, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < lab.nstages; i++)
        if (texts[i] && !strcmp(texts[i], texts[row]))
            snprintf(out + strlen(out), size - strlen(out), "%s%d", *out ? " " : "", i + 1);
}

static bool is_first(const char *const *texts, int row)
{
    for (int i = 0; i < row; i++)
        if (texts[i] && texts[row] && !strcmp(texts[i], texts[row]))
            return false;
    return texts[row] != NULL;
}

/* Where all rows have the same text, they are not listed. */
static bool is_only(const char *const *texts)
{
    int different = 0;
    for (int i = 0; i < lab.nstages; i++)
        different += is_first(texts, i);
    return different == 1;
}

static bool has_gain(void)
{
    bool is_any = false;
    for (int i = 0; i < lab.nstages; i++)
        is_any = is_any || scales[i].gain > 0;
    return is_any;
}

/* What the columns mean: with its rows, where the kit has several first versions. */
static void put_legend(bool has_sample)
{
    const char *bases[MOST_STAGES] = {NULL};
    char text[2000] = "", rows[300];
    for (int i = 0; i < lab.nstages; i++)
        bases[i] = scales[i].base;
    for (int i = 0; i < lab.nstages; i++) {
        if (!is_first(bases, i))
            continue;
        write_rows(bases, i, rows, sizeof rows);
        snprintf(text + strlen(text), sizeof text - strlen(text), is_only(bases) ? "%s %s" : "%s %s (%s)",
                 *text ? "," : "speedup: over the kit's", bases[i], rows);
    }
    if (*text)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s.%s",
                 has_gain() ? "; before: over the stage before" : "",
                 has_sample ? " A sample of the blocks is timed; all results are compared at small sizes."
                            : "");
    if (*text)
        printf("\n");
    hand_put_words(text);
}

/* ------------------------------------------------------------------------------------------- stages */

/* At which sizes the stages run: with their rows, where these differ. True if only a sample of some is executed. */
static bool put_sizes(const struct options *options)
{
    static char names[MOST_STAGES][200];
    const char *texts[MOST_STAGES] = {NULL};
    char rows[300], text[600];
    bool has_sample = false;
    for (int i = 0; i < lab.nstages; i++) {
        const struct lab_case which = choose_case(&lab.stages[i], options);
        if (!is_wanted(options, i))
            continue;
        lab_describe_case(&lab, &lab.stages[i], &which, names[i], sizeof names[i]);
        texts[i] = names[i];
        has_sample = has_sample || is_sampled(&lab.stages[i], &which, options);
    }
    for (int i = 0; i < lab.nstages; i++) {
        if (!is_first(texts, i))
            continue;
        write_rows(texts, i, rows, sizeof rows);
        snprintf(text, sizeof text, is_only(texts) ? "%s" : "%s (stage%s %s)", texts[i],
                 strchr(rows, ' ') ? "s" : "", rows);
        hand_put_words(text);
    }
    return has_sample;
}

static enum hand_status run_one(int row, const struct options *options, const struct lab_most *most)
{
    const struct lab_stage *stage = &lab.stages[row];
    const struct lab_case which = choose_case(stage, options);
    const bool has_sample = is_sampled(stage, &which, options);
    const bool is_usual = memcmp(which.size, lab_timed_case(&lab, stage)->size, sizeof which.size) == 0;
    struct hand_time time;
    struct lab_run run;
    lab_begin_run(&run, &lab, stage, &which, options->seed);
    if (!stage->function) {
        hand_put_symptom(&run, LAB_MISSING, "The file does not define its entry point.");
        return HAND_WRONG;
    }
    hand_watch();
    enum hand_status status = has_sample || is_usual ? hand_check_cases(stage, options->seed) : HAND_RIGHT;
    if (status == HAND_RIGHT && !has_sample)
        status = hand_check(stage, &which, options->seed);
    const struct lab_outcome right = {.is_right = true};
    if (status == HAND_RIGHT && lab_is_only_said(&run)) {
        hand_put_outcome(&run, "right", &right, 0);
        hand_put_row(stage, "right");
        printf("\n");
        return HAND_RIGHT;
    }
    if (status == HAND_RIGHT)
        status = hand_time(stage, &which, options->seed, has_sample, options->reps, &time);
    if (status != HAND_RIGHT)
        return status;
    works[row] = lab_work(&run);
    lab_find_scale(&lab, stage, most, works[row], time.us, time.baseline_us, &scales[row]);
    /* At other sizes nothing is needed. */
    if (!is_usual)
        scales[row].need = 0;
    find_gain(stage, row);
    hand_put_outcome(&run, time.is_unsure ? "unsure" : "right", &right, time.us);
    put_scale(stage, time.is_unsure ? "unsure" : "right", &scales[row]);
    if (time.is_unsure)
        hand_put(
            true,
            "Right at small sizes. At this one it was timed, but not compared: its launches go on from "
            "each other's results, of which a sample of the blocks has only a part. --all compares all.");
    if (*hand_meaning)
        hand_put(true, "%s", hand_meaning);
    if (time.is_launch_bound)
        hand_put(true, "bound by the launch: this size is too small to tell kernels apart");
    hand_put_dirt(stage);
    return HAND_RIGHT;
}

static bool is_any_left(const struct options *options, int row)
{
    for (int i = row + 1; i < lab.nstages; i++)
        if (is_wanted(options, i))
            return true;
    return false;
}

/* The file may end the program in the stage under way: those that come after it. */
static const struct options *asked;
static int under_way = MOST_STAGES;

static void put_not_run(void)
{
    const char *before = "not run: ";
    for (int i = under_way + 1; i < lab.nstages; i++)
        if (is_wanted(asked, i)) {
            printf("%s%s", before, lab.stages[i].id);
            before = ", ";
        }
    if (*before == ',')
        printf(": %s ended the program.\n", lab.stages[under_way].entry);
}

static enum hand_status run_all(const struct options *options)
{
    struct lab_most most;
    enum hand_status worst = HAND_RIGHT;
    asked = options;
    atexit(put_not_run); /* behind what else is told at the end */
    hand_find_most(&most);
    const bool has_sample = put_sizes(options);
    put_head(options);
    for (int i = 0; i < lab.nstages; i++) {
        if (!is_wanted(options, i))
            continue;
        under_way = i;
        const enum hand_status status = run_one(i, options, &most);
        under_way = MOST_STAGES;
        worst = status > worst ? status : worst;
        fflush(stdout);
        if (hand_is_lost()) {
            if (is_any_left(options, i))
                printf("The GPU is in an error state now: the stages after this one were not run.\n");
            break;
        }
    }
    put_legend(has_sample);
    return worst;
}

/* Curves of one drawing have one unit, so they are of stages that were named. */
static enum hand_status run_sweep(const struct options *options)
{
    const struct sweep_how how = {options->seed, options->reps, options->is_all};
    struct sweep_stage stages[SWEEP_STAGES];
    int count = 0;
    for (int i = 0; i < lab.nstages; i++) {
        if (!options->is_chosen[i])
            continue;
        if (count == SWEEP_STAGES)
            return hand_fail("too many stages for one drawing", NULL);
        stages[count++] = (struct sweep_stage){&lab.stages[i], choose_case(&lab.stages[i], options)};
        const char *unit = lab_unit(&lab, &lab.stages[i]), *first = lab_unit(&lab, stages[0].stage);
        if (strcmp(unit ? unit : "", first ? first : "") != 0)
            return hand_fail("these stages have different units, which one drawing cannot show",
                             lab.stages[i].id);
    }
    return count ? sweep_run(&options->sweep, stages, count, &how)
                 : hand_fail("--sweep needs the name of a stage, or of several", NULL);
}

/* What others take, on the size of the last stage that was run. */
static enum hand_status put_references(const struct options *options)
{
    struct lab_run run;
    const struct lab_stage *stage = NULL;
    for (int i = 0; i < lab.nstages; i++)
        stage = is_wanted(options, i) ? &lab.stages[i] : stage;
    if (!lab.references || !stage)
        return hand_fail("no references are known", lab.title);
    const struct lab_case which = choose_case(stage, options);
    lab_begin_run(&run, &lab, stage, &which, options->seed);
    const char *problem = hand_open(&run, true);
    if (!problem)
        lab.references(&run, buffers_are_virtual() ? NULL : measure_us);
    hand_close(&run);
    return problem ? hand_fail("cannot set up the buffers", problem) : HAND_RIGHT;
}

/* ------------------------------------------------------------------------------------------- the program */

/* Who edits and runs without make sees what was there before. */
static void warn_of_age(void)
{
    struct stat source, program;
    if (!lab_source || !lab_command || stat(lab_source, &source) != 0 ||
        stat("/proc/self/exe", &program) != 0)
        return;
    const bool is_older =
        source.st_mtim.tv_sec > program.st_mtim.tv_sec ||
        (source.st_mtim.tv_sec == program.st_mtim.tv_sec && source.st_mtim.tv_nsec > program.st_mtim.tv_nsec);
    if (is_older)
        fprintf(stderr, "%s: this program is older than %s: run `%s`\n", lab.id, strrchr(lab_source, '/') + 1,
                lab_command);
}

static enum hand_status print_device(void)
{
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: no GPU answers (%s); `make %s VIRTUAL=1` builds for the virtual one\n", lab.id,
                cudaGetErrorString(error), lab.id);
        return HAND_OURS;
    }
    if (buffers_are_virtual())
        printf("%s on the virtual GPU as %s: times are its model's\n", lab.id, properties.name);
    else
        printf("%s on %s\n", lab.id, properties.name);
    return HAND_RIGHT;
}

/* A case of one stage can be run with no other. */
static bool check_sense(const struct options *options)
{
    const char *of = options->number ? lab.cases[options->number - 1].stage : NULL;
    for (int i = 0; i < lab.nstages; i++)
        if (options->is_chosen[i] && !is_wanted(options, i))
            return refuse("that case is one of stage", of);
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.seed = 1, .size = {-1, -1, -1, -1}};
    const char *problem = lab_find_flaw(&lab);
    if (problem)
        return (int)hand_fail("the lab's table has a flaw", problem);
    if (!read_options(argc, argv, &options) || !check_sense(&options))
        return HAND_OURS;
    if (options.is_help || options.is_list) {
        (options.is_help ? print_help : print_list)();
        return HAND_RIGHT;
    }
    warn_of_age();
    if (options.is_json)
        hand_put_json_only();
    enum hand_status status = print_device();
    if (status == HAND_RIGHT && options.sweep.count)
        return (int)run_sweep(&options);
    if (status == HAND_RIGHT)
        status = run_all(&options);
    return (int)(status == HAND_RIGHT && options.has_references ? put_references(&options) : status);
}
