/* machine.h - the machine that executes decoded PTX: functions, instructions, warps, blocks, launches. Read this first.
 *
 * A launch runs blocks; a block runs its warps one after another, each until it waits; a warp executes one instruction
 * for all its active lanes at a time. Registers are vectors of 32 lanes ("slots"). The same program gives the same
 * results, counters and messages whatever the number of host threads: see grid.c for how. */
#ifndef VGPU_MACHINE_H
#define VGPU_MACHINE_H

#include <driver_types.h> /* cudaError_t */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alu/forms.h"
#include "core/loop_exit.h"
#include "memory/cache.h"
#include "ptx/ptx.h"
#include "vgpu.h"

struct memory;   /* memory/memory.h */
struct gpu;      /* core/gpu.h: the profile */
struct findings; /* core/findings.h: what has been found so far */
struct checker;  /* core/checker.h: who is told what happens */
struct shadow;   /* check/shadow.h: what is known of a block's shared memory */
struct trail;    /* core/trail.h: what the first steps of a block did */
struct feeds;    /* feeds/feeds.h: what of it mattered */

#define FULL_MASK 0xffffffffu

enum check_level { CHECK_OFF, CHECK_BOUNDS, CHECK_FULL };

/* ------------------------------------------------------------------------------------------- decoded code */

struct insn;
struct warp;

/* What a step asks of the scheduler. */
enum step {
    STEP_NEXT,      /* go on with warp->ip */
    STEP_SWITCH,    /* the set of active lanes changed: pick what runs next */
    STEP_WAIT,      /* the fragment waits at a barrier or for other lanes; it was recorded where it waits */
    STEP_YIELD,     /* it polls a value that does not change: let others run first */
    STEP_WAIT_TURN, /* it needs the launch's turn (see block_has_turn): execute this instruction again later */
    STEP_FAULT,     /* the launch is over; launch_fault() was called */
    STEP_UNDEFINED  /* as STEP_NEXT, but undefined values must be followed from here on: check/undefined.h */
};
typedef enum step step_fn(struct warp *warp, const struct insn *insn, uint32_t mask);

/* A slot: where 32 lanes of an operand lie. Bit 31 set: in the function's constants; clear: in the frame's registers;
 * the rest is a byte offset. Predicates are numbers of masks in frame->preds, not slots. */
#define SLOT_CONSTANT 0x80000000u
#define SLOT_NONE     0xffffffffu
/* Bit 30 set (and bit 31 clear): not a slot but a predicate; the rest is its number in frame->preds. */
#define SLOT_PRED 0x40000000u

enum { MAX_OPERANDS = 17 }; /* atom on a vector of 8: eight results, an address, eight values */

enum insn_kind {
    INSN_STEP,  /* step() does it all */
    INSN_JOIN,  /* a reconvergence point; costs and counts nothing */
    INSN_ALU,   /* from here on arithmetic; form: d = fn(a, b, c) on slots */
    INSN_ALU4,  /* form with four sources */
    INSN_CARRY, /* form with carry flags */
    INSN_SELP,  /* form with predicates among its sources */
    INSN_SETP   /* form that gives a mask; combined with another predicate, stored to one or two */
};

/* Where control goes after an instruction, and who waits for whom there. */
enum insn_flow {
    FLOW_NEXT,     /* to the next instruction */
    FLOW_BRANCH,   /* to branch.target, or on if its guard is false */
    FLOW_TABLE,    /* to one of table->targets */
    FLOW_CALL,     /* into a function, and back */
    FLOW_RETURN,   /* to the caller; out of a kernel */
    FLOW_EXIT,     /* out of the kernel */
    FLOW_TRAP,     /* the launch ends */
    FLOW_BARRIER,  /* on, when the block's threads have come */
    FLOW_WARP_SYNC /* on, when the lanes of a mask have come: __syncwarp() */
};

/* Which caches a load of global memory may use. */
enum load_cache { LOAD_PLAIN, LOAD_PAST_L1, LOAD_READ_ONLY };

