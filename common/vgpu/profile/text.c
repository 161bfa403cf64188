/* text.c - vgpu_explain(): a launch in some thirty lines, for a terminal.
 * What is said is what was counted, recorded and simulated; the advice is the first of the rules (rules.h). */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "profile/drawing.h"
#include "profile/profile.h"
#include "profile/rules.h"
#include "profile/rules_parts.h"
#include "profile/waves.h"
#include "profile/words.h"
#include "report/names.h"
#include "vgpu.h"

enum { INDENT = 2, MOST_LINES = 3, MOST_ACCESSES = 2, MOST_WAITS = 4 };

struct page {
    FILE *out;
    int columns;
    const struct vgpu_launch *launch;
    const struct vgpu_profile *profile;
};

/* A paragraph. */
static void say(const struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct page *page, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    wrap_line(page->out, page->columns, INDENT, "", text, strlen(text));
}

static double counter(const struct vgpu_launch *launch, const double *values, const char *name)
{
    for (size_t i = 0; i < launch->ncounters; i++)
        if (!strcmp(launch->names[i], name))
            return values[i];
    return 0;
}

static double total(const struct page *page, const char *name)
{
    return counter(page->launch, page->launch->values, name);
}

static int percent(double part)
{
    return (int)(100 * part + 0.5);
}

/* ------------------------------------------------------------------------------------------- time */

static void put_size(char *out, size_t size, const unsigned dim[3])
{
    if (dim[2] > 1)
        snprintf(out, size, "%u x %u x %u", dim[0], dim[1], dim[2]);
    else if (dim[1] > 1)
        snprintf(out, size, "%u x %u", dim[0], dim[1]);
    else
        snprintf(out, size, "%u", dim[0]);
}

/* Occupancy is what an SM has room for; a grid that is smaller than that uses less. */
static void write_occupancy(const struct page *page, char *out, size_t size)
{
    const struct profile *inside = page->profile->inside;
    const unsigned *grid = page->launch->grid, *block = page->launch->block;
    const double blocks = (double)grid[0] * grid[1] * grid[2],
                 warps = ceil((double)block[0] * block[1] * block[2] / 32),
                 in_use = ceil(blocks / page->profile->sms); /* blocks of an SM */
    const int share = percent(total(page, "occupancy"));
    if (in_use < total(page, "blocks_per_sm"))
        snprintf(out, size, "room for %d %% of an SM's warps (occupancy), %.0f of %u in use", share,
                 in_use * warps, inside->launch->gpu->max_warps);
    else
        snprintf(out, size, "occupancy %d %%", share);
}

static void say_head(const struct page *page)
{
    char kernel[200], grid[40], block[40], occupancy[120];
    name_of_function(page->launch->kernel, kernel, sizeof kernel);
    put_size(grid, sizeof grid, page->launch->grid);
    put_size(block, sizeof block, page->launch->block);
    write_occupancy(page, occupancy, sizeof occupancy);
    say(page, "Kernel %s, %s blocks of %s threads, %.0f registers, %s: %.2f us", kernel, grid, block,
        total(page, "registers_per_thread"), occupancy, page->launch->time_us);
}

static void say_sample(const struct page *page)
{
    char text[160];
    if (words_of_sample(page->launch, text, sizeof text))
        say(page, "%s", text);
}

/* A grid that is smaller than the GPU. */
static void say_idle(const struct page *page)
{
    const unsigned *grid = page->launch->grid;
    const double blocks = (double)grid[0] * grid[1] * grid[2];
    if (blocks < page->profile->sms)
        say(page,
            "Only %.0f of %u SMs have a block: the others have nothing to do. More blocks would be faster.",
            blocks, page->profile->sms);
}

/* A grid that is a little larger than what fits. */
static void say_waves(const struct page *page)
{
    static const char *const ordinals[] = {"first", "second", "third", "fourth"};
    struct waves waves;
    if (waves_end_poorly(page->launch, &waves))
        say(page,
            "%.0f blocks, of which %.0f fit on the GPU at once: the last %.0f are a %s wave, which takes "
            "about "
            "as long as a full one while %s.",
            waves.blocks, waves.at_once, waves.last, ordinals[waves.count - 1],
            waves.is_idle ? "most SMs have nothing to do" : "SMs are nearly empty");
}

