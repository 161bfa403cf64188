/* shared.c - reads of shared memory that nobody wrote, and races between and within warps.
 * Each word carries stamps of its last write, its last two readers and the last two threads with atomics. Most accesses touch words that were last
 * touched before the latest barrier, or only read since: a few vector compares tell, and nothing else is looked at.
 * Parts of words accessed alone are tracked byte by byte, so that neighbours in a word are no race. */
#include <stdlib.h>
#include <string.h>

#include "check/shadow.h"
#include "core/vectors.h"

/* One access being checked: what its lanes have in common. */
struct probe {
    struct warp *warp;
    const struct insn *insn;
    struct shadow *shadow;
    const struct access *access;
    enum stamp_kind kind;
    uint16_t site;
};

/* ------------------------------------------------------------------------------------------- one lane, slowly */

/* True if the value that lane is about to store at offset is there already. */
static bool writes_same(const struct probe *probe, int lane, uint64_t address, uint32_t offset,
                        uint32_t bytes)
{
    uint8_t value[64] = {0};
    const struct access *access = probe->access;
    if (access->kind != ACCESS_WRITE || access->bytes > 16)
        return false;
    stored_value(probe->warp, probe->insn, lane, value);
    return memcmp(value + (offset - (uint32_t)address), probe->warp->block->shared + offset, bytes) == 0;
}

/* True if both lanes of this very store write the same bytes at offset. */
static bool lanes_agree(const struct probe *probe, int lane, int other, uint32_t offset, uint32_t bytes)
{
    uint8_t mine[64] = {0}, theirs[64] = {0};
    uint64_t a = access_address(probe->access, lane), b = access_address(probe->access, other);
    if (probe->access->bytes > 16)
        return true;
    stored_value(probe->warp, probe->insn, lane, mine);
    stored_value(probe->warp, probe->insn, other, theirs);
    return memcmp(mine + (offset - a), theirs + (offset - b), bytes) == 0;
}

/* True if the other thread is a lane of this very store that writes to offset as well. */
static bool is_in_this_store(const struct probe *probe, uint32_t other, uint32_t offset)
{
    const struct access *access = probe->access;
    if (access->kind != ACCESS_WRITE || other / LANES != probe->warp->index ||
        !(access->mask >> other % LANES & 1))
        return false;
    uint64_t at = access_address(access, (int)(other % LANES));
    return offset >= at && offset < at + access->bytes;
}

static bool conflicts(const struct probe *probe, uint32_t stamp, uint32_t thread, bool is_read_stamp)
{
    if (stamp == 0 || is_ordered(probe->shadow, stamp, thread))
        return false;
    uint32_t other_kind = stamp & 3;
    if (is_read_stamp && other_kind == STAMP_VOLATILE && probe->kind == STAMP_ATOMIC)
        return false;
    return !is_exempt(other_kind, probe->kind, stamp_thread(stamp) / LANES == thread / LANES);
}

static void note_read(struct stamps *stamps, size_t i, uint32_t stamp, uint16_t site)
{
    if ((stamps->read[i] ^ stamp) & STAMP_THREAD) {
        stamps->read_before[i] = stamps->read[i];
        stamps->read_before_site[i] = stamps->read_site[i];
    }
    stamps->read[i] = stamp;
    stamps->read_site[i] = site;
}

/* A store or load against atomics of other threads. */
static void check_atomics(const struct probe *probe, int lane, uint32_t offset, uint32_t bytes,
                          enum race_kind kind)
{
    const struct stamps *atomics = &probe->shadow->atomics;
    const uint32_t thread = thread_of(probe->warp, lane), word = offset / 4;
    if (!atomics->write)
        return;
    const uint32_t stamps[2] = {atomics->read[word], atomics->read_before[word]};
    const uint16_t sites[2] = {atomics->read_site[word], atomics->read_before_site[word]};
    for (int k = 0; k < 2; k++)
        if (conflicts(probe, stamps[k], thread, false)) {
            report_shared_race(probe->warp, probe->insn, lane, kind, offset, bytes, stamp_thread(stamps[k]),
                               sites[k]);
            break;
        }
}

