/* commands.c - the table of commands: a row has the words of the command line, the help and the function.
 * Order is that of --help. Nothing here but the table: what a command does stands in its own file. */
#include "grader/commands.h"

#define OF_BACKEND (TAKES(VIRTUAL) | TAKES(GPU))
#define OF_GRADING (OF_BACKEND | TAKES(STAGE) | TAKES(JSON) | TAKES(AUDIT))

const struct command commands[] = {
    [COMMAND_LIST] = {"", "", "the labs, your best points, and what is next", "",
                      "the points of every stage, also of labs not begun", TAKES(JSON), SESSION_KIT, false,
                      list_run},
    [COMMAND_GRADE] = {"", "lab3", "grades lab3; lab3.2 and lab3.tiled: one stage of it",
                       "Compiles your file, verifies it, times it, gives points and says what next.\n"
                       "A stage is named by its row or its id. By hand: build/lab3 --help\n",
                       "all goals, counters, cases, messages and warnings",
                       OF_GRADING | TAKES(FILE) | TAKES(SOLUTION) | TAKES(FORM) | TAKES(OUTPUT), SESSION_ALL,
                       false, one_run},
    {"watch", "lab3", "grades again at every save, stage after stage",
     "Begins with the first stage that has points left; lab3.2 stays with that stage.\n"
     "When a stage is solved, the next one follows; after the last, all of the lab.\n"
     "Points are kept as ./grade lab3.2 keeps them. Ctrl-C ends it, with status 130.\n",
     "all goals, counters, cases, messages and warnings", OF_BACKEND | TAKES(STAGE) | TAKES(FILE),
     SESSION_ALL, false, watch_run},
    {"explain", "lab3.2", "why a stage takes as long as it does",
     "On the virtual GPU: what limits it, which lines cost most, what its accesses\n"
     "look like. Gives no points.\n",
     NULL, OF_BACKEND | TAKES(STAGE) | TAKES(FILE) | TAKES(SOLUTION) | TAKES(HTML), SESSION_ALL, false,
     explain_run},
    {"hint", "lab3.2", "a nudge about what is wrong; --more: a step further",
     "By what is found in your file: a question, then the line or the counter, then\n"
     "what to do. Never the solution. After full points: what the step taught.\n",
     NULL, OF_BACKEND | TAKES(STAGE) | TAKES(FILE) | TAKES(MORE), SESSION_ALL, false, hint_run},
    {"history", "lab3", "what you have tried, and what each attempt changed",
     "Every run of your own file counts, also of one stage. Newest last; the last 20.\n", "all attempts",
     TAKES(JSON), SESSION_LAB, false, history_run},
    {"compare", "lab3 A B", "two files side by side: points, times, counters",
     "Grades both, and shows by which counters of a stage's goals they differ.\n", NULL, OF_GRADING,
     SESSION_ALL, false, compare_run},
    {"reset", "lab3", "puts the skeleton back; your file stays beside it",
     "Your file stays in its folder, under a name with date and time.\n", NULL, 0, SESSION_LAB, false,
     reset_run},
    {"doctor", "", "what this machine lacks, and what fixes it",
     "Looks at compilers, CUDA Toolkit, GPU, sandbox, disk and tools. Ends with 0 if\n"
     "students can work here, with 1 if not.\n",
     NULL, TAKES(JSON), SESSION_KIT, false, doctor_run},
    {"batch", "lab3 DIR", "every submission in DIR",
     "Submissions are folders with lab3.cu, files NAME.cu and archives, also as course\n"
     "platforms name them; DIR may be one archive of all. Results go to a store, to\n"
     "results.csv and NAME.json. What has not changed is not graded again.\n",
     NULL,
     OF_BACKEND | TAKES(STAGE) | TAKES(AUDIT) | TAKES(OUT) | TAKES(JOBS) | TAKES(ONLY) | TAKES(REGRADE) |
         TAKES(ROSTER) | TAKES(DEADLINE) | TAKES(LATE) | TAKES(TAKE) | TAKES(SLURM) | TAKES(CHUNK) |
         TAKES(SBATCH_ARGS) | TAKES(LIST) | TAKES(NO_SANDBOX),
     SESSION_ALL, true, batch_run},
    {"results", "DIR", "what a batch has found; points by hand; regrades",
     "Points that count: late rules and points by hand are in them. Points by hand\n"
     "replace all that was earned, bonus too: WHO=85+10. WHO=none takes them back.\n"
     "--regrade grades again what it names, as the batch did.\n",
     NULL,
     TAKES(ONLY) | TAKES(STATUS) | TAKES(SORT) | TAKES(OVERRIDE) | TAKES(REASON) | TAKES(RECOVER) |
         TAKES(REGRADE) | TAKES(JSON) | TAKES(NO_SANDBOX),
     SESSION_KIT, true, results_run},
    {"export", "FORMAT DIR", "the points of a class, for a course platform",
     "DIR has the batch's results. FORMAT is csv canvas moodle junit: one file, to\n"
     "standard output without -o; or gradescope autolab classroom50 prairielearn lti:\n"
     "a file for each student and index.csv in the folder -o, or one file by --only.\n"
     "Where the kit's fault left no grade, none is exported, never 0: status 2.\n",
     NULL, TAKES(OUTPUT) | TAKES(ONLY) | TAKES(GRADEBOOK) | TAKES(COLUMN) | TAKES(BOM), SESSION_KIT, false,
     export_run},
    {"page", "DIR", "a class's results as a page: -o class.html",
     "Made of what a batch has left in DIR. --pages makes a page for each student,\n"
     "--leaderboard one of the fastest: with names from --names FILE, an id a line.\n",
     NULL,
     TAKES(OUTPUT) | TAKES(JOBS) | TAKES(ONLY) | TAKES(PAGES) | TAKES(EXPLAIN) | TAKES(ANONYMOUS) |
         TAKES(LEADERBOARD) | TAKES(NAMES),
     SESSION_KIT, true, class_page_run},
    {"similar", "DIR", "groups of submissions that are alike: -o page.html",
     "Who is nearly the kit's solution is told too. What the skeleton has is left\n"
     "out. That two are alike proves nothing: look at them.\n",
     NULL, TAKES(OUTPUT) | TAKES(LEAST), SESSION_KIT, true, similar_run},
    {"check", "lab3", "for instructors: are the lab's points for its steps?",
     "Puts the kernel of every step into the slot of every other, and says where\n"
     "points and thresholds do not tell them apart. Ends with 1 if something is to be\n"
     "mended.\n",
     NULL, OF_GRADING | TAKES(FILE), SESSION_ALL, false, check_run},
    {.run = NULL},
};
