/* rules.c - see rules.h. One table of rules: each looks at counters of the launch, of a line or of an access, and says nothing
 * where they do not show what it is about. What a fix would gain is simulated (model_trial_time): the launch once more, with
 * as much of each resource as the fix would leave. Gains are upper bounds of one fix alone; they do not add up. */
#include "profile/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "profile/waves.h"
#include "profile/words.h"

struct rules {
    const struct vgpu_launch *launch;
    const struct vgpu_profile *profile;
    const struct launch *inside;
    const struct estimate *estimate;
    const struct model_trial *trial;
    float *kept; /* by insn->id, all 1 between rules */
    struct list told;
    const char *name; /* of the rule under way */
};

/* ------------------------------------------------------------------------------------------- what rules look at */

static double total(const struct rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->launch->ncounters; i++)
        if (!strcmp(rules->launch->names[i], name))
            return rules->launch->values[i];
    return 0;
}

static double blocks_of(const struct rules *rules)
{
    const unsigned *grid = rules->launch->grid;
    return (double)grid[0] * grid[1] * grid[2];
}

static unsigned threads_of(const struct rules *rules)
{
    const unsigned *block = rules->launch->block;
    return block[0] * block[1] * block[2];
}

static unsigned warps_of(const struct rules *rules)
{
    return (threads_of(rules) + LANES - 1) / LANES;
}

static double busy(const struct rules *rules, const char *unit)
{
    return profile_busy(rules->profile, unit);
}

static double spent(const struct rules *rules, enum vgpu_spent on)
{
    return rules->profile->spent_on[on];
}

static int percent(double part)
{
    return (int)(100 * part + 0.5);
}

static bool is_space(const struct vgpu_access *access, const char *space)
{
    return !strcmp(access->space, space);
}

static bool is_verb(const struct vgpu_access *access, const char *verb)
{
    return !strcmp(access->verb, verb);
}

/* The line that warps spend most of such time on; NULL: none is known. */
static const struct vgpu_line *line_of_most(const struct rules *rules, enum vgpu_spent on)
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

/* ------------------------------------------------------------------------------------------- telling */

struct place {
    const char *file, *array;
    unsigned line;
};

static struct place at_line(const struct vgpu_line *line)
{
    return line ? (struct place){line->file, "", line->line} : (struct place){"", "", 0};
}

static struct place at_access(const struct vgpu_access *access)
{
    return (struct place){access->file, access->array, access->line};
}

static const struct place nowhere = {"", "", 0};

/* The rule holds; words: of what was counted, and what to do. */
static void tell(struct rules *rules, struct place place, double gain, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void tell(struct rules *rules, struct place place, double gain, const char *format, ...)
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

/* How many times as fast the changed launch would be. */
static double gain_of(const struct rules *rules, const struct model_change *change)
{
    const double us = model_trial_time(rules->trial, change);
    return us > 0 ? rules->estimate->time_us / us : 1;
}

/* The same of a change that is about one unit only: no more than if there were no end of that unit. */
static double gain_of_unit(const struct rules *rules, const struct model_change *change, const char *unit)
{
    const double gain = gain_of(rules, change), without_us = rules->estimate->without_us;
    const bool is_limit = !strcmp(rules->estimate->limiter, unit) && without_us > 0;
    return is_limit ? smaller_of(gain, rules->estimate->time_us / without_us) : gain;
}

/* " of `tile`"; "" where its name is not known. */
static const char *of_array(const struct vgpu_access *access, char *out, size_t size)
{
    *out = '\0';
    if (access->array[0])
        snprintf(out, size, " of `%s`", access->array);
    return out;
}

/* ------------------------------------------------------------------------------------------- accesses */

/* Sectors or passes of all accesses of some spaces; ideal: no more than would do. */
static double parts_of(const struct rules *rules, bool is_shared, bool is_ideal)
{
    double sum = 0;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (is_space(one, "constant") || is_space(one, "shared") != is_shared)
            continue;
        sum += is_ideal ? smaller_of(one->parts, one->ideal) : one->parts;
    }
    return sum;
}

/* What is left of some sectors if so many are not needed, of which `needed` are in any case. */
static double left_of(double sectors, double needed, double spared)
{
    const double spare = sectors > needed ? sectors - needed : 0;
    return sectors > 0 ? 1 - smaller_of(spared, spare) / sectors : 1;
}

/* L1, L2 and DRAM without some sectors that accesses ask for. Caches may have kept them from going further: no more can be
 * spared there than is beyond what is needed. */