/* offset and bytes: the part of the lane's access that entry i of stamps stands for. */
static void read_entry(const struct probe *probe, struct stamps *stamps, size_t i, int lane, uint32_t offset,
                       uint32_t bytes)
{
    uint32_t thread = thread_of(probe->warp, lane), write = stamps->write[i];
    bool has_many = probe->shadow->valid[offset / 4] & VALID_MANY_WRITERS;
    if (!has_many && conflicts(probe, write, thread, false))
        report_shared_race(probe->warp, probe->insn, lane, RACE_READ_AFTER_WRITE, offset, bytes,
                           stamp_thread(write), stamps->write_site[i]);
    check_atomics(probe, lane, offset, bytes, RACE_READ_AFTER_WRITE);
    note_read(stamps, i, stamp_of(probe->shadow, thread, probe->kind), probe->site);
}

/* A store or an atomic against earlier loads. */
static void check_readers(const struct probe *probe, const struct stamps *stamps, size_t i, int lane,
                          uint32_t offset, uint32_t bytes)
{
    const uint32_t thread = thread_of(probe->warp, lane);
    const uint64_t address = access_address(probe->access, lane);
    const uint32_t reads[2] = {stamps->read[i], stamps->read_before[i]};
    const uint16_t sites[2] = {stamps->read_site[i], stamps->read_before_site[i]};
    for (int r = 0; r < 2; r++)
        if (conflicts(probe, reads[r], thread, true) && !writes_same(probe, lane, address, offset, bytes)) {
            report_shared_race(probe->warp, probe->insn, lane, RACE_WRITE_AFTER_READ, offset, bytes,
                               stamp_thread(reads[r]), sites[r]);
            break;
        }
}

/* Reports what races with a write. True: the write is another thread's value again, and leaves no trace. */
static bool write_conflicts(const struct probe *probe, struct stamps *stamps, size_t i, int lane,
                            uint32_t offset, uint32_t bytes)
{
    struct warp *warp = probe->warp;
    uint32_t thread = thread_of(warp, lane), write = stamps->write[i];
    uint64_t address = access_address(probe->access, lane);
    if (conflicts(probe, write, thread, false)) {
        uint32_t other = stamp_thread(write);
        bool is_same = is_in_this_store(probe, other, offset)
                           ? lanes_agree(probe, lane, (int)(other % LANES), offset, bytes)
                           : writes_same(probe, lane, address, offset, bytes);
        if (is_same) {
            probe->shadow->valid[offset / 4] |= VALID_MANY_WRITERS;
            return true;
        }
        report_shared_race(warp, probe->insn, lane, RACE_WRITE_AFTER_WRITE, offset, bytes, other,
                           stamps->write_site[i]);
    }
    check_atomics(probe, lane, offset, bytes, RACE_WRITE_AFTER_ATOMIC);
    check_readers(probe, stamps, i, lane, offset, bytes);
    return false;
}

static void write_entry(const struct probe *probe, struct stamps *stamps, size_t i, int lane, uint32_t offset,
                        uint32_t bytes)
{
    if (write_conflicts(probe, stamps, i, lane, offset, bytes))
        return;
    probe->shadow->valid[offset / 4] &= (uint8_t)~VALID_MANY_WRITERS;
    stamps->write[i] = stamp_of(probe->shadow, thread_of(probe->warp, lane), probe->kind);
    stamps->write_site[i] = probe->site;
}

static void atomic_entry(const struct probe *probe, struct stamps *stamps, size_t i, int lane,
                         uint32_t offset, uint32_t bytes)
{
    struct shadow *shadow = probe->shadow;
    const uint32_t thread = thread_of(probe->warp, lane), write = stamps->write[i];
    if (conflicts(probe, write, thread, false))
        report_shared_race(probe->warp, probe->insn, lane, RACE_ATOMIC_AFTER_WRITE, offset, bytes,
                           stamp_thread(write), stamps->write_site[i]);
    check_readers(probe, stamps, i, lane, offset, bytes);
    shadow->valid[offset / 4] &= (uint8_t)~VALID_MANY_WRITERS;
    if (shadow->atomics.write || stamps_make(&shadow->atomics, shadow->capacity))
        note_read(&shadow->atomics, offset / 4, stamp_of(shadow, thread, STAMP_ATOMIC), probe->site);
}

/* From here on the word is tracked byte by byte: its stamps hold for each of its bytes. */
static bool split_word(struct shadow *shadow, uint32_t word)
{
    if (!shadow->bytes.write && !stamps_make(&shadow->bytes, (size_t)shadow->capacity * 4))
        return false;
    struct stamps *words = &shadow->words, *bytes = &shadow->bytes;
    if (words->write[word] == STAMP_SPLIT)
        return true;
    for (uint32_t i = 4 * word; i < 4 * word + 4; i++) {
        bytes->write[i] = words->write[word];
        bytes->read[i] = words->read[word];
        bytes->read_before[i] = words->read_before[word];
        bytes->write_site[i] = words->write_site[word];
        bytes->read_site[i] = words->read_site[word];
        bytes->read_before_site[i] = words->read_before_site[word];
    }
    words->write[word] = STAMP_SPLIT;
    return true;
}

