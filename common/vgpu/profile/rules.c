/* rules.c - see rules.h. All rules, and those that hold, with the most gain first: each looks at counters of the launch, of a line or of
 * an access (rules_parts.h), and says nothing where they do not show what it is about. */
#include "profile/rules.h"

#include <stdlib.h>
#include <string.h>

#include "profile/rules_parts.h"
#include "profile/words.h"

static const struct {
    const char *name;
    void (*look)(struct rules *rules);
} rows[] = {
#define X(name, look) {name, rule_##look},
    RULES(X)
#undef X
};

enum { ROWS = sizeof rows / sizeof *rows };

const char *vgpu_rule_name(size_t index)
{
    if (index < ROWS)
        return rows[index].name;
    for (size_t i = 0; rule_kinds[i].name; i++)
        if (i == index - ROWS)
            return rule_kinds[i].name;
    return NULL;
}

static int most_gain_first(const void *a, const void *b)
{
    const struct vgpu_rule *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void look(struct rules *rules)
{
    rule_keep_all(rules);
    for (size_t i = 0; i < ROWS; i++) {
        rules->name = rows[i].name;
        rows[i].look(rules);
    }
    for (const struct rule_kind *kind = rule_kinds; kind->name; kind++) {
        rules->name = kind->name;
        rule_of_kind(rules, kind);
    }
    if (rules->told.count)
        qsort(rules->told.items, rules->told.count, sizeof(struct vgpu_rule), most_gain_first);
}

size_t vgpu_rules(const struct vgpu_launch *launch, const struct vgpu_rule **out)
{
    struct profile *profile = launch->profile ? (struct profile *)launch->profile->inside : NULL;
    *out = NULL;
    if (!profile)
        return 0;
    if (!profile->has_rules) {
        struct model_trial *trial = model_trial_begin(profile->launch);
        struct rules rules = {.launch = launch,
                              .profile = launch->profile,
                              .inside = profile->launch,
                              .estimate = profile->estimate,
                              .trial = trial,
                              .kept = malloc((profile->launch->nstats + 1) * sizeof *rules.kept)};
        if (trial && rules.kept)
            look(&rules);
        free(rules.kept);
        model_trial_end(trial);
        profile->has_rules = true;
        profile->rules = rules.told.items;
        profile->nrules = rules.told.count;
    }
    *out = profile->rules;
    return profile->nrules;
}

const struct vgpu_rule *rules_best(const struct vgpu_launch *launch)
{
    const struct vgpu_rule *rules;
    return vgpu_rules(launch, &rules) && rules->gain >= RULE_WORTH_TELLING ? rules : NULL;
}

double rules_gain(const struct vgpu_launch *launch, const char *name)
{
    const struct vgpu_rule *rules;
    const size_t count = vgpu_rules(launch, &rules);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rules[i].name, name))
            return rules[i].gain;
    return 1;
}

void rules_advice(const struct vgpu_launch *launch, char *out, size_t size)
{
    const double nearly_all = 0.8;
    const struct vgpu_rule *best = rules_best(launch);
    const struct vgpu_profile *profile = launch->profile;
    const struct vgpu_part *most = NULL;
    for (size_t i = 0; i < profile->nbusy; i++)
        most = !most || profile->busy[i].part > most->part ? &profile->busy[i] : most;
    if (best)
        snprintf(out, size, "%s Estimated gain: about %.2fx.", best->words, best->gain);
    else if (most && most->part >= nearly_all)
        snprintf(out, size,
                 "This is close to what the GPU can do: %s: busy %d %% of the time, and the counters show "
                 "nothing that "
                 "it does in vain.",
                 words_of_limit(most->name)->what, fact_percent(most->part));
    else
        snprintf(out, size, "The counters show no simple fix.");
}
