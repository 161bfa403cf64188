/* manual.c - grade(1) in roff: commands and options from their tables, then what no table has: statuses, files, the environment.
 * Every variable that the kit reads has a row here; suite `help` looks for others in the sources. */
#include "grader/manual.h"

#include <string.h>

#include "grader/commands.h"
#include "lab/lab.h"

struct entry {
    const char *name, *meaning;
};

static const struct entry statuses[] = {
    {"0", "It is done: points were given, perhaps none."},
    {"1", "The submission did not compile or run; doctor: students cannot work here; check: something is to "
          "be mended."},
    {"2", "The kit or the machine is at fault, or the command line is wrong: there is no grade."},
    {"130", "Ctrl-C has ended it."},
};

static const struct entry files[] = {
    {"labs/lab3-bank-conflicts/lab3.cu", "The file that students edit; each lab has one."},
    {"build/results/lab3.history", "Every attempt, a line each; best points are found in it."},
    {"build/results/lab3.json", "The last whole report."},
    {"RESULTS/results.db",
     "The store of a class, with backups/ and by-hand.log beside it: ./grade results RESULTS --recover."},
    {"build/lab3", "One stage by hand, made by `make lab3`: build/lab3 --help."},
    {"PREFIX/share/warpstep",
     "A kit that `make install` has put there for many; their own files lie in folders that "
     "`warpstep-start` makes, with labs/ and build/."},
    {"handouts/", "What the labs teach, and how to begin: student.md."},
    {"common/vgpu/gpus/", "What the virtual GPU can be: a file for each GPU."},
};

static const struct entry variables[] = {
    {"WARPSTEP_RESULTS", "The folder of points and history, instead of build/results."},
    {"NVCC", "The compiler, before all that is found elsewhere."},
    {"CUDA_HOME", "The CUDA Toolkit's folder, if NVCC names no compiler."},
    {"CUDA_PATH", "The same, asked last."},
    {"NVCC_CCBIN", "The C++ compiler that nvcc calls."},
    {"NVCC_PREPEND_FLAGS", "Read by nvcc where the kit's own parts are built; not where submissions are."},
    {"NVCC_APPEND_FLAGS", "The same."},
    {"CXX", "The C++ compiler that links; g++ if it is not set."},
    {"MAKE", "GNU make; what PATH has if it is not set."},
    {"PATH", "Where programs are looked for."},
    {"CPATH", "Headers of the compiler, passed on to it."},
    {"GCC_EXEC_PREFIX", "Parts of the compiler, passed on to it."},
    {"LD_LIBRARY_PATH", "Libraries of the compiler, passed on to it."},
    {"CUDA_VISIBLE_DEVICES", "Which GPU is used, as CUDA reads it."},
    {"CUDA_DEVICE_ORDER", "How GPUs are numbered, as CUDA reads it."},
    {"HOME", "Of a shared kit without a folder of your own: what is kept lies in .warpstep there."},
    {"CLASSROOM",
     "With --form classroom50, and so are ASSIGNMENT, MODE, SUBMISSION_TAG, COMMIT_URL, RELEASE_URL and "
     "REVIEW_URL: what it is, as its runner says."},
    {"OWNER", "The same: whose submission it is."},
    {"SUBMITTED_AT", "The same: when the submission came, 2026-11-17T09:12:33Z; now, if it is not set."},
    {"TMPDIR",
     "Where temporary files go; /tmp if it is not set, or if root's submissions cannot come there."},
    {"NO_COLOR", "Set to anything: no colours."},
    {"TERM", "dumb: no colours, and nothing moves."},
    {"COLUMNS", "How wide lines may be where there is no terminal."},
    {"CHROMIUM", "The browser that makes PDF files of handouts."},
    {"VGPU_GPU", "Of programs on the virtual GPU, also build/lab3: which GPU to be; h200 if it is not set."},
    {"VGPU_CHECK", "full, bounds or off: which mistakes are looked for."},
    {"VGPU_COUNTERS", "A file for the counters of every launch."},
    {"VGPU_EXPLAIN", "1: at the end, what limits each kernel."},
    {"VGPU_REPORT", "A file for a page with all of that, and pictures."},
    {"VGPU_EXECUTE", "all, sample or none: which blocks are executed."},
    {"VGPU_CLOCK", "virtual: the host's clocks show modelled time."},
    {"VGPU_TIME", "off: no timing model."},
    {"VGPU_THREADS", "Threads of the host; results never depend on it."},
    {"VGPU_BUDGET",
     "Cost of a block, in simple instructions, after which a loop that is not known to end is stopped."},
    {"VGPU_WORK", "Instructions of all warps after which the program counts as endless."},
    {"VGPU_LIB", "Of vgpucc: another libvgpu.a."},
};

static const struct entry examples[] = {
    {"make lab3 && ./grade lab3", "Builds the lab and grades your file."},
    {"./grade lab3.tiled -v", "One stage, with every counter and message."},
    {"./grade explain lab3.padded --html page.html", "Why it takes as long as it does, as a page."},
    {"./grade batch lab3 submissions --out results", "A class, into a table and a file per student."},
};

/* ------------------------------------------------------------------------------------------- roff */

