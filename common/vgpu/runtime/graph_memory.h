/* graph_memory.h - memory of a graph's own allocating nodes: made with one owner; clones keep it, dropped nodes let go. */
#ifndef VGPU_GRAPH_MEMORY_H
#define VGPU_GRAPH_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

void *graph_memory_new(uint64_t bytes); /* NULL: no room */
void graph_memory_keep(const void *pointer);
void graph_memory_drop(const void *pointer);
void graph_memory_use(const void *pointer); /* its node has run */
/* Frees what a graph's node has allocated; false: pointer is no such memory. */
bool graph_memory_free(const void *pointer);

#endif
