/* vgpu.h - the public face of the virtual GPU beyond the CUDA runtime API, which is its main face.
 * A program needs none of this to run; tools that watch what a program does need it: graders, recorders, profilers.
 * Everything else under common/vgpu is private. */
#ifndef VGPU_H
#define VGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VGPU_VERSION "0.1.0"

/* The version of the library that is linked, VGPU_VERSION of its build. */
const char *vgpu_version(void);
/* The id of the profile in use, "h200". Starts the runtime if need be. */
const char *vgpu_gpu(void);
/* The virtual clock as the host sees it, in microseconds since the runtime started. */
double vgpu_time_us(void);
/* What copies and kernels took so far, each for itself: where they overlap, it grows faster than the time. */
double vgpu_work_us(void);
/* The host does something for so long, on the virtual clock. */
void vgpu_host_spend(double us);
/* What a copy of so many bytes within the device takes, in microseconds, without making it; 0: no such GPU. */
double vgpu_copy_us(uint64_t bytes);
/* For libraries that take the place of a toolkit's: tells the program's author that call, whose line is looked up, cannot do
 * this, and why. The runtime's last error is cudaErrorNotSupported then. */
void vgpu_unsupported(const char *call, const char *why);
/* Loads all device code of the program now and not with its first use: for a process that is about to copy itself. */
void vgpu_load(void);

/* ------------------------------------------------------------------------------------------- how much is executed */

enum vgpu_execution {
    VGPU_EXECUTE_ALL, /* every block: the default */
    VGPU_EXECUTE_SAMPLE, /* some blocks of a large grid; counters and times are scaled up, results are meaningless */
    VGPU_EXECUTE_NONE /* launches are checked and take no time */
};
/* From the next launch on. The environment's VGPU_EXECUTE (all, sample, none) is what a program starts with. */
void vgpu_set_execution(enum vgpu_execution execution);

/* As cudaDeviceReset(), for those who hold no address: memory is handed out from where it was at first. Addresses decide which
 * lines meet in a cache, so that a time depends on them; after this it does not depend on what ran before. What vgpu_set_use() and
 * vgpu_set_check() have said of memory is to be said again. */
void vgpu_start_afresh(void);

/* Which blocks a sample has, from the next launch on. 0, the default: they lie evenly, nothing is checked, and what they do
 * wrong is not told. Else they are drawn from the seed, checked as whole launches are, and what they do wrong is told and
 * stops the program as it would there: for those who want to know whether a kernel is right at a size that is too large to
 * be executed. The last block is always executed as well, but not counted. */
void vgpu_set_sample_seed(uint64_t seed);
/* From the next launch on, how many blocks a drawn sample has even where each of them takes long: 16 come in runs of neighbours, more
 * than that one from each share of the grid, as many as can be afforded. 0, the default: as few as tell a time. */
void vgpu_set_sample_least(unsigned blocks);

/* In which order blocks of grids that are executed as a whole run. CUDA promises none: what comes out otherwise in another one
 * is a mistake. */
enum vgpu_order {
    VGPU_FORWARD,   /* from the first to the last, each as far as it gets: the default */
    VGPU_BACKWARDS, /* from the last to the first */
    VGPU_MIXED, /* all that the GPU holds at once begin; then it is drawn who does the next atomic, volatile access or fence */
    VGPU_CROWDED /* backwards, and only two at once: who waits for a block that begins later waits for ever */
};
/* From the next launch on. */
void vgpu_set_order(enum vgpu_order order);

enum vgpu_check { VGPU_CHECK_OFF, VGPU_CHECK_BOUNDS, VGPU_CHECK_FULL };
/* From the next launch on, as VGPU_CHECK. Memory allocated under less checking is not known to be uninitialised. */
void vgpu_set_check(enum vgpu_check check);

/* From the next allocation on: launches check bounds only, and note which words are used (vgpu_bytes_used). */
void vgpu_set_use(bool is_noted);

/* From the next allocation on: false leaves out what L2 and DRAM would see of it, which costs a sixteenth of its memory; counters of both
 * are 0 then. True is the default, also after vgpu_start_afresh(). */
void vgpu_set_caches(bool has_caches);

/* From the next launch on, as VGPU_TIME: false leaves the timing model out, which saves its cost where nobody asks for
 * times. */
void vgpu_set_timed(bool is_timed);