static struct model_change without_sectors(const struct rules *rules, double spared)
{
    const double needed = parts_of(rules, false, true);
    const double dram = (total(rules, "dram_read_bytes") + total(rules, "dram_write_bytes")) / 32;
    return (struct model_change){.left = {{"l1", left_of(parts_of(rules, false, false), 0, spared)},
                                          {"l2", left_of(total(rules, "l2_sectors"), needed, spared)},
                                          {"dram", left_of(dram, needed, spared)}},
                                 .nleft = 3};
}

/* Bytes from each lane to the next; 0: not all alike. */
static int64_t stride_of(const struct vgpu_picture *picture)
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

/* The most lanes that mean the same address. */
static int most_alike(const struct vgpu_picture *picture)
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

static bool has_waste(const struct vgpu_access *access)
{
    const double clearly = 1.05;
    return access->seen && access->parts > clearly * access->ideal;
}

static void rule_of_sectors(struct rules *rules, const struct vgpu_access *access)
{
    const double each = access->parts / access->requests, ideal = access->ideal / access->requests;
    const int64_t stride = stride_of(&access->typical);
    const struct model_change change = without_sectors(rules, access->parts - access->ideal);
    char array[100], what[200];
    of_array(access, array, sizeof array);
    snprintf(what, sizeof what, "a request of this %s%s takes %.1f sectors where %.1f would do", access->verb,
             array, each, ideal);
    if (stride == (int64_t)access->bytes)
        tell(rules, at_access(access), gain_of(rules, &change),
             "%s, because it begins in the middle of a sector. Let warps begin at multiples of 32 bytes: pad "
             "rows, or shift the index.",
             what);
    else if (stride)
        tell(
            rules, at_access(access), gain_of(rules, &change),
            "%s: neighbouring lanes lie %lld bytes apart. Let neighbouring threads use neighbouring "
            "elements: "
            "swap the indexes, put each member of a structure into an array of its own, or go through a tile "
            "in shared memory.",
            what, (long long)(stride < 0 ? -stride : stride));
    else
        tell(rules, at_access(access), gain_of(rules, &change),
             "%s: lanes go to places that do not lie side by side. Sort or group the indexes, or let "
             "neighbouring threads take neighbouring elements.",
             what);
}

/* As many accesses of a kind as are worth a simulation each: they come with the most expensive first. */
enum { MOST_TRIED = 4 };

static void rule_coalescing(struct rules *rules)
{
    int tried = 0;
    for (size_t i = 0; i < rules->profile->naccesses && tried < MOST_TRIED; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (is_space(one, "global") && !is_verb(one, "atomic") && has_waste(one)) {
            rule_of_sectors(rules, one);
            tried++;
        }
    }
}

static void rule_bank_conflicts(struct rules *rules)
{
    const double all = parts_of(rules, true, false);
    int tried = 0;
    char array[100];
    for (size_t i = 0; i < rules->profile->naccesses && tried < MOST_TRIED; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        const int alike = one->seen && is_verb(one, "atomic") ? most_alike(&one->worst) : 1;
        if (!is_space(one, "shared") || !has_waste(one))
            continue;
        const struct model_change change = {.left = {{"shared", left_of(all, 0, one->parts - one->ideal)}},
                                            .nleft = 1};
        const double each = one->parts / one->requests, ideal = one->ideal / one->requests;
        of_array(one, array, sizeof array);
        if (alike > 1)
            tell(rules, at_access(one), gain_of_unit(rules, &change, "shared"),
                 "up to %d lanes of a warp change the same word%s at a time: %.1f passes a request where "
                 "%.1f would "
                 "do. Give each warp a copy of its own and add the copies up at the end, or add up equal "
                 "ones in "
                 "registers first.",
                 alike, array, each, ideal);
        else
            tell(rules, at_access(one), gain_of_unit(rules, &change, "shared"),
                 "bank conflicts: this %s%s takes %.1f passes a request where %.1f would do. Pad each row by "
                 "a "
                 "word, or let neighbouring lanes use neighbouring words.",
                 one->verb, array, each, ideal);
        tried++;
    }
}

static void rule_constant_index(struct rules *rules)
{
    char array[100];
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (!is_space(one, "constant") || one->parts <= 1.05 * one->ideal)
            continue;
        const struct model_change change = {.left = {{"const", one->ideal / one->parts}}, .nleft = 1};
        tell(rules, at_access(one), gain_of_unit(rules, &change, "const"),
             "lanes want %.1f different words%s a request, and constant memory serves one at a time. What "
             "lanes "
             "index differently belongs in shared or global memory.",
             one->parts / one->requests, of_array(one, array, sizeof array));
        return;
    }
}

