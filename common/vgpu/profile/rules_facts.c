/* rules_facts.c - what rules look at: counters, lines, accesses, arrays. Decides nothing. */
#include <string.h>

#include "base/number.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "profile/rules_parts.h"
#include "profile/words.h"

double fact_total(const struct rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->launch->ncounters; i++)
        if (!strcmp(rules->launch->names[i], name))
            return rules->launch->values[i];
    return 0;
}

double fact_blocks(const struct rules *rules)
{
    const unsigned *grid = rules->launch->grid;
    return (double)grid[0] * grid[1] * grid[2];
}

unsigned fact_threads(const struct rules *rules)
{
    const unsigned *block = rules->launch->block;
    return block[0] * block[1] * block[2];
}

unsigned fact_warps(const struct rules *rules)
{
    return (fact_threads(rules) + LANES - 1) / LANES;
}

double fact_busy(const struct rules *rules, const char *unit)
{
    return profile_busy(rules->profile, unit);
}

double fact_spent(const struct rules *rules, enum vgpu_spent on)
{
    return rules->profile->spent_on[on];
}

int fact_percent(double part)
{
    return (int)(100 * part + 0.5);
}

bool fact_is_space(const struct vgpu_access *access, const char *space)
{
    return !strcmp(access->space, space);
}

bool fact_is_verb(const struct vgpu_access *access, const char *verb)
{
    return !strcmp(access->verb, verb);
}

const struct vgpu_line *fact_line_of_most(const struct rules *rules, enum vgpu_spent on)
{
    const struct vgpu_line *most = NULL;
    double longest = 0;
    for (size_t i = 0; i < rules->launch->nlines; i++)
        if (rules->launch->lines[i].file[0] && rules->profile->spent[i][on] > longest) {
            longest = rules->profile->spent[i][on];
            most = &rules->launch->lines[i];
        }
    return most;
}

double fact_parts(const struct rules *rules, bool is_shared, bool is_ideal)
{
    double sum = 0;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (fact_is_space(one, "constant") || fact_is_space(one, "shared") != is_shared)
            continue;
        sum += is_ideal ? smaller_of(one->parts, one->ideal) : one->parts;
    }
    return sum;
}

int64_t fact_stride(const struct vgpu_picture *picture)
{
    int64_t stride = 0;
    bool is_known = false;
    for (int lane = 0; lane < LANES - 1; lane++) {
        if ((picture->mask >> lane & 3) != 3)
            continue;
        const int64_t step = (int64_t)(picture->address[lane + 1] - picture->address[lane]);
        if (is_known && step != stride)
            return 0;
        stride = step;
        is_known = true;
    }
    return stride;
}

int fact_most_alike(const struct vgpu_picture *picture)
{
    int most = 0;
    for (int a = 0; a < LANES; a++) {
        int alike = 0;
        for (int b = 0; b < LANES; b++)
            alike +=
                (picture->mask >> a & picture->mask >> b & 1) && picture->address[a] == picture->address[b];
        most = alike > most ? alike : most;
    }
    return most;
}

bool fact_has_waste(const struct vgpu_access *access)
{
    const double clearly = 1.05;
    return access->seen && access->parts > clearly * access->ideal;
}

double fact_lanes(const struct vgpu_access *access)
{
    return access->requests * __builtin_popcount(access->typical.mask);
}

const struct allocation *fact_allocation(const struct rules *rules, const struct vgpu_access *access)
{
    return fact_is_space(access, "global") && access->seen
               ? memory_find(rules->inside->memory, access->first.address[__builtin_ctz(access->first.mask)])
               : NULL;
}

double fact_lanes_of_block(const struct rules *rules)
{
    return (double)fact_threads(rules) / fact_warps(rules);
}

double fact_waits_for_start(const struct rules *rules)
{
    for (size_t i = 0; i < rules->estimate->nwaits; i++)
        if (!strcmp(rules->estimate->waits[i].name, "start"))
            return rules->estimate->waits[i].part;
    return 0;
}

double fact_most_busy_memory(const struct rules *rules)
{
    return larger_of(fact_busy(rules, "dram"), larger_of(fact_busy(rules, "l2"), fact_busy(rules, "l1")));
}

double fact_bytes_touched(const struct rules *rules)
{
    const struct vgpu_access *accesses = rules->profile->accesses;
    double sum = 0;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct allocation *array = fact_allocation(rules, &accesses[i]);
        bool is_new = array != NULL;
        double asked = 0;
        for (size_t k = 0; is_new && k < rules->profile->naccesses; k++)
            if (fact_allocation(rules, &accesses[k]) == array) {
                is_new = k >= i;
                asked += 32 * accesses[k].parts;
            }
        if (is_new)
            sum += smaller_of(asked, 32 * (double)cache_sectors_used(array));
    }
    return sum;
}

const struct vgpu_access *fact_largest_load(const struct rules *rules, const char *space)
{
    const struct vgpu_access *most = NULL;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (fact_is_verb(one, "load") && fact_is_space(one, space) && (!most || one->parts > most->parts))
            most = one;
    }
    return most;
}

const char *fact_of_array(const struct vgpu_access *access, char *out, size_t size)
{
    *out = '\0';
    if (access->array[0])
        snprintf(out, size, " of `%s`", access->array);
    return out;
}
