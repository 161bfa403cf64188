/* global_words.c - races on global memory and reads of fresh memory, in words.
 * Entries name the lowest block only, so that the words are the same whoever comes first: of two accesses that race, both
 * entries may name one thread, or one block. Then it is others that it races with, and the sentence names one of several. */
#include <stdio.h>
#include <string.h>

#include "check/global.h"
#include "decode/provenance.h"
#include "memory/memory.h"
#include "report/explain.h"
#include "report/names.h"

enum role { ROLE_READ, ROLE_WRITE, ROLE_ATOMIC, ROLE_NONE };

/* In order of precedence: a word is reported once. */
static const struct race_words {
    enum word_flag flag;
    enum vgpu_finding kind;
    bool is_between_blocks;
    enum role role, other; /* the access that is told, and what it races with */
} race_words[] = {
    {FLAG_WRITE_WRITE_BLOCKS, VGPU_BLOCKS_WRITE_WRITE, true, ROLE_WRITE, ROLE_WRITE},
    {FLAG_WRITE_ATOMIC_BLOCKS, VGPU_BLOCKS_STORE_ATOMIC, true, ROLE_WRITE, ROLE_ATOMIC},
    {FLAG_READ_WRITE_BLOCKS, VGPU_BLOCKS_READ_WRITE, true, ROLE_READ, ROLE_WRITE},
    {FLAG_READ_ATOMIC_BLOCKS, VGPU_BLOCKS_READ_WRITE, true, ROLE_READ, ROLE_ATOMIC},
    {FLAG_UNFENCED, VGPU_BLOCKS_NO_FENCE, true, ROLE_READ, ROLE_WRITE},
    {FLAG_WRITE_WRITE, VGPU_THREADS_WRITE_WRITE, false, ROLE_WRITE, ROLE_WRITE},
    {FLAG_WRITE_ATOMIC, VGPU_THREADS_STORE_ATOMIC, false, ROLE_WRITE, ROLE_ATOMIC},
    {FLAG_READ_WRITE, VGPU_THREADS_READ_WRITE, false, ROLE_READ, ROLE_WRITE},
    {FLAG_READ_ATOMIC, VGPU_THREADS_READ_WRITE, false, ROLE_READ, ROLE_ATOMIC},
    {FLAG_UNINITIALISED, VGPU_UNINITIALISED, false, ROLE_READ, ROLE_NONE},
};

/* What was done, told of an element: "c[0] is written by". */
static const char *const done[] = {
    [ROLE_READ] = "read", [ROLE_WRITE] = "written", [ROLE_ATOMIC] = "changed with an atomic"};

static const char unwritten[] =
    "nothing was copied or stored there since it was allocated, and cudaMalloc does not clear memory";

enum { MOST_BYTES = 1 << 22 }; /* that are looked at, for words only */

static bool is_fresh(const struct global_shadow *shadow, uint64_t word)
{
    return word >= shadow->base_word && word < shadow->base_word + shadow->nwords &&
           shadow->flags[word - shadow->base_word] & FLAG_UNINITIALISED;
}

/* What the launch itself has written, or read before, was not there when it began. */
static bool was_written(const struct global_shadow *shadow, const struct allocation *allocation,
                        uint64_t address)
{
    const uint64_t i = address / 4 - shadow->base_word; /* a word before the shadow is beyond all */
    const bool is_touched = i < shadow->nwords && ((shadow->write && shadow->write[i]) ||
                                                   (shadow->atomic && shadow->atomic[i]) || shadow->flags[i]);
    uint64_t ignored;
    return !is_touched && memory_is_written(allocation, address, 1, &ignored);
}

/* The same where the launch may have read the word or changed it with atomics: these see what nobody has written. */
static bool was_set(const struct global_shadow *shadow, const struct allocation *allocation, uint64_t address)
{
    const uint64_t word = address / 4, i = word - shadow->base_word;
    const bool is_stored = i < shadow->nwords && shadow->write && shadow->write[i];
    uint64_t ignored;
    return !is_stored && !is_fresh(shadow, word) && memory_is_written(allocation, address, 1, &ignored);
}