/* Elements of less than a word. */
static void rule_narrow(struct rules *rules)
{
    const double all = total(rules, "global_load_requests") + total(rules, "global_store_requests");
    char array[100];
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (!is_space(one, "global") || is_verb(one, "atomic") || one->bytes >= 4 || has_waste(one) ||
            !one->seen || stride_of(&one->typical) != (int64_t)one->bytes)
            continue;
        const double share = one->requests / all;
        const struct model_change change = {.left = {{"l1", 1 - share * (1 - one->bytes / 4.0)}},
                                            .nleft = 1,
                                            .memory_overlap = share > 0.3 ? 4 / one->bytes : 1};
        tell(rules, at_access(one), gain_of(rules, &change),
             "a lane of this %s%s moves %u byte%s, so that a request moves %u of the 128 that it could. Let "
             "each "
             "thread take %u neighbouring elements at a time (%s).",
             one->verb, of_array(one, array, sizeof array), one->bytes, one->bytes == 1 ? "" : "s",
             32 * one->bytes, 4 / one->bytes, one->bytes == 1 ? "uchar4" : "ushort2, half2");
        return;
    }
}

/* Of lanes of all requests, as far as the counters of its line tell. */
static double lanes_of(const struct vgpu_access *access)
{
    return access->requests * __builtin_popcount(access->typical.mask);
}

/* The allocation that an access goes to first; NULL: unknown. */
static const struct allocation *allocation_of(const struct rules *rules, const struct vgpu_access *access)
{
    return is_space(access, "global") && access->seen
               ? memory_find(rules->inside->memory, access->first.address[__builtin_ctz(access->first.mask)])
               : NULL;
}

/* Additions to one place, or to a few, that a block could do by itself first. */
static void tell_atomics(struct rules *rules, const struct vgpu_access *access, double now)
{
    const double shared_bytes = 48 << 10, blocks = blocks_of(rules);
    const double fit = total(rules, "blocks_per_sm") * rules->profile->sms;
    const int alike = most_alike(&access->typical), lanes = __builtin_popcount(access->typical.mask);
    const struct allocation *array = allocation_of(rules, access);
    const double places = alike == lanes           ? 1
                          : array && access->bytes ? (double)array->size / access->bytes
                                                   : 0;
    const double left = places * smaller_of(blocks, larger_of(fit, 1)) / now;
    const struct model_change change = {
        .left = {{"atomic", left},
                 {"l2", left_of(total(rules, "l2_sectors"), 0, access->parts * (1 - left))}},
        .nleft = 2};
    char name[100];
    of_array(access, name, sizeof name);
    if (!(places > 0) || places * access->bytes > shared_bytes || left > 0.7)
        return;
    if (places == 1)
        tell(rules, at_access(access), gain_of(rules, &change),
             "%.0f atomics%s for each block, all to one place. Let a block add up its part first (shuffles, "
             "shared "
             "memory), and one thread do the atomic.",
             now / blocks, name);
    else
        tell(rules, at_access(access), gain_of(rules, &change),
             "%.0f atomics%s for each block, to %.0f places that all blocks share. Let each block count in "
             "shared "
             "memory first, and add its counts up at the end.",
             now / blocks, name, places);
}

static void rule_atomics(struct rules *rules)
{
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (is_space(one, "global") && is_verb(one, "atomic") && one->seen &&
            lanes_of(one) > 2 * blocks_of(rules)) {
            tell_atomics(rules, one, lanes_of(one));
            return;
        }
    }
}

/* Who does one atomic for each block can still have fewer blocks. */
static void rule_blocks_of_atomics(struct rules *rules)
{
    const double blocks = blocks_of(rules), fit = total(rules, "blocks_per_sm") * rules->profile->sms;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (!is_space(one, "global") || !is_verb(one, "atomic") || !one->seen || lanes_of(one) > 2 * blocks ||
            blocks < 2 * fit)
            continue;
        const struct model_change change = {.left = {{"atomic", fit / blocks}}, .nleft = 1};
        tell(rules, at_access(one), gain_of(rules, &change),
             "each block does one atomic, but there are %.0f blocks, and %.0f fit on the GPU at once. Let "
             "that many "
             "blocks go through all data in a grid-stride loop.",
             blocks, fit);
        return;
    }
}

/* ------------------------------------------------------------------------------------------- instructions */

static bool has_name(const struct found *found, const char *word)
{
    const size_t length = strlen(word);
    const char *name = found->insn->source ? found->insn->source->name : "";
    return !strncmp(name, word, length) && (name[length] == '.' || !name[length]);
}

static bool has_type(const struct found *found, const char *type)
{
    const char *name = found->insn->source ? found->insn->source->name : "";
    const char *dot = strrchr(name, '.');
    return dot && !strcmp(dot + 1, type);
}