/* From the next launch and the next allocation on: what shared memory, device memory, local memory and registers hold before
 * anybody writes to them is garbage that the seed decides, large ordinary numbers as floats; 0: zeros, the default. Of an
 * allocation of more than 64 MB, the first 64. Returns the seed of before. */
uint64_t vgpu_set_garbage(uint64_t seed);

/* What messages call an allocation where no kernel argument points into it. The name must stay. */
void vgpu_name_memory(const void *device, const char *name);
/* What an allocation holds counts as written by nobody: under full checking, whoever goes by it is told. */
void vgpu_forget_writes(const void *device);

/* Fills an allocation where a kernel or a copy first comes to it, piece by piece: `bytes` from `offset` on, to `out`. In place of copies
 * that take longer than the few blocks of a sample. Nobody may have used the allocation. False: no memory, or no allocation. */
typedef void vgpu_fill_fn(void *context, int which, uint64_t offset, uint64_t bytes, void *out);
bool vgpu_fill_late(const void *device, vgpu_fill_fn *fill, void *context, int which);
/* The same of host memory, to which nothing but the runtime's copies and kernels comes; and its end, before it is freed. */
bool vgpu_fill_host_late(void *host, uint64_t bytes, vgpu_fill_fn *fill, void *context, int which);
void vgpu_end_late(const void *host);
/* All of these bytes, for whoever reads or writes them himself: of the host, or those behind vgpu_peek(). */
void vgpu_bring(const void *address, uint64_t bytes);

/* From now on the GPU is one like it with half as many SMs: host code that lays out its grids by the GPU asks for other ones. */
void vgpu_halve_sms(void);

/* From now on launches are refused with this cudaError_t, for no reason that a program could see; 0: no longer. */
void vgpu_refuse_launches(int error);

/* From now on a launch ends, without a fault, when one of its blocks has cost the host as much as so many simple instructions: for
 * who wants to know whether it takes long. Its counters and its time are those of what was done until then, and
 * vgpu_launch.is_partial tells. 0: all launches come to their ends. */
void vgpu_set_patience(uint64_t cost);

/* From now on, as VGPU_WORK: instructions that all warps of all launches together may execute from here on; 0: no limit. */
void vgpu_set_work(uint64_t instructions);

/* From now on path is the only file that is read as source text, for messages about lines of the file that the device code's
 * line tables call shown: by its whole name, or by the last part of its path. Lines of all other files are told without
 * their text: the names come from whoever wrote the program. The file is not read through a link. */
void vgpu_set_source(const char *path, const char *shown);

/* ------------------------------------------------------------------------------------------- what mattered */

/* True: from the next launch on it is kept what some blocks of launches that are timed do; what was kept before is forgotten. False:
 * no longer. */
void vgpu_follow(bool is_followed);

enum { VGPU_FOLLOWED_INPUTS = 7, VGPU_FOLLOWED_COUNTERS = 64 };
/* What somebody reads when all is done. */
struct vgpu_wanted {
    const uint64_t *outputs; /* addresses in allocations */
    size_t noutputs;
    const uint64_t *inputs; /* what comes from these is counted by itself; up to VGPU_FOLLOWED_INPUTS */
    size_t ninputs;
    bool host_reads; /* what is copied to the host */
};
/* The counters of all launches since vgpu_follow(), of what instructions did that fed what is wanted, or decided what does: through
 * registers, lanes, shared and local memory, and memory that a later launch reads. */
struct vgpu_mattered {
    bool is_known; /* false: no launch was followed; then all of it may have mattered */
    const char *const *names;
    size_t ncounters;
    double all[VGPU_FOLLOWED_COUNTERS];
    double of[VGPU_FOLLOWED_INPUTS][VGPU_FOLLOWED_COUNTERS]; /* of what moves values of an input */
    double own
        [VGPU_FOLLOWED_COUNTERS]; /* of what moves values that lay in memory that is neither input nor output */
    double idle_launches, idle_us; /* of which nothing mattered */
    double
        idle_lanes; /* that did nothing, or nothing that mattered, in instructions that mattered in others */
};
/* Ends what vgpu_follow() began. */
void vgpu_mattered(const struct vgpu_wanted *wanted, struct vgpu_mattered *out);

/* ------------------------------------------------------------------------------------------- where code comes from */

