/* trace.h - what a submission's host code did, as data: recorded once, replayed by those who trust nobody.
 * A trace file holds segments, one per (stage, case); a segment is a list of operations on buffers given from outside, on
 * allocations of its own, and on device variables by name. Recording needs the virtual GPU; replaying needs only the CUDA
 * runtime API, the real one or ours. A trace comes from hostile code: trace_read() checks every number in it. */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------------------------------- the data */

enum trace_space {
    TRACE_NOWHERE,
    TRACE_GIVEN,  /* a buffer of the harness, on the device or on the host: index */
    TRACE_OWN,    /* the index-th allocation of this segment */
    TRACE_SYMBOL, /* a __device__ or __constant__ variable: index into names */
    TRACE_SEED,  /* no place: a word that follows the seed; index: an enum trace_seed. Only in relocations. */
    TRACE_IMAGE, /* the index-th array of this segment; offset: bytes, row after row */
    TRACE_OBJECT /* its index-th texture object; in relocations, its handle */
};

/* How a word follows the seed that the entry point was given: the seed or its lower 32 bits, plus or xor the offset. */
enum trace_seed { TRACE_SEED_PLUS, TRACE_SEED_XOR, TRACE_LOW_PLUS, TRACE_LOW_XOR, TRACE_SEED_FORMS };

struct trace_place {
    enum trace_space space;
    uint32_t index;
    uint64_t offset;
};

/* A word of an argument or of written data that points to the device, or that follows the seed. */
struct trace_relocation {
    uint64_t at; /* byte offset in the operation's data */
    struct trace_place place;
};

enum trace_kind {
    TRACE_ALLOC,        /* own allocation number `to.index`, `width` bytes */
    TRACE_FREE,         /* to */
    TRACE_WRITE,        /* data (height rows of width bytes, packed) to `to` with to_pitch */
    TRACE_READ,         /* device to host: from; the bytes are thrown away */
    TRACE_COPY,         /* height rows of width bytes from `from` to `to`, of which one may be on the host */
    TRACE_SET,          /* every byte of height rows of width bytes at `to` becomes `value` */
    TRACE_LAUNCH,       /* names[name] with grid, block, shared, arguments in data, cut as in `arguments` */
    TRACE_EVENT_RECORD, /* event number `value` on stream */
    TRACE_STREAM_WAIT,  /* stream waits for event number `value` */
    TRACE_SYNC,         /* the host waits: stream, or the device if stream is TRACE_ALL_STREAMS */
    TRACE_SAY,          /* host code left data in the host buffer `to`: its answer. Players pass over it. */
    TRACE_EVENT_SYNC,   /* the host waits for event number `value` */
    TRACE_STREAM,       /* before its first use: stream is one that does not wait for the default stream */
    TRACE_PIN,          /* width bytes of host memory at `to` are pinned */
    TRACE_HOST,    /* step number `value` of the host: `width` bytes at `to` from `height` bytes at `from` */
    TRACE_CAPTURE, /* from here on stream, and what waits for it, is captured */
    TRACE_CAPTURE_END,  /* stream: the next graph, counted from 0 */
    TRACE_GRAPH_MAKE,   /* graph number `value` becomes the next one that can be launched, counted from 0 */
    TRACE_GRAPH_LAUNCH, /* number `value` of those, on stream */
    TRACE_ARRAY_ALLOC, /* array number `to.index`: height rows of width bytes; height 0: one dimension; value: its flags */
    TRACE_ARRAY_WRITE, /* as TRACE_WRITE, to an array */
    TRACE_ARRAY_COPY,  /* as TRACE_COPY, where `to` or `from` or both are arrays */
    TRACE_TEXTURE, /* texture object number `to.index` of `from`: an array, or height rows of width bytes; height 0: of
                          width bytes of linear memory */
    TRACE_DROP, /* to: an array or a texture object */
    TRACE_KINDS
};
#define TRACE_ALL_STREAMS UINT32_MAX

/* The format of an array's or a texture's texels and how they are sampled, in the numbers of CUDA's descriptors. */
struct trace_texture {
    uint32_t bits[4], kind; /* 0 in a texture of an array, which has a format */
    uint32_t address[3], filter, read, is_normalized, is_srgb;
    uint32_t border[4]; /* the bits of floats */
};

