/* lab.h - what a lab is: the map for everyone who writes one, runs one or grades one.
 * A lab's driver (labs/lab3-NAME/lab3.c) defines one `const struct lab lab`: its stages, its cases, and a few
 * small functions. Everything else (memory, inputs, comparison, timing, hints, points) is done for it, by hand in
 * build/lab3 and by the grader alike. Nothing here knows of grades already given, files or processes.
 * handouts/new-lab.md teaches it; bounds.h has the bounds that labs share. */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/entry.h"

enum {
    LAB_SIZES = 4,   /* numbers that describe a case */
    LAB_BUFFERS = 8, /* device arrays of a case */
    LAB_TIERS = 3,   /* thresholds of speed per stage */
    LAB_BOUNDS = 6,  /* counter bounds per stage */
    LAB_HINTS = 16,  /* hints per stage */
    LAB_TEXT = 560   /* bytes of a hint at most */
};

struct lab;
struct lab_stage;
struct lab_run;

/* The functions of a lab. They see one stage on one case. */

/* Declares the buffers of a case, outputs first, with lab_add() and its sisters. */
typedef void lab_layout_fn(struct lab_run *run);
/* Calls the stage's entry point with the buffers' pointers. */
typedef void lab_call_fn(const struct lab_run *run);
/* The right content of output buffer `index`, computed on the CPU from the inputs' host copies. It comes filled with
 * LAB_POISON: what stays so must not be written by kernels either. */
typedef void lab_reference_fn(const struct lab_run *run, int index, void *expected);
/* The right value of one element of output buffer `index`, from the inputs as lab_at() tells them; false: kernels must not
 * write it. With it, results can be checked at sizes that are too large to be computed as a whole; a lab that has it needs
 * no reference function. */
typedef bool lab_element_fn(const struct lab_run *run, int index, size_t i, double *value);
/* Element i of an input of integers that follow a rule, as the begins of rows do; seed: of this input alone. */
typedef int64_t lab_make_fn(const struct lab_run *run, uint64_t seed, size_t i);
/* Work of one call in units of 1e9 (bytes moved, points drawn). */
typedef double lab_work_fn(const struct lab_run *run);
/* Blocks [first, first + count) of `of`, of so many threads each. */
struct lab_part {
    uint64_t first, count, of;
    uint32_t threads;
};
/* True if the one output, to which every block adds its share, may be `got` when only these blocks have done so. False: it is not, or
 * they divide the work in a way that nobody foresaw. */
typedef bool lab_part_fn(const struct lab_run *run, const struct lab_part *part, double got);
/* Looks at wrong results and says in one sentence what they look like ("the tiles lie where they belong, but inside
 * each tile rows and columns are not swapped"); NULL: nothing known. `expected` is that of output buffer `index`. */
typedef const char *lab_recognise_fn(const struct lab_run *run, int index, const void *expected);
/* What the results of a run by hand mean, beyond right or wrong: "pi is 3.14159". The outputs' host copies are there. */
typedef void lab_tell_fn(const struct lab_run *run, char *out, size_t size);
/* Names a case by the numbers that its kernels see: "count 17, offset 3". */
typedef void lab_describe_fn(const struct lab_run *run, char *out, size_t size);

/* Microseconds that a GPU takes for some work; not above 0: it failed. */
typedef double lab_timer_fn(void (*work)(void *context), void *context);
/* Prints what others take for the same: the CPU, a library. The run has inputs on host and device. timer NULL: no GPU. */
typedef void lab_references_fn(const struct lab_run *run, lab_timer_fn *timer);

/* What the host does between kernels: the kit's own function, which a submission calls (lab_host()) and which whoever replays
 * the submission's calls does himself. Both sides lie in host buffers of the case; how long they are is what the submission says:
 * the function stays inside both, whatever they are. */
typedef void lab_host_fn(void *to, size_t to_bytes, const void *from, size_t from_bytes);

/* Functions that know what is right stand in tables as LAB_ANSWER(function). A program that runs a submission's host code has
 * none of them: for it the driver is compiled a second time, with LAB_WITHOUT_ANSWERS. Nothing refers to these functions then,
 * and the linker leaves them out with all that they alone need. A table without the word is not compiled. */