/* The device code of a fatbin, read but not loaded: this asks nothing of the runtime. NULL: no memory. */
struct vgpu_code *vgpu_code_read(const void *fatbin, size_t size);
void vgpu_code_free(struct vgpu_code *code);
/* A file that is_sought() among those that the instructions of a kernel, and of all functions that it can reach, come from: by
 * the line table (-lineinfo), whatever was inlined where. NULL: there is none. */
const char *vgpu_code_file(const struct vgpu_code *code, const char *kernel,
                           bool (*is_sought)(const char *file));

/* ------------------------------------------------------------------------------------------- watching */

/* What can be found: VGPU_OUT_OF_BOUNDS, VGPU_ENDLESS_LOOP, ... Each is a row of findings.def, with its words. */
enum vgpu_finding {
    VGPU_NOTHING,
#define FINDING(kind, severity, title, cause) VGPU_##kind,
#include "findings.def"
#undef FINDING
    VGPU_FINDINGS
};
enum vgpu_severity { VGPU_ERROR, VGPU_RACE, VGPU_WARNING };

/* A finding of the checkers, or a runtime call that was refused. */
struct vgpu_message {
    enum vgpu_finding kind;
    enum vgpu_severity severity;
    const char *title;       /* "out of bounds read in global memory" */
    const char *place;       /* "lab3.cu:41"; "" if unknown */
    const char *other_place; /* of a race: the other access; "" for none */
    const char *array;       /* the array that is concerned: "tile"; "" if unknown */
    const char *cause;       /* one sentence; "" for none */
    const char *text;        /* the whole message as it would be printed, with line ends */
};
/* "error", "race", "warning". */
const char *vgpu_severity_name(enum vgpu_severity severity);
/* By kind, as in findings.def: for tests and tools that list them. */
enum vgpu_severity vgpu_finding_severity(enum vgpu_finding kind);
const char *vgpu_finding_name(enum vgpu_finding kind); /* "out-of-bounds" */

/* What one line of the program did in a launch. */
struct vgpu_line {
    const char *file; /* as the compiler was given it; "" if unknown (compile with -lineinfo) */
    unsigned line;
    const double
        *values; /* of the launch's counters; 0 where a counter is known for the launch as a whole only */
};

/* What warps spend their time on. */
enum vgpu_spent {
    VGPU_SPENT_ARITHMETIC, /* waiting for a result that is being computed */
    VGPU_SPENT_SHARED,     /* waiting for shared memory, or for another lane */
    VGPU_SPENT_MEMORY,     /* waiting for global, local, constant or texture memory */
    VGPU_SPENT_BARRIER,
    VGPU_SPENT_START, /* of the block */
    VGPU_SPENT_QUEUE, /* waiting until a unit is free */
    VGPU_SPENT_ISSUE,
    VGPU_SPENTS
};

struct vgpu_part {
    const char *name; /* "dram", "shared", ... */
    double part;      /* 0 to 1 */
};

/* One execution of a memory instruction by one warp. */
struct vgpu_picture {
    uint64_t block; /* its index in the grid */
    unsigned warp;
    uint32_t mask;  /* lanes that took part */
    unsigned bytes; /* of each */
    unsigned cost;  /* sectors, or wavefronts in shared memory */
    uint64_t address[32];
};

/* A memory instruction of the kernel, all its executions together. */
struct vgpu_access {
    const char *file; /* as in struct vgpu_line */
    unsigned line;
    const char *space; /* "global", "shared", "local", "constant" */
    const char *verb;  /* "load", "store", "atomic" */
    char array[80];    /* "tile"; "": unknown */
    unsigned bytes;    /* of a lane */
    double requests;
    double parts;  /* sectors, wavefronts or words, of all requests */
    double ideal;  /* as many would do, if lanes used what lies side by side */
    double spent;  /* part of the warps' time */
    double unused; /* part of its requests that changed nothing in global memory; negative: nobody knows */
    struct vgpu_picture first, worst, typical; /* of some blocks' executions */
    uint64_t seen;                             /* how many those were; 0: there are no pictures */
};