/* A second limit may be as near as the first one; simulated times then differ by chance. */
static void write_gain(const struct page *page, char *out, size_t size)
{
    const double clearly = 0.99, without = page->profile->without_us;
    if (without < clearly * page->launch->time_us)
        snprintf(out, size, " Without this limit it would take %.2f us.", without);
    else
        snprintf(out, size, " Without this limit it would take as long: another one is as near.");
}

static void say_limit(const struct page *page)
{
    const char *limiter = waves_limiter(page->launch);
    const struct limit_words *words = words_of_limit(limiter);
    const double busy = profile_busy(page->profile, limiter);
    const double without = page->profile->without_us;
    char share[40] = "", gain[100] = "";
    if (busy > 0 && !strchr(words->what, ':')) /* else it is a wait, whatever else has its name */
        snprintf(share, sizeof share, ", busy %d %% of the time", percent(busy));
    if (without > 0 && strcmp(limiter, "launch") != 0 && strcmp(limiter, "tail") != 0)
        write_gain(page, gain, sizeof gain);
    say(page, "Limited by %s%s.%s", words->what, share, gain);
}

/* Shuffles go through the unit of shared memory: who uses it for nothing else is not to look for a tile. values: of a line, or of
 * the launch. */
static const char *words_for(const struct page *page, const double *values, enum vgpu_spent spent)
{
    static const char *const requests[] = {"shared_load_requests", "shared_store_requests",
                                           "shared_atomic_requests"};
    double shared = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        shared += counter(page->launch, values, requests[i]);
    if (spent == VGPU_SPENT_SHARED && shared == 0 &&
        counter(page->launch, values, "warp_op_instructions") > 0)
        return "waiting for shuffles (the unit of shared memory does them)";
    return words_of_spent(spent);
}

static void say_spent(const struct page *page)
{
    char text[400] = "";
    size_t used = 0;
    bool is_told[VGPU_SPENTS] = {false};
    for (int n = 0; n < MOST_WAITS; n++) {
        int most = -1;
        for (int on = 0; on < VGPU_SPENTS; on++)
            if (!is_told[on] && (most < 0 || page->profile->spent_on[on] > page->profile->spent_on[most]))
                most = on;
        if (percent(page->profile->spent_on[most]) < 1)
            break;
        is_told[most] = true;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %d %%", n ? ", " : "",
                                 words_for(page, page->launch->values, (enum vgpu_spent)most),
                                 percent(page->profile->spent_on[most]));
    }
    say(page, "Warps spend their time %s.", text);
}

static void say_roofline(const struct page *page)
{
    const struct vgpu_profile *profile = page->profile;
    const double gflops = profile->flop / page->launch->time_us * 1e-3;
    if (!(profile->flop > 0) || !(profile->bytes > 0)) {
        say(page, "It moves %.1f MB from and to DRAM: %.0f of %.0f GB/s.", profile->bytes * 1e-6,
            profile->bytes / page->launch->time_us * 1e-3, profile->dram_gbs);
        return;
    }
    const double intensity = profile->flop / profile->bytes, roof = intensity * profile->dram_gbs;
    const double ceiling = roof < profile->peak_gflops ? roof : profile->peak_gflops;
    say(page,
        "Roofline: %.3g flop per byte of DRAM; the roof is %.0f GFLOP/s there, it reaches %.0f (%d %%).",
        intensity, ceiling, gflops, percent(gflops / ceiling));
    draw_roofline(page->out, INDENT, profile, page->launch->time_us);
}

/* ------------------------------------------------------------------------------------------- lines */

static double spent_on_line(const struct page *page, size_t line)
{
    double sum = 0;
    for (int on = 0; on < VGPU_SPENTS; on++)
        sum += page->profile->spent[line][on];
    return sum;
}

/* The line that most is spent on, of those that cost less than `below`, or as much and come later than `after`. */
static bool next_expensive(const struct page *page, double below, size_t after, size_t *found)
{
    bool is_found = false;
    double most = 0;
    for (size_t i = 0; i < page->launch->nlines; i++) {
        const double spent = spent_on_line(page, i);
        const bool is_left = spent < below || (spent == below && i > after);
        if (!page->launch->lines[i].file[0] || !is_left || spent <= most)
            continue;
        most = spent;
        *found = i;
        is_found = true;
    }
    return is_found;
}