#ifdef LAB_WITHOUT_ANSWERS
#define LAB_ANSWER(function) NULL
#define LAB_ANSWER_FN(type)  struct write_LAB_ANSWER_around_this_function *
#else
#define LAB_ANSWER(function) (function)
#define LAB_ANSWER_FN(type)  type *
#endif

/* ------------------------------------------------------------------------------------------- cases */

/* The meaning of the numbers is the lab's own: width, height, ... Unused ones are 0. */
struct lab_case {
    long size[LAB_SIZES];
    const char *stage; /* only for this stage; NULL: for all */
    bool
        is_narrow; /* long in one direction, for what grids and indices allow: nothing but that is new in it */
};
enum { LAB_WHOLE_BYTES = 1 << 24 };
/* Cases have numbers: those of the table from 0 on, then the drawn ones, and two that are large. Where a bound of the stage
 * names "blocks_on_half", host code is recorded in the timed case once more, for a GPU with half as many SMs, and not
 * replayed; in the stage's case `on_half` where it has one. */
enum { LAB_DRAWN = 3 };
#define LAB_MIDDLE  (UINT32_MAX - 1)
#define LAB_TIMED   UINT32_MAX
#define LAB_ON_HALF (UINT32_MAX - 2)
/* LAB_CASE(33, 65), LAB_CASE_OF("fast", 70001, 1, 7), LAB_NARROW_CASE(3, 70001). */
#define LAB_CASE(...)                                                                                        \
    {                                                                                                        \
        .size = { __VA_ARGS__ }                                                                              \
    }
#define LAB_CASE_OF(only, ...)                                                                               \
    {                                                                                                        \
        .size = {__VA_ARGS__}, .stage = only                                                                 \
    }
#define LAB_NARROW_CASE(...)                                                                                 \
    {                                                                                                        \
        .size = {__VA_ARGS__}, .is_narrow = true                                                             \
    }

/* ------------------------------------------------------------------------------------------- the stage table */

/* A bound on what the kernel did: the sum of `counter` over the stage's launches, less that of `minus` (NULL: nothing),
 * divided by that of `per` (NULL: by 1), must lie in [at_least, at_most] (at_most 0: no upper bound). Counters are those of
 * VGPU_COUNTERS (those per thread, per block and per SM of the longest launch); in addition calls of host code ("allocations", "frees", "host_writes", "host_reads": copies from and to the
 * host), "results_read" (those to the host that carry an output, as it is when all is done), "bus_bytes" (copied between host and device, both ways), "host_steps" (see struct lab_host), "graph_launches",
 * "graphs_made" (instantiated),
 * "calls" (launches, copies, memsets and graphs that host code asked for one by one), "launches", "largest_launch" (the most
 * warp instructions of one launch), "serial_us" (of time_us, that of launches whose loads from global memory are
 * for one sector at a time), "blocks" and "blocks_on_half" (those that host code asks for where a GPU has half as many SMs), "shared_bytes" (of
 * all blocks), what loads and atomics take and stores and atomics give ("requests_in", "sectors_in", "sectors_out",
 * "shared_requests_in", "shared_in", "shared_out": the last two in wavefronts), and what the declared inputs and outputs
 * hold: "input_bytes", "input_sectors" of 32 bytes, "input_lines" of 128, "output_sectors". Where something could be done for show, a bound asks for what
 * mattered: "used_" before a counter of VGPU_COUNTERS, or before "requests_in", ..., "shared_out", is what of it fed an output or
 * decided about one; "table." before it, what of that moves values that come from the input `table`, and "own.", values that lay in
 * memory of the submission's own; "idle_lanes", lanes without work
 * that mattered in instructions that mattered in others; "idle_launches" and "idle_us", launches of which nothing mattered, and their
 * time; "used_us", that of the others (judge/mattered.h). Measured on the virtual GPU at
 * the timed case, also where a real GPU does the timing. Divide by what has to be done, not by what was done: idle accesses pull averages down, totals only up. */
struct lab_bound {
    const char *counter, *per;
    double at_least, at_most;
    const char *meaning; /* "shared wavefronts per load request": how reports call it */
    const char *hint;    /* what to do when it is missed; NULL: general words */
    const char *minus;
    bool is_needed; /* where it is missed, not even a tier shows the step */
};

/* What the student is told to do: numbers. */
struct lab_todo {
    int number, section; /* of the TODO in the skeleton, and of the handout's section about it; 0: none */
};