struct insn {
    /* what the inner loop of a warp reads */
    uint8_t kind;   /* enum insn_kind */
    uint8_t dsize;  /* bytes per lane of the destination slot(s): 2, 4, 8 */
    uint8_t ndefs;  /* o[0..ndefs) are destinations */
    uint8_t nuses;  /* o[ndefs..ndefs+nuses) are sources */
    uint16_t guard; /* 0: none; else predicate number + 1 */
    bool guard_not;
    uint8_t class;    /* enum insn_class */
    uint32_t id;      /* index of its statistics; 0: not counted (inserted by the decoder) */
    uint16_t cost[2]; /* steps: core/budget.h; full checks: the second */
    union {
        form_fn *fn;
        form_carry_fn *carry_fn;
        form4_fn *fn4;
        step_fn *step;
    };
    uint32_t
        o[MAX_OPERANDS]; /* after fn, so that the operands of ordinary instructions share its cache line */

    /* what frequent steps read, in the second cache line */
    uint16_t preds[4]; /* predicate numbers: destinations and sources, as the family says; PRED_NONE: none */
    int64_t imm;       /* address offset, literal */
    union {
        struct {
            uint32_t target; /* index in the function's code */
            uint32_t join;   /* index of the reconvergence point; NO_JOIN: at return */
        } branch;
        struct {
            uint32_t first, end; /* shared memory: where the array that is meant lies (decode/provenance.h) */
        } bounds;
    };
    uint8_t flow;           /* enum insn_flow */
    uint8_t op;             /* which operation of its family: an enum of the family's file */
    uint8_t space;          /* memory: enum ptx_space */
    uint8_t width;          /* memory: bytes of one element: 1, 2, 4, 8, 16 */
    uint8_t count;          /* memory: elements per lane (v2, v4) */
    uint8_t cache;          /* loads: enum load_cache */
    bool is_store, is_wide; /* memory; the address register has 64 bits */

    /* more about memory */
    bool is_signed;     /* sign-extend a narrow element */
    bool is_atomic;     /* read, combine, write */
    bool is_exchange;   /* an atomic that sets a value whatever was there */
    bool is_swap_loop;  /* an atomic that is a loop of compare-and-swap on a GPU */
    bool is_async;      /* an asynchronous copy from global to shared memory */
    bool is_volatile;   /* .volatile, .relaxed, .acquire, .release: others may be waiting for it */
    bool is_release;    /* .release, .acq_rel: what came before is visible to who sees it */
    bool is_block_wide; /* .cta, .cluster: a release or fence that orders nothing for other blocks */
    bool is_arrival;    /* at a barrier that is an object in shared memory */
    bool
        is_suspending; /* a wait at such a barrier that lets the warp sleep, rather than ask again and again */
    bool is_argument;  /* .param: the constant address is an offset in frame->args, not in frame->params */

    /* more about arithmetic */
    uint8_t traits;                         /* enum form_trait */
    uint8_t flops;                          /* floating-point operations of one lane */
    union {                                 /* what one family needs beyond this, in the module's arena */
        const struct mover *mover;          /* loads and stores: exec/mem.h */
        const struct atomic_info *atomic;   /* exec/atomic.c */
        const struct copy_info *copy;       /* exec/cpasync.c */
        const struct tex_form *texture;     /* exec/tex.c */
        const struct surface_form *surface; /* exec/surf.c */
        struct branch_table *table;         /* decode/decode_internal.h */
        const struct call_info *call;       /* decode/decode_internal.h */
        const struct special *special;      /* decode/special.c */
    };
    const struct form *form;       /* arithmetic: its row */
    const struct ptx_insn *source; /* the PTX it came from */
    uint32_t loc;                  /* index into module->ptx->locs */
} __attribute__((aligned(64)));    /* arithmetic then needs one cache line of it, memory two */
#define PRED_NONE 0xffffu
#define NO_JOIN   0xffffffffu

/* A parameter or a .param variable of a function: where it lies in its per-lane block. */
struct param {
    const struct ptx_var *var;
    uint32_t offset, size;
};

/* A .shared variable, and where it lies in a block's shared memory. */
struct shared_array {
    const struct ptx_var *var;
    uint32_t offset;
};

