/* used.c - see used.h. */
#include "memory/used.h"

#include "base/number.h"

enum { WORD = 4, BITS = 64 };

static void set_word(struct allocation *a, uint64_t word)
{
    uint64_t *place = &a->words.now[word / BITS];
    const uint64_t bit = 1ull << word % BITS;
    if (!(__atomic_load_n(place, __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(place, bit, __ATOMIC_RELAXED);
}

void used_mark(struct allocation *a, uint64_t address, uint32_t bytes)
{
    const uint64_t first = (address - a->base) / WORD, last = (address - a->base + bytes - 1) / WORD;
    for (uint64_t word = first; a->words.now && word <= last; word++)
        set_word(a, word);
}

struct ended {
    uint64_t launch, part, of;
};

/* Words of this launch; they become words of all launches. */
static uint64_t take_words(struct allocation *a)
{
    const uint64_t n = (a->size / WORD) / BITS + 1;
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (a->words.now[i]) {
            count += (uint64_t)__builtin_popcountll(a->words.now[i]);
            a->words.ever[i] |= a->words.now[i];
            a->words.now[i] = 0;
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