static const char *unit_of(const struct vgpu_access *access)
{
    return !strcmp(access->space, "shared")     ? "passes"
           : !strcmp(access->space, "constant") ? "words"
                                                : "sectors";
}

/* "shared load of `tile`". */
static void name_access(const struct vgpu_access *access, char *out, size_t size)
{
    const int used = snprintf(out, size, "%s %s", access->space, access->verb);
    if (access->array[0])
        snprintf(out + used, size - (size_t)used, " of `%s`", access->array);
}

static void put_access(const struct page *page, const struct vgpu_access *access)
{
    const double now = access->parts / access->requests, ideal = access->ideal / access->requests;
    char name[160], would_do[60] = "as few as can be", text[300];
    name_access(access, name, sizeof name);
    if (now > 1.05 * ideal)
        snprintf(would_do, sizeof would_do, "%.1f would do", ideal);
    const int length =
        snprintf(text, sizeof text, "%s: %.1f %s a request, %s", name, now, unit_of(access), would_do);
    wrap_line(page->out, page->columns, INDENT + 15, "", text, (size_t)length);
}

static bool is_on_line(const struct vgpu_access *access, const struct vgpu_line *line)
{
    return access->line == line->line && !strcmp(access->file, line->file);
}

static void put_accesses(const struct page *page, const struct vgpu_line *line)
{
    int count = 0;
    for (size_t i = 0; i < page->profile->naccesses && count < MOST_ACCESSES; i++)
        if (is_on_line(&page->profile->accesses[i], line)) {
            put_access(page, &page->profile->accesses[i]);
            count++;
        }
}

static enum vgpu_spent mostly(const struct page *page, size_t line)
{
    int most = 0;
    for (int on = 1; on < VGPU_SPENTS; on++)
        if (page->profile->spent[line][on] > page->profile->spent[line][most])
            most = on;
    return (enum vgpu_spent)most;
}

/* The last part of a path. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Its text where that is known; lines of other files than the one in the headline say which. */
static void write_line(const struct vgpu_line *line, const char *main_file, char *out, size_t size)
{
    char text[160] = "";
    const bool is_known = source_line(line->file, line->line, text, sizeof text);
    if (is_known && strcmp(line->file, main_file) == 0)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.100s:%u%s%s", file_name(line->file), line->line, is_known ? "  " : "", text);
}

static void put_line(const struct page *page, const char *main_file, size_t index)
{
    const struct vgpu_line *line = &page->launch->lines[index];
    const double warps = counter(page->launch, line->values, "warp_instructions"),
                 lanes = counter(page->launch, line->values, "thread_instructions");
    char text[280] = "";
    const int room = page->columns - INDENT - 15;
    write_line(line, main_file, text, sizeof text);
    fprintf(page->out, "%*s%5u  %4d %%  %.*s\n", INDENT, "", line->line, percent(spent_on_line(page, index)),
            room > 20 ? room : 20, text);
    int length = snprintf(text, sizeof text, "mostly %s", words_for(page, line->values, mostly(page, index)));
    if (warps > 0 && lanes / warps < 31.5)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "; %.1f of 32 lanes active", lanes / warps);
    wrap_line(page->out, page->columns, INDENT + 15, "", text, (size_t)length);
    put_accesses(page, line);
}

static bool is_readable(const struct vgpu_line *line)
{
    char text[8];
    return source_line(line->file, line->line, text, sizeof text);
}

/* The file that most of the lines with code are in, of those whose text is known if there are any: the program's own. */
static const char *main_file(const struct page *page)
{
    const char *best = "";
    size_t most = 0;
    bool is_best_known = false;
    for (size_t i = 0, run = 0; i < page->launch->nlines; i++) { /* they come sorted by files */
        const struct vgpu_line *line = &page->launch->lines[i];
        const bool is_known = is_readable(line);
        run = i && !strcmp(line->file, page->launch->lines[i - 1].file) ? run + 1 : 1;
        if (*line->file && (is_known > is_best_known || (is_known == is_best_known && run > most))) {
            most = run;
            best = line->file;
            is_best_known = is_known;
        }
    }
    return best;
}