/* A dash is one that can be copied; a line that begins with a dot or a quote is no request. */
static void put_roff(const char *text, FILE *file)
{
    bool is_first = true;
    for (; *text; text++) {
        if (is_first && (*text == '.' || *text == '\''))
            fputs("\\&", file);
        if (*text == '\\')
            fputs("\\e", file);
        else if (*text == '-')
            fputs("\\-", file);
        else
            fputc(*text, file);
        is_first = *text == '\n';
    }
}

static void put_line(const char *before, const char *text, const char *behind, FILE *file)
{
    fputs(before, file);
    put_roff(text, file);
    fprintf(file, "%s\n", behind);
}

static void put_section(const char *name, FILE *file)
{
    fprintf(file, ".SH %s\n", name);
}

static void put_entries(const char *section, const struct entry *entries, int count, FILE *file)
{
    put_section(section, file);
    for (int i = 0; i < count; i++) {
        fputs(".TP\n", file);
        put_line("\\fB", entries[i].name, "\\fR", file);
        put_line("", entries[i].meaning, "", file);
    }
}

/* ------------------------------------------------------------------------------------------- from the tables */

static void put_usage(const struct command *command, FILE *file)
{
    fputs("\\fB./grade", file);
    if (*command->name)
        put_line(" ", command->name, "\\fR", file);
    else
        fputs("\\fR\n", file);
    if (*command->words)
        put_line("\\fI", command->words, "\\fR", file);
}

/* "--gpu NAME". */
static void put_option_name(int which, FILE *file)
{
    const struct option_row *row = options_row(which);
    fputs("\\fB\\-\\-", file);
    put_roff(row->name, file);
    fputs("\\fR", file);
    if (row->value)
        fprintf(file, " \\fI%s\\fR", row->value);
}

static void put_options_of(const struct command *command, FILE *file)
{
    int count = 0;
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!options_takes(command, i))
            continue;
        fputs(count++ ? ",\n" : ".br\nTakes\n", file);
        put_option_name(i, file);
    }
    if (command->verbose && *command->verbose)
        put_line(" (", command->verbose, ")", file);
    else if (count)
        putc('\n', file);
}

static void put_command(const struct command *command, FILE *file)
{
    fputs(".TP\n\\fB./grade", file);
    if (*command->name) {
        putc(' ', file);
        put_roff(command->name, file);
    }
    put_line("\\fR \\fI", command->words, "\\fR", file);
    put_line("", command->summary, ".", file);
    if (*command->more) {
        fputs(".br\n", file);
        put_roff(command->more, file);
    }
    put_options_of(command, file);
}

static void put_commands(FILE *file)
{
    put_section("COMMANDS", file);
    for (const struct command *one = commands; one->run; one++)
        put_command(one, file);
}

static void put_options(FILE *file)
{
    put_section("OPTIONS", file);
    for (int i = 0; i < OPTION_COUNT; i++) {
        fputs(".TP\n", file);
        fputs(i == OPTION_VERBOSE ? "\\fB\\-v\\fR, " : i == OPTION_JOBS ? "\\fB\\-j\\fR, " : "", file);
        put_option_name(i, file);
        putc('\n', file);
        put_line("",
                 i == OPTION_VERBOSE ? "more; what more, is said at each command" : options_row(i)->meaning,
                 "", file);
    }
    fputs(".TP\n\\fB\\-\\-help\\fR\nof all commands, or of the one before it\n"
          ".TP\n\\fB\\-\\-version\\fR\nof the kit\n"
          ".TP\n\\fB\\-\\-completion\\fR \\fIbash|zsh\\fR\n"
          "a script that completes words behind ./grade:\n"
          ".B source <(./grade \\-\\-completion bash)\n"
          ".TP\n\\fB\\-\\-man\\fR\nthis page\n",
          file);
}

static void put_synopsis(FILE *file)
{
    put_section("SYNOPSIS", file);
    for (const struct command *one = commands; one->run; one++) {
        if (one != commands)
            fputs(".br\n", file);
        put_usage(one, file);
        fputs("[\\fIoptions\\fR]\n", file);
    }
}

void manual_put(FILE *file)
{
    fputs(".\\\" Made by ./grade --man.\n.TH GRADE 1 \"\" \"Warpstep " GRADE_VERSION
          "\" \"Warpstep\"\n.nh\n.ad l\n",
          file);
    put_section("NAME", file);
    fputs("grade \\- grades CUDA labs, with a GPU or without one\n", file);
    put_synopsis(file);
    put_section("DESCRIPTION", file);
    fputs(
        "Compiles the one file of a lab that students edit, verifies what its kernels compute, measures "
        "them\n"
        "against the kit's own baseline, gives points and says what to do next.\n"
        "Without a GPU, a virtual one runs them and tells how long they would take; the grade is the same.\n"
        ".PP\n"
        "Labs are named as their folders begin, \\fIlab3\\fR; a stage by its row or its id, \\fIlab3.2\\fR,\n"
        "\\fIlab3.tiled\\fR. Options may stand before or behind names; \\fB\\-\\-\\fR ends them.\n",
        file);
    put_commands(file);
    put_options(file);
    put_entries("EXIT STATUS", statuses, LAB_COUNT(statuses), file);
    put_entries("FILES", files, LAB_COUNT(files), file);
    put_entries("ENVIRONMENT", variables, LAB_COUNT(variables), file);
    put_entries("EXAMPLES", examples, LAB_COUNT(examples), file);
}