/* Bytes of an array that were set before the launch, from its begin on without a gap; up to three more than that. */
static uint64_t count_set(const struct global_shadow *shadow, const struct array_place *place, uint64_t begin)
{
    const uint64_t most = place->size < MOST_BYTES ? place->size : MOST_BYTES;
    uint64_t bytes = 0;
    while (bytes < most && was_set(shadow, place->allocation, begin + bytes))
        bytes++;
    return bytes;
}

/* A beginning whose length tells how its size was written. */
static bool explain_beginning(const struct global_shadow *shadow, uint64_t word,
                              const struct array_place *place, uint32_t element, char *out, size_t size)
{
    enum { POINTER = 8, WORD = 4 };
    if (place->offset < 0 || !element || place->size <= WORD)
        return false;
    const uint64_t begin = word * 4 - ((uint64_t)place->offset & ~UINT64_C(3));
    const uint64_t set = count_set(shadow, place, begin), count = place->size / element;
    if (!set || set >= place->size)
        return false;
    if ((set + WORD - 1) / WORD == (count + WORD - 1) / WORD && element > 1)
        snprintf(
            out, size,
            "only %llu of %llu bytes were written before the launch, as many bytes as there are elements: "
            "sizes of copies and memsets count bytes",
            (unsigned long long)count, (unsigned long long)place->size);
    else if (set == POINTER)
        snprintf(
            out, size,
            "only %d of %llu bytes were written before the launch, which is the size of a pointer: sizeof "
            "of a pointer knows nothing of the array behind it",
            POINTER, (unsigned long long)place->size);
    else
        return false;
    return true;
}

/* The bytes of an array before a word that were written before the launch, without a gap: [first, end). A word that is written in part
 * counts as written, so up to three bytes of the word before may be missing. */
struct written {
    uint64_t first, end;
};

static struct written written_before(const struct global_shadow *shadow, const struct array_place *place,
                                     uint64_t word)
{
    const uint64_t offset = place->offset > 0 ? (uint64_t)place->offset & ~UINT64_C(3) : 0;
    const uint64_t begin = word * 4 - (offset < MOST_BYTES ? offset : MOST_BYTES);
    uint64_t end = word * 4;
    while (end > begin && end > word * 4 - 3 && !was_written(shadow, place->allocation, end - 1))
        end--;
    struct written run = {end, end};
    while (run.first > begin && was_written(shadow, place->allocation, run.first - 1))
        run.first--;
    return run;
}

/* Where the words end, from this one on, that the launch read although nobody had written them. */
static uint64_t end_of_fresh(const struct global_shadow *shadow, uint64_t word)
{
    const uint64_t begin = word;
    while (word - begin < MOST_BYTES / 4 && is_fresh(shadow, word))
        word++;
    return word * 4;
}

/* How much was written before what is missing tells what went wrong: a size in elements fills as many bytes as the array has
 * elements. */
static void explain_fresh(const struct global_shadow *shadow, uint64_t word, const struct array_place *place,
                          uint32_t element, char *out, size_t size)
{
    snprintf(out, size, "%s", unwritten);
    if (!place->is_known || !place->allocation || explain_beginning(shadow, word, place, element, out, size))
        return;
    const struct written run = written_before(shadow, place, word);
    const unsigned long long written = run.end - run.first, all = end_of_fresh(shadow, word) - run.first;
    if (written && written * element == all)
        snprintf(
            out, size,
            "only %llu of %llu bytes were written before the launch, as many bytes as there are elements: "
            "sizes of copies and memsets count bytes",
            written, all);
    else if (written >= element)
        snprintf(out, size,
                 "the %llu elements before it were written before the launch, the next %llu that are read "
                 "were not",
                 written / element, all / element - written / element);
}

/* One side of a race. */
struct side {
    uint64_t entry;
    struct site site;
};