static void say_lines(const struct page *page)
{
    double below = 2;
    size_t line = 0;
    const char *file = main_file(page);
    say(page, "The most expensive lines of %s, by the time that warps spend on them:", file_name(file));
    for (int i = 0; i < MOST_LINES && next_expensive(page, below, line, &line); i++) {
        below = spent_on_line(page, line);
        if (i && percent(below) < 3)
            break;
        put_line(page, file, line);
    }
}

/* ------------------------------------------------------------------------------------------- the worst access */

/* What is lost by it: the part of its time that goes to sectors or passes which would not be needed. */
static double lost_by(const struct vgpu_access *access)
{
    return access->spent * (1 - access->ideal / (access->parts > 0 ? access->parts : 1));
}

const struct vgpu_access *worst_access(const struct vgpu_profile *profile)
{
    const struct vgpu_access *worst = NULL;
    for (size_t i = 0; i < profile->naccesses; i++) {
        const struct vgpu_access *one = &profile->accesses[i];
        if (one->seen && strcmp(one->space, "constant") != 0 && one->parts > 1.05 * one->ideal &&
            (!worst || lost_by(one) > lost_by(worst)))
            worst = one;
    }
    return worst;
}

/* Of all sectors, or passes, that accesses of the same memory make: who fills its pipes. */
static double share_of(const struct vgpu_profile *profile, const struct vgpu_access *access)
{
    const bool is_shared = !strcmp(access->space, "shared");
    double all = 0;
    for (size_t i = 0; i < profile->naccesses; i++)
        if (!strcmp(profile->accesses[i].space, "shared") == is_shared)
            all += profile->accesses[i].parts;
    return all > 0 ? access->parts / all : 0;
}

/* "(5,3)": as many numbers as the grid has dimensions; of one, "7". */
static void name_block(const struct vgpu_launch *launch, uint64_t index, char *out, size_t size)
{
    const unsigned *grid = launch->grid;
    const unsigned long long x = index % grid[0], y = index / grid[0] % grid[1],
                             z = index / grid[0] / grid[1];
    if (grid[2] > 1)
        snprintf(out, size, "(%llu,%llu,%llu)", x, y, z);
    else if (grid[1] > 1)
        snprintf(out, size, "(%llu,%llu)", x, y);
    else
        snprintf(out, size, "%llu", x);
}

/* A request to constant memory has no picture: lanes that want other words come one after another. False: none has to wait. */
static bool say_words(const struct page *page)
{
    for (size_t i = 0; i < page->profile->naccesses; i++) {
        const struct vgpu_access *one = &page->profile->accesses[i];
        char name[160];
        if (strcmp(one->space, "constant") != 0 || one->parts <= 1.05 * one->ideal)
            continue;
        name_access(one, name, sizeof name);
        say(page,
            "The worst access, line %u: a %s. Lanes want %.1f different words, which come one after another.",
            one->line, name, one->parts / one->requests);
        return true;
    }
    return false;
}

static void say_worst(const struct page *page)
{
    const struct vgpu_access *worst = worst_access(page->profile);
    if (!worst) {
        if (!say_words(page))
            say(page, "No access to memory takes more sectors or passes than it must.");
        return;
    }
    const struct vgpu_picture *picture = &worst->worst;
    const bool is_shared = !strcmp(worst->space, "shared");
    const double used = (double)__builtin_popcount(picture->mask) * picture->bytes;
    char block[60], name[160];
    name_access(worst, name, sizeof name);
    name_block(page->launch, picture->block, block, sizeof block);
    say(page, "The worst access, line %u: a %s by warp %u of block %s. %s", worst->line, name, picture->warp,
        block,
        is_shared ? "Words that lanes want of each bank:"
                  : "Words that lanes use (#) of what is fetched (.):");
    if (is_shared)
        draw_banks(page->out, 2 * INDENT, picture);
    else
        draw_sectors(page->out, 2 * INDENT, picture);
    if (!is_shared)
        say(page, "%u sectors are %u bytes, of which lanes use %.0f. %d %% of all sectors are this access's.",
            picture->cost, 32 * picture->cost, used, percent(share_of(page->profile, worst)));
}