struct trace_argument {
    uint32_t offset, size; /* in data */
};

/* Fields that a kind does not use are 0. Rows are to_pitch or from_pitch bytes apart; with one row the pitch is 0. */
struct trace_op {
    enum trace_kind kind;
    uint32_t stream; /* 0: the default stream */
    uint32_t line;   /* of the submission's source, 0: unknown */
    struct trace_place to, from;
    uint64_t to_pitch, from_pitch, width, height;
    uint32_t value; /* a byte to set, or an event's number */
    uint32_t name;
    uint32_t grid[3], block[3], shared;
    uint32_t shared_limit; /* cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set */
    bool is_cooperative;
    bool is_sync; /* of copies, reads and writes: the host waits for it */
    uint8_t *data;
    uint64_t size; /* of data */
    struct trace_relocation *relocations;
    uint32_t nrelocations;
    struct trace_argument *arguments;
    uint32_t narguments;
    struct trace_texture texture;
};

/* A call that a trace cannot carry, or a runtime call that failed while recording. */
struct trace_note {
    char text[640]; /* whole sentences */
    uint32_t
        kind; /* enum vgpu_finding: what is wrong with the call; 0: nothing but that the recorder cannot carry it */
    uint32_t line;
    bool is_fatal; /* the segment cannot be replayed */
};

/* A given buffer. Copies may reach host memory; kernels, memsets and written data may not. */
struct trace_buffer {
    uint64_t bytes;
    bool is_host;
};

struct trace_segment {
    char stage[64];
    uint32_t which; /* index of the case; TRACE_TIMED for the timed one */
    struct trace_buffer *given;
    uint32_t ngiven;
    struct trace_op *ops;
    uint32_t nops;
    uint32_t nlaunches;
    struct trace_note *notes;
    uint32_t nnotes;
};
#define TRACE_TIMED UINT32_MAX

struct trace {
    struct trace_segment *segments;
    uint32_t nsegments;
    char **names; /* kernels and device variables, mangled */
    uint32_t nnames;
};

enum {
    TRACE_MAX_SEGMENTS = 4096,
    TRACE_MAX_NAMES = 4096,
    TRACE_MAX_NAME = 8192, /* characters */
    TRACE_MAX_GIVEN = 64,
    TRACE_MAX_OPS = 16384, /* per segment */
    TRACE_MAX_OWN = 1024,  /* likewise; arrays, textures, streams and events too */
    TRACE_MAX_STREAMS = 1024,
    TRACE_MAX_EVENTS = 1024,
    TRACE_MAX_GRAPHS = 1024,
    TRACE_MAX_HOSTS = 64, /* kinds of steps of the host */
    TRACE_MAX_NOTES = 64,
    TRACE_MAX_ARGUMENTS = 32764, /* bytes: what a kernel may take */
    TRACE_MAX_DATA = 64 << 20    /* bytes of all operations together */
};
#define TRACE_MAX_BYTES (1ull << 40) /* of a buffer, a pitch, an offset */

/* ------------------------------------------------------------------------------------------- the data (trace.c) */

struct trace *trace_new(void);
void trace_free(struct trace *trace);
const struct trace_segment *trace_find(const struct trace *trace, const char *stage, uint32_t which);
/* One line per operation, for people. */
void trace_describe(const struct trace *trace, const struct trace_op *op, char *out, size_t size);

/* ------------------------------------------------------------------------------------------- seeds (seed.c)
 * Host code may hand the seed on, and add to it, but whoever replays takes a seed that it has never seen. */

uint32_t trace_word_bytes(const struct trace_place *place); /* of a relocation: 8 or 4 */
/* The word at `place`, which is a TRACE_SEED, for a seed. */
uint64_t trace_seed_word(const struct trace_place *place, uint64_t seed);
/* Two recordings of one call under two seeds become one: words that differ are found to follow the seed. False: something
 * else differs; why says what, *line where (0: unknown). */
bool trace_follow_seed(struct trace_segment *segment, const struct trace_segment *other, uint64_t seed,
                       uint64_t other_seed, char *why, size_t size, uint32_t *line);

/* ------------------------------------------------------------------------------------------- rules (check.c) */