struct lab_points {
    int correct; /* for right results in all cases */
    int clean;   /* further points if the checker finds nothing */
    int concept; /* further points if all bounds hold */
};

struct lab_tier {
    double speedup; /* over the stage's baseline */
    int points;     /* further points, if right */
};

/* What went wrong, as far as a program can tell: the keys of hints, the gravest first. */
enum lab_symptom {
#define SYMPTOM(name, text, hint, nudge) LAB_##name,
#include "lab/symptoms.def"
#undef SYMPTOM
    LAB_SYMPTOMS
};

struct lab_hint {
    enum lab_symptom symptom;
    const char *text; /* one or two sentences: the likely cause and the next thing to do */
    /* Only for findings that say this: an array of the entry point's (`counts`), the memory ("in shared memory"), a call, or words
     * of arrows.def; "": any. Such a hint goes before the kit's, one without after them. */
    const char *about;
};

struct lab_stage {
    const char *id;         /* "padded": as in --stage padded */
    const char *title;      /* "padded tile" */
    const char *swept;      /* what the size is that its sweep is about; NULL: as lab.size_names has it */
    const char *entry;      /* "transpose_padded": for messages. LAB_CALLS() sets it, and the next one. */
    void (*function)(void); /* the entry point itself, cast; NULL where no submission is linked */
    struct lab_todo todo;   /* {2, .section = 3} */
    const char *learned;    /* what the step taught, one or two sentences: told when it has all points */
    bool is_given;          /* the skeleton has it already: no points */
    bool is_bonus;          /* points beyond 100 */
    bool
        is_hunt; /* to find a bug is the task: reports tell what was found, and what to do about it only who asks or has tried */
    bool
        must_free; /* the entry point gives back what it allocates and makes: a leak costs the points of a clean run */
    bool is_executed; /* kernels run while host code is recorded: it asks for their errors */
    /* Kernels use what others wrote as indexes, so a part of the blocks tells nothing: the timed case is executed and compared
     * as a whole, also on the virtual GPU, and in second calls of small cases blocks run backwards there. Its inputs must have at most LAB_WHOLE_BYTES each. */
    bool is_whole;
    /* Blocks wait for what others write, so much depends on who comes when: second calls of small cases run with blocks mixed,
     * and once more with room for two of them, the last first. */
    bool blocks_wait;
    struct lab_points points;
    struct lab_bound bounds[LAB_BOUNDS];
    struct lab_tier speed[LAB_TIERS];
    /* "a100 h100": virtual GPUs on which `./grade check --gpu` has found the tiers apart, as they must be on an H200. On others
     * an H200's clock decides. NULL: on none. */
    const char *apart_on;
    const char *previous; /* id of the step before this one; NULL: the row above */
    bool is_first;        /* there is none: what stands above is about something else */
    /* "unit rows": steps of other chains that this kernel makes as well, so that it may earn their points; those before it in its
     * own chain need no word. NULL: none. */
    const char *contains;
    double
        slowest; /* a speedup below this is not the step, whatever its counters say; 0: 0.8 of what the steps before
                             are asked for: of their highest tier over the same baseline, or of 1 */

    /* words that only this lab knows; the kit has some for every symptom */
    struct lab_hint hints[LAB_HINTS];

    /* what differs from the rest of the lab; NULL or 0: as the lab says */
    const char *baseline; /* of its speedups */
    const char
        *answer;      /* entry of baseline.cu whose output is right at the timed size; NULL: the baseline's */
    const char *unit; /* of its work per second; with work. See scale.h for how it is told */
    lab_layout_fn *layout;
    LAB_ANSWER_FN(lab_reference_fn) reference; /* NULL: element, or else what the lab has */
    LAB_ANSWER_FN(lab_element_fn) element;
    LAB_ANSWER_FN(lab_part_fn) part;
    lab_work_fn *work;
    LAB_ANSWER_FN(lab_recognise_fn) recognise;
    struct lab_case timed, middle;
    struct lab_case on_half; /* sizes for "blocks_on_half"; none: those of the timed case */
    struct lab_case grain;   /* with its own `middle`: what is added to that, up to grains - 1 times */
    int grains;
    double least;
    int operations;  /* of its outputs */
    const void *own; /* the lab's own data about the stage; functions that know what is right belong above */
};

/* In a row: the entry point by its name. */
#define LAB_CALLS(name) .entry = #name, .function = (void (*)(void))(name)