static bool is_wide_division(const struct found *found)
{
    return found->insn->class == CLASS_IDIV && (has_type(found, "s64") || has_type(found, "u64"));
}
static bool is_remainder(const struct found *found)
{
    return found->insn->class == CLASS_IDIV && has_name(found, "rem") && !is_wide_division(found);
}
static bool is_quotient(const struct found *found)
{
    return found->insn->class == CLASS_IDIV && has_name(found, "div") && !is_wide_division(found);
}
static bool is_float_division(const struct found *found)
{
    return has_name(found, "div") && has_type(found, "f32");
}
static bool is_float_root(const struct found *found)
{
    return has_name(found, "sqrt") && has_type(found, "f32");
}
static bool is_of_doubles(const struct found *found)
{
    return found->insn->class == CLASS_CVT && found->insn->source &&
           strstr(found->insn->source->name, ".f64");
}
static bool is_conversion(const struct found *found)
{
    return found->insn->class == CLASS_CVT && !is_of_doubles(found);
}
static bool is_double(const struct found *found)
{
    return found->insn->class == CLASS_FP64;
}
static bool is_long(const struct found *found)
{
    return found->insn->class == CLASS_INT64;
}
static bool is_exchange(const struct found *found)
{
    return found->insn->class == CLASS_WARP && has_name(found, "shfl");
}
static bool is_call(const struct found *found)
{
    return found->insn->flow == FLOW_CALL;
}
static bool is_local(const struct found *found)
{
    return found->stat->local_requests > 0;
}

/* A short loop that goes round by this branch. */
static bool is_loop(const struct found *found)
{
    enum { SHORT = 8 };
    const struct insn *insn = found->insn;
    const uint32_t at = (uint32_t)(insn - found->function->code);
    return insn->flow == FLOW_BRANCH && insn->branch.target < at && at - insn->branch.target < SHORT;
}

/* A rule about instructions of some kind, which could be fewer. */
struct kind_row {
    const char *name;
    bool (*is_one)(const struct found *found);
    bool (*goes_too)(const struct found *found); /* instructions that would not be needed then; NULL: none */
    double kept;                                 /* the part of their machine operations that would be left */
    const char *unit;                            /* that must have something to do; NULL: any */
    const char *words;                           /* after "12 % of the instructions are" */
};

static const struct kind_row kinds[] = {
    {"remainder", is_remainder, NULL, 0.1, NULL,
     "remainders of integers (%), each of which is some twenty machine instructions. Where the divisor is a "
     "power of "
     "two known to the compiler, % is one instruction; else count up and subtract the size when it is "
     "reached, or "
     "compute the remainder once."},
    {"quotient", is_quotient, NULL, 0.1, NULL,
     "divisions of integers, each of which is some twenty machine instructions. Make the divisor a constant "
     "known to "
     "the compiler (a template parameter), shift where it is a power of two, or compute the quotient once."},
    {"wide-division", is_wide_division, NULL, 0.35, NULL,
     "64-bit divisions or remainders, each of which is some seventy machine instructions. Use 32-bit "
     "integers (int, "
     "unsigned) where the values fit."},
    {"float-division", is_float_division, NULL, 0.3, NULL,
     "exact divisions of floats, some ten machine instructions each. Multiply by a reciprocal that is "
     "computed once, "
     "or use __fdividef() where its precision is enough."},
    {"float-root", is_float_root, NULL, 0.3, NULL,
     "exact square roots, some ten machine instructions each. Use rsqrtf() or compare squares, where that is "
     "enough."},
    {"conversion", is_conversion, NULL, 0, NULL,
     "conversions between types, on a unit that does a quarter of the others' rate. Keep the value in one "
     "type, or "
     "convert once outside of the loop."},
    {"double", is_double, is_of_doubles, 0.5, "fp64",
     "on doubles. Where floats are precise enough: 1.0f and sqrtf(), not 1.0 and sqrt()."},
    {"wide-integer", is_long, NULL, 0.5, NULL,
     "on 64-bit integers, which are two machine instructions or more each. Compute indexes with int or "
     "unsigned "
     "where they fit."},
    {"shuffle", is_exchange, NULL, 0.25, NULL,
     "shuffles. Let each lane add up several values of its own before lanes exchange them."},
    {"pointer-call", is_call, NULL, 0, "jump",
     "calls through pointers. Call functions by name, so that they are inlined."},
    {"local-array", is_local, NULL, 0, NULL,
     "on an array in local memory, because its index is not known to the compiler. Unroll the loop over it "
     "(#pragma unroll), so that it stays in registers, or put it into shared memory."},
    {"loop", is_loop, NULL, 0.25, NULL,
     "the branch of a loop with a short body. Unroll it (#pragma unroll 4), or give each iteration more to "
     "do."},
};

struct kind_walk {
    struct rules *rules;
    const struct kind_row *row;
    double count, most;
    struct place place; /* of the instruction that is executed most */
};