/* ------------------------------------------------------------------------------------------- what costs nothing */

/* True if what waits most in shared memory is atomics of lanes that change one word: their passes are no bank conflicts. */
static bool is_for_atomics(const struct vgpu_profile *profile)
{
    const struct vgpu_access *worst = NULL;
    for (size_t i = 0; i < profile->naccesses; i++) {
        const struct vgpu_access *one = &profile->accesses[i];
        const bool has_waste = !strcmp(one->space, "shared") && one->parts > one->ideal;
        if (has_waste && (!worst || one->parts - one->ideal > worst->parts - worst->ideal))
            worst = one;
    }
    return worst && worst->seen && fact_is_verb(worst, "atomic") && fact_most_alike(&worst->worst) > 1;
}

static void say_conflicts(const struct page *page)
{
    const double gain = rules_gain(page->launch, "bank-conflicts");
    if (!(total(page, "shared_conflicts") > 0))
        return;
    if (is_for_atomics(page->profile) && gain < RULE_WORTH_TELLING)
        say(page, "Atomics of a warp on one word cost nothing here, though they go one after another.");
    else if (is_for_atomics(page->profile))
        say(page,
            "Atomics of a warp on one word go one after another: with a word for each lane it would take "
            "%.2f "
            "us. They cost about %.2fx.",
            page->launch->time_us / gain, gain);
    else if (gain < RULE_WORTH_TELLING)
        say(page, "Bank conflicts cost nothing here: without them it would take as long.");
    else
        say(page, "Without bank conflicts it would take %.2f us: they cost about %.2fx.",
            page->launch->time_us / gain, gain);
}

/* ptxas makes these accesses, so no line of the source has them. */
static void say_spills(const struct page *page)
{
    if (page->profile->spilled > 0)
        say(page,
            "Registers are spilled: %.0f of them are too few, so each thread keeps %.0f bytes in local "
            "memory, and goes there and back. No line shows these accesses.",
            total(page, "registers_per_thread"), page->profile->spilled);
}

/* Told whatever they cost: whoever wrote them means them to do something. */
static void say_unused(const struct page *page)
{
    enum { MOST = 3 };
    const struct vgpu_rule *rules;
    const size_t count = vgpu_rules(page->launch, &rules);
    int told = 0;
    for (size_t i = 0; i < count && told < MOST; i++)
        if (!strcmp(rules[i].name, "unused") && &rules[i] != rules_best(page->launch)) {
            say(page, "%s", rules[i].words);
            told++;
        }
}

/* Where it is the best that can be done, the advice says the same, and the line. */
static void say_divergence(const struct page *page)
{
    const struct vgpu_rule *best = rules_best(page->launch);
    const double warps = total(page, "warp_instructions"), lanes = total(page, "thread_instructions");
    if (!(warps > 0) || lanes / warps > 29 || (best && !strcmp(best->name, "divergence")))
        return;
    if (rules_gain(page->launch, "divergence") >= RULE_WORTH_TELLING)
        say(page,
            "Of 32 lanes %.1f are active on average, and each instruction takes its slot all the same: "
            "divergence costs.",
            lanes / warps);
    else if (lanes / warps < 24) /* so few that a reader would ask */
        say(page, "Of 32 lanes %.1f are active on average. That costs little here.", lanes / warps);
}

void vgpu_explain(FILE *out, const struct vgpu_launch *launch, const struct vgpu_page *how)
{
    const struct page page = {out, (int)how->columns, launch, launch->profile};
    char advice[1000];
    if (!launch->profile)
        return;
    say_head(&page);
    say_sample(&page);
    say_idle(&page);
    say_waves(&page);
    say_limit(&page);
    say_spent(&page);
    say_roofline(&page);
    say_lines(&page);
    say_worst(&page);
    say_spills(&page);
    say_unused(&page);
    say_conflicts(&page);
    say_divergence(&page);
    rules_advice(launch, advice, sizeof advice);
    say(&page, "%s", advice);
}
