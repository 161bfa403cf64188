/* loops.c - see loops.h. A loop is what goes round to a block that dominates its own end: all branches back to one block are one
 * loop. Loops are then nested or apart; a cycle that can be entered in two places is none. */
#include "decode/loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "decode/flow_graph.h"

#define MAX_WORK (1ull << 27) /* blocks looked at, of one function: less than a second */

struct search {
    struct flow_graph graph;
    uint32_t *nearest; /* dominators */
    uint32_t *stack;
    uint32_t *size; /* by block that is a head: blocks of its loop; 0: it is none */
    uint8_t *is_in; /* of the loop that is looked at */
    uint64_t work;
};

static bool dominates(struct search *search, uint32_t head, uint32_t block)
{
    for (; block != head; search->work++) {
        const uint32_t up = block < search->graph.nblocks ? search->nearest[block] : NO_BLOCK;
        if (up == NO_BLOCK || up == block)
            return false;
        block = up;
    }
    return true;
}

static void enter(struct search *search, uint32_t block, uint32_t *depth)
{
    if (search->is_in[block])
        return;
    search->is_in[block] = 1;
    search->stack[(*depth)++] = block;
}

/* is_in: all blocks that come to the head from behind it. Returns how many; 0: nothing goes round to it. */
static uint32_t find_body(struct search *search, uint32_t head)
{
    const struct edges *before = &search->graph.before;
    uint32_t depth = 0, count = 1;
    bool is_loop = false;
    memset(search->is_in, 0, search->graph.nblocks);
    search->is_in[head] = 1;
    for (uint32_t e = before->start[head]; e < before->start[head + 1]; e++)
        if (dominates(search, head, before->list[e])) {
            is_loop = true;
            enter(search, before->list[e], &depth);
        }
    while (depth) {
        const uint32_t block = search->stack[--depth];
        count++;
        for (uint32_t e = before->start[block]; e < before->start[block + 1]; e++)
            enter(search, before->list[e], &depth);
    }
    search->work += search->graph.nblocks;
    return is_loop ? count : 0;
}

/* The block begins each round: if it can also end the loop, and is not all of it, it is a test. */
static bool is_test(const struct search *search, uint32_t head)
{
    const struct edges *next = &search->graph.next;
    bool can_leave = false, goes_round = false;
    for (uint32_t e = next->start[head]; e < next->start[head + 1]; e++) {
        can_leave |= next->list[e] >= search->graph.nblocks || !search->is_in[next->list[e]];
        goes_round |= next->list[e] == head;
    }
    return can_leave && !goes_round;
}

/* The end of the last block from which lanes come round. */
static uint32_t find_back(const struct search *search, uint32_t head)
{
    const struct edges *before = &search->graph.before;
    uint32_t back = 0;
    for (uint32_t e = before->start[head]; e < before->start[head + 1]; e++) {
        const uint32_t end =
            search->is_in[before->list[e]] ? search->graph.blocks[before->list[e]].end - 1 : 0;
        back = end > back ? end : back;
    }
    return back;
}

static void add_loop(struct search *search, struct loops *loops, uint32_t head)
{
    const struct basic_block *block = &search->graph.blocks[head];
    uint32_t first = block->first;
    while (first + 1 < block->end && search->graph.code[first].kind == INSN_JOIN)
        first++;
    find_body(search, head);
    loops->list[loops->count++] = (struct loop){.head = first,
                                                .test_end = is_test(search, head) ? block->end : first,
                                                .back = find_back(search, head),
                                                .outer = loops->innermost[block->first]};
    for (uint32_t b = 0; b < search->graph.nblocks; b++)
        for (uint32_t i = search->graph.blocks[b].first; search->is_in[b] && i < search->graph.blocks[b].end;
             i++)
            loops->innermost[i] = loops->count;
    search->work += search->graph.ncode;
}

/* The larger ones first: what is in them overwrites them. */
static void add_loops(struct search *search, struct loops *loops)
{
    for (;;) {
        uint32_t largest = 0;
        for (uint32_t b = 1; b < search->graph.nblocks; b++)
            largest = search->size[b] > search->size[largest] ? b : largest;
        if (!search->size[largest] || search->work > MAX_WORK)
            return;
        add_loop(search, loops, largest);
        search->size[largest] = 0;
    }
}

static struct loops *find_loops(struct search *search, struct arena *arena)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < search->graph.nblocks; b++) {
        search->size[b] = search->work > MAX_WORK ? 0 : find_body(search, b);
        count += search->size[b] > 0;
    }
    struct loops *loops = arena_alloc(arena, sizeof *loops);
    if (!loops)
        return NULL;
    *loops = (struct loops){arena_alloc(arena, (count + 1) * sizeof *loops->list), 0,
                            arena_alloc(arena, (search->graph.ncode + 1) * sizeof *loops->innermost)};
    if (!loops->list || !loops->innermost)
        return NULL;
    memset(loops->innermost, 0, (search->graph.ncode + 1) * sizeof *loops->innermost);
    if (search->work <= MAX_WORK)
        add_loops(search, loops);
    return loops;
}

static void search_function(struct function *function)
{
    struct search search = {.work = 0};
    if (flow_graph_make(&search.graph, function->code, function->ncode)) {
        const size_t n = (size_t)search.graph.nblocks + 1;
        search.nearest = flow_graph_dominators(&search.graph);
        search.stack = calloc(n, sizeof *search.stack);
        search.size = calloc(n, sizeof *search.size);
        search.is_in = calloc(n, 1);
        if (search.nearest && search.stack && search.size && search.is_in)
            function->loops = find_loops(&search, function->module->arena);
    }
    flow_graph_free(&search.graph);
    free(search.nearest);
    free(search.stack);
    free(search.size);
    free(search.is_in);
}

void loops_find(struct module *module)
{
    for (uint32_t f = 0; f < module->nfunctions; f++)
        if (module->functions[f].code && module->functions[f].ncode && !module->functions[f].loops)
            search_function(&module->functions[f]);
}
