/* traffic.c - see traffic.h. Sectors as Nsight Compute counts them: what L1 looks up for loads of global memory and textures, what goes
 * on to L2, and what of that DRAM has to deliver. Stores and atomics pass by L1; L2 takes stores without a look at DRAM.
 * What L1 finds of global memory is the timing model's part, which has warps and blocks in the order of a GPU: the counters' L1 sees a
 * block's warps one after another, and loses what they use together. Of textures and asynchronous copies the counters tell it.
 * Local memory is the timing model's matter below L1, and constant memory has a cache of its own: neither is in here. */
#include "profile/traffic.h"

#include "base/number.h"
#include "profile/found.h"

struct traffic_sums {
    uint64_t loads;   /* sectors of loads of global memory */
    uint64_t others;  /* of textures, surfaces, asynchronous copies */
    uint64_t atomics; /* of those that read what they change */
};

static void add(const struct found *found, void *context)
{
    struct traffic_sums *sums = context;
    const struct insn *insn = found->insn;
    if (insn->class == CLASS_CONST || insn->space == PTX_CONST)
        return;
    if (insn->is_atomic)
        sums->atomics += found->stat->sectors;
    else if (insn->is_async || (!insn->is_store && insn->class != CLASS_GLOBAL))
        sums->others += found->stat->sectors;
    else if (!insn->is_store)
        sums->loads += found->stat->sectors;
}

static uint64_t l1_misses(const struct launch *launch, const struct estimate *estimate,
                          const struct traffic_sums *sums)
{
    const uint64_t all = sums->loads + sums->others;
    /* of launches that were executed in part, each sum is rounded for itself */
    const uint64_t counted = smaller_of(launch->traffic.l2_read_sectors, all);
    if (!estimate->l1_sectors)
        return counted;
    const double of_loads = (double)estimate->l1_missed / (double)estimate->l1_sectors,
                 of_others = all ? (double)counted / (double)all : 0;
    return (uint64_t)(of_loads * (double)sums->loads + of_others * (double)sums->others + 0.5);
}

void traffic_put(struct json *json, const struct launch *launch, const struct estimate *estimate)
{
    const struct traffic *below = &launch->traffic;
    struct traffic_sums sums = {0, 0, 0};
    found_each(launch, add, &sums);
    const uint64_t loads = sums.loads + sums.others, reads = l1_misses(launch, estimate, &sums);
    const uint64_t l2_misses =
        smaller_of(below->dram_read_sectors, reads + sums.atomics); /* a miss brings 64 bytes */
    json_object(json, "traffic");
    json_count(json, "l1_loads", loads);
    json_count(json, "l1_hits", loads - reads);
    json_count(json, "l1_misses", reads);
    json_count(json, "l2_reads", reads);
    json_count(json, "l2_writes", below->l2_write_sectors);
    json_count(json, "l2_hits", reads + below->l2_write_sectors - l2_misses);
    json_count(json, "l2_misses", l2_misses);
    json_count(json, "dram_reads", below->dram_read_sectors);
    json_count(json, "dram_writes", below->dram_write_sectors);
    json_end_object(json);
}