struct function {
    const char *name;
    struct module *module;
    const struct ptx_func *ptx;
    struct insn *code; /* NULL until function_decode() */
    uint32_t ncode;
    uint32_t register_bytes; /* of one frame */
    bool reads_unset; /* some register may be read before it is written: frames begin as garbage.h says */
    uint32_t npreds;
    uint8_t *constants;      /* vectors of literals, 32 lanes each */
    uint32_t local_bytes;    /* .local variables of one thread */
    uint32_t *local_offsets; /* of ptx->vars that are .local / .shared / .param: offset in their block */
    struct param *params;    /* incoming parameters, then return values */
    uint32_t nparams, nreturns, param_bytes;
    struct param *args; /* .param variables of call sequences */
    uint32_t nargs, arg_bytes;
    /* entries only */
    uint32_t shared_bytes;              /* static, without the dynamic part */
    struct shared_array *shared_arrays; /* all that it, or a function that it calls, can reach */
    uint32_t nshared_arrays;
    uint32_t registers; /* per thread, from the cubin; an estimate if there is none */
    uint32_t cubin_local_bytes;
    uint32_t spill_bytes; /* of one thread: the part of cubin_local_bytes that holds spilled registers */
    /* local loads and stores that ptxas added, for each of its other instructions */
    double spill_loads, spill_stores;
    uint32_t max_threads; /* of __launch_bounds__; 1024 if not given */
    bool uses_order;      /* somebody may observe the order of global atomics: see exec/atomic.c */
    uint32_t index;       /* in module->functions; its address on the device is FUNCTION_BASE + index */
    /* made and read by check/ only */
    struct provenance *provenance;   /* which array an access means */
    struct barrier_map *barrier_map; /* the branches that decide whether a barrier is reached */
    struct loops *loops; /* made by decode/loops.c, for tapes: core/loops.h; NULL: not looked for */
};
#define FUNCTION_BASE 0x1000u

struct module {
    const struct ptx_module *ptx;
    struct arena *arena;
    struct function *functions; /* parallel to ptx->funcs */
    uint32_t nfunctions;
    uint32_t ninsns;        /* ids given out so far; ids start at 1 */
    struct symbol *symbols; /* module variables, parallel to ptx->vars: address and allocation */
    uint32_t nsymbols;
    struct program *program; /* made and read by model/ only */
};

struct symbol {
    const struct ptx_var *var;
    uint64_t address; /* generic address; offset in shared memory for .shared */
    struct allocation *allocation;
};

/* ------------------------------------------------------------------------------------------- statistics */

/* One per instruction, launch and worker; summed when the launch ends. */
struct insn_stat {
    uint64_t warps; /* warp instructions issued */
    uint64_t idle;  /*   lanes that were not active then: threads executed 32 * warps - idle instructions */
    union {
        uint64_t requests;  /* global memory (or texture): warp requests with at least one lane */
        uint64_t divergent; /* branches: lanes took both ways */
    };
    uint64_t sectors;                     /*   distinct 32-byte sectors of each request, summed */
    uint64_t shared_requests, wavefronts; /* shared memory */
    uint64_t conflicts;                   /*   wavefronts that only bank conflicts made */
    uint64_t shared_bytes;                /*   of all lanes */
    uint64_t local_requests, local_sectors;
    uint64_t
        meanwhile; /* who waits for asynchronous copies: what the warp has issued since they were under way */
};

/* ------------------------------------------------------------------------------------------- running code */

/* One call of a function by a fragment of a warp. */
struct frame {
    const struct function *function;
    struct frame *caller;
    const struct insn *return_to;
    uint8_t *regs; /* register slots */
    uint32_t *preds;
    uint8_t *params; /* per lane: params + lane * function->param_bytes; kernels: launch->params for all */
    uint8_t *args;   /* per lane, for calls it makes: args + lane * function->arg_bytes */
    uint32_t local_base; /* where its .local variables begin in each thread's local memory */
    struct marks *marks; /* check/undefined.h: which registers are undefined; NULL: none ever was */
    uint32_t trail;      /* core/trail.h: its number there, + 1; 0: it has none yet */
};

/* A text that grows: what kernels print. */
struct output {
    char *text;
    size_t size, capacity;
};
/* Room for more bytes at the end, which the caller fills and counts; NULL: out of memory. */
char *output_reserve(struct output *output, size_t more);

/* All of a warp is touched by one host thread at a time: the one that runs its block. */
struct warp {
    /* the running fragment: changed by core/warp.c, read by handlers */
    const struct insn *ip; /* the next instruction */
    uint32_t active;       /* bit i: lane i executes */
    struct frame *frame;
    uint8_t *base[2]; /* slots: frame->regs, function->constants */
    uint32_t *preds;  /* frame->preds */
    uint32_t carry;   /* condition-code flags, one per lane: changed by the inner loop */

