/* traffic.c - see traffic.h. Sectors as Nsight Compute counts them: what L1 looks up for loads of global memory and textures, what goes
 * on to L2, and what of that DRAM has to deliver. Stores and atomics pass by L1; L2 takes stores without a look at DRAM.
 * Local memory is the timing model's matter below L1, and constant memory has a cache of its own: neither is in here. */
#include "profile/traffic.h"

#include "base/number.h"
#include "profile/found.h"

struct traffic_sums {
    uint64_t loads;   /* sectors of loads: global memory, textures, surfaces, asynchronous copies */
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
    else if (!insn->is_store || insn->is_async)
        sums->loads += found->stat->sectors;
}

void traffic_put(struct json *json, const struct launch *launch)
{
    const struct traffic *below = &launch->traffic;
    struct traffic_sums sums = {0, 0};
    found_each(launch, add, &sums);
    /* of launches that were executed in part, each sum is rounded for itself */
    const uint64_t l1_misses = smaller_of(below->l2_read_sectors, sums.loads);
    const uint64_t l2_misses = smaller_of(below->dram_read_sectors,
                                          below->l2_read_sectors + sums.atomics); /* a miss brings 64 bytes */
    json_object(json, "traffic");
    json_count(json, "l1_loads", sums.loads);
    json_count(json, "l1_hits", sums.loads - l1_misses);
    json_count(json, "l1_misses", l1_misses);
    json_count(json, "l2_reads", below->l2_read_sectors);
    json_count(json, "l2_writes", below->l2_write_sectors);
    json_count(json, "l2_hits", below->l2_read_sectors + below->l2_write_sectors - l2_misses);
    json_count(json, "l2_misses", l2_misses);
    json_count(json, "dram_reads", below->dram_read_sectors);
    json_count(json, "dram_writes", below->dram_write_sectors);
    json_end_object(json);
}
