/* used.c - see used.h. */
#include "memory/used.h"

#include "base/number.h"

enum { WORD = 4, BITS = 64 };

static void set_bits(struct used_words *words, uint64_t number, uint64_t bits)
{
    uint64_t *place = &words->now[number];
    if ((__atomic_load_n(place, __ATOMIC_RELAXED) & bits) == bits)
        return;
    __atomic_fetch_or(place, bits, __ATOMIC_RELAXED);
    __atomic_store_n(&words->chunks[number / USED_CHUNK], 1, __ATOMIC_RELAXED);
}

void used_mark(struct allocation *a, uint64_t address, uint32_t bytes, bool is_stored)
{
    const uint64_t first = (address - a->base) / WORD, last = (address - a->base + bytes - 1) / WORD;
    for (uint64_t number = first / BITS; a->words[WORDS_USED].now && number <= last / BITS; number++) {
        const uint64_t from = number == first / BITS ? first % BITS : 0;
        const uint64_t to = number == last / BITS ? last % BITS : BITS - 1;
        const uint64_t bits = (UINT64_MAX >> (BITS - 1 - to)) & (UINT64_MAX << from);
        set_bits(&a->words[WORDS_USED], number, bits);
        set_bits(&a->words[is_stored ? WORDS_STORED : WORDS_LOADED], number, bits);
    }
}

struct ended {
    uint64_t launch, part, of;
};

static uint64_t take_chunk(struct used_words *words, uint64_t first, uint64_t end)
{
    uint64_t count = 0;
    for (uint64_t i = first; i < end; i++) {
        if (!words->now[i])
            continue;
        count += (uint64_t)__builtin_popcountll(words->now[i]);
        words->ever[i] |= words->now[i];
        words->now[i] = 0;
    }
    return count;
}

/* Words of this launch; they become words of all launches. */
static uint64_t take_words(struct used_words *words, uint64_t size)
{
    const uint64_t n = (size / WORD) / BITS + 1;
    uint64_t count = 0;
    for (uint64_t chunk = 0; chunk * USED_CHUNK < n; chunk++)
        if (words->chunks[chunk]) {
            const uint64_t end = (chunk + 1) * USED_CHUNK;
            words->chunks[chunk] = 0;
            count += take_chunk(words, chunk * USED_CHUNK, end < n ? end : n);
        }
    return count;
}

static void end_launch(struct allocation *a, void *context)
{
    const struct ended *ended = context;
    const double most = (double)((a->size + WORD - 1) / WORD);
    for (int use = 0; use < WORD_USES; use++) {
        struct used_words *words = &a->words[use];
        if (!words->now)
            continue;
        if (words->launch != ended->launch + 1) {
            words->before = words->used;
            words->launch = ended->launch + 1;
        }
        const double all = (double)take_words(words, a->size) * (double)ended->of / (double)ended->part;
        words->used = words->before + all < most ? words->before + all : most;
    }
}

void used_launch_end(struct memory *memory, uint64_t launch, uint64_t part, uint64_t of)
{
    struct ended ended = {launch, part ? part : 1, of};
    memory_each(memory, end_launch, &ended);
}

double used_bytes(const struct allocation *a, int use)
{
    return WORD * a->words[use].used;
}
