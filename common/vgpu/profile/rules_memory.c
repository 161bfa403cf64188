/* rules_memory.c - rules about memory: how warps ask for it, and what they ask for again. */
#include <string.h>

#include "base/number.h"
#include "profile/rules_parts.h"

/* ------------------------------------------------------------------------------------------- accesses */

static void rule_of_sectors(struct rules *rules, const struct vgpu_access *access)
{
    const double each = access->parts / access->requests, ideal = access->ideal / access->requests;
    const int64_t stride = fact_stride(&access->typical);
    const struct model_change change = rule_without_sectors(rules, access->parts - access->ideal);
    char array[100], what[200];
    fact_of_array(access, array, sizeof array);
    snprintf(what, sizeof what, "a request of this %s%s takes %.1f sectors where %.1f would do", access->verb,
             array, each, ideal);
    if (stride == (int64_t)access->bytes)
        rule_tell(
            rules, rule_at_access(access), rule_gain(rules, &change),
            "%s, because it begins in the middle of a sector. Let warps begin at multiples of 32 bytes: pad "
            "rows, or shift the index.",
            what);
    else if (stride)
        rule_tell(
            rules, rule_at_access(access), rule_gain(rules, &change),
            "%s: neighbouring lanes lie %lld bytes apart. Let neighbouring threads use neighbouring "
            "elements: "
            "swap the indexes, put each member of a structure into an array of its own, or go through a tile "
            "in shared memory.",
            what, (long long)(stride < 0 ? -stride : stride));
    else
        rule_tell(rules, rule_at_access(access), rule_gain(rules, &change),
                  "%s: lanes go to places that do not lie side by side. Sort or group the indexes, or let "
                  "neighbouring threads take neighbouring elements.",
                  what);
}

/* As many accesses of a kind as are worth a simulation each: they come with the most expensive first. */
enum { MOST_TRIED = 4 };

void rule_coalescing(struct rules *rules)
{
    int tried = 0;
    for (size_t i = 0; i < rules->profile->naccesses && tried < MOST_TRIED; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (fact_is_space(one, "global") && !fact_is_verb(one, "atomic") && fact_has_waste(one)) {
            rule_of_sectors(rules, one);
            tried++;
        }
    }
}

void rule_bank_conflicts(struct rules *rules)
{
    const double all = fact_parts(rules, true, false);
    int tried = 0;
    char array[100];
    for (size_t i = 0; i < rules->profile->naccesses && tried < MOST_TRIED; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        const int alike = one->seen && fact_is_verb(one, "atomic") ? fact_most_alike(&one->worst) : 1;
        if (!fact_is_space(one, "shared") || !fact_has_waste(one))
            continue;
        const struct model_change change = {.left = {{"shared", rule_left(all, 0, one->parts - one->ideal)}},
                                            .nleft = 1};
        const double each = one->parts / one->requests, ideal = one->ideal / one->requests;
        fact_of_array(one, array, sizeof array);
        if (alike > 1)
            rule_tell(
                rules, rule_at_access(one), rule_gain_of_unit(rules, &change, "shared"),
                "up to %d lanes of a warp change the same word%s at a time: %.1f passes a request where "
                "%.1f would "
                "do. Give each warp a copy of its own and add the copies up at the end, or add up equal "
                "ones in "
                "registers first.",
                alike, array, each, ideal);
        else
            rule_tell(
                rules, rule_at_access(one), rule_gain_of_unit(rules, &change, "shared"),
                "bank conflicts: this %s%s takes %.1f passes a request where %.1f would do, for lanes of a "
                "warp want different words of one bank. How far apart are they, in words?",
                one->verb, array, each, ideal);
        tried++;
    }
}

void rule_constant_index(struct rules *rules)
{
    char array[100];
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (!fact_is_space(one, "constant") || one->parts <= 1.05 * one->ideal)
            continue;
        const struct model_change change = {.left = {{"const", one->ideal / one->parts}}, .nleft = 1};
        rule_tell(
            rules, rule_at_access(one), rule_gain_of_unit(rules, &change, "const"),
            "lanes want %.1f different words%s a request, and constant memory serves one at a time. What "
            "lanes "
            "index differently belongs in shared or global memory.",
            one->parts / one->requests, fact_of_array(one, array, sizeof array));
        return;
    }
}