/* Every index lies in its table, every size below its limit, every copy inside its given or own buffer; only whether
 * device variables and kernels exist and how large they are is left to the player. False: *error says what is wrong. */
bool trace_check(const struct trace *trace, char *error, size_t size);
bool trace_check_segment(const struct trace *trace, const struct trace_segment *segment, char *error,
                         size_t size);
/* Bytes from an operation's place to the end of its last row. False: it has no rows, or they are out of all bounds. */
bool trace_extent(uint64_t pitch, uint64_t width, uint64_t height, uint64_t *bytes);

/* ------------------------------------------------------------------------------------------- files (file.c) */

/* False: *error says why in one sentence. */
bool trace_write(const struct trace *trace, const char *path, char *error, size_t size);
/* NULL: not a trace, cut off, forged: *error says what and where. A trace that was read has passed trace_check(). */
struct trace *trace_read(const char *path, char *error, size_t size);

/* ------------------------------------------------------------------------------------------- recording (recorder.c)
 * Links the virtual GPU. Between begin and end everything that this process asks of the runtime becomes the segment;
 * allocations that are alive at begin and named there are the given buffers. Kernels do not execute. */

struct trace_given {
    void *memory; /* an allocation on the device, or host memory */
    uint64_t bytes;
    bool is_host;
};
/* source: the submission's file name; only its lines are named in notes. */
void recorder_begin(struct trace *trace, const char *stage, uint32_t which, const struct trace_given *given,
                    uint32_t ngiven, const char *source);
/* The host is about to do a step of its own: number, what it writes and what it reads, both in given buffers of the host. */
void recorder_host(uint32_t number, void *to, uint64_t to_bytes, const void *from, uint64_t from_bytes);
/* What host code has left in given buffer number `index`, which is on the host, becomes the segment's next operation. */
void recorder_say(uint32_t index);
/* False: out of memory. What the segment cannot carry stands in its notes. */
bool recorder_end(void);
/* Whoever wants to know of notes at once, because the process may not live to read them; NULL: nobody. */
void recorder_listen(void (*heard)(const struct trace_note *note));
/* Called when a limit is passed and nothing more will be recorded, within the call that passed it: the entry point may never come
 * back from its loop. It may end the recording, and the process. NULL: the entry point goes on. */
void recorder_on_full(void (*full)(void));
/* Operations of a segment, from now on; at first TRACE_MAX_OPS. */
void recorder_set_most(uint32_t ops);

/* ------------------------------------------------------------------------------------------- replaying (player.c)
 * Uses only the CUDA runtime API, so it links libcudart as well as the virtual GPU. */

struct player;
/* Loads device code: a fatbin as nvcc makes it. NULL: *error says why. */
struct player *player_new(const struct trace *trace, const void *fatbin, size_t bytes, char *error,
                          size_t size);
void player_free(struct player *player);
/* Everything that is not work for the GPU: own allocations, streams, events, kernels by name, relocated arguments.
 * given[i] are pointers for the segment's given buffers, to the device or to the host as the segment says: who calls this
 * has seen to it that the segment is right about that. */
bool player_prepare(struct player *player, const struct trace_segment *segment, void *const *given,
                    char *error, size_t size);
/* Whoever plays a segment with steps of the host does them; without it such a segment is not prepared. */
typedef void player_host_fn(void *context, uint32_t number, void *to, size_t to_bytes, const void *from,
                            size_t from_bytes);
/* Is told of each operation before it is replayed; of a launch also before its kernel gets more shared memory. */
typedef void player_before_fn(void *context, const struct trace_op *op);
struct player_hooks {
    void *context;
    player_host_fn *host;
    player_before_fn *before; /* NULL: nobody wants to know */
};
void player_set_hooks(struct player *player, const struct player_hooks *hooks);
/* Before each run: graphs of the run before are gone, and words that follow the seed follow this one. */
void player_make_ready(struct player *player, uint64_t seed);
/* Replays the prepared segment, without waiting for the device at its end. As often as wanted. */
bool player_run(struct player *player, char *error, size_t size);
/* Where a place of the prepared segment lies; NULL: there is no such variable. */
void *player_address(const struct player *player, const struct trace_place *place);
void player_finish(struct player *player); /* undoes player_prepare */

#endif
