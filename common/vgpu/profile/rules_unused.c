/* rules_unused.c - the rule about what changes nothing: loads, stores to shared memory and exchanges of which no value reaches what
 * the kernel leaves in global memory (feeds/feeds.h). Found in a few blocks; told by line, all of a kind together. */
#include <string.h>

#include "feeds/feeds.h"
#include "profile/rules_parts.h"

static const double nearly_all = 0.99;

enum kind { LOADS, SHARED_STORES, EXCHANGES, FETCHES, COPIES, KINDS };

static const char *const words[KINDS] = {
    [LOADS] = "these loads change nothing: no value of theirs reaches what the kernel leaves in global "
              "memory. Leave them out, or use "
              "what they load.",
    [SHARED_STORES] = "these stores to shared memory change nothing: nobody reads what they write, or what "
                      "is read reaches no "
                      "result.",
    [EXCHANGES] = "these exchanges between lanes (shuffles, votes) change nothing: no value of theirs "
                  "reaches what the kernel leaves "
                  "in global memory.",
    [FETCHES] = "these texture fetches change nothing: no value of theirs reaches what the kernel leaves in "
                "global memory.",
    [COPIES] = "these asynchronous copies change nothing: nobody reads what they bring, or what is read "
               "reaches no result.",
};

struct line {
    const char *file;
    unsigned line;
    enum kind kind;
    double requests, unused;
};

struct lines {
    const struct rules *rules;
    struct list list;
};

static enum kind kind_of(const struct insn *insn)
{
    const bool is_load = insn->width && !insn->is_store && !insn->is_atomic;
    if (insn->is_async)
        return insn->nuses ? COPIES : KINDS;
    if (insn->class == CLASS_TEXTURE)
        return insn->ndefs ? FETCHES : KINDS;
    if (insn->class == CLASS_WARP)
        return EXCHANGES;
    if (insn->class == CLASS_SHARED && insn->is_store)
        return SHARED_STORES;
    return is_load && (insn->class == CLASS_GLOBAL || insn->class == CLASS_SHARED ||
                       insn->class == CLASS_CONST || insn->class == CLASS_LOCAL)
               ? LOADS
               : KINDS;
}

static void add_line(const struct found *found, void *context)
{
    struct lines *lines = context;
    const enum kind kind = kind_of(found->insn);
    const double unused = feeds_unused(found->launch->feeds, found->insn);
    if (unused < 0)
        return;
    if (found->insn->id < lines->rules->inside->nstats)
        lines->rules->kept[found->insn->id] = (float)(1 - unused);
    if (kind == KINDS || !found->loc->line)
        return;
    struct line *known = lines->list.items;
    size_t i = 0;
    while (i < lines->list.count && (known[i].line != found->loc->line || known[i].kind != kind ||
                                     strcmp(known[i].file, found->file) != 0))
        i++;
    struct line *line = i < lines->list.count ? &known[i] : list_push(&lines->list, sizeof *line);
    if (!line)
        return;
    line->file = found->file;
    line->line = found->loc->line;
    line->kind = kind;
    line->requests += (double)found->stat->warps;
    line->unused += unused * (double)found->stat->warps;
}

static bool is_all_unused(const struct lines *lines)
{
    const struct line *list = lines->list.items;
    bool is_all = lines->list.count > 1;
    for (size_t i = 0; i < lines->list.count; i++)
        is_all = is_all && list[i].unused >= nearly_all * list[i].requests;
    return is_all;
}

/* What feeds it alone changes nothing either, and goes with it. */
void rule_unused(struct rules *rules)
{
    const double least = 1.0001; /* it is told of as well where it costs no time */
    struct lines lines = {.rules = rules};
    found_each(rules->inside, add_line, &lines);
    const struct model_change change = rule_with_kept(rules);
    const struct line *list = lines.list.items;
    double gain = 0;
    const bool is_idle = is_all_unused(&lines);
    if (is_idle)
        rule_tell(
            rules, (struct rule_place){list[0].file, "", list[0].line}, least,
            "the blocks that were looked at leave nothing in global memory. If others do, there are more "
            "blocks than results: launch fewer.");
    for (size_t i = 0; !is_idle && i < lines.list.count; i++) {
        if (list[i].unused < nearly_all * list[i].requests)
            continue;
        gain = gain > 0 ? gain : rule_gain(rules, &change);
        rule_tell(rules, (struct rule_place){list[i].file, "", list[i].line}, gain > least ? gain : least,
                  "%s", words[list[i].kind]);
    }
    list_free(&lines.list);
    rule_keep_all(rules);
}