/* ------------------------------------------------------------------------------------------- buffers */

enum lab_type { LAB_INT, LAB_FLOAT, LAB_DOUBLE, LAB_UINT, LAB_INT64, LAB_UINT64, LAB_BYTE };
enum lab_role {
    LAB_IN,     /* filled from the seed, may not be changed */
    LAB_OUT,    /* poisoned before, compared after */
    LAB_SCRATCH /* poisoned before, not compared */
};

/* An array on the device, or on the host where the entry point itself copies. Inputs are uniform in [low, high] (integers) or [low, high) (others).
 * An output of floats is right where |got - want| <= relative * |want| + absolute. Both parts follow from how many
 * roundings reach an element and how large the numbers are that are added up on the way to it. */
struct lab_buffer {
    const char *name; /* the parameter's name in the entry point's prototype */
    enum lab_role role;
    enum lab_type type;
    size_t count;
    long dims[3]; /* for coordinates in messages, fastest first; {0}: one-dimensional */
    double low, high;
    lab_make_fn
        *make;      /* of an input of integers: made on the host, element by element; NULL: it is uniform */
    int operations; /* roundings that reach one element; 0: 8, enough for a short formula */
    double scale;   /* size of what is added up; 0: the largest number that the inputs may hold */
    bool is_exact;  /* equal bits are demanded: where data is only moved. Integers always are exact. */
    /* Host memory: the entry point gets a host pointer. Whoever replays it has other data there, so of an output only what is
     * copied to it from the device counts. */
    bool is_host;
    /* An output on the host that host code fills itself: an answer. It is recorded, and compared like a result. */
    bool is_said;
    /* An output that answers questions: element q is one of those that the input of this name has for question q, as many for each,
     * and the first of them stands for no answer. What is told of it is which answers are not given, or how many are right: never
     * which are, and no value. NULL: it holds results. */
    const char *sheet;

    /* set by lab_begin_run() */
    double relative, absolute;

    /* set by whoever runs the case */
    void *device; /* what the entry point gets: device memory, or host memory if is_host */
    void *host;   /* inputs: what is there before; outputs: what is there after */
};

/* One stage on one case. */
struct lab_run {
    const struct lab *lab;
    const struct lab_stage *stage;
    struct lab_case which;
    long size[LAB_SIZES]; /* the case's */
    uint64_t seed;        /* of the inputs; drivers that pass a seed to the entry point pass this one */
    struct lab_buffer buffers[LAB_BUFFERS];
    int nbuffers;
    bool has_overflow; /* lab_add() found no room: lab_find_flaw() tells */
    /* Of a lab that is_chained: what was replayed was a single launch, which reads nothing that another one should have written. */
    bool is_one_launch;
};

/* Appends a buffer and returns it, so that more of it can be set. Inputs lie in [0, 1), integers in [0, 255],
 * unless low and high are set. The sisters have rows of `width` elements, and layers of `height` rows. */
struct lab_buffer *lab_add(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                           long count);
struct lab_buffer *lab_add_2d(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                              long width, long height);
struct lab_buffer *lab_add_3d(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                              long width, long height, long depth);
/* By its name. -1, NULL: the run has none. */
int lab_index(const struct lab_run *run, const char *name);
void *lab_device(const struct lab_run *run, const char *name);

/* ------------------------------------------------------------------------------------------- the lab */

/* A step of the host's. */
struct lab_host {
    const char *name; /* "host_rest" */
    lab_host_fn *function;
    double ns_per_byte; /* of what it reads: what it takes on the virtual clock */
};