    /* fixed while a host thread runs the block */
    struct block *block;
    struct worker *worker;
    struct cache_port port; /* of the block's L1 and the worker's traffic */
    uint32_t index;         /* in its block; thread = index * 32 + lane */
    uint32_t lanes;         /* lanes that exist */

    /* changed by core/ */
    uint32_t exited; /* lanes that have left the kernel */
    uint64_t clock;  /* warp instructions issued so far: the base of %clock */
    uint64_t extra;  /* what they have cost the host beyond that, by insn->cost: the same on every machine */
    uint32_t column; /* of it */
    /* private to core/budget.c: clock + extra at which it looks at the loop that the warp is in: to watch it, or to check what it has
     * spent */
    uint64_t look, watch_at, check_at;

    /* changed by exec/mem_local.c: word w of lane i lies at (w * 32 + i) * 4 */
    uint8_t *local;
    uint32_t local_bytes; /* per thread */

    /* private to exec/copy_queue.c: copies that are not complete; core/ frees it */
    struct copy_queue *copies;
    struct
    { /* exec/copy_queue.h: of those that are committed, or that a barrier in shared memory waits for */
        uint64_t since;    /* the warp's clock when the first of them was; 0: there are none */
        uint32_t barriers; /* arrivals that come with copies, and were not waited for */
    } under_way;

    /* private to core/clock.c: waiting until a clock shows some time */
    struct {
        const struct insn *insn;
        uint64_t first, last;
        uint32_t reads;
        uint64_t skipped; /* instructions that it would have issued meanwhile */
    } clock_wait;

    /* private to core/warp.c: polling, see warp_polled() */
    struct {
        const struct insn *insn;
        uint64_t value;
    } polls[4]; /* a loop may watch several places at once */
    uint32_t poll_next, poll_count;
    const struct insn *poll_insn; /* the latest; read by core/grid.c */

    struct warp_state *state;   /* private to core/: core/warp.h */
    struct warp_record *record; /* private to core/record.c: NULL unless what it does is recorded */
    struct undefined_values
        *undefined; /* changed by check/undefined.c: NULL unless a lane holds an undefined value */
    void *check;    /* private to check/local.c */

    /* What comes last is seldom touched. */
    /* private to core/budget.c: how far the loops it was in had come when it was over its budget, and what it had cost */
    struct {
        struct loop_counts counts;
        uint64_t cost;
    } progress;

    /* private to core/budget.c: whether the loop it is in comes back to the same state again and again */
    struct {
        const struct insn *branch, *polled; /* NULL: none is watched */
        const struct frame *frame;
        struct loop_exit exit;
        uint64_t state;
        uint32_t rounds, saved_at, times;
        bool has_waited; /* for somebody else, since the state was kept */
    } repeat;
};

/* All of a block is touched by one host thread at a time; between its turns it may pass to another one. */
struct block {
    /* fixed while it runs */
    struct launch *launch;
    struct worker *worker;
    uint64_t index; /* linear */
    uint32_t ctaid[3];
    uint32_t shared_bytes;
    struct warp *warps;
    uint32_t nwarps, nthreads;
    enum check_level check; /* the launch's, unless check/glance.c says otherwise */
    struct l1 *l1;          /* memory/cache.h; NULL: there was no memory for one */

    /* changed by handlers */
    uint8_t *shared;       /* static, then dynamic */
    struct output printed; /* device printf, flushed in block order */
    struct output failed;  /* the same for stderr: failed assertions, flushed after printed */
    struct findings *findings;

    struct block_state *state; /* private to core/: core/warp.h */
    struct shadow *shadow;     /* private to check/: NULL unless fully checked */
    struct block_record *late; /* core/record.h: begun when a warp turned out to be long; NULL: none did */
};

/* One host thread. */
struct worker {
    /* fixed */
    struct launch *launch;
    uint32_t index;
    enum check_level check;        /* of the block that it runs, */
    const struct checker *checker; /* but nearer to the handlers that ask at every access */

    /* its own: no other thread looks before the launch ends */
    struct insn_stat *stats; /* by insn->id */
    struct traffic traffic;
    struct tlb_entry *tlb; /* by insn->id: the allocation it touched last; see memory/memory.h */
    uint8_t *shapes;       /* by insn->id: what its addresses looked like last; private to exec/mem_words.c */
    uint64_t issued;       /* warp instructions so far */
    void (*on_long)(struct worker *worker); /* called once, when the launch turns out to be long; then NULL */
    uint64_t skipped;                       /* the most that a warp has skipped while it waited for a clock */
    struct shadow *shadows;                 /* to use again; private to check/ */
    uint8_t scratch[8][256] __attribute__((aligned(64)));

