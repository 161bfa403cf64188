/* children.c - what a kernel gives to the device to do, until the runtime takes it over when the kernel is done.
 * Nothing is executed here. */
#include "core/children.h"

#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"

/* cudaStreamTailLaunch, which only device code has a name for */
enum { TAIL_LAUNCH = 3 };

struct children {
    struct child *asked;        /* kernels whose parameters are being written */
    struct child *first, *last; /* what was given, in order */
    struct child_error {
        struct child_error *next;
        uint64_t block;
        uint32_t thread;
        int error;
    } * errors;
};

static struct children *children_of(struct launch *launch)
{
    if (!launch->children)
        launch->children = calloc(1, sizeof *launch->children);
    return launch->children;
}

/* ------------------------------------------------------------------------------------------- giving */

static const struct function *kernel_at(const struct launch *launch, uint64_t address)
{
    const struct module *module = launch->kernel->module;
    const uint64_t index = address - FUNCTION_BASE;
    const struct function *function = index < module->nfunctions ? &module->functions[index] : NULL;
    return function && function->ptx->is_entry ? function : NULL;
}

uint64_t child_ask(struct launch *launch, uint64_t kernel, const struct child_shape *shape)
{
    struct children *children = children_of(launch);
    const struct function *function = children ? kernel_at(launch, kernel) : NULL;
    struct child *child = function ? calloc(1, sizeof *child + function->param_bytes + 16) : NULL;
    if (!child)
        return 0;
    *child = (struct child){.next = children->asked, .kernel = function, .shape = *shape};
    child->buffer = memory_alloc(launch->memory, function->param_bytes + 16, ALLOC_SYMBOL);
    if (!child->buffer) {
        free(child);
        return 0;
    }
    child->buffer->name = "parameters of a launch";
    children->asked = child;
    return child->buffer->base;
}

static int append(struct launch *launch, struct child *child, uint64_t stream)
{
    struct children *children = launch->children;
    child->next = NULL;
    child->is_tail = stream == TAIL_LAUNCH;
    if (children->last)
        children->last->next = child;
    else
        children->first = child;
    children->last = child;
    return cudaSuccess;
}

int child_launch(struct launch *launch, uint64_t address, uint64_t stream)
{
    struct child **at = launch->children ? &launch->children->asked : NULL;
    while (at && *at && (*at)->buffer->base != address)
        at = &(*at)->next;
    if (!at || !*at)
        return cudaErrorInvalidValue;
    if (launch->depth >= MOST_NESTED)
        return cudaErrorLaunchMaxDepthExceeded;
    struct child *child = *at;
    *at = child->next;
    memcpy(child->params, child->buffer->host, child->kernel->param_bytes);
    memory_release(launch->memory, child->buffer);
    child->buffer = NULL;
    return append(launch, child, stream);
}

int child_add(struct launch *launch, const struct child *given, uint64_t stream)
{
    struct child *child = children_of(launch) ? malloc(sizeof *child) : NULL;
    if (!child)
        return cudaErrorMemoryAllocation;
    *child = *given;
    return append(launch, child, stream);
}

/* ------------------------------------------------------------------------------------------- taking */

struct child *children_take(struct launch *launch)
{
    struct child *first = NULL, *tail = NULL, **end = &first, **tail_end = &tail;
    for (struct child *child = launch->children ? launch->children->first : NULL; child;
         child = child->next) {
        struct child ***at = child->is_tail ? &tail_end : &end;
        **at = child;
        *at = &child->next;
    }
    *tail_end = NULL;
    *end = tail;
    if (launch->children)
        launch->children->first = launch->children->last = NULL;
    return first;
}

void children_free(struct child *children, struct memory *memory)
{
    for (struct child *child = children, *next; child; child = next) {
        next = child->next;
        if (child->buffer)
            memory_release(memory, child->buffer);
        free(child);
    }
}

void children_forget(struct launch *launch)
{
    struct children *children = launch->children;
    if (!children)
        return;
    children_free(children->asked, launch->memory);
    children_free(children->first, launch->memory);
    for (struct child_error *error = children->errors, *next; error; error = next) {
        next = error->next;
        free(error);
    }
    free(children);
    launch->children = NULL;
}

/* ------------------------------------------------------------------------------------------- errors */

static struct child_error *find_error(const struct launch *launch, uint64_t block, uint32_t thread)
{
    struct child_error *error = launch->children ? launch->children->errors : NULL;
    while (error && (error->block != block || error->thread != thread))
        error = error->next;
    return error;
}

void child_error_set(struct launch *launch, uint64_t block, uint32_t thread, int error)
{
    struct child_error *found = find_error(launch, block, thread);
    if (!error || !children_of(launch))
        return;
    if (!found) {
        found = calloc(1, sizeof *found);
        if (!found)
            return;
        *found = (struct child_error){launch->children->errors, block, thread, 0};
        launch->children->errors = found;
    }
    found->error = error;
}

int child_error_get(struct launch *launch, uint64_t block, uint32_t thread, bool is_cleared)
{
    struct child_error *found = find_error(launch, block, thread);
    const int error = found ? found->error : cudaSuccess;
    if (found && is_cleared)
        found->error = cudaSuccess;
    return error;
}