static struct side side_of(const struct launch *launch, const struct global_shadow *shadow, uint64_t i,
                           enum role role)
{
    const uint64_t *const entries[] = {
        [ROLE_READ] = shadow->read, [ROLE_WRITE] = shadow->write, [ROLE_ATOMIC] = shadow->atomic};
    const uint16_t *const sites[] = {[ROLE_READ] = shadow->read_site,
                                     [ROLE_WRITE] = shadow->write_site,
                                     [ROLE_ATOMIC] = shadow->atomic_site};
    if (role == ROLE_NONE)
        return (struct side){0};
    return (struct side){entries[role][i], site_find(launch, sites[role][i])};
}

static void where_text(const struct launch *launch, const struct side *side, char *out, size_t size)
{
    snprintf(out, size, "an unknown line");
    if (side->site.insn)
        name_of_loc(launch->kernel->module->ptx, side->site.insn->loc, out, size);
}

static unsigned long long block_of(const struct side *side)
{
    return (unsigned long long)(entry_block(side->entry) >> 32) - 1;
}

static void thread_text(const struct launch *launch, const struct side *side, char *out, size_t size)
{
    uint32_t at[3] = {0, 0, 0};
    thread_coordinates(launch, stamp_thread((uint32_t)side->entry), at);
    snprintf(out, size, "thread (%u,%u,%u)", at[0], at[1], at[2]);
}

static void who_text(const struct launch *launch, const struct side *side, char *out, size_t size)
{
    char thread[60], where[200];
    thread_text(launch, side, thread, sizeof thread);
    where_text(launch, side, where, sizeof where);
    snprintf(out, size, "%.50s of block %llu at %.150s", thread, block_of(side), where);
}

/* True if both entries name somebody who cannot race with himself. */
static bool is_one_party(const struct race_words *text, const struct side *side, const struct side *other)
{
    return entry_block(side->entry) == entry_block(other->entry) &&
           (text->is_between_blocks ||
            stamp_thread((uint32_t)side->entry) == stamp_thread((uint32_t)other->entry));
}

/* "in[26] is written at a.cu:80 and read at a.cu:75 by several blocks; one of them is block 0, thread (28,2,0)". */
static void several_sentence(const struct launch *launch, const struct race_words *text,
                             const struct side *side, const struct side *other, const char *index,
                             struct finding *found)
{
    char here[140], there[140], thread[50];
    where_text(launch, side, here, sizeof here);
    where_text(launch, other, there, sizeof there);
    thread_text(launch, other, thread, sizeof thread);
    if (text->is_between_blocks)
        snprintf(found->what, sizeof found->what,
                 "%.90s is %s at %s and %s at %s by several blocks; one of them is block %llu, %s", index,
                 done[text->other], there, done[text->role], here, block_of(other), thread);
    else
        snprintf(found->what, sizeof found->what,
                 "%.90s is %s at %s and %s at %s by several threads of block %llu; one of them is %s", index,
                 done[text->other], there, done[text->role], here, block_of(other), thread);
}

static void race_sentence(const struct launch *launch, const struct race_words *text, const struct side *side,
                          const struct side *other, const char *index, struct finding *found)
{
    char here[260], there[260];
    who_text(launch, side, here, sizeof here);
    who_text(launch, other, there, sizeof there);
    if (text->role == text->other)
        snprintf(found->what, sizeof found->what, "%.100s is written by %s, and with another value by %s",
                 index, here, text->is_between_blocks ? "another block" : "another thread");
    else if (is_one_party(text, side, other))
        several_sentence(launch, text, side, other, index, found);
    else
        snprintf(found->what, sizeof found->what, "%.90s is %s by %.170s and %s by %.170s", index,
                 done[text->other], there, done[text->role], here);
}

static void lost_sentence(const struct launch *launch, const struct race_words *text,
                          const struct side *writer, const char *index, struct finding *found)
{
    char who[260];
    who_text(launch, writer, who, sizeof who);
    snprintf(found->what, sizeof found->what, "%.100s is changed by %s, and at the same time by %s", index,
             who, text->is_between_blocks ? "another block" : "another thread of its block");
}