static void find_kind(const struct found *found, void *context)
{
    struct kind_walk *walk = context;
    if (found->insn->id >= walk->rules->inside->nstats)
        return;
    if (walk->row->goes_too && walk->row->goes_too(found))
        walk->rules->kept[found->insn->id] = 0;
    if (!walk->row->is_one(found))
        return;
    walk->rules->kept[found->insn->id] = (float)walk->row->kept;
    walk->count += (double)found->stat->warps;
    if ((double)found->stat->warps > walk->most) {
        walk->most = (double)found->stat->warps;
        walk->place = (struct place){found->file, "", found->loc->line};
    }
}

static void keep_all(struct rules *rules)
{
    for (size_t i = 0; i < rules->inside->nstats; i++)
        rules->kept[i] = 1;
}

static struct model_change with_kept(const struct rules *rules)
{
    return (struct model_change){.kept = rules->kept, .nkept = (uint32_t)rules->inside->nstats};
}

static void rule_of_kind(struct rules *rules, const struct kind_row *row)
{
    const double few = 0.01, all = total(rules, "warp_instructions");
    struct kind_walk walk = {.rules = rules, .row = row, .place = nowhere};
    if (row->unit && !(busy(rules, row->unit) > 0))
        return;
    found_each(rules->inside, find_kind, &walk);
    const struct model_change change = with_kept(rules);
    if (walk.count > few * all)
        tell(rules, walk.place, gain_of(rules, &change), "%d %% of the instructions are %s",
             percent(walk.count / all), row->words);
    keep_all(rules);
}

/* ------------------------------------------------------------------------------------------- lanes */

/* Lanes of a warp that the block's size leaves without a thread are no divergence. */
static double lanes_of_block(const struct rules *rules)
{
    return (double)threads_of(rules) / warps_of(rules);
}

struct lane_walk {
    struct rules *rules;
    double most;
    struct place place;
    double lanes; /* that are active there */
};

static void find_idle(const struct found *found, void *context)
{
    struct lane_walk *walk = context;
    const double warps = (double)found->stat->warps, lanes = LANES - (double)found->stat->idle / warps;
    const double part = smaller_of(lanes / lanes_of_block(walk->rules), 1),
                 *on = found_spent(walk->rules->estimate, found->insn->id);
    double time = 0;
    if (found->insn->id >= walk->rules->inside->nstats)
        return;
    for (int i = 0; i < VGPU_SPENTS; i++)
        time += on[i];
    if (found->insn->class < CLASS_GLOBAL)
        walk->rules->kept[found->insn->id] = (float)part;
    if (time * (1 - part) > walk->most && found->loc->line) {
        walk->most = time * (1 - part);
        walk->place = (struct place){found->file, "", found->loc->line};
        walk->lanes = lanes;
    }
}

static void rule_divergence(struct rules *rules)
{
    const double nearly_all = 0.9, warps = total(rules, "warp_instructions");
    const double lanes = warps > 0 ? total(rules, "thread_instructions") / warps : LANES;
    struct lane_walk walk = {.rules = rules, .place = nowhere};
    if (lanes > nearly_all * lanes_of_block(rules) || !(total(rules, "divergent_branches") > 0))
        return;
    found_each(rules->inside, find_idle, &walk);
    const struct model_change change = with_kept(rules);
    if (walk.place.line)
        tell(rules, walk.place, gain_of(rules, &change),
             "%.1f of 32 lanes are active (%.1f in the whole kernel), and each instruction takes its slot "
             "all the "
             "same. Let whole warps go the same way: give neighbouring threads the same kind of work.",
             walk.lanes, lanes);
    keep_all(rules);
}

/* A block whose last warp is not full. */
static void rule_block_size(struct rules *rules)
{
    const double lanes = lanes_of_block(rules), most = 31;
    if (lanes >= most)
        return;
    for (size_t i = 0; i < rules->inside->nstats; i++)
        rules->kept[i] = (float)(lanes / LANES);
    struct model_change change = with_kept(rules);
    change.memory_overlap = (uint32_t)(LANES / larger_of(lanes, 1.0));
    change.compute_overlap = change.memory_overlap;
    tell(rules, nowhere, gain_of(rules, &change),
         "blocks of %u threads have %u warp%s of 32, of which %.0f lanes have no thread. Take a multiple of "
         "32 threads.",
         threads_of(rules), warps_of(rules), warps_of(rules) == 1 ? "" : "s",
         (double)LANES * warps_of(rules) - threads_of(rules));
    keep_all(rules);
}

/* ------------------------------------------------------------------------------------------- the grid */

