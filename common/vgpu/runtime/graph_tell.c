/* graph_tell.c - tells whoever watches of a graph that was built or changed node by node: as the calls that capture it.
 * Whoever replays a program then needs to know of captures alone. A chain of nodes has one stream; events carry all other
 * dependencies. What is captured on the way is dropped: only its number remains. */
#include <stdlib.h>

#include "runtime/graph_node.h"
#include "runtime/watch.h"

/* A node, and where it was captured. */
struct place {
    struct CUgraphNode_st *node;
    cudaStream_t stream;
    cudaEvent_t event;  /* recorded behind it; NULL: nobody waits */
    size_t nfollowers;  /* nodes that need it */
    bool is_waited_for; /* by a node that needs others as well */
    bool has_successor; /* its stream has gone on */
    bool owns_stream;   /* the first of its chain */
};

struct telling {
    struct place *places;
    size_t count;
    cudaStream_t origin;
    cudaEvent_t start; /* at which all branches begin */
    cudaError_t error; /* the first */
};

static bool try(struct telling *telling, cudaError_t error)
{
    if (!telling->error)
        telling->error = error;
    return !telling->error;
}

static struct place *find_place(struct telling *telling, const struct CUgraphNode_st *node)
{
    size_t i = 0;
    while (telling->places[i].node != node)
        i++;
    return &telling->places[i];
}

static void find_followers(struct telling *telling, struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        telling->places[telling->count++].node = node;
    for (size_t i = 0; i < telling->count; i++) {
        const struct CUgraphNode_st *node = telling->places[i].node;
        for (size_t j = 0; j < node->nneeds; j++) {
            struct place *need = find_place(telling, node->needs[j]);
            need->nfollowers++;
            need->is_waited_for |= node->nneeds > 1;
        }
    }
}

/* Goes on where one of its needs was captured, or else on a new stream; the first root has the origin. */
static bool choose_stream(struct telling *telling, struct place *place)
{
    for (size_t i = 0; i < place->node->nneeds && !place->stream; i++) {
        struct place *need = find_place(telling, place->node->needs[i]);
        if (!need->has_successor)
            place->stream = need->stream;
        need->has_successor |= place->stream != NULL;
    }
    if (place->stream)
        return true;
    place->owns_stream = true;
    return try(telling, cudaStreamCreateWithFlags(&place->stream, cudaStreamNonBlocking)) &&
           try(telling, cudaStreamWaitEvent(place->stream, telling->start, 0));
}

static bool mark(struct telling *telling, cudaEvent_t *event, cudaStream_t stream)
{
    return try(telling, cudaEventCreateWithFlags(event, cudaEventDisableTiming)) &&
           try(telling, cudaEventRecord(*event, stream));
}

static void tell_node(struct telling *telling, struct place *place)
{
    struct CUgraphNode_st *node = place->node;
    if (!choose_stream(telling, place))
        return;
    for (size_t i = 0; i < node->nneeds; i++) {
        const struct place *need = find_place(telling, node->needs[i]);
        if (need->stream != place->stream &&
            !try(telling, cudaStreamWaitEvent(place->stream, need->event, 0)))
            return;
    }
    if (!node->is_disabled && !try(telling, graph_run_node(node, place->stream)))
        return;
    if (place->nfollowers != 1 || place->is_waited_for)
        mark(telling, &place->event, place->stream);
}

static void tell_nodes(struct telling *telling, struct CUgraph_st *graph)
{
    graph_begin(graph);
    for (struct CUgraphNode_st *node; !telling->error && (node = graph_next(graph));) {
        node->is_done = true;
        tell_node(telling, find_place(telling, node));
    }
    for (size_t i = 0; i < telling->count && !telling->error; i++)
        if (!telling->places[i].nfollowers)
            try(telling, cudaStreamWaitEvent(telling->origin, telling->places[i].event, 0));
}

static void give_back(struct telling *telling)
{
    for (size_t i = 0; i < telling->count; i++) {
        if (telling->places[i].event)
            cudaEventDestroy(telling->places[i].event);
        if (telling->places[i].owns_stream)
            cudaStreamDestroy(telling->places[i].stream);
    }
    if (telling->start)
        cudaEventDestroy(telling->start);
    if (telling->origin)
        cudaStreamDestroy(telling->origin);
    free(telling->places);
}

/* What no capture can hold is told by name. */
static const char *find_foreign(const struct CUgraph_st *graph)
{
    static const char *const words[] = {
        [cudaGraphNodeTypeWaitEvent] = "an event node of a graph",
        [cudaGraphNodeTypeEventRecord] = "an event node of a graph",
        [cudaGraphNodeTypeMemAlloc] = "cudaMallocAsync in a graph",
        [cudaGraphNodeTypeMemFree] = "cudaFreeAsync in a graph",
        [cudaGraphNodeTypeConditional] = "a conditional node of a graph",
    };
    const char *found = NULL;
    for (const struct CUgraphNode_st *node = graph->first; node && !found; node = node->next)
        found = node->type == cudaGraphNodeTypeGraph        ? find_foreign(node->child)
                : node->type < sizeof words / sizeof *words ? words[node->type]
                                                            : NULL;
    return found;
}

uint32_t graph_tell(struct CUgraph_st *graph)
{
    struct telling telling = {.places = calloc(graph->count + 1, sizeof *telling.places)};
    const char *foreign = find_foreign(graph);
    cudaGraph_t captured = NULL;
    uint32_t number = 0;
    if (foreign)
        watch_other(foreign);
    if (foreign || !telling.places) {
        free(telling.places);
        return 0;
    }
    find_followers(&telling, graph);
    if (try(&telling, cudaStreamCreateWithFlags(&telling.origin, cudaStreamNonBlocking)) &&
        try(&telling, cudaStreamBeginCapture(telling.origin, cudaStreamCaptureModeRelaxed))) {
        if (mark(&telling, &telling.start, telling.origin))
            tell_nodes(&telling, graph);
        try(&telling, cudaStreamEndCapture(telling.origin, &captured));
    }
    if (captured)
        number = captured->number;
    if (captured)
        cudaGraphDestroy(captured);
    give_back(&telling);
    return number;
}