struct lab {
    const char *id, *title;            /* "lab3", "bank conflicts: matrix transpose" */
    const char *size_names[LAB_SIZES]; /* "width", "height": for messages and options; NULL: unused */
    char size_options[LAB_SIZES];      /* 'n', 'm': options of build/lab3 */
    const char *size_words[LAB_SIZES]; /* what they are, for its --help; NULL: the name says it */
    const struct lab_stage *stages;    /* LAB_STAGES(stages) sets it and the next one */
    int nstages;
    const struct lab_case
        *cases; /* for correctness: small, all edges; the last one is what build/lab3 executes as a whole
                                     on the virtual GPU. LAB_CASES(cases) sets it and the next one. */
    int ncases;
    struct lab_case timed; /* for timing and counters, on a GPU and on the virtual one */
    /* Cases whose sizes nobody knows beforehand are drawn from a seed. LAB_DRAWN small ones: each size from 1 to that of
     * `drawn`, 0 where that is 0. And one of some million elements, which is executed as a whole on the virtual GPU: the
     * sizes of `middle`, each with up to fifteen times its `grain` on top. Sizes that are all 0: none. */
    struct lab_case drawn, middle, grain;
    /* 80: files are compiled for compute capability 8.0 where the GPU that is graded for has that much, for what the lab teaches
     * needs it (asynchronous copies); 0: for 7.5, as all are. lab.mk reads this line, too. */
    int architecture;
    /* Launches go on from what earlier ones wrote. Of that a sample of blocks has only a part, and the rest is poison: results
     * that are not numbers came from it, and tell nothing there. */
    bool is_chained;
    /* The output is the sum of the one input, both of integers: what blocks have read must add up to what they leave. */
    bool is_sum;
    /* Kernels that hold code of CUB's or Thrust's algorithms for a whole device earn nothing: to write such is the task. */
    bool is_own_work;
    bool has_seed;    /* call() hands the run's seed, a number below 2^31, to the entry point */
    const char *unit; /* of work per second: "GB/s", "GFLOP/s", "Gpoints/s"; scale.h knows the most of some */
    const char *baseline; /* entry of baseline.cu that speedups are measured against, "baseline_naive" */
    lab_layout_fn *layout;
    lab_call_fn *call;
    LAB_ANSWER_FN(lab_reference_fn) reference; /* NULL: element */
    LAB_ANSWER_FN(lab_element_fn) element;     /* NULL: elements cannot be told one by one */
    lab_work_fn *work; /* NULL with the unit "GB/s": the bytes of inputs and outputs */
    double least;      /* instructions of threads that 1e-9 of work takes at least; 0: nobody knows */

    /* optional */
    LAB_ANSWER_FN(lab_part_fn) part; /* NULL: a part of the blocks tells nothing of the output */
    LAB_ANSWER_FN(lab_recognise_fn) recognise;
    LAB_ANSWER_FN(lab_references_fn) references; /* for build/lab5 --references; NULL: there are none */
    const struct lab_host *hosts; /* LAB_HOSTS(table) sets it and the next one; NULL: there are none */
    int nhosts;
    lab_describe_fn *describe; /* NULL: cases are named by their sizes */
    lab_tell_fn *tell;         /* NULL: nothing is left to say */
};

#define LAB_COUNT(table)  ((int)(sizeof(table) / sizeof((table)[0])))
#define LAB_STAGES(table) .stages = (table), .nstages = LAB_COUNT(table)
#define LAB_HOSTS(table)  .hosts = (table), .nhosts = LAB_COUNT(table)
#define LAB_CASES(table)  .cases = (table), .ncases = LAB_COUNT(table)

/* Defined by the driver. Programs that run a submission link it; the grader and the judge open build/labs/lab3/lab.so. */
extern const struct lab lab;

/* ------------------------------------------------------------------------------------------- steps of the host (host.c) */

/* Does step `number` of the table. For the driver's functions that submissions call. */
void lab_host(const struct lab *lab, int number, void *to, size_t to_bytes, const void *from,
              size_t from_bytes);
/* Who wants to know of each such step before it is done; NULL: nobody. */
typedef void lab_host_heard_fn(uint32_t number, void *to, uint64_t to_bytes, const void *from,
                               uint64_t from_bytes);
void lab_hear_hosts(lab_host_heard_fn *heard);

/* ------------------------------------------------------------------------------------------- inputs (inputs.c) */

size_t lab_type_bytes(enum lab_type type);
/* Element i of a buffer's input for a seed: a hash, the same on host and device. Also for drivers' own needs. */
uint64_t lab_hash(uint64_t seed, uint64_t i);
/* The seed of call number `number` among those that one seed stands for. Below 2^31: entry points may take it as an int. */
uint64_t lab_seed(uint64_t seed, uint64_t number);
/* The kit's own steps are timed with this one: their time is the same for everybody. */
#define LAB_KITS_SEED UINT64_C(0x01339ee5)
/* Of a case's seed: the second call, which must not live on what the first one left, has another; and what memory holds before
 * anybody writes to it. */
