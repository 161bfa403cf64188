/* walks.h - the data of lab 2's stages: one struct walk for those that lie alike in memory. */
#ifndef WALKS_H
#define WALKS_H

#include "lab/lab.h"
#include "lab2.h"

enum { FIELDS = 7, FIELDS_USED = 4, RECORD = 8 }; /* floats of a particle, and of a record */
enum { EVERY = 8 };                               /* of the elements, those that `every` takes */

struct walk {
    struct shape (*shape)(const long *size);
    void (*layout)(struct lab_run *run, const struct shape *shape);
};

extern const struct walk line_walk, offset_walk, aos_walk, soa_walk, pitched_walk, packed_walk, rows_walk,
    column_walk, flat_walk, gather_walk, records_walk, every_walk;

/* Of the run's walk. */
struct shape shape_of(const struct lab_run *run);

/* What a walk writes. */
lab_element_fn line_element, aos_element, soa_element, pitched_element, rows_element, column_element,
    flat_element, gather_element, records_element, every_element;

/* Not all of these stages' data travels. */
lab_work_fn soa_work, pitched_work, records_work, every_work;

#endif