    /* under the grid's lock */
    struct block *spare[16]; /* blocks to use again */
    uint32_t nspare;
    uint64_t own, own_end; /* blocks that it has claimed and not started */
};

struct moments {
    uint64_t count;
    double sum, squares;
};

struct launch {
    /* given by the caller; fixed */
    const struct function *kernel;
    const char *kernel_name;
    const struct gpu *gpu;
    struct memory *memory;
    uint32_t grid[3], dim[3]; /* gridDim, blockDim */
    uint32_t dynamic_shared;
    uint8_t *params; /* the kernel's arguments, laid out as PTX declares */
    uint64_t index;  /* launches are numbered from 0 */
    bool is_cooperative;
    uint32_t depth;        /* kernels that it was launched by, one below the other: core/children.h */
    bool is_sampled;       /* only some blocks are executed, and counters scaled up */
    enum vgpu_order order; /* of a whole grid's blocks */
    uint64_t sample_seed;  /* which; 0: spread evenly, and nobody looks at what they do */
    unsigned sample_least; /* blocks, though each takes long; more than a few come from everywhere */
    bool is_recorded;      /* some blocks leave a record for the timing model */
    bool is_pictured;      /* and of recorded blocks, which addresses lanes used (core/pictures.h) */
    uint32_t trail_steps;  /* that some of them leave a trail of (core/trail.h); 0: none */
    uint64_t trial_block;  /* of a trial: which */
    bool is_trial;         /* it only tells how much can be afforded: a warp over its budget ends it */
    bool is_trial_cut;     /* one has */
    enum check_level check;
    const struct checker *checker; /* of that level */
    bool is_searched;              /* in full, for mistakes */
    bool fills_late;               /* some memory is filled in where somebody comes to it: memory/late.h */
    uint64_t budget;               /* cost of a block, in simple instructions: core/budget.c */
    uint64_t work;                 /* warp instructions of all blocks */
    uint64_t patience; /* of who wants a time only: what a block may cost before the launch ends; 0: no end */
    uint64_t stack_bytes; /* of a thread, as the program has set it */
    uint64_t garbage;     /* seed of what memory holds before it is written: core/garbage.h */
    uint64_t start_ns;    /* virtual clock at its start: the base of %globaltimer */
    uint64_t
        workspace; /* cooperative: device address of the grid barrier's words (%envreg1, %envreg2); else 0 */
    uint64_t blocks_per_sm, resident_blocks;
    const char *(*error_text)(cudaError_t error); /* what cudaGetErrorString says, in kernels too */
    /* What to do about a pointer into the host's memory; false: nothing is known of it. NULL: nobody knows. */
    bool (*host_advice)(uint64_t address, char *out, size_t size);
    /* Its blocks only wait, and nobody on the device can help: true if somebody else may, after a moment. NULL: nobody.
     * is_first: it has got on since the last time. */
    bool (*wait_outside)(void *outside, bool is_first);
    void *outside;
    struct footprint
        *footprint; /* full checking notes here which bytes it uses, and how; NULL: nobody asks */

    /* set by core/grid.c before blocks run */
    uint32_t nstats;  /* ids of instructions, and 0: other kernels of the module may get more meanwhile */
    uint64_t nblocks; /* that are executed */
    uint64_t nblocks_asked; /* that the grid has */
    uint64_t *places;       /* of a drawn sample: its blocks (core/places.h) */
    uint64_t first_block;   /* of those that are executed */
    uint32_t *tid[3];       /* threadIdx of every thread of a block, padded to whole warps */
    struct grid *state;     /* private to core/grid.c: locks, turns */
    void *races;            /* private to check/: has a lock of its own */
    /* told while it runs, atomically: blocks that are done, and what a block has cost of its budget */
    uint64_t blocks_done, spent;