/* Elements of less than a word. */
void rule_narrow(struct rules *rules)
{
    const double all = fact_total(rules, "global_load_requests") + fact_total(rules, "global_store_requests");
    char array[100];
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (!fact_is_space(one, "global") || fact_is_verb(one, "atomic") || one->bytes >= 4 ||
            fact_has_waste(one) || !one->seen || fact_stride(&one->typical) != (int64_t)one->bytes)
            continue;
        const double share = one->requests / all;
        const struct model_change change = {.left = {{"l1", 1 - share * (1 - one->bytes / 4.0)}},
                                            .nleft = 1,
                                            .memory_overlap = share > 0.3 ? 4 / one->bytes : 1};
        rule_tell(
            rules, rule_at_access(one), rule_gain(rules, &change),
            "a lane of this %s%s moves %u byte%s, so that a request moves %u of the 128 that it could. Let "
            "each "
            "thread take %u neighbouring elements at a time (%s).",
            one->verb, fact_of_array(one, array, sizeof array), one->bytes, one->bytes == 1 ? "" : "s",
            32 * one->bytes, 4 / one->bytes, one->bytes == 1 ? "uchar4" : "ushort2, half2");
        return;
    }
}

/* That a request of atomics goes to; 0: nobody knows. */
static double places_of(const struct rules *rules, const struct vgpu_access *access)
{
    const struct allocation *array = fact_allocation(rules, access);
    return fact_most_alike(&access->typical) == __builtin_popcount(access->typical.mask) ? 1
           : array && access->bytes ? (double)array->size / access->bytes
                                    : 0;
}

/* True if each block has added up its part in shared memory, and does one atomic for each place. */
static bool is_added_up(const struct rules *rules, const struct vgpu_access *access)
{
    const double nearly = 1.05;
    return fact_lanes(access) <= nearly * places_of(rules, access) * fact_blocks(rules) &&
           fact_total(rules, "shared_atomic_requests") > 0;
}

/* Additions to one place, or to a few, that a block could do by itself first. */
static void tell_atomics(struct rules *rules, const struct vgpu_access *access, double now)
{
    const double shared_bytes = 48 << 10, blocks = fact_blocks(rules);
    const double fit = fact_total(rules, "blocks_per_sm") * rules->profile->sms;
    const double places = places_of(rules, access);
    const double left = places * smaller_of(blocks, larger_of(fit, 1)) / now;
    const struct model_change change = {
        .left = {{"atomic", left},
                 {"l2", rule_left(fact_total(rules, "l2_sectors"), 0, access->parts * (1 - left))}},
        .nleft = 2};
    char name[100];
    fact_of_array(access, name, sizeof name);
    if (!(places > 0) || places * access->bytes > shared_bytes || left > 0.7)
        return;
    if (places == 1)
        rule_tell(
            rules, rule_at_access(access), rule_gain(rules, &change),
            "%.0f atomics%s for each block, all to one place. Let a block add up its part first (shuffles, "
            "shared "
            "memory), and one thread do the atomic.",
            now / blocks, name);
    else
        rule_tell(
            rules, rule_at_access(access), rule_gain(rules, &change),
            "%.0f atomics%s for each block, to %.0f places that all blocks share. Let each block count in "
            "shared "
            "memory first, and add its counts up at the end.",
            now / blocks, name, places);
}

void rule_atomics(struct rules *rules)
{
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (fact_is_space(one, "global") && fact_is_verb(one, "atomic") && one->seen &&
            fact_lanes(one) > 2 * fact_blocks(rules) && !is_added_up(rules, one)) {
            tell_atomics(rules, one, fact_lanes(one));
            return;
        }
    }
}

/* Who does one atomic for each block, or for each place that it has counted, can still have fewer blocks. */
void rule_blocks_of_atomics(struct rules *rules)
{
    const double blocks = fact_blocks(rules), fit = fact_total(rules, "blocks_per_sm") * rules->profile->sms;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (!fact_is_space(one, "global") || !fact_is_verb(one, "atomic") || !one->seen ||
            (fact_lanes(one) > 2 * blocks && !is_added_up(rules, one)) || blocks < 2 * fit)
            continue;
        char what[40] = "one atomic";
        if (fact_lanes(one) > 2 * blocks)
            snprintf(what, sizeof what, "%.0f atomics", fact_lanes(one) / blocks);
        const struct model_change change = {.left = {{"atomic", fit / blocks}}, .nleft = 1};
        rule_tell(
            rules, rule_at_access(one), rule_gain(rules, &change),
            "each block does %s, but there are %.0f blocks, and %.0f fit on the GPU at once. Let that many "
            "blocks go through all data in a grid-stride loop.",
            what, blocks, fit);
        return;
    }
}

