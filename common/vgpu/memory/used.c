/* used.c - see used.h. */
#include "memory/used.h"

#include "base/number.h"

enum { WORD = 4, BITS = 64 };

static void set_bits(struct allocation *a, uint64_t number, uint64_t bits)
{
    uint64_t *place = &a->words.now[number];
    if ((__atomic_load_n(place, __ATOMIC_RELAXED) & bits) == bits)
        return;
    __atomic_fetch_or(place, bits, __ATOMIC_RELAXED);
    __atomic_store_n(&a->words.chunks[number / USED_CHUNK], 1, __ATOMIC_RELAXED);
}

void used_mark(struct allocation *a, uint64_t address, uint32_t bytes)
{
    const uint64_t first = (address - a->base) / WORD, last = (address - a->base + bytes - 1) / WORD;
    for (uint64_t number = first / BITS; a->words.now && number <= last / BITS; number++) {
        const uint64_t from = number == first / BITS ? first % BITS : 0;
        const uint64_t to = number == last / BITS ? last % BITS : BITS - 1;
        set_bits(a, number, (UINT64_MAX >> (BITS - 1 - to)) & (UINT64_MAX << from));
    }
}

struct ended {
    uint64_t launch, part, of;
};

static uint64_t take_chunk(struct allocation *a, uint64_t first, uint64_t end)
{
    uint64_t count = 0;
    for (uint64_t i = first; i < end; i++) {
        if (!a->words.now[i])
            continue;
        count += (uint64_t)__builtin_popcountll(a->words.now[i]);
        a->words.ever[i] |= a->words.now[i];
        a->words.now[i] = 0;
    }
    return count;
}

/* Words of this launch; they become words of all launches. */
static uint64_t take_words(struct allocation *a)
{
    const uint64_t n = (a->size / WORD) / BITS + 1;
    uint64_t count = 0;
    for (uint64_t chunk = 0; chunk * USED_CHUNK < n; chunk++)
        if (a->words.chunks[chunk]) {
            const uint64_t end = (chunk + 1) * USED_CHUNK;
            a->words.chunks[chunk] = 0;
            count += take_chunk(a, chunk * USED_CHUNK, end < n ? end : n);
        }
    return count;
}

static void end_launch(struct allocation *a, void *context)
{
    const struct ended *ended = context;
    if (!a->words.now)
        return;
    if (a->words.launch != ended->launch + 1) {
        a->words.before = a->words.used;
        a->words.launch = ended->launch + 1;
    }
    const double all = (double)take_words(a) * (double)ended->of / (double)ended->part;
    const double most = (double)((a->size + WORD - 1) / WORD);
    a->words.used = a->words.before + all < most ? a->words.before + all : most;
}

void used_launch_end(struct memory *memory, uint64_t launch, uint64_t part, uint64_t of)
{
    struct ended ended = {launch, part ? part : 1, of};
    memory_each(memory, end_launch, &ended);
}

double used_bytes(const struct allocation *a)
{
    return WORD * a->words.used;
}