/* Where the time of a launch goes. */
struct vgpu_profile {
    unsigned sms;      /* of the GPU */
    double launch_us;  /* of the time: the launch itself */
    double tail;       /* part of the time in which the last blocks leave SMs idle */
    double without_us; /* the time if the limiter were no limit */
    double spilled;    /* bytes of a thread that registers have no room for; 0: none, or hardly used */
    struct vgpu_part busy[32];
    size_t nbusy;
    double spent_on[VGPU_SPENTS];              /* parts of the warps' time, 1 in all */
    double flop, bytes, peak_gflops, dram_gbs; /* done; moved from and to DRAM; the roof */
    const double (*spent)[VGPU_SPENTS];        /* of each of the launch's lines: parts of the warps' time */
    const struct vgpu_access *accesses;        /* those that most time is spent on first */
    size_t naccesses;
    bool
        has_moment; /* the block that can be played step by step goes through something that was found wrong */
    const void *inside; /* private: for vgpu_profile_json() */
};

/* Something that could be done about a launch's time, since its counters show that it is not done yet. */
struct vgpu_rule {
    const char *name; /* "coalescing": vgpu_rule_name() */
    const char *file; /* as in struct vgpu_line; "": it is about no line */
    unsigned line;
    char array[80]; /* "": about none, or unknown */
    double gain;    /* the launch would be about so many times as fast, by the model */
    char words[480];
};

/* A launch that was executed. */
struct vgpu_launch {
    const char *kernel; /* mangled */
    unsigned grid[3], block[3];
    const char *const *names; /* of the counters, as in VGPU_COUNTERS */
    const double *values;
    size_t ncounters;
    double time_us;
    const char *limiter;
    const struct vgpu_line *lines; /* by file and line; none unless the watcher wants them */
    size_t nlines;
    unsigned long long blocks, of; /* executed, and asked for */
    unsigned long long first;      /* of those executed; up to eight of them are neighbours */
    bool is_partial;               /* see vgpu_set_patience() */
    const uint8_t *
        executed; /* of each instruction of the kernel's module, in the order of its text: 1 if a warp executed it, else 0 */
    size_t ninstructions;
    const double *amounts;              /* by enum vgpu_amount */
    const struct vgpu_profile *profile; /* NULL unless the watcher wants it */
};

/* What all threads of a launch did, of what takes time: to be compared between sizes of one problem. Bytes are those that
 * threads ask for, each for itself. */
enum vgpu_amount {
    VGPU_BYTES_LOADED, /* global memory */
    VGPU_BYTES_STORED,
    VGPU_SHARED_READ,
    VGPU_SHARED_WRITTEN,
    VGPU_LOCAL_MOVED,
    VGPU_GLOBAL_ATOMICS, /* from here on: operations */
    VGPU_SHARED_ATOMICS,
    VGPU_BARRIERS,
    VGPU_EXCHANGES, /* shuffles, votes, matches */
    VGPU_DOUBLES,
    VGPU_AMOUNTS
};

enum vgpu_operation_kind {
    VGPU_ALLOC,        /* to: the new allocation; width: bytes */
    VGPU_FREE,         /* to */
    VGPU_COPY,         /* height rows of width bytes; host sides are readable now */
    VGPU_SET,          /* height rows of width bytes at to become value */
    VGPU_LAUNCH,       /* kernel, grid, block, shared, arguments */
    VGPU_EVENT_RECORD, /* event, stream */
    VGPU_STREAM_WAIT,  /* event, stream */
    VGPU_SYNC,         /* stream, or all if is_device_wide */
    VGPU_OTHER, /* a call with an effect on the device that none of these describes: surfaces, host functions,
                          changes of graphs that are ready to run */
    VGPU_EVENT_SYNC,   /* event: the host waits for it */
    VGPU_STREAM,       /* stream is new; is_nonblocking */
    VGPU_PIN,          /* host memory of width bytes at to is pinned from now on */
    VGPU_CAPTURE,      /* what is given to stream, and to those that wait for it, becomes a graph */
    VGPU_CAPTURE_END,  /* stream; value: the graph's number, counted from 1 */
    VGPU_GRAPH_MAKE,   /* the graph with number value is made ready to be launched, as number made, from 1 */
    VGPU_GRAPH_LAUNCH, /* stream; made. The nodes are not told once more. */
    VGPU_ARRAY_ALLOC, /* to_array: the new array, height rows of width bytes; height 0: it has one dimension; value: 0 or
                          cudaArrayTextureGather */
    VGPU_ARRAY_FREE, /* to_array */
    VGPU_ARRAY_COPY, /* as VGPU_COPY, but to or from or both are arrays: number and corner */
    VGPU_TEXTURE, /* object: a new texture of from_array, or of height rows of width bytes at from; height 0: of
                          linear memory */
    VGPU_TEXTURE_FREE /* object */
};

