/* rules_gains.c - what a fix would gain, and how that is told. Gains are simulated (model_trial_time): the launch once more, with as much
 * of each resource as the fix would leave. They are upper bounds of one fix alone, and do not add up. */
#include <stdarg.h>
#include <string.h>

#include "base/number.h"
#include "profile/rules_parts.h"

struct rule_place rule_at_line(const struct vgpu_line *line)
{
    return line ? (struct rule_place){line->file, "", line->line} : (struct rule_place){"", "", 0};
}

struct rule_place rule_at_access(const struct vgpu_access *access)
{
    return (struct rule_place){access->file, access->array, access->line};
}

void rule_tell(struct rules *rules, struct rule_place place, double gain, const char *format, ...)
{
    struct vgpu_rule rule = {.name = rules->name, .file = place.file, .line = place.line, .gain = gain};
    va_list list;
    const int used = place.line ? snprintf(rule.words, sizeof rule.words, "Line %u: ", place.line) : 0;
    va_start(list, format);
    vsnprintf(rule.words + used, sizeof rule.words - (size_t)used, format, list);
    va_end(list);
    if (!place.line && rule.words[0] >= 'a' && rule.words[0] <= 'z')
        rule.words[0] -= 'a' - 'A';
    snprintf(rule.array, sizeof rule.array, "%s", place.array);
    struct vgpu_rule *fresh = gain > 1 ? list_push(&rules->told, sizeof *fresh) : NULL;
    if (fresh)
        *fresh = rule;
}

double rule_gain(const struct rules *rules, const struct model_change *change)
{
    const double us = model_trial_time(rules->trial, change);
    return us > 0 ? rules->estimate->time_us / us : 1;
}

double rule_gain_of_unit(const struct rules *rules, const struct model_change *change, const char *unit)
{
    const double gain = rule_gain(rules, change), without_us = rules->estimate->without_us;
    const bool is_limit = !strcmp(rules->estimate->limiter, unit) && without_us > 0;
    return is_limit ? smaller_of(gain, rules->estimate->time_us / without_us) : gain;
}

double rule_left(double sectors, double needed, double spared)
{
    const double spare = sectors > needed ? sectors - needed : 0;
    return sectors > 0 ? 1 - smaller_of(spared, spare) / sectors : 1;
}

struct model_change rule_without_sectors(const struct rules *rules, double spared)
{
    const double needed = fact_parts(rules, false, true);
    const double dram = (fact_total(rules, "dram_read_bytes") + fact_total(rules, "dram_write_bytes")) / 32;
    return (struct model_change){.left = {{"l1", rule_left(fact_parts(rules, false, false), 0, spared)},
                                          {"l2", rule_left(fact_total(rules, "l2_sectors"), needed, spared)},
                                          {"dram", rule_left(dram, needed, spared)}},
                                 .nleft = 3};
}

void rule_keep_all(struct rules *rules)
{
    for (size_t i = 0; i < rules->inside->nstats; i++)
        rules->kept[i] = 1;
}

struct model_change rule_with_kept(const struct rules *rules)
{
    return (struct model_change){.kept = rules->kept, .nkept = (uint32_t)rules->inside->nstats};
}