enum { LAB_SECOND_CALL = 1 };
uint64_t lab_garbage(uint64_t seed);
/* Which blocks of the timed case a virtual GPU executes, for a seed: by hand, in tables and in a judge alike. */
uint64_t lab_sample_seed(uint64_t seed);
/* Element i of input buffer `index`: from its host copy, or drawn where there is none. */
double lab_at(const struct lab_run *run, int index, size_t i);
/* The same for `count` elements from `first` on, which is quicker than one by one. */
void lab_read(const struct lab_run *run, int index, size_t first, size_t count, double *out);
/* Fills host memory with `count` elements of the input of buffer number `index`, from `first` on. */
void lab_fill_part(const struct lab_run *run, int index, size_t first, size_t count, void *host);
/* The same for all of it. */
void lab_fill(const struct lab_run *run, int index, void *host);
/* Outputs and scratch memory are filled like inputs before a call: so no kernel can tell what they hold from data, nor one call from the
 * next. This is their poison. Answers that host code gives hold LAB_POISON. */
/* True if element i, whose bits are these, still holds it. */
bool lab_is_left(const struct lab_run *run, int index, size_t i, uint64_t bits);
/* The bytes that stand for "never written" in results that have been compared, and for "not to be written" in what is expected: NaN for
 * floats, -1 for integers. */
enum { LAB_POISON = 0xff };

/* ------------------------------------------------------------------------------------------- outcomes */

/* What is known of one case of a stage. */
struct lab_outcome {
    uint32_t which; /* index into lab->cases, LAB_MIDDLE or LAB_TIMED */
    bool is_right;
    enum lab_symptom symptom; /* LAB_NO_SYMPTOM if right */
    char text[800];           /* "" if right */
    char known[200]; /* what a wrong output looks like, a sentence without its dot; "": nothing is known */
    bool is_cause;   /* it says why, and not only what */
};

/* ------------------------------------------------------------------------------------------- comparison (compare.c) */

struct lab_difference {
    size_t wanted;    /* elements that must be written: the reference does not leave them poisoned */
    size_t wrong;     /* elements */
    size_t unwritten; /* of them, those that still hold the poison */
    size_t first;     /* index of the first wrong one; meaningless if wrong is 0 */
    double
        largest; /* |got - want| of the element that is furthest beyond what is allowed there; INFINITY for NaN */
    double allowed; /* what is allowed there */
    char text[320]; /* "out[row 3][column 17] is 0.25, should be 0.5; 12 of 1056 elements are wrong, ..." */
};
/* Output `index` of a run. NaN never equals anything but what the reference says is NaN. */
void lab_compare(const struct lab_run *run, int index, const void *expected, struct lab_difference *out);
/* True if that text is about answers: these have no size, and nothing to replay. is_missing: some are not given yet. */
bool lab_is_about_answers(const char *text, bool *is_missing);
/* "[row 3][column 17]", "[123]". */
void lab_coordinates(const struct lab_buffer *buffer, size_t i, char *out, size_t size);

/* ------------------------------------------------------------------------------------------- finding things (lab.c) */

/* By id ("padded") or by row, counted from 1 ("2"); NULL: none. */
const struct lab_stage *lab_find_stage(const struct lab *lab, const char *id_or_row);
/* The step before a stage; NULL: the stage is given, or the first of its kind. */
const struct lab_stage *lab_previous(const struct lab *lab, const struct lab_stage *stage);
/* True if the kernel of `step` makes the step of `stage` as well: it comes later in the same chain, or its row says so, or that
 * of a step before it. */
bool lab_contains(const struct lab *lab, const struct lab_stage *step, const struct lab_stage *stage);
/* True if the row says that its tiers are apart on that virtual GPU, too. */
bool lab_is_apart_on(const struct lab_stage *stage, const char *gpu);
int lab_stage_points(const struct lab_stage *stage); /* all that a row can give */
int lab_max_points(const struct lab *lab);           /* of all rows but bonus ones: 100 */
/* A run with its buffers declared; nothing is allocated. */
void lab_begin_run(struct lab_run *run, const struct lab *lab, const struct lab_stage *stage,
                   const struct lab_case *which, uint64_t seed);