static void rule_few_blocks(struct rules *rules)
{
    const double blocks = blocks_of(rules), sms = rules->profile->sms;
    const double launch_us = rules->estimate->launch_us, running_us = rules->estimate->time_us - launch_us;
    double used = blocks / sms; /* of the whole GPU, of what it has most of */
    if (blocks >= sms)
        return;
    for (int i = 0; i < MODEL_RESOURCES; i++)
        used = larger_of(used, rules->estimate->shares[i]);
    tell(rules, nowhere, rules->estimate->time_us / (launch_us + running_us * used),
         "only %.0f of %.0f SMs have a block: the others have nothing to do. Take more blocks, each with "
         "less to do.",
         blocks, sms);
}

static void rule_tail(struct rules *rules)
{
    struct waves waves;
    const bool is_wave = waves_end_poorly(rules->launch, &waves);
    const double tail = rules->estimate->tail, few = 0.05, blocks = blocks_of(rules);
    if (is_wave)
        tell(rules, nowhere, waves.count * waves.at_once / waves.blocks,
             "%.0f blocks are %u waves, of which the last has only %.0f: take more and smaller blocks, or as "
             "many as fit "
             "at once (%.0f) with an equal share each.",
             waves.blocks, waves.count, waves.last, waves.at_once);
    else if (tail > few && blocks > rules->profile->sms)
        tell(rules, nowhere, 1 / (1 - tail),
             "the last blocks leave SMs idle for %d %% of the time: %.0f blocks do not divide evenly among "
             "%u SMs. Take "
             "more and smaller blocks, or as many as fit at once with an equal share each.",
             percent(tail), blocks, rules->profile->sms);
}

static void rule_launch(struct rules *rules)
{
    const double part = rules->estimate->launch_us / rules->estimate->time_us, most = 0.5;
    if (part > most)
        tell(rules, nowhere, 1 / (1 - part),
             "the launch itself is %.1f of %.1f us. Do more in one launch, or fuse this kernel with others.",
             rules->estimate->launch_us, rules->estimate->time_us);
}

/* No instruction has this time, so that it is not among what is spent on them. */
static double waits_for_start(const struct rules *rules)
{
    for (size_t i = 0; i < rules->estimate->nwaits; i++)
        if (!strcmp(rules->estimate->waits[i].name, "start"))
            return rules->estimate->waits[i].part;
    return 0;
}

static void rule_block_starts(struct rules *rules)
{
    const double part = waits_for_start(rules), few = 0.1;
    const struct model_change change = {.is_without_starts = true};
    const double fit = total(rules, "blocks_per_sm") * rules->profile->sms;
    if (part > few && blocks_of(rules) > 2 * fit)
        tell(rules, nowhere, gain_of(rules, &change),
             "blocks do so little that %d %% of the warps' time is their start. Let each block do more: a "
             "loop over "
             "several elements per thread.",
             percent(part));
}

/* How many blocks would fit if what limits them now did not; what: that, in words. */
static uint32_t blocks_without_limit(const struct rules *rules, const struct occupancy *now, char *what,
                                     size_t size)
{
    const struct gpu *gpu = rules->inside->gpu;
    const struct function *kernel = rules->inside->kernel;
    const uint32_t shared = kernel->shared_bytes + rules->inside->dynamic_shared, threads = threads_of(rules);
    const uint32_t few = 32; /* registers: with so many, no GPU is short of them */
    struct occupancy then = *now;
    if (!strcmp(now->limiter, "registers")) {
        gpu_occupancy(gpu, smaller_of(kernel->registers, few), shared, threads, &then);
        snprintf(what, size,
                 "%u registers a thread. Keep fewer values alive, or set a limit (__launch_bounds__)",
                 kernel->registers);
    } else if (!strcmp(now->limiter, "shared memory")) {
        gpu_occupancy(gpu, kernel->registers, 0, threads, &then);
        snprintf(what, size, "%u bytes of shared memory a block. Use smaller tiles or types", shared);
    } else if (!strcmp(now->limiter, "blocks")) {
        then.blocks_per_sm = gpu->max_warps / warps_of(rules);
        snprintf(what, size,
                 "the size of blocks, %u threads, of which an SM has %u at most. Take larger blocks", threads,
                 now->blocks_per_sm);
    } else {
        then.blocks_per_sm = now->blocks_per_sm + 1;
        snprintf(what, size,
                 "the size of blocks, %u threads. Take smaller blocks, of which more fit (256, 512)",
                 threads);
    }
    return then.blocks_per_sm;
}

