/* check.h - the full checkers: uninitialised reads, races in shared and global memory, barriers.
 * Handlers call these only when worker->check == CHECK_FULL, after bounds and alignment were found good.
 * A checker never changes results; it only adds diagnostics. It must raise no false alarm. */
#ifndef VGPU_CHECK_H
#define VGPU_CHECK_H

#include "report/report.h"
#include "core/machine.h"

struct allocation;

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
enum access_shape {
    ACCESS_SCATTERED,  /* nothing known: look at address[] */
    ACCESS_UNIFORM,    /* every lane of the mask uses first */
    ACCESS_CONTIGUOUS, /* full mask, lane i uses first + i * bytes */
    ACCESS_HALVES /* full mask, 4 bytes: lanes 0-15 from first, lanes 16-31 from second; is_run: a run or one word */
};

/* One memory instruction of one warp. Addresses are offsets in shared and local memory, device addresses in global. */
struct access {
    enum access_kind kind;
    enum access_shape shape;
    enum ptx_space space;
    uint32_t mask;
    uint32_t bytes; /* per lane */
    uint64_t first, second;
    bool is_run[2];
    const uint64_t *address;       /* [32], lanes of the mask are valid; NULL unless SCATTERED */
    struct allocation *allocation; /* global, unless SCATTERED: where it lies; else NULL */
};

static inline uint64_t access_address(const struct access *access, int lane)
{
    switch (access->shape) {
    case ACCESS_SCATTERED:
        return access->address[lane];
    case ACCESS_UNIFORM:
        return access->first;
    case ACCESS_CONTIGUOUS:
        return access->first + (uint64_t)lane * access->bytes;
    default:
        return (lane < LANES / 2 ? access->first : access->second) +
               (access->is_run[lane / (LANES / 2)] ? (uint64_t)(lane % (LANES / 2)) * access->bytes : 0);
    }
}

void check_shared(struct warp *warp, const struct insn *insn, const struct access *access);
void check_global(struct warp *warp, const struct insn *insn, const struct access *access);
void check_local(struct warp *warp, const struct insn *insn, const struct access *access);

/* The bytes lane is about to store, for "writes the same value" exemptions (exec/mem.c provides it). */
void store_value(const struct warp *warp, const struct insn *insn, int lane, void *bytes16);

/* Synchronisation, called by core/. lanes: who took part. */
void check_warp_sync(struct warp *warp, uint32_t lanes); /* __syncwarp, shuffles, votes: orders these lanes */
void check_fence(struct warp *warp, uint32_t lanes);     /* membar, fence */
void check_release(struct warp *warp, const struct insn *insn,
                   uint32_t lanes); /* volatile store, atomic: after it */
void check_acquire(struct warp *warp, const struct insn *insn,
                   uint32_t lanes); /* volatile load, atomic: after it */
void check_barrier_arrive(struct warp *warp, const struct insn *insn, uint32_t lanes, uint32_t barrier);
void check_barrier_done(struct block *block, uint32_t barrier,
                        const uint32_t *lanes_by_warp); /* these were ordered */

/* Control flow around barriers: exec/control.c calls it at a branch under full checking, before the lanes part; taken
 * and fallen are the active lanes that go each way. It may be left out when no lane takes the branch. */
void check_branch(struct warp *warp, const struct insn *insn, uint32_t taken, uint32_t fallen);

/* Life cycle. */
void check_launch_begin(struct launch *launch);
void check_worker_end(struct worker *worker);
void check_launch_end(struct launch *launch); /* before diagnostics are printed: races between blocks */
void check_block_begin(struct block *block);
void check_block_end(struct block *block);

#endif