size_t lab_buffer_bytes(const struct lab_buffer *buffer);
/* The stage's own, or else the lab's. NULL: there is none; the stage only asks questions, or nothing is compared. */
const char *lab_baseline(const struct lab *lab, const struct lab_stage *stage);
const char *lab_answer(const struct lab *lab, const struct lab_stage *stage);
const char *lab_unit(const struct lab *lab, const struct lab_stage *stage);
const struct lab_case *lab_timed_case(const struct lab *lab, const struct lab_stage *stage);
/* A stage's case by its number; seed: of those that are drawn. False: it has no such case. */
bool lab_find_case(const struct lab *lab, const struct lab_stage *stage, uint32_t which, uint64_t seed,
                   struct lab_case *out);
bool lab_has_inputs(const struct lab_run *run);
bool lab_has_host(const struct lab_run *run); /* a buffer is on the host: the host takes part in the work */
/* True if host code gives all that is asked for: then nothing is replayed, and calls may fail on purpose. */
bool lab_is_only_said(const struct lab_run *run);
/* True if it asks questions: what kernels print or hold in registers is not shown then, for that would show the sheet. */
bool lab_has_sheet(const struct lab_run *run);
lab_element_fn *lab_element(const struct lab_run *run); /* NULL: there is none */
lab_part_fn *lab_part(const struct lab_run *run);       /* the same */
void lab_reference(const struct lab_run *run, int index, void *expected);
double lab_work(const struct lab_run *run);
/* More than what a judge executes as a whole: by hand, a virtual GPU takes a sample of the blocks then. */
bool lab_is_large(const struct lab *lab, const struct lab_stage *stage, const struct lab_case *which);
/* "width 33, height 65". stage NULL: by the lab's sizes, whatever its kernels see of them. */
void lab_describe_case(const struct lab *lab, const struct lab_stage *stage, const struct lab_case *which,
                       char *out, size_t size);
/* "--case 4", or "-n 33 -m 65" where the case is not of the table: what build/lab3 is told to run the same. */
void lab_write_options(const struct lab *lab, const struct lab_stage *stage, uint32_t which,
                       const struct lab_case *sizes, char *out, size_t size);
/* True if a case is one of this stage's: its own or everybody's. */
bool lab_case_applies(const struct lab_case *which, const struct lab_stage *stage);

/* ------------------------------------------------------------------------------------------- words */

/* What is known of a wrong output, in one sentence without its dot: by the lab, else by the kit, which knows copies,
 * shifts, multiples and the like (recognise.c). NULL: nothing. *is_cause: it names the cause, so that it is better
 * advice than any hint for wrong values. The sentence stays until the next call. */
const char *lab_recognise(const struct lab_run *run, int index, const void *expected, bool *is_cause);
/* The same where no output was written at all: what was written instead, an input or scratch memory; NULL: nothing was. */
const char *lab_recognise_untouched(const struct lab_run *run, const bool is_written[LAB_BUFFERS]);
/* "missing", "race": short names for machines to read (hints.c). */
const char *lab_symptom_name(enum lab_symptom symptom);
/* The kind of thing that is wrong, and a question: the first of ./grade hint. */
const char *lab_nudge(enum lab_symptom symptom);
/* By the title of a finding: a race of lanes of one warp, which tells less than one of warps of a block. */
bool lab_is_within_warp(const char *title);
/* True of words about memory that nobody set which tell what went wrong with the call that should have set it: such a finding goes before
 * others of its symptom, and before what the results look like. */
bool lab_says_why(const char *finding);
/* Of two symptoms, the one to tell first; LAB_NO_SYMPTOM only if there is no other. */
enum lab_symptom lab_graver(enum lab_symptom a, enum lab_symptom b);
/* The words for a symptom that fit what was found (the checker's message, or what is said of a wrong result; NULL: nothing is known):
 * see hints.c for their order. They name an array, a line or a call of the finding's. */
void lab_write_hint(const struct lab *lab, const struct lab_stage *stage, enum lab_symptom symptom,
                    const char *finding, char *out, size_t size);
/* Other advice about a finding: the array or line is put before it where it names none of them. */
void lab_name_first(const char *finding, char *text, size_t size);
/* The row's own words for any finding of a symptom; NULL: it has none. */
const char *lab_own_hint(const struct lab_stage *stage, enum lab_symptom symptom);

/* What is wrong with a table, in one sentence: ids twice, points that do not add up to 100, a stage without its TODO's
 * number, ...; NULL: nothing (flaw.c). Whether counters of bounds exist is left to the caller. */
const char *lab_find_flaw(const struct lab *lab);

/* For student code, CHECK(call) stands in check.h: it prints file, line, the call and CUDA's words. */

#endif
