/* late_bytes.c - see late_bytes.h. A bit per group of bytes tells whether they are there; who finds that they are not makes them under a
 * lock, so that nobody's store is overwritten by another thread that has come to the same group. What is not there is what a function
 * makes, and over it, in their order, what copies have brought from elsewhere that was not there either. */
#include "memory/late_bytes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { GROUP = 256, BITS = 64, MOST_PARTS = 64, LEAST_BYTES = 1 << 16 };

/* A copy: rows of `from`, as they were when it had so many parts itself. */
struct part {
    struct late *from;
    uint32_t nparts;
    uint64_t to_offset, from_offset;
    uint64_t to_pitch, from_pitch, width, height;
};

struct late {
    uint32_t owners; /* allocations, host memory, and parts of others */
    uint32_t nparts;
    uint8_t *bytes;
    uint64_t size;
    vgpu_fill_fn *fill;
    void *context;
    int which;
    struct late *next; /* of those of host memory */
    struct part parts[MOST_PARTS];
    uint64_t there[]; /* a bit per group */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t made; /* groups, so far */

/* ------------------------------------------------------------------------------------------- life */

struct late *late_new(uint8_t *bytes, uint64_t size, vgpu_fill_fn *fill, void *context, int which)
{
    const uint64_t words = size / GROUP / BITS + 1;
    struct late *late = calloc(1, sizeof *late + words * sizeof *late->there);
    if (!late)
        return NULL;
    late->owners = 1;
    late->bytes = bytes;
    late->size = size;
    late->fill = fill;
    late->context = context;
    late->which = which;
    return late;
}

void late_free(struct late *late)
{
    if (!late || --late->owners)
        return;
    for (uint32_t k = 0; k < late->nparts; k++)
        late_free(late->parts[k].from);
    free(late);
}

struct late *late_share(struct late *late)
{
    late->owners++;
    return late;
}

struct late **late_next(struct late *late)
{
    return &late->next;
}

bool late_holds(const struct late *late, const uint8_t *bytes)
{
    return (uint64_t)(bytes - late->bytes) < late->size;
}

bool late_lies_in(const struct late *late, const uint8_t *bytes, uint64_t size)
{
    return (uint64_t)(late->bytes - bytes) < size;
}

/* ------------------------------------------------------------------------------------------- bytes that are not there */

static void make_bytes(const struct late *late, uint32_t nparts, uint64_t offset, uint64_t bytes,
                       uint8_t *out);

/* fill() makes whole elements. */
static void make_filled(const struct late *late, uint64_t offset, uint64_t bytes, uint8_t *out)
{
    enum { LARGEST = 16 };
    const uint64_t begin = offset / LARGEST * LARGEST;
    const uint64_t end = smaller_of(round_up(offset + bytes, LARGEST), late->size);
    uint8_t whole[GROUP + 2 * LARGEST];
    if (begin == offset && (bytes % LARGEST == 0 || offset + bytes == late->size)) {
        late->fill(late->context, late->which, offset, bytes, out);
        return;
    }
    late->fill(late->context, late->which, begin, end - begin, whole);
    memcpy(out, whole + (offset - begin), bytes);
}

/* Of one part, what lies in these bytes. */
static void make_part(const struct part *part, uint64_t offset, uint64_t bytes, uint8_t *out)
{
    const uint64_t end = offset + bytes, pitch = part->to_pitch ? part->to_pitch : 1;
    uint64_t row =
        offset > part->to_offset + part->width ? (offset - part->to_offset - part->width) / pitch : 0;
    for (; row < part->height && part->to_offset + row * pitch < end; row++) {
        const uint64_t start = part->to_offset + row * pitch;
        const uint64_t low = larger_of(start, offset), high = smaller_of(start + part->width, end);
        if (low < high)
            make_bytes(part->from, part->nparts, part->from_offset + row * part->from_pitch + (low - start),
                       high - low, out + (low - offset));
    }
}

static bool is_covering(const struct part *part, uint64_t offset, uint64_t bytes)
{
    if (offset < part->to_offset || !part->to_pitch)
        return false;
    const uint64_t row = (offset - part->to_offset) / part->to_pitch;
    return row < part->height && (offset - part->to_offset) % part->to_pitch + bytes <= part->width;
}

/* As they were when there were so many parts; at most GROUP bytes. */
static void make_bytes(const struct late *late, uint32_t nparts, uint64_t offset, uint64_t bytes,
                       uint8_t *out)
{
    uint32_t first = nparts;
    while (first > 0 && !is_covering(&late->parts[first - 1], offset, bytes))
        first--;
    if (!first)
        make_filled(late, offset, bytes, out);
    for (uint32_t k = first ? first - 1 : 0; k < nparts; k++)
        make_part(&late->parts[k], offset, bytes, out);
}

/* ------------------------------------------------------------------------------------------- bringing them */

static bool is_there(const struct late *late, uint64_t group)
{
    return __atomic_load_n(&late->there[group / BITS], __ATOMIC_ACQUIRE) >> group % BITS & 1;
}

static void set_there(struct late *late, uint64_t group)
{
    __atomic_fetch_or(&late->there[group / BITS], UINT64_C(1) << group % BITS, __ATOMIC_RELEASE);
}

static void make_group(struct late *late, uint64_t group)
{
    const uint64_t offset = group * GROUP;
    pthread_mutex_lock(&lock);
    if (!is_there(late, group)) {
        make_bytes(late, late->nparts, offset, smaller_of(late->size - offset, GROUP), late->bytes + offset);
        __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED); /* seen by whoever sees that it is there */
        set_there(late, group);
    }
    pthread_mutex_unlock(&lock);
}