    /* results, collected under the grid's lock in block order, or when all blocks are done */
    int fault; /* cudaError_t; 0: none. The first in block order. */
    struct insn_stat *stats;
    struct traffic traffic;
    uint64_t work_done; /* warp instructions that were executed, whatever the counters are scaled to */
    struct moments block_work, run_work; /* of a sample: what its blocks took, and its runs of neighbours */
    uint64_t end_work[2]; /* of a sample: what the grid's first and last block take; 0: not known */
    uint64_t this_run;    /* what the run of blocks that is under way has taken */
    bool is_too_long;     /* they were more than `work` */
    bool
        is_partial; /* a block has used up the patience: counters and times are of what was done until then */
    bool is_cut;    /* it had failed, and its later blocks were not executed */
    uint64_t skipped; /* the most instructions that a warp has skipped while it waited for a clock */
    struct findings *findings;
    struct output printed; /* the runtime shows it when the host waits */
    struct output failed;
    struct children *children; /* core/children.h: what it gives to the device to do; NULL: nothing so far */
    struct block_record *
        *records;            /* core/record.h: each is written by the block that it is about; NULL: none */
    struct trail *trails[2]; /* core/trail.h: of recorded blocks, TRAIL_BLOCKS of them */
    struct undo *undo;       /* memory/undo.h: what a sample has stored so far; else NULL */
    struct feeds *feeds;     /* made by the runtime when it is over, for those who tell about it; else NULL */
    struct {
        uint64_t block, clock; /* the block with the longest warp, and the instructions of that */
        uint32_t warp;
        struct block_record *record; /* its own, if it is among no others; NULL: it is, or it was short */
    } longest;
    uint64_t host_ns; /* how long the host took */
};

/* What was counted for an instruction; for one that was decoded after the launch had begun, nothing. */
static inline const struct insn_stat *launch_stat(const struct launch *launch, uint32_t id)
{
    static const struct insn_stat none;
    return id < launch->nstats ? &launch->stats[id] : &none;
}

/* ------------------------------------------------------------------------------------------- for handlers */

static inline void *slot(const struct warp *warp, uint32_t operand)
{
    return warp->base[operand >> 31] + (operand & 0x7fffffffu);
}

static inline struct insn_stat *stat_of(const struct warp *warp, const struct insn *insn)
{
    return &warp->worker->stats[insn->id];
}

/* True if this block may now do something whose order among blocks can be observed (an atomic on global memory that
 * returns a value, a volatile or acquiring load, a fence): turns go round in block order. If false, the handler must
 * have done nothing and returns STEP_WAIT_TURN; it is called again when it is this block's turn. */
bool block_has_turn(struct block *block);

/* A handler calls it after a volatile load or an atomic that returned value: it gives STEP_NEXT, or STEP_YIELD when the
 * warp has read the same value at the same place so often that it must be waiting for somebody else. */
enum step warp_polled(struct warp *warp, const struct insn *insn, uint64_t value);

/* Somebody changed memory that others may be waiting for (an atomic or a volatile store): resets deadlock detection. */
void launch_progress(struct launch *launch);

/* A .sync instruction needs all non-exited lanes of the mask at the same place: STEP_NEXT if they are all active now;
 * else the fragment waits (STEP_WAIT) and the instruction is executed again when they are. */
enum step warp_converge(struct warp *warp, const struct insn *insn, uint32_t membermask);

/* Ends the launch with a CUDA error code; the first one in block order counts. Returns STEP_FAULT. */
enum step launch_fault(struct warp *warp, int cuda_error);

/* As launch_fault, but the launch goes on to its end and fails then: a bad access that was suppressed. */
void launch_mark_fault(struct warp *warp, int cuda_error);

/* The linear thread number of a lane in its block, and its coordinates. */
static inline uint32_t thread_of(const struct warp *warp, int lane)
{
    return warp->index * LANES + (uint32_t)lane;
}
void thread_coordinates(const struct launch *launch, uint32_t thread, uint32_t out[3]);

/* ------------------------------------------------------------------------------------------- modules, launches */

/* Makes a module executable: symbols get their device addresses; functions are decoded when first needed.
 * NULL on error with a sentence in message. */
struct module *module_load(const struct ptx_module *ptx, struct memory *memory, char *message, size_t size);
void module_free(struct module *module, struct memory *memory);
struct function *module_find(struct module *module, const char *name);
/* By name; NULL: there is none. Of several declarations of a function, the one with a body. */
struct function *module_function(struct module *module, const char *name);
struct symbol *module_symbol(struct module *module, const char *name);

/* Executes a launch to its end. The caller has checked the configuration and filled in the input fields.
 * threads: host threads to use. Returns launch->fault. */
int launch_run(struct launch *launch, unsigned threads);
void launch_release(struct launch *launch); /* frees the results */

#endif