typedef void entry_fn(const struct probe *, struct stamps *, size_t, int, uint32_t, uint32_t);
static entry_fn *const entries[] = {
    [ACCESS_READ] = read_entry, [ACCESS_WRITE] = write_entry, [ACCESS_ATOMIC] = atomic_entry};

/* The part of a lane's access that lies in one word. */
static void check_part(const struct probe *probe, int lane, uint32_t offset, uint32_t bytes)
{
    struct shadow *shadow = probe->shadow;
    uint32_t word = offset / 4;
    entry_fn *entry = entries[probe->access->kind];
    bool is_split = shadow->words.write[word] == STAMP_SPLIT;
    if (bytes == 4 && !is_split)
        entry(probe, &shadow->words, word, lane, offset, 4);
    else if (is_split || split_word(shadow, word))
        for (uint32_t i = 0; i < bytes; i++)
            entry(probe, &shadow->bytes, offset + i, lane, offset + i, 1);
    if (probe->access->kind != ACCESS_READ)
        shadow->valid[word] |= (uint8_t)(((1u << bytes) - 1) << offset % 4);
}

/* True if no byte of the range was ever written. Partly written values are padding or unions: silent. */
static bool is_unwritten(const struct shadow *shadow, uint32_t offset, uint32_t bytes)
{
    uint32_t end = offset + bytes;
    while (offset < end) {
        uint32_t part = 4 - offset % 4 < end - offset ? 4 - offset % 4 : end - offset;
        if (shadow->valid[offset / 4] & (((1u << part) - 1) << offset % 4))
            return false;
        offset += part;
    }
    return true;
}

/* An exchange returns the old value, but programs use it to set one. */
static bool reads_memory(const struct probe *probe)
{
    if (probe->access->kind == ACCESS_ATOMIC)
        return !probe->insn->is_exchange;
    return probe->access->kind == ACCESS_READ;
}

/* A read of bytes that are on their way: who copies them is the word's last writer. */
static void report_coming(const struct probe *probe, int lane, uint32_t offset)
{
    const struct shadow *shadow = probe->shadow;
    const uint32_t word = offset / 4;
    const bool is_split = shadow->words.write[word] == STAMP_SPLIT;
    const struct stamps *stamps = is_split ? &shadow->bytes : &shadow->words;
    const uint32_t i = is_split ? offset : word;
    report_shared_race(probe->warp, probe->insn, lane, RACE_READ_BEFORE_COPY, offset, probe->access->bytes,
                       stamp_thread(stamps->write[i]), stamps->write_site[i]);
}

static void check_lane(const struct probe *probe, int lane)
{
    uint32_t offset = (uint32_t)access_address(probe->access, lane), end = offset + probe->access->bytes;
    uint8_t *valid = probe->shadow->valid;
    if ((uint64_t)end > (uint64_t)probe->shadow->nwords * 4)
        return;
    if (reads_memory(probe) && is_unwritten(probe->shadow, offset, end - offset)) {
        if (valid[offset / 4] & VALID_COMING) {
            report_coming(probe, lane, offset);
            return;
        }
        report_uninitialised(probe->warp, probe->insn, lane, PTX_SHARED, offset, probe->access->bytes);
        for (uint32_t i = offset; i < end; i++) /* once is enough */
            valid[i / 4] |= (uint8_t)(1u << i % 4);
    }
    while (offset < end) {
        uint32_t part = 4 - offset % 4 < end - offset ? 4 - offset % 4 : end - offset;
        check_part(probe, lane, offset, part);
        offset += part;
    }
}

/* Its words are invalid until the copy is complete: so every read of them is looked at closely. */
void check_copy_begins(struct warp *warp, const struct access *access)
{
    struct shadow *shadow = warp->block->shadow;
    if (!shadow)
        return;
    EACH_ACTIVE(lane, access->mask)
    {
        const uint64_t offset = access_address(access, (int)lane);
        for (uint64_t i = offset; i < offset + access->bytes && i / 4 < shadow->nwords; i++)
            shadow->valid[i / 4] = (uint8_t)((shadow->valid[i / 4] & ~(1u << i % 4)) | VALID_COMING);
    }
}