static void rule_occupancy(struct rules *rules)
{
    const double high = 0.75, occupancy = total(rules, "occupancy");
    const struct function *kernel = rules->inside->kernel;
    const uint32_t shared = kernel->shared_bytes + rules->inside->dynamic_shared;
    struct occupancy now;
    char what[200];
    gpu_occupancy(rules->inside->gpu, kernel->registers, shared, threads_of(rules), &now);
    if (occupancy > high || blocks_of(rules) <= now.blocks_per_sm * (double)rules->profile->sms)
        return; /* the grid has no more blocks: more room would stay empty */
    const struct model_change change = {.blocks_per_sm =
                                            blocks_without_limit(rules, &now, what, sizeof what)};
    if (change.blocks_per_sm > now.blocks_per_sm)
        tell(rules, nowhere, gain_of(rules, &change),
             "occupancy is %d %%: the number of warps on an SM is limited by %s.", percent(occupancy), what);
}

/* ------------------------------------------------------------------------------------------- waiting */

static double most_busy_memory(const struct rules *rules)
{
    return larger_of(busy(rules, "dram"), larger_of(busy(rules, "l2"), busy(rules, "l1")));
}

static void rule_loads_in_flight(struct rules *rules)
{
    const double much = 0.3, nearly_all = 0.85, part = spent(rules, VGPU_SPENT_MEMORY);
    const struct model_change change = {.memory_overlap = 2};
    if (part > much && most_busy_memory(rules) < nearly_all)
        tell(rules, at_line(line_of_most(rules, VGPU_SPENT_MEMORY)), gain_of(rules, &change),
             "warps wait for memory %d %% of their time, and it is busy for %d %% only: twice as many loads "
             "under way "
             "would help. Start several loads before the first is used (unroll, several elements per "
             "thread), or "
             "have more warps per SM.",
             percent(part), percent(most_busy_memory(rules)));
}

static void rule_independent_work(struct rules *rules)
{
    const double much = 0.3, part = spent(rules, VGPU_SPENT_ARITHMETIC) + spent(rules, VGPU_SPENT_SHARED);
    const bool is_shared = spent(rules, VGPU_SPENT_SHARED) > spent(rules, VGPU_SPENT_ARITHMETIC);
    const struct model_change change = {.compute_overlap = 2};
    if (part > much)
        tell(rules, at_line(line_of_most(rules, is_shared ? VGPU_SPENT_SHARED : VGPU_SPENT_ARITHMETIC)),
             gain_of(rules, &change),
             "each operation waits for the result of the one before: %d %% of the warps' time. Give each "
             "thread two "
             "or more independent results to compute (two sums, two elements), or have more warps per SM.",
             percent(part));
}

static void rule_barriers(struct rules *rules)
{
    const double much = 0.1, part = spent(rules, VGPU_SPENT_BARRIER);
    const double warps = blocks_of(rules) * warps_of(rules), each = total(rules, "barriers") / warps;
    const struct model_change change = {.is_without_barriers = true};
    if (part > much && each > 0)
        tell(rules, at_line(line_of_most(rules, VGPU_SPENT_BARRIER)), gain_of(rules, &change),
             "warps wait at barriers %d %% of their time (%.0f barriers a warp). Do more between two "
             "barriers, let the "
             "last warp go on without them (shuffles), or take smaller blocks, of which more fit on an SM.",
             percent(part), each);
}

static void rule_spills(struct rules *rules)
{
    const struct model_change change = {.is_without_spills = true};
    if (rules->profile->spilled > 0)
        tell(rules, nowhere, gain_of(rules, &change),
             "registers are spilled: %.0f of them are too few, and each thread keeps %.0f bytes in local "
             "memory. Allow "
             "more registers (__launch_bounds__), or keep fewer values alive.",
             total(rules, "registers_per_thread"), rules->profile->spilled);
}

/* ------------------------------------------------------------------------------------------- what is used again */

/* Bytes that the launch's accesses can have touched: of each array no more than it has used so far, or than was asked for. */
static double bytes_touched(const struct rules *rules)
{
    const struct vgpu_access *accesses = rules->profile->accesses;
    double sum = 0;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct allocation *array = allocation_of(rules, &accesses[i]);
        bool is_new = array != NULL;
        double asked = 0;
        for (size_t k = 0; is_new && k < rules->profile->naccesses; k++)
            if (allocation_of(rules, &accesses[k]) == array) {
                is_new = k >= i;
                asked += 32 * accesses[k].parts;
            }
        if (is_new)
            sum += smaller_of(asked, 32 * (double)cache_sectors_used(array));
    }
    return sum;
}

/* The load that asks for most sectors or passes. */
static const struct vgpu_access *largest_load(const struct rules *rules, const char *space)
{
    const struct vgpu_access *most = NULL;
    for (size_t i = 0; i < rules->profile->naccesses; i++) {
        const struct vgpu_access *one = &rules->profile->accesses[i];
        if (is_verb(one, "load") && is_space(one, space) && (!most || one->parts > most->parts))
            most = one;
    }
    return most;
}