/* The format of a texel and how textures are sampled, in the numbers of CUDA's descriptors. */
struct vgpu_texture {
    uint32_t bits[4], kind;
    uint32_t address[3], filter, read, is_normalized, is_srgb;
    uint32_t border[4]; /* the bits of floats */
};

/* What the program asked of the runtime, told before it is done. Calls that are refused are not told. */
struct vgpu_operation {
    enum vgpu_operation_kind kind;
    const char *call; /* "cudaMemcpy2D" */
    uint64_t stream;  /* 0: the default stream; others are numbered as they are made, from 1 */
    uint64_t event;   /* numbered as they are made, from 1 */
    bool is_device_wide;
    bool is_nonblocking; /* a stream that neither waits for the default stream nor makes it wait */
    bool is_sync;        /* a copy for which the host waits */
    const void *to, *from;
    uint64_t to_pitch, from_pitch, width, height;
    bool is_to_device, is_from_device;
    uint32_t value, value_bytes;
    uint32_t made;      /* of graphs */
    const char *kernel; /* mangled */
    unsigned grid[3], block[3];
    uint32_t shared;
    uint32_t shared_limit; /* set by cudaFuncSetAttribute; 0: not set */
    bool is_cooperative;
    const uint8_t *arguments; /* as the kernel sees them */
    const uint32_t *argument_offsets, *argument_sizes;
    uint32_t narguments;
    uint64_t to_array, from_array;       /* numbered as they are made, from 1; 0: memory */
    uint64_t to_x, to_y, from_x, from_y; /* in arrays: bytes, rows */
    uint64_t object;                     /* as kernels see it */
    const struct vgpu_texture *texture;  /* of a new array or texture */
};

/* What an engine did, and when, on the virtual clock. Told when it is given to the device, which may be before its time. */
enum vgpu_span_kind {
    VGPU_SPAN_KERNEL,
    VGPU_SPAN_TO_DEVICE,
    VGPU_SPAN_TO_HOST,
    VGPU_SPAN_WITHIN,
    VGPU_SPAN_FILL
};
struct vgpu_span {
    enum vgpu_span_kind kind; /* a kernel; a copy by its direction, or within the device; a memset */
    uint64_t stream;          /* as in operations */
    uint64_t bytes;           /* of copies and memsets */
    double start_us, end_us;
    const char *name; /* a kernel's, as it was written; else "" */
};

struct vgpu_watcher {
    void *context;
    bool wants_lines;   /* counters per source line with every launch */
    bool wants_profile; /* and where its time goes: only where launches are timed */
    void (*message)(void *context, const struct vgpu_message *message); /* instead of printing it */
    void (*printed)(void *context, const char *text, size_t size); /* kernels' printf, instead of stdout */
    void (*launched)(void *context, const struct vgpu_launch *launch); /* after its execution */
    void (*operation)(void *context, const struct vgpu_operation *operation);
    void (*timed)(void *context, const struct vgpu_span *span);
};
/* Any function may be NULL. One watcher at a time; NULL: none. Called with the runtime's lock held: a watcher calls
 * nothing of CUDA. */
void vgpu_watch(const struct vgpu_watcher *watcher);

/* Tells in some thirty lines what a launch that has lines and a profile did, what limits it and which lines cost most. */
struct vgpu_page {
    unsigned columns;
};
void vgpu_explain(FILE *out, const struct vgpu_launch *launch, const struct vgpu_page *page);
/* The rules that hold for a launch with a profile, those that gain most first; they last as long as the launch is told. Takes
 * some simulations when it is first asked. */
size_t vgpu_rules(const struct vgpu_launch *launch, const struct vgpu_rule **out);
/* Of all rules that there are; NULL at the end. */
const char *vgpu_rule_name(size_t index);

/* The same, and all else that is known, as a JSON object: lines, accesses with their pictures; and where it is wanted
 * as a whole, code, timeline, one block step by step and other GPUs. Only within the watcher's function. */
void vgpu_profile_json(FILE *out, const struct vgpu_launch *launch, bool is_whole);