/* ------------------------------------------------------------------------------------------- what is used again */

/* Bytes that come from L2 more than once. */
void rule_reuse(struct rules *rules)
{
    const double often = 3, most = 8; /* what a tile is good for */
    const double footprint = fact_bytes_touched(rules), l2 = 32 * fact_total(rules, "l2_sectors");
    const double dram = fact_total(rules, "dram_read_bytes") + fact_total(rules, "dram_write_bytes");
    const struct vgpu_access *load = fact_largest_load(rules, "global");
    char array[100];
    if (!load || !(footprint > 0) || l2 < often * footprint || fact_has_waste(load))
        return;
    const struct model_change change = {
        .left = {{"l2", larger_of(footprint / l2, 1 / most)},
                 {"dram", dram > footprint ? larger_of(footprint / dram, 1 / most) : 1}},
        .nleft = 2};
    rule_tell(
        rules, rule_at_access(load), rule_gain(rules, &change),
        "each byte that the kernel uses comes from L2 %.1f times; this load%s asks for most. Load what "
        "threads of a "
        "block have in common once, into shared memory or registers, and let each block use it for more "
        "results.",
        l2 / footprint, fact_of_array(load, array, sizeof array));
}

static bool is_load(const struct found *found)
{
    return !found->insn->is_store && !found->insn->is_atomic &&
           (found->stat->shared_requests || (found->insn->class == CLASS_GLOBAL && found->stat->requests));
}

static void halve_loads(const struct found *found, void *context)
{
    const struct rules *rules = context;
    if (is_load(found) && found->insn->id < rules->inside->nstats)
        rules->kept[found->insn->id] = 0.5f;
}

/* Operands that are loaded for every operation, though the same are loaded by others. */
void rule_register_tile(struct rules *rules)
{
    const double many = 0.4, again = 4, fp32 = fact_total(rules, "fp32_instructions");
    const double shared = fact_total(rules, "shared_load_requests"),
                 global = fact_total(rules, "global_load_requests");
    const double written = fact_total(rules, "shared_written_bytes"), footprint = fact_bytes_touched(rules);
    const bool is_shared = shared > global;
    const bool is_again = is_shared ? 128 * shared > again * written : 128 * global > again * footprint;
    const struct vgpu_access *load = fact_largest_load(rules, is_shared ? "shared" : "global");
    if (!(fp32 > 0) || (shared + global) / fp32 < many || !is_again || !load || fact_has_waste(load))
        return;
    found_each(rules->inside, halve_loads, rules);
    struct model_change change = rule_with_kept(rules);
    change.left[change.nleft++] = (struct estimate_part){"l1", is_shared ? 1 : 0.5};
    change.left[change.nleft++] = (struct estimate_part){"shared", 0.5};
    rule_tell(
        rules, rule_at_access(load), rule_gain(rules, &change),
        "%.1f loads for each instruction on floats, of values that are loaded again and again. Let each "
        "thread "
        "compute several results (2 x 2), so that a value in a register serves more than one of them.",
        (shared + global) / fp32);
    rule_keep_all(rules);
}

void rule_texture(struct rules *rules)
{
    const double much = 0.3, fetch_clocks = 8;
    const struct model_change change = {.left = {{"texture", 1 / fetch_clocks}}, .nleft = 1};
    if (fact_busy(rules, "texture") > much)
        rule_tell(
            rules, RULE_NOWHERE, rule_gain(rules, &change),
            "texture units are busy %d %% of the time. Use plain loads where no filtering and no border is "
            "needed.",
            fact_percent(fact_busy(rules, "texture")));
}

/* ------------------------------------------------------------------------------------------- spills */

void rule_spills(struct rules *rules)
{
    const struct model_change change = {.is_without_spills = true};
    if (rules->profile->spilled > 0)
        rule_tell(
            rules, RULE_NOWHERE, rule_gain(rules, &change),
            "registers are spilled: %.0f of them are too few, and each thread keeps %.0f bytes in local "
            "memory. Allow "
            "more registers (__launch_bounds__), or keep fewer values alive.",
            fact_total(rules, "registers_per_thread"), rules->profile->spilled);
}
