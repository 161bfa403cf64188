/* footprint.h - which bytes of memory an operation uses, and how: a kernel, a copy, a memset.
 * Ranges are kept in the order of addresses, and those that touch are one: a kernel that walks an array has one range,
 * however large it is. A list has an end: what is beyond it is not known, so that less is found, and nothing wrong. */
#ifndef VGPU_FOOTPRINT_H
#define VGPU_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t begin, end; /* addresses; end: the first that is not in it */
};

struct ranges {
    struct range *items;
    size_t count, capacity;
};

enum use {
    USE_READ,
    USE_WRITE,
    USE_ATOMIC,
    USE_FLAG, /* volatile: how kernels and hosts tell each other that something is ready */
    USES
};

struct footprint {
    struct ranges of[USES];
};

/* The bytes from begin to before end are used like this. Mostly called in the order of addresses. */
void footprint_add(struct footprint *footprint, enum use use, uint64_t begin, uint64_t end);
/* Sorts what came in another order: before any question below. */
void footprint_close(struct footprint *footprint);
void footprint_free(struct footprint *footprint); /* it is empty then */

bool footprint_is_empty(const struct footprint *footprint);
bool footprint_is_same(const struct footprint *a, const struct footprint *b);
size_t footprint_size(const struct footprint *footprint); /* ranges */

/* Where two that are not ordered disturb each other: one writes what the other uses. Atomics do not disturb each other, and
 * flags are meant to be used at the same time. The first place, by address. */
struct conflict {
    struct range place;
    enum use first, second; /* what a does there, and b */
};
bool footprints_conflict(const struct footprint *a, const struct footprint *b, struct conflict *found);
/* One of them may have told the other something: a flag or an atomic of one, which the other changes too. */
bool footprints_share_flag(const struct footprint *a, const struct footprint *b);

#endif