/* Bytes that come from L2 more than once. */
static void rule_reuse(struct rules *rules)
{
    const double often = 3, most = 8; /* what a tile is good for */
    const double footprint = bytes_touched(rules), l2 = 32 * total(rules, "l2_sectors");
    const double dram = total(rules, "dram_read_bytes") + total(rules, "dram_write_bytes");
    const struct vgpu_access *load = largest_load(rules, "global");
    char array[100];
    if (!load || !(footprint > 0) || l2 < often * footprint || has_waste(load))
        return;
    const struct model_change change = {
        .left = {{"l2", larger_of(footprint / l2, 1 / most)},
                 {"dram", dram > footprint ? larger_of(footprint / dram, 1 / most) : 1}},
        .nleft = 2};
    tell(rules, at_access(load), gain_of(rules, &change),
         "each byte that the kernel uses comes from L2 %.1f times; this load%s asks for most. Load what "
         "threads of a "
         "block have in common once, into shared memory or registers, and let each block use it for more "
         "results.",
         l2 / footprint, of_array(load, array, sizeof array));
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
static void rule_register_tile(struct rules *rules)
{
    const double many = 0.4, again = 4, fp32 = total(rules, "fp32_instructions");
    const double shared = total(rules, "shared_load_requests"), global = total(rules, "global_load_requests");
    const double written = total(rules, "shared_written_bytes"), footprint = bytes_touched(rules);
    const bool is_shared = shared > global;
    const bool is_again = is_shared ? 128 * shared > again * written : 128 * global > again * footprint;
    const struct vgpu_access *load = largest_load(rules, is_shared ? "shared" : "global");
    if (!(fp32 > 0) || (shared + global) / fp32 < many || !is_again || !load || has_waste(load))
        return;
    found_each(rules->inside, halve_loads, rules);
    struct model_change change = with_kept(rules);
    change.left[change.nleft++] = (struct estimate_part){"l1", is_shared ? 1 : 0.5};
    change.left[change.nleft++] = (struct estimate_part){"shared", 0.5};
    tell(rules, at_access(load), gain_of(rules, &change),
         "%.1f loads for each instruction on floats, of values that are loaded again and again. Let each "
         "thread "
         "compute several results (2 x 2), so that a value in a register serves more than one of them.",
         (shared + global) / fp32);
    keep_all(rules);
}

static void rule_texture(struct rules *rules)
{
    const double much = 0.3, fetch_clocks = 8;
    const struct model_change change = {.left = {{"texture", 1 / fetch_clocks}}, .nleft = 1};
    if (busy(rules, "texture") > much)
        tell(rules, nowhere, gain_of(rules, &change),
             "texture units are busy %d %% of the time. Use plain loads where no filtering and no border is "
             "needed.",
             percent(busy(rules, "texture")));
}

/* ------------------------------------------------------------------------------------------- all of them */

static const struct {
    const char *name;
    void (*look)(struct rules *rules);
} rows[] = {
    {"coalescing", rule_coalescing},
    {"bank-conflicts", rule_bank_conflicts},
    {"constant-index", rule_constant_index},
    {"narrow", rule_narrow},
    {"atomics", rule_atomics},
    {"blocks-of-atomics", rule_blocks_of_atomics},
    {"divergence", rule_divergence},
    {"block-size", rule_block_size},
    {"few-blocks", rule_few_blocks},
    {"tail", rule_tail},
    {"launch", rule_launch},
    {"block-starts", rule_block_starts},
    {"occupancy", rule_occupancy},
    {"loads-in-flight", rule_loads_in_flight},
    {"independent-work", rule_independent_work},
    {"barriers", rule_barriers},
    {"spills", rule_spills},
    {"reuse", rule_reuse},
    {"register-tile", rule_register_tile},
    {"texture", rule_texture},
};

enum { ROWS = sizeof rows / sizeof *rows, KINDS = sizeof kinds / sizeof *kinds };

const char *vgpu_rule_name(size_t index)
{
    return index < ROWS ? rows[index].name : index < ROWS + KINDS ? kinds[index - ROWS].name : NULL;
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
    keep_all(rules);
    for (size_t i = 0; i < ROWS; i++) {
        rules->name = rows[i].name;
        rows[i].look(rules);
    }
    for (size_t i = 0; i < KINDS; i++) {
        rules->name = kinds[i].name;
        rule_of_kind(rules, &kinds[i]);
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
        snprintf(out, size, "%s Estimated gain: up to %.2fx.", best->words, best->gain);
    else if (most && most->part >= nearly_all)
        snprintf(out, size,
                 "This is close to what the GPU can do: %s: busy %d %% of the time, and the counters show "
                 "nothing that "
                 "it does in vain.",
                 words_of_limit(most->name)->what, percent(most->part));
    else
        snprintf(out, size, "The counters show no simple fix.");
}