/* The kernels of a program, or of a part of it, each with what is to be said of its longest launch. */
struct vgpu_told {
    char *kernel; /* mangled */
    unsigned long long launches;
    double total_us, longest_us;
    char *words; /* vgpu_explain() */
    char *json;  /* vgpu_profile_json(); NULL unless it is wanted */
};
struct vgpu_kernels {
    unsigned columns;          /* of words */
    bool wants_json, is_brief; /* brief: without what makes it large */
    struct vgpu_told *told;
    char **files; /* that their lines are in; only with JSON */
    size_t count, capacity, nfiles, files_capacity;
};
/* Within the watcher's function; a launch without a profile is left out. */
void vgpu_kernels_add(struct vgpu_kernels *kernels, const struct vgpu_launch *launch);
/* Those that take most of the time come first. */
void vgpu_kernels_sort(struct vgpu_kernels *kernels);
void vgpu_kernels_free(struct vgpu_kernels *kernels);

enum vgpu_memory { VGPU_DEVICE_MEMORY, VGPU_SYMBOL, VGPU_PINNED, VGPU_MANAGED, VGPU_OTHER_MEMORY };
struct vgpu_place {
    enum vgpu_memory memory;
    uint64_t base, size;
    const char *symbol; /* a device variable's mangled name, else NULL */
};
/* What lies at an address that the runtime gave out. False: nothing does. An address just past an allocation belongs to
 * it if nothing else begins there. */
bool vgpu_locate(uint64_t address, struct vgpu_place *place);

/* True if a word is the handle of a texture object, alive or destroyed. */
bool vgpu_is_texture(uint64_t word);
/* True if a word is the host's address of a device variable, which means nothing to a kernel; out says what to do instead. */
bool vgpu_is_variable(uint64_t word, char *out, size_t size);

/* What kernels used of the allocation at an address since it was made: distinct sectors of 32 bytes. Of launches that were
 * executed in part, what all of their blocks would use: each as much as those that were executed, nothing twice. */
double vgpu_sectors_used(uint64_t address);
/* The same in bytes of words that some thread used, under vgpu_set_use(): one word of each sector touches all of them. */
double vgpu_bytes_used(uint64_t address);
double vgpu_bytes_stored(uint64_t address); /* without what was only loaded */
/* A bit for each of its words of 4 bytes, 64 in a number: executed blocks have used it. NULL: nobody has looked. */
const uint64_t *vgpu_words_used(uint64_t address);
const uint64_t *vgpu_words_stored(uint64_t address);
const uint64_t *vgpu_words_loaded(uint64_t address);
/* Its bytes, as they lie there now: to look takes no time, and is no copy of the program's. NULL: nothing lies there. */
const void *vgpu_peek(uint64_t address);
/* Visits what executed blocks have really touched of it, in runs of whole sectors: byte offsets in the allocation. */
void vgpu_each_touched(uint64_t address, void (*visit)(void *context, uint64_t offset, uint64_t bytes),
                       void *context);

/* Streams, events, graphs, textures and registered host memory that the program made and has not given back. Handles are
 * numbered from 1 as they are made; vgpu_handles() is the last number so far. */
struct vgpu_handle {
    const char *what;  /* "a stream is made" */
    const char *call;  /* what gives it back: "cudaStreamDestroy" */
    const char *place; /* "lab3.cu:41"; "" if unknown */
};
uint64_t vgpu_handles(void);
void vgpu_each_handle(uint64_t since, void (*visit)(void *context, const struct vgpu_handle *handle),
                      void *context);

/* "lab3.cu:41": the innermost line of the program's own that led to the runtime call under way; false: unknown. */
bool vgpu_caller(char *out, size_t size);
/* From now on the calls of this thread are made on behalf of this place, "lab3.cu:41": vgpu_caller(), messages and findings
 * name it. NULL: the line is looked for, as ever. */
void vgpu_set_caller(const char *place);

/* The host reads, or writes, this memory now: under full checking, finds operations on the same bytes that it does not know
 * to be over (runtime/order.h). who: "the host, which compares the result,"; NULL: the host. */
void vgpu_host_reads(const void *pointer, uint64_t bytes, const char *who);
void vgpu_host_writes(const void *pointer, uint64_t bytes, const char *who);

#ifdef __cplusplus
}
#endif

#endif