/* ------------------------------------------------------------------------------------------- 32 lanes at once */

/* A run has a multiple of sixteen words; word i is of the lane i >> lane_shift behind its first. */
#define EACH_FOUR(i, n)  for (uint32_t i = 0; i < (n); i += FOUR)
#define FOUR_AT(pointer) (*(words4 *)(pointer))

/* The stamps that the run's lanes give its words from i on; stamp is that of its first lane. */
static ALWAYS_INLINE words4 own_stamps(uint32_t stamp, uint32_t i, uint32_t lane_shift)
{
    const words4 number = {0, 1, 2, 3};
    return (((number + i) >> lane_shift) << 2) + stamp;
}

/* All bits of a word set: the stamp is of the same thread as its own one. */
static ALWAYS_INLINE words4 are_own(words4 stamps, words4 own)
{
    return (words4)(((stamps ^ own) & STAMP_THREAD) == 0);
}

/* True if every stamp of the run is older than floor or the lane's own. */
static ALWAYS_INLINE bool are_quiet(uint32_t *stamps, uint32_t n, uint32_t floor, uint32_t own,
                                    uint32_t lane_shift)
{
    words4 bad = {0};
    EACH_FOUR(i, n)
    {
        const words4 stamp = FOUR_AT(stamps + i);
        bad |= (words4)(stamp >= floor) & ~are_own(stamp, own_stamps(own, i, lane_shift));
    }
    return !is_any_word(bad);
}

static ALWAYS_INLINE bool are_older(uint32_t *stamps, uint32_t n, uint32_t floor)
{
    words4 bad = {0};
    EACH_FOUR(i, n) bad |= (words4)(FOUR_AT(stamps + i) >= floor);
    return !is_any_word(bad);
}

/* Of these words no atomic is as new as floor. */
static ALWAYS_INLINE bool are_calm(const struct shadow *shadow, uint32_t first, uint32_t n, uint32_t floor)
{
    return !shadow->atomics.write || are_older(shadow->atomics.read + first, n, floor);
}

static ALWAYS_INLINE bool are_written(const uint8_t *valid, uint32_t n)
{
    bytes16 missing = {0};
    for (uint32_t i = 0; i < n; i += sizeof missing)
        missing |= ~*(const bytes16 *)(valid + i) & VALID_BYTES;
    return !is_any_byte(missing);
}

static ALWAYS_INLINE void set_sites(uint16_t *sites, uint32_t n, uint16_t site)
{
    for (uint32_t i = 0; i < n; i += 2 * FOUR)
        *(shorts8 *)(sites + i) = (shorts8){0} + site;
}

/* What was read before by others is kept beside, as note_read() does. */
static ALWAYS_INLINE void keep_readers(struct stamps *stamps, uint32_t first, uint32_t n, uint32_t stamp,
                                       uint32_t lane_shift)
{
    uint32_t *read = stamps->read + first, *before = stamps->read_before + first;
    words4 others = {0};
    EACH_FOUR(i, n) others |= (FOUR_AT(read + i) ^ own_stamps(stamp, i, lane_shift)) & STAMP_THREAD;
    if (!is_any_word(others))
        return;
    EACH_FOUR(i, n)
    {
        const words4 old = FOUR_AT(read + i), own = are_own(old, own_stamps(stamp, i, lane_shift));
        FOUR_AT(before + i) = (FOUR_AT(before + i) & own) | (old & ~own);
    }
    memcpy(stamps->read_before_site + first, stamps->read_site + first, n * sizeof *stamps->read_site);
}

static ALWAYS_INLINE void set_stamps(uint32_t *stamps, uint32_t n, uint32_t stamp, uint32_t lane_shift)
{
    EACH_FOUR(i, n) FOUR_AT(stamps + i) = own_stamps(stamp, i, lane_shift);
}

