/* copy_queue.c - a warp's asynchronous copies between their issue and the moment when they are waited for.
 * Bytes arrive as late as the hardware may let them arrive: a program that does not wait gets what it deserves. Stores are
 * checked at both times, since they may happen at any time between. */
#include "exec/copy_queue.h"

#include <stdlib.h>
#include <string.h>

#include "exec/mem.h"

/* One execution of a copy, of the lanes of mask that have not waited for it. */
struct pending_copy {
    const struct insn *insn;
    uint32_t mask;
    uint32_t offset[LANES];
    uint32_t group[LANES]; /* how many groups the lane had committed before */
    uint8_t bytes[LANES * COPY_BYTES];
};

struct copy_queue {
    uint32_t count, capacity;
    uint32_t commits[LANES];
    struct pending_copy copies[];
};

static struct access access_to_dest(const struct insn *insn, uint32_t mask, const uint32_t *offset,
                                    uint64_t address[LANES])
{
    for (int i = 0; i < LANES; i++)
        address[i] = offset[i];
    return access_of_lanes(ACCESS_WRITE, PTX_SHARED, mask, insn->width, address);
}

/* Room for one more; NULL: no memory. */
static struct pending_copy *queue_add(struct warp *warp)
{
    struct copy_queue *queue = warp->copies;
    if (!queue || queue->count == queue->capacity) {
        const uint32_t capacity = queue ? 2 * queue->capacity : 8;
        struct copy_queue *grown = realloc(queue, sizeof *grown + capacity * sizeof *grown->copies);
        if (!grown)
            return NULL;
        if (!queue)
            memset(grown, 0, sizeof *grown);
        grown->capacity = capacity;
        warp->copies = queue = grown;
    }
    return &queue->copies[queue->count++];
}

/* The bytes of the stage arrive. */
static void write_dests(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset)
{
    uint64_t address[LANES];
    if (warp->worker->check == CHECK_FULL) {
        const struct access access = access_to_dest(insn, mask, offset, address);
        checker_of(warp)->shared(warp, insn, &access);
    }
    EACH_ACTIVE(lane, mask)
    memcpy(warp->block->shared + offset[lane], copy_stage(warp) + (size_t)lane * COPY_BYTES, insn->width);
    launch_progress(warp->block->launch); /* who copies does not only wait */
}

void copies_begin(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset)
{
    struct pending_copy *copy = queue_add(warp);
    if (!copy) {
        write_dests(warp, insn, mask, offset); /* early, as the hardware may */
        return;
    }
    copy->insn = insn;
    copy->mask = mask;
    memcpy(copy->offset, offset, sizeof copy->offset);
    memcpy(copy->group, warp->copies->commits, sizeof copy->group);
    memcpy(copy->bytes, copy_stage(warp), sizeof copy->bytes);
    if (warp->worker->check == CHECK_FULL) {
        uint64_t address[LANES];
        const struct access access = access_to_dest(insn, mask, offset, address);
        checker_of(warp)->shared(warp, insn, &access);
        checker_of(warp)->copy_begins(warp, &access);
    }
}

/* Lanes of a warp wait together, as a rule; where they do not, the first to wait counts for all. */
static void count_meanwhile(struct warp *warp, const struct insn *insn, bool is_more_under_way)
{
    if (warp->under_way.since)
        stat_of(warp, insn)->meanwhile += warp->clock - warp->under_way.since;
    warp->under_way.since = warp->under_way.since && is_more_under_way ? warp->clock : 0;
}

static void begin_meanwhile(struct warp *warp)
{
    if (!warp->under_way.since)
        warp->under_way.since = warp->clock;
}

static bool has_committed(const struct copy_queue *queue)
{
    for (uint32_t i = 0; queue && i < queue->count; i++) {
        const uint32_t lane = (uint32_t)__builtin_ctz(queue->copies[i].mask);
        if (queue->copies[i].group[lane] < queue->commits[lane])
            return true;
    }
    return false;
}

static void write_waited(struct warp *warp, uint32_t lanes, uint32_t left)
{
    struct copy_queue *queue = warp->copies;
    uint32_t kept = 0;
    for (uint32_t i = 0; queue && i < queue->count; i++) {
        struct pending_copy *copy = &queue->copies[i];
        uint32_t done = 0;
        EACH_ACTIVE(lane, copy->mask & lanes)
        done |= (uint64_t)copy->group[lane] + left < queue->commits[lane] ? 1u << lane : 0;
        if (done) {
            memcpy(copy_stage(warp), copy->bytes, sizeof copy->bytes);
            write_dests(warp, copy->insn, done, copy->offset);
            copy->mask &= ~done;
        }
        if (copy->mask && kept++ != i)
            queue->copies[kept - 1] = *copy;
    }
    if (queue)
        queue->count = kept;
}

void copies_wait(struct warp *warp, const struct insn *insn, uint32_t lanes, uint32_t left)
{
    write_waited(warp, lanes, left);
    count_meanwhile(warp, insn, has_committed(warp->copies) || warp->under_way.barriers);
}

void copies_commit(struct warp *warp, uint32_t lanes)
{
    if (!warp->copies)
        return;
    EACH_ACTIVE(lane, lanes) warp->copies->commits[lane]++;
    if (has_committed(warp->copies))
        begin_meanwhile(warp);
}

void copies_finish(struct warp *warp, const struct insn *insn, uint32_t lanes)
{
    copies_commit(warp, lanes);
    copies_wait(warp, insn, lanes, 0);
}

void copies_arrive(struct warp *warp, uint32_t lanes)
{
    if (!warp->copies || !warp->copies->count)
        return;
    copies_commit(warp, lanes);
    write_waited(warp, lanes, 0);
    warp->under_way.barriers++;
}

void copies_awaited(struct warp *warp, const struct insn *insn)
{
    if (!warp->under_way.barriers)
        return;
    warp->under_way.barriers--;
    count_meanwhile(warp, insn, warp->under_way.barriers || has_committed(warp->copies));
}