static bool make_range(struct late *late, uint64_t offset, uint64_t bytes)
{
    const uint64_t end = smaller_of(offset + (bytes ? bytes : 1), late->size);
    bool has_made = false;
    for (uint64_t group = offset / GROUP; group * GROUP < end; group++)
        if (!is_there(late, group)) {
            make_group(late, group);
            has_made = true;
        }
    return has_made;
}

bool late_make_bytes(struct late *late, const uint8_t *bytes, uint64_t count)
{
    return make_range(late, (uint64_t)(bytes - late->bytes), count);
}

uint64_t late_made(void)
{
    return __atomic_load_n(&made, __ATOMIC_RELAXED);
}

void late_make_all(struct late *late)
{
    make_range(late, 0, late->size);
}

/* ------------------------------------------------------------------------------------------- copies */

/* A piece of a row that lies in one group of the memory that is written. What is there on either side moves. A group that becomes
 * another one from its first byte to its last need not be there any more. */
static void copy_piece(struct late *to, struct late *from, uint64_t to_offset, uint64_t from_offset,
                       uint64_t bytes)
{
    const uint64_t group = to_offset / GROUP;
    const bool is_whole = bytes == GROUP || (to_offset % GROUP == 0 && to_offset + bytes == to->size);
    const bool is_made =
        is_there(from, from_offset / GROUP) || is_there(from, (from_offset + bytes - 1) / GROUP);
    if (is_made || (!is_whole && is_there(to, group))) {
        if (is_whole)
            set_there(to, group);
        else
            make_range(to, to_offset, bytes);
        make_range(from, from_offset, bytes);
        memcpy(to->bytes + to_offset, from->bytes + from_offset, bytes);
    } else if (is_whole) {
        to->there[group / BITS] &= ~(UINT64_C(1) << group % BITS);
    }
}

static void copy_row(struct late *to, struct late *from, uint64_t to_offset, uint64_t from_offset,
                     uint64_t width)
{
    for (uint64_t at = 0, bytes; at < width; at += bytes) {
        bytes = smaller_of(GROUP - (to_offset + at) % GROUP, width - at);
        copy_piece(to, from, to_offset + at, from_offset + at, bytes);
    }
}

/* Nobody owns himself. */
static bool depends(const struct late *late, const struct late *on)
{
    bool is_so = late == on;
    for (uint32_t k = 0; k < late->nparts && !is_so; k++)
        is_so = depends(late->parts[k].from, on);
    return is_so;
}

static bool has_room(const struct late *late, uint64_t offset, uint64_t pitch, const struct late_rows *copy)
{
    return late->nparts < MOST_PARTS && offset + (copy->height - 1) * pitch + copy->width <= late->size;
}

bool late_copy_rows(struct late *to, struct late *from, const struct late_rows *copy)
{
    const uint64_t to_offset = (uint64_t)(copy->to - to->bytes);
    const uint64_t from_offset = (uint64_t)(copy->from - from->bytes);
    if (depends(from, to) || copy->width * copy->height < LEAST_BYTES || copy->width < GROUP ||
        !has_room(to, to_offset, copy->to_pitch, copy) ||
        !has_room(from, from_offset, copy->from_pitch, copy))
        return false;
    to->parts[to->nparts++] = (struct part){from,           from->nparts,     to_offset,   from_offset,
                                            copy->to_pitch, copy->from_pitch, copy->width, copy->height};
    from->owners++;
    for (uint64_t row = 0; row < copy->height; row++)
        copy_row(to, from, to_offset + row * copy->to_pitch, from_offset + row * copy->from_pitch,
                 copy->width);
    return true;
}