/* The quick way for whole words, one after another, by lanes from lane on. False: look at each lane. */
static ALWAYS_INLINE bool check_contiguous(const struct probe *probe, int lane, uint32_t first, uint32_t n,
                                           uint32_t lane_shift)
{
    struct shadow *shadow = probe->shadow;
    struct stamps *words = &shadow->words;
    const uint32_t floor = shadow->floor << TICK_SHIFT;
    const uint32_t stamp = stamp_of(shadow, thread_of(probe->warp, lane), probe->kind);
    if (!are_calm(shadow, first, n, floor) || !are_quiet(words->write + first, n, floor, stamp, lane_shift))
        return false;
    if (probe->access->kind == ACCESS_READ) {
        if (!are_written(shadow->valid + first, n))
            return false;
        keep_readers(words, first, n, stamp, lane_shift);
        set_stamps(words->read + first, n, stamp, lane_shift);
        set_sites(words->read_site + first, n, probe->site);
        return true;
    }
    if (!are_quiet(words->read + first, n, floor, stamp, lane_shift) ||
        !are_older(words->read_before + first, n, floor))
        return false;
    set_stamps(words->write + first, n, stamp, lane_shift);
    set_sites(words->write_site + first, n, probe->site);
    memset(shadow->valid + first, VALID_BYTES, n);
    return true;
}

/* Written, and neither stored to nor changed with an atomic since floor. */
static inline bool is_settled(const struct shadow *shadow, uint32_t word, uint32_t floor)
{
    return (shadow->valid[word] & VALID_BYTES) == VALID_BYTES && shadow->words.write[word] < floor &&
           (!shadow->atomics.write || shadow->atomics.read[word] < floor);
}

/* A read of whole words at one address by all lanes of the mask. */
static bool check_uniform_read(const struct probe *probe, uint32_t mask, uint32_t first, uint32_t n)
{
    struct shadow *shadow = probe->shadow;
    struct stamps *words = &shadow->words;
    uint32_t floor = shadow->floor << TICK_SHIFT;
    for (uint32_t i = first; i < first + n; i++)
        if (!is_settled(shadow, i, floor))
            return false;
    int last = 31 - __builtin_clz(mask), other = __builtin_ctz(mask);
    uint32_t stamp = stamp_of(shadow, thread_of(probe->warp, last), probe->kind);
    uint32_t second = stamp_of(shadow, thread_of(probe->warp, other), probe->kind);
    for (uint32_t i = first; i < first + n; i++) {
        bool is_other_warp = stamp_thread(words->read[i]) / LANES != probe->warp->index;
        if (is_other_warp && words->read[i] >= floor) {
            words->read_before[i] = words->read[i];
            words->read_before_site[i] = words->read_site[i];
        } else if (last != other) {
            words->read_before[i] = second;
            words->read_before_site[i] = probe->site;
        }
        words->read[i] = stamp;
        words->read_site[i] = probe->site;
    }
    return true;
}

/* One whole word of one lane, the quick way. False: look closer. */
static inline bool check_word(const struct probe *probe, int lane, uint32_t word, uint32_t floor)
{
    struct shadow *shadow = probe->shadow;
    struct stamps *words = &shadow->words;
    const uint32_t stamp = stamp_of(shadow, thread_of(probe->warp, lane), probe->kind);
    if (!is_settled(shadow, word, floor))
        return false;
    if (probe->access->kind == ACCESS_READ) {
        note_read(words, word, stamp, probe->site);
        return true;
    }
    if (words->read[word] >= floor || words->read_before[word] >= floor)
        return false;
    words->write[word] = stamp;
    words->write_site[word] = probe->site;
    return true;
}

/* The same for an atomic, which others' atomics do not disturb. */
static inline bool check_atomic_word(const struct probe *probe, int lane, uint32_t word, uint32_t floor)
{
    struct shadow *shadow = probe->shadow;
    const struct stamps *words = &shadow->words;
    if ((shadow->valid[word] & VALID_BYTES) != VALID_BYTES || !shadow->atomics.write ||
        words->write[word] >= floor || words->read[word] >= floor || words->read_before[word] >= floor)
        return false;
    note_read(&shadow->atomics, word, stamp_of(shadow, thread_of(probe->warp, lane), STAMP_ATOMIC),
              probe->site);
    return true;
}

/* The first lane of the mask; of a read, also those behind it that are at the same place. */
static uint32_t lanes_at_one_place(const struct access *access, uint32_t mask)
{
    const uint64_t address = access_address(access, __builtin_ctz(mask));
    uint32_t rest = mask & (mask - 1);
    while (access->kind == ACCESS_READ && rest && access_address(access, __builtin_ctz(rest)) == address)
        rest &= rest - 1;
    return mask & ~rest;
}