/* `x += v` by several threads: a load and a store of one statement. */
static bool is_update(const struct race_words *text, struct site writer, struct site reader)
{
    if (text->other != ROLE_WRITE || !writer.insn || !writer.function)
        return false;
    const struct ptx_insn *load = provenance_updated(writer.function, writer.insn->source);
    return load && (text->role == ROLE_WRITE || (reader.insn && reader.insn->source == load));
}

/* A memset that comes later is too late: see runtime/memset.c. */
static void mark_reader(const struct launch *launch, const struct side *reader, uint64_t word)
{
    struct allocation *allocation = memory_find(launch->memory, word * 4);
    if (allocation && !allocation->unset_reader[0])
        where_text(launch, reader, allocation->unset_reader, sizeof allocation->unset_reader);
}

/* Why one element comes from several writers, where the kernel does not add to it. */
static void explain_writers(const struct launch *launch, const struct array_place *place, uint32_t element,
                            bool is_between_blocks, char *out, size_t size)
{
    const bool is_flat = launch->grid[1] * launch->dim[1] == 1;
    if (!place->is_known || place->size <= element)
        return; /* one place for all: the kind's own words */
    snprintf(
        out, size,
        is_flat ? "each element must be written by one %s: is its index the same for several? To add up what "
                  "they found takes an atomic"
                : "each element must be written by one %s: is the index computed from row and column the "
                  "right way round, with the length of this array's rows?",
        is_between_blocks ? "block" : "thread"); // NOLINT(clang-diagnostic-format-nonliteral)
}

static void report_word(struct launch *launch, const struct global_shadow *shadow, uint64_t i,
                        const struct race_words *text)
{
    const struct side side = side_of(launch, shadow, i, text->role),
                      other = side_of(launch, shadow, i, text->other);
    const struct insn *insn = side.site.insn;
    const bool has_other = text->role != text->other && other.site.insn;
    struct finding found = {.kind = text->kind,
                            .space = PTX_GLOBAL,
                            .loc = insn ? insn->loc : 0,
                            .other_loc = has_other ? other.site.insn->loc : 0,
                            .block = (entry_block(side.entry) >> 32) - 1,
                            .thread = stamp_thread((uint32_t)side.entry)};
    const bool is_lost = is_update(text, other.site, side.site);
    if (is_lost) { /* the statement is one place, whichever of its accesses was seen */
        found.kind = VGPU_LOST_UPDATE;
        found.loc = other.site.insn->loc;
        found.other_loc = 0;
    }
    if (text->flag == FLAG_UNINITIALISED)
        mark_reader(launch, &side, shadow->base_word + i);
    if (findings_repeat(launch->findings, &found))
        return;
    struct array_place place;
    char index[160];
    place_find_global(launch, side.site.function, insn ? insn->source : NULL, (shadow->base_word + i) * 4,
                      &place);
    place_element(&place, insn && insn->width ? insn->width : 4, index, sizeof index);
    snprintf(found.array, sizeof found.array, "%s", place.name);
    if (is_lost)
        lost_sentence(launch, text, &other, index, &found);
    else if (text->other == ROLE_NONE)
        snprintf(found.what, sizeof found.what, "reads %.100s, which nobody has written", index);
    else
        race_sentence(launch, text, &side, &other, index, &found);
    if (!is_lost && text->role == ROLE_WRITE && text->other == ROLE_WRITE)
        explain_writers(launch, &place, insn && insn->width ? insn->width : 4, text->is_between_blocks,
                        found.cause, sizeof found.cause);
    if (text->flag == FLAG_UNINITIALISED)
        explain_fresh(shadow, shadow->base_word + i, &place, insn && insn->width ? insn->width : 4,
                      found.cause, sizeof found.cause);
    findings_add(launch->findings, &found);
}

void global_report(struct launch *launch, const struct global_shadow *shadow)
{
    for (uint64_t i = 0; i < shadow->nwords; i++)
        for (size_t k = 0; shadow->flags[i] && k < sizeof race_words / sizeof *race_words; k++)
            if (shadow->flags[i] & race_words[k].flag) {
                report_word(launch, shadow, i, &race_words[k]);
                break;
            }
}
