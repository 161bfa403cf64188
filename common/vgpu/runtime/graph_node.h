/* graph_node.h - graphs as data: nodes with their dependencies, in the order in which they were made.
 * A node owns copies of its arguments. A graph that is instantiated is cloned, so that later changes do not reach it.
 * Private to graph*.c and capture.c. */
#ifndef VGPU_GRAPH_NODE_H
#define VGPU_GRAPH_NODE_H

#include "runtime/clock.h"
#include "runtime/launch.h"

struct kernel_node {
    struct kernel *kernel;
    dim3 grid, block;
    size_t shared;
    bool is_cooperative;
    uint8_t *bytes; /* arguments, one after another */
    void **args;    /* pointers to them */
};

struct copy_node {
    bool is_plain; /* the four that follow; else params */
    void *destination;
    const void *source;
    size_t bytes;
    enum cudaMemcpyKind kind;
    struct cudaMemcpy3DParms params;
};

struct conditional_node {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    struct CUgraph_st **bodies;
    size_t count;
};

struct CUgraphNode_st {
    enum cudaGraphNodeType type;
    struct CUgraph_st *graph;
    struct CUgraphNode_st **needs; /* what must run before it */
    size_t nneeds, needs_room;
    struct CUgraphNode_st *origin; /* of a clone: the node it was made from */
    bool is_disabled;
    bool is_done;               /* set by who executes the graph; see graph_begin() */
    picoseconds end;            /* of its last run */
    struct order order;         /* what comes after that */
    void *frames[ALLOC_FRAMES]; /* of the call that made it, under full checking */
    union {
        struct kernel_node kernel;
        struct copy_node copy;
        struct cudaMemsetParams memset;
        struct cudaHostNodeParams host;
        struct CUgraph_st *child;
        struct conditional_node conditional;
        cudaEvent_t event;
        struct {
            void *pointer;
            size_t bytes;
        } memory;
    };
    struct CUgraphNode_st *next;
};

/* What decides about a conditional node: see graph_any.c. */
struct condition {
    cudaGraphConditionalHandle handle;
    uint32_t value; /* that it gets whenever the graph is launched, if it is assigned then */
    bool is_assigned;
};

struct CUgraph_st {
    struct CUgraphNode_st *first, **last;
    size_t count;
    struct condition *conditions;
    size_t nconditions, conditions_room;
    uint32_t number; /* of graphs that were captured, from 1; 0: built by hand */
    bool is_changed; /* by other calls than a capture: nodes were added, changed or removed */
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
    unsigned long long flags;
    uint32_t made;      /* those of captured graphs are counted, from 1 */
    bool is_uploaded;   /* to the device, by its first launch if by no other call */
    struct order order; /* its launches never overlap */
};

struct CUgraph_st *graph_new(void);
void graph_free(struct CUgraph_st *graph);
struct CUgraph_st *graph_clone(const struct CUgraph_st *graph);
/* A new node at the end; NULL: no memory, or a dependency of another graph. */
struct CUgraphNode_st *graph_add(struct CUgraph_st *graph, enum cudaGraphNodeType type,
                                 struct CUgraphNode_st *const *needs, size_t nneeds);
bool node_needs(struct CUgraphNode_st *node, struct CUgraphNode_st *need);
bool graph_add_condition(struct CUgraph_st *graph, const struct condition *condition);
/* Gives a conditional node so many bodies: clones of these, or empty ones. */
bool node_make_bodies(struct CUgraphNode_st *node, size_t count, struct CUgraph_st *const *origins);
cudaError_t node_set_kernel(struct CUgraphNode_st *node, const struct launch_request *request);
void node_drop(struct CUgraphNode_st *node); /* what it owns */
/* The order of execution: after graph_begin(), the oldest node that is not done and whose needs are; NULL: none. */
void graph_begin(struct CUgraph_st *graph);
struct CUgraphNode_st *graph_next(struct CUgraph_st *graph);
/* True if the dependencies have no cycle. */
bool graph_is_sound(struct CUgraph_st *graph);
struct launch_request node_request(const struct kernel_node *kernel, cudaStream_t stream);

/* graph_run.c: executes a graph on a stream, each node after those it needs. */
cudaError_t graph_execute(struct CUgraph_st *graph, cudaStream_t stream);
cudaError_t graph_run_node(const struct CUgraphNode_st *node, cudaStream_t stream);

/* graph_tell.c: tells the graph as if it were captured now, and gives the number under which it was; 0: it cannot be. */
uint32_t graph_tell(struct CUgraph_st *graph);

/* graph_any.c: what a launch gives the graph's conditions, and the word behind a handle (NULL: there is none). */
void graph_set_conditions(const struct CUgraph_st *graph);
uint32_t *graph_condition(cudaGraphConditionalHandle handle);

#endif