/* False: look at each lane; looking twice does no harm. */
static bool check_place(const struct probe *probe, uint32_t lanes, uint32_t floor)
{
    const struct access *access = probe->access;
    const int lane = __builtin_ctz(lanes);
    const uint32_t first = (uint32_t)(access_address(access, lane) / 4), n = access->bytes / 4;
    bool is_quick = access->bytes % 4 == 0 && first + n <= probe->shadow->nwords;
    if (is_quick && access->kind == ACCESS_ATOMIC)
        return n == 1 && check_atomic_word(probe, lane, first, floor);
    if (is_quick && (lanes & (lanes - 1)))
        return check_uniform_read(probe, lanes, first, n);
    for (uint32_t word = first; is_quick && word < first + n; word++)
        is_quick = check_word(probe, lane, word, floor);
    return is_quick;
}

/* Scattered whole words: the same test for each place, and the slow way for the lanes that fail it. */
static void check_scattered(const struct probe *probe)
{
    const uint32_t floor = probe->shadow->floor << TICK_SHIFT;
    for (uint32_t rest = probe->access->mask; rest;) {
        const uint32_t lanes = lanes_at_one_place(probe->access, rest);
        const bool is_quick = check_place(probe, lanes, floor);
        EACH_ACTIVE(lane, is_quick ? 0 : lanes) check_lane(probe, (int)lane);
        rest &= ~lanes;
    }
}

enum { HALF = LANES / 2 };

/* Both halves read the same run: the second leaves the last stamps, the first those before. */
static bool check_read_twice(const struct probe *probe, uint32_t first)
{
    struct shadow *shadow = probe->shadow;
    struct stamps *words = &shadow->words;
    const uint32_t floor = shadow->floor << TICK_SHIFT;
    if (!are_calm(shadow, first, HALF, floor) || !are_older(words->write + first, HALF, floor) ||
        !are_written(shadow->valid + first, HALF))
        return false;
    set_stamps(words->read_before + first, HALF, stamp_of(shadow, thread_of(probe->warp, 0), probe->kind), 0);
    set_sites(words->read_before_site + first, HALF, probe->site);
    set_stamps(words->read + first, HALF, stamp_of(shadow, thread_of(probe->warp, HALF), probe->kind), 0);
    set_sites(words->read_site + first, HALF, probe->site);
    return true;
}

/* Each half of the warp reads one word or reads or writes a run. False: look at each lane; looking twice does no harm. */
static bool check_halves(const struct probe *probe)
{
    const struct access *access = probe->access;
    const uint32_t first[2] = {(uint32_t)access->first / 4, (uint32_t)access->second / 4};
    if (first[0] + HALF > probe->shadow->nwords || first[1] + HALF > probe->shadow->nwords)
        return false;
    if (first[0] == first[1] && access->is_run[0] && access->is_run[1] && access->kind == ACCESS_READ &&
        check_read_twice(probe, first[0]))
        return true;
    for (int h = 0; h < 2; h++) {
        bool is_quick = access->is_run[h] ? check_contiguous(probe, h * HALF, first[h], HALF, 0)
                                          : check_uniform_read(probe, 0xffffu << (h * HALF), first[h], 1);
        if (!is_quick)
            return false;
    }
    return true;
}

/* Whole words in a run, or the same ones for all. False: look at each lane. */
static bool check_shape(const struct probe *probe)
{
    const struct access *access = probe->access;
    const uint32_t words = access->bytes / 4, first = (uint32_t)access->first / 4,
                   nwords = probe->shadow->nwords;
    if (access->bytes % 4 || (words & (words - 1)))
        return false;
    if (access->shape == ACCESS_UNIFORM)
        return access->kind == ACCESS_READ && first + words <= nwords &&
               check_uniform_read(probe, access->mask, first, words);
    if (access->shape != ACCESS_CONTIGUOUS || access->kind == ACCESS_ATOMIC || first + LANES * words > nwords)
        return false;
    /* the common case with constants, so that its loops become plain vector code */
    return words == 1 ? check_contiguous(probe, 0, first, LANES, 0)
                      : check_contiguous(probe, 0, first, LANES * words, (uint32_t)__builtin_ctz(words));
}

void check_shared(struct warp *warp, const struct insn *insn, const struct access *access)
{
    struct shadow *shadow = warp->block->shadow;
    if (!shadow || !access->mask)
        return;
    struct probe probe = {warp, insn, shadow, access, stamp_kind_of(insn, access->kind), site_of(warp, insn)};
    if (access->shape == ACCESS_HALVES ? !check_halves(&probe) : !check_shape(&probe))
        check_scattered(&probe);
}
