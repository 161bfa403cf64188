/* graph_node.c - graphs as data: making, cloning and freeing nodes, and the order in which they may run.
 * Of several nodes that could run next, the oldest does.
 * Recording from streams is in capture.c, executing in graph_run.c, the API over both in graph.c. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "report/report.h"
#include "runtime/graph_memory.h"
#include "runtime/graph_node.h"

/* ------------------------------------------------------------------------------------------- life */

struct CUgraph_st *graph_new(void)
{
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    if (graph)
        graph->last = &graph->first;
    return graph;
}

void node_drop(struct CUgraphNode_st *node)
{
    if (node->type == cudaGraphNodeTypeKernel) {
        free(node->kernel.bytes);
        free(node->kernel.args);
    } else if (node->type == cudaGraphNodeTypeGraph) {
        graph_free(node->child);
    } else if (node->type == cudaGraphNodeTypeMemAlloc) {
        graph_memory_drop(node->memory.pointer);
    } else if (node->type == cudaGraphNodeTypeConditional) {
        for (size_t i = 0; i < node->conditional.count; i++)
            graph_free(node->conditional.bodies[i]);
        free(node->conditional.bodies);
    }
}

void graph_free(struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph ? graph->first : NULL, *next; node; node = next) {
        next = node->next;
        node_drop(node);
        free(node->needs);
        free(node);
    }
    if (graph)
        free(graph->conditions);
    free(graph);
}

bool graph_add_condition(struct CUgraph_st *graph, const struct condition *condition)
{
    struct condition *grown =
        list_reserve(graph->conditions, &graph->conditions_room, graph->nconditions + 1, sizeof *grown);
    if (!grown)
        return false;
    graph->conditions = grown;
    graph->conditions[graph->nconditions++] = *condition;
    return true;
}

bool node_needs(struct CUgraphNode_st *node, struct CUgraphNode_st *need)
{
    for (size_t i = 0; i < node->nneeds; i++)
        if (node->needs[i] == need)
            return true;
    struct CUgraphNode_st **grown =
        list_reserve(node->needs, &node->needs_room, node->nneeds + 1, sizeof *grown);
    if (!grown)
        return false;
    node->needs = grown;
    node->needs[node->nneeds++] = need;
    return true;
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *graph, enum cudaGraphNodeType type,
                                 struct CUgraphNode_st *const *needs, size_t nneeds)
{
    for (size_t i = 0; i < nneeds; i++)
        if (!needs[i] || needs[i]->graph != graph)
            return NULL;
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->type = type;
    node->graph = graph;
    order_may_overlap();
    if (order_is_kept())
        report_frames(node->frames, ALLOC_FRAMES);
    for (size_t i = 0; i < nneeds; i++)
        node_needs(node, needs[i]);
    *graph->last = node;
    graph->last = &node->next;
    graph->count++;
    return node;
}

/* Arguments are copied now: the caller's may be gone when the graph runs. */
cudaError_t node_set_kernel(struct CUgraphNode_st *node, const struct launch_request *request)
{
    const struct function *function = request->kernel->function;
    uint8_t *bytes = calloc(1, function->param_bytes + 16);
    void **args = calloc(function->nparams + 1, sizeof *args);
    if (!bytes || !args) {
        free(bytes);
        free(args);
        return cudaErrorMemoryAllocation;
    }
    for (uint32_t i = 0; i < function->nparams; i++) {
        args[i] = bytes + function->params[i].offset;
        memcpy(args[i], request->args[i], function->params[i].size);
    }
    free(node->kernel.bytes);
    free(node->kernel.args);
    node->kernel = (struct kernel_node){
        request->kernel, request->grid, request->block, request->shared, request->is_cooperative,
        bytes,           args};
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- cloning */

static struct CUgraphNode_st *clone_of(const struct CUgraph_st *clone, const struct CUgraphNode_st *origin)
{
    struct CUgraphNode_st *node = clone->first;
    while (node && node->origin != origin)
        node = node->next;
    return node;
}

struct launch_request node_request(const struct kernel_node *kernel, cudaStream_t stream)
{
    return (struct launch_request){kernel->kernel,         kernel->grid, kernel->block,
                                   kernel->shared,         kernel->args, stream,
                                   kernel->is_cooperative, false,        0};
}

bool node_make_bodies(struct CUgraphNode_st *node, size_t count, struct CUgraph_st *const *origins)
{
    struct conditional_node *conditional = &node->conditional;
    conditional->count = 0;
    conditional->bodies = calloc(count, sizeof *conditional->bodies);
    for (size_t i = 0; conditional->bodies && i < count; i++) {
        struct CUgraph_st *body = origins ? graph_clone(origins[i]) : graph_new();
        if (!body)
            return false;
        conditional->bodies[conditional->count++] = body;
    }
    return conditional->bodies != NULL;
}

static bool clone_content(struct CUgraphNode_st *copy, const struct CUgraphNode_st *node)
{
    if (node->type == cudaGraphNodeTypeKernel) {
        struct launch_request request = node_request(&node->kernel, NULL);
        return node_set_kernel(copy, &request) == cudaSuccess;
    }
    if (node->type == cudaGraphNodeTypeGraph)
        return (copy->child = graph_clone(node->child)) != NULL;
    if (node->type == cudaGraphNodeTypeConditional) {
        copy->conditional = node->conditional;
        return node_make_bodies(copy, node->conditional.count, node->conditional.bodies);
    }
    copy->copy = node->copy; /* the largest of the plain members: all of them are copied by it */
    if (node->type == cudaGraphNodeTypeMemAlloc)
        graph_memory_keep(node->memory.pointer);
    return true;
}

static bool clone_node(struct CUgraph_st *clone, struct CUgraphNode_st *node)
{
    struct CUgraphNode_st *copy = graph_add(clone, node->type, NULL, 0);
    if (!copy)
        return false;
    copy->origin = node;
    copy->is_disabled = node->is_disabled;
    memcpy(copy->frames, node->frames, sizeof copy->frames);
    return clone_content(copy, node);
}

struct CUgraph_st *graph_clone(const struct CUgraph_st *graph)
{
    struct CUgraph_st *clone = graph_new();
    bool is_good = clone != NULL;
    for (size_t i = 0; is_good && i < graph->nconditions; i++)
        is_good = graph_add_condition(clone, &graph->conditions[i]);
    for (struct CUgraphNode_st *node = graph->first; is_good && node; node = node->next)
        is_good = clone_node(clone, node);
    for (struct CUgraphNode_st *node = graph->first; is_good && node; node = node->next)
        for (size_t i = 0; is_good && i < node->nneeds; i++)
            is_good = node_needs(clone_of(clone, node), clone_of(clone, node->needs[i]));
    if (is_good)
        return clone;
    graph_free(clone);
    return NULL;
}

/* ------------------------------------------------------------------------------------------- order */

static bool is_ready(const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->nneeds; i++)
        if (!node->needs[i]->is_done)
            return false;
    return true;
}

struct CUgraphNode_st *graph_next(struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        if (!node->is_done && is_ready(node))
            return node;
    return NULL;
}

void graph_begin(struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        node->is_done = false;
}

bool graph_is_sound(struct CUgraph_st *graph)
{
    size_t count = 0;
    graph_begin(graph);
    for (struct CUgraphNode_st *node; (node = graph_next(graph)); count++)
        node->is_done = true;
    return count == graph->count;
}
