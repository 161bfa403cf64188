/* sample.c - what the recorded blocks of a launch say of all its blocks: see sample.h. */
#include "model/sample.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/number.h"

void sample_collect(struct sample *sample, const struct launch *launch)
{
    double places = 0;
    *sample = (struct sample){.nblocks = 0};
    for (uint32_t i = 0; launch->records && i < RECORD_BLOCKS; i++) {
        struct block_record *record = launch->records[i];
        if (!record)
            continue;
        sample->blocks[sample->nblocks++] = record;
        for (uint32_t w = 0; w < record->nwarps; w++)
            places += record->warps[w].nplaces;
    }
    if (sample->nblocks)
        sample->places = places / sample->nblocks;
}

/* The part of all recorded atomics that go to the line which most of them go to: L2 serves a line at a time. */
enum { WORDS_PER_LINE = 32 };

static int compare_addresses(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t list_atomics(const struct sample *sample, uint32_t *out, uint32_t limit)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < sample->nblocks; b++)
        for (uint32_t w = 0; w < sample->blocks[b]->nwarps; w++) {
            const struct warp_record *record = &sample->blocks[b]->warps[w];
            for (uint32_t i = 0; i < record->ncosts && count < limit; i++)
                if (record->costs[i].addresses && !record->costs[i].wavefronts)
                    out[count++] = record->costs[i].address / WORDS_PER_LINE;
        }
    return count;
}

double sample_hottest(const struct sample *sample)
{
    enum { LIMIT = 1 << 14 };
    uint32_t *addresses = malloc(LIMIT * sizeof *addresses);
    const uint32_t count = addresses ? list_atomics(sample, addresses, LIMIT) : 0;
    uint32_t most = 0;
    if (count)
        qsort(addresses, count, sizeof *addresses, compare_addresses);
    for (uint32_t i = 0, run = 0; i < count; i++) {
        run = i && addresses[i] == addresses[i - 1] ? run + 1 : 1;
        most = larger_of(run, most);
    }
    free(addresses);
    return count ? (double)(most - 1) / count : 0; /* one is by chance */
}

/* Of the sectors that go back to DRAM, the part that was not written as a whole: by the bytes that were stored. */
double sample_fills(const struct sample *sample, double written)
{
    double bytes = 0, sectors = 0;
    for (uint32_t b = 0; b < sample->nblocks; b++)
        for (uint32_t w = 0; w < sample->blocks[b]->nwarps; w++) {
            const struct warp_record *record = &sample->blocks[b]->warps[w];
            for (uint32_t i = 0; i < record->ncosts; i++) {
                bytes += record->costs[i].l2_writes ? record->costs[i].bytes : 0;
                sectors += record->costs[i].l2_writes;
            }
        }
    const double kept = 32 * sectors * written;
    const double missing = kept > 0 && bytes < kept ? 2 * (1 - bytes / kept) : 0;
    return smaller_of(missing, 1);
}

/* ------------------------------------------------------------------------------------------- lines that all use */

/* A hash table of lines: which recorded block uses it, or several. */
struct line_table {
    struct {
        uint32_t line; /* 0: an empty place */
        uint8_t block, is_shared;
    } * places;
    uint32_t mask, count;
};

static uint32_t find_place(const struct line_table *table, uint32_t line)
{
    uint32_t at = hash_word32(line) & table->mask;
    while (table->places[at].line && table->places[at].line != line)
        at = (at + 1) & table->mask;
    return at;
}

static void note_line(struct line_table *table, uint32_t line, uint8_t block)
{
    const uint32_t at = find_place(table, line);
    if (!table->places[at].line && table->count++ <= table->mask / 2) {
        table->places[at].line = line;
        table->places[at].block = block;
    } else if (table->places[at].line && table->places[at].block != block) {
        table->places[at].is_shared = true;
    }
}

static uint32_t line_key(uint32_t entry)
{
    return (entry >> LINE_SHIFT) + 1;
}

typedef void visit_line(struct line_table *table, uint32_t *entry, uint8_t block);

static void each_line(struct line_table *table, const struct sample *sample, visit_line *visit)
{
    for (uint32_t b = 0; b < sample->nblocks; b++)
        for (uint32_t w = 0; w < sample->blocks[b]->nwarps; w++) {
            struct warp_record *record = &sample->blocks[b]->warps[w];
            for (uint32_t i = 0; i < record->nlines; i++)
                visit(table, &record->lines[i], (uint8_t)b);
        }
}

static void visit_note(struct line_table *table, uint32_t *entry, uint8_t block)
{
    note_line(table, line_key(*entry), block);
}

static void visit_mark(struct line_table *table, uint32_t *entry, uint8_t block)
{
    (void)block;
    const uint32_t at = find_place(table, line_key(*entry));
    if (table->places[at].line && table->places[at].is_shared)
        *entry |= LINE_SHARED;
}

/* Marks the lines that more than one recorded block uses: the blocks that are not recorded use them too. */
void sample_mark_shared(const struct sample *sample)
{
    enum { TABLE_BITS = 16 };
    struct line_table table = {.mask = (1u << TABLE_BITS) - 1};
    table.places = calloc((size_t)table.mask + 1, sizeof *table.places);
    if (!table.places)
        return;
    each_line(&table, sample, visit_note);
    each_line(&table, sample, visit_mark);
    free(table.places);
}
