/* sample.c - what the recorded blocks of a launch say of all its blocks: see sample.h. */
#include "model/sample.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/number.h"

void sample_collect(struct sample *sample, const struct launch *launch)
{
    double places = 0;
    *sample = (struct sample){.nblocks = 0};
    for (uint32_t i = 0; launch->records && i < RECORD_BLOCKS; i++)
        if (launch->records[i])
            sample->blocks[sample->nblocks++] = launch->records[i];
    if (!sample->nblocks && launch->longest.record)
        sample->blocks[sample->nblocks++] = launch->longest.record; /* the launch ended before the others */
    for (uint32_t i = 0; i < sample->nblocks; i++)
        for (uint32_t w = 0; w < sample->blocks[i]->nwarps; w++)
            places += sample->blocks[i]->warps[w].nplaces;
    if (sample->nblocks)
        sample->places = places / sample->nblocks;
}

/* ------------------------------------------------------------------------------------------- hot slices of L2 */

enum { DRAWN = 4 }; /* turns, each of another block */

/* For each number of turns up to DRAWN: in how many ways they can be drawn, from as many blocks. */
static void count_ways(double *ways, const double *turns, uint32_t nblocks)
{
    for (int k = 0; k <= DRAWN; k++)
        ways[k] = k == 0;
    for (uint32_t b = 0; b < nblocks; b++)
        for (int k = DRAWN; k > 0; k--)
            ways[k] += ways[k - 1] * turns[b];
}

/* Of a block's turns, by slices or by groups of sectors: those of one of them. */
typedef uint32_t *turns_of_warp(struct warp_record *record);

static uint32_t *by_slices(struct warp_record *record)
{
    return record->turns.slices;
}

static uint32_t *by_sectors(struct warp_record *record)
{
    return record->turns.sectors;
}

static double turns_of(struct block_record *block, turns_of_warp *of_warp, uint32_t place)
{
    double turns = 0;
    for (uint32_t w = 0; w < block->nwarps; w++)
        turns += of_warp(&block->warps[w])[place];
    return turns;
}

/* Ways to draw turns of different blocks: any, and such that are at one place. */
struct ways {
    double all[DRAWN + 1], alike[DRAWN + 1];
    double most; /* turns of a block at one place */
};

static void count_all_ways(struct ways *ways, const struct sample *sample, turns_of_warp *of_warp,
                           uint32_t places)
{
    double all[RECORD_BLOCKS] = {0}, turns[RECORD_BLOCKS], here[DRAWN + 1];
    *ways = (struct ways){.most = 0};
    for (uint32_t place = 0; place < places; place++) {
        for (uint32_t b = 0; b < sample->nblocks; b++) {
            turns[b] = turns_of(sample->blocks[b], of_warp, place);
            all[b] += turns[b];
            ways->most = larger_of(ways->most, turns[b]);
        }
        count_ways(here, turns, sample->nblocks);
        for (int k = 0; k <= DRAWN; k++)
            ways->alike[k] += here[k];
    }
    count_ways(ways->all, all, sample->nblocks);
}

/* The part of all turns that the fullest place has. Of several blocks, what they have in common counts, not where each has
 * lines of its own: if some turns of different blocks are at one place, how likely is it that one more is there, too? */
static double hottest(const struct sample *sample, turns_of_warp *of_warp, uint32_t places)
{
    struct ways ways;
    count_all_ways(&ways, sample, of_warp, places);
    int drawn = DRAWN;
    while (drawn > 1 && ways.alike[drawn - 1] * ways.all[drawn] == 0)
        drawn--;
    const double hot = drawn > 1
                           ? ways.alike[drawn] / ways.all[drawn] * ways.all[drawn - 1] / ways.alike[drawn - 1]
                           : (ways.all[1] > 0 ? ways.most / ways.all[1] : 0);
    return larger_of(hot, 1.0 / places);
}

double sample_hot_slice(const struct sample *sample)
{
    return hottest(sample, by_slices, L2_SLICES);
}

/* A group holds many sectors: what each group has by chance says nothing. */
double sample_hot_sector(const struct sample *sample)
{
    const double chance = 1.0 / SECTOR_GROUPS;
    return (hottest(sample, by_sectors, SECTOR_GROUPS) - chance) / (1 - chance);
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
    if (table->places[at].line && table->places[at].is_shared && !(*entry & LINE_SHARED))
        *entry |= LINE_SHARED;
}

/* Marks the lines that more than one recorded block uses: the blocks that are not recorded use them too. Of a launch that is
 * estimated once more nothing is written: threads may do that at the same time. */
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
