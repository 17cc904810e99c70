/* heap.h - a binary heap: the node with the least key is first, of equal ones the one that came
 * first.  Nodes are members of their owners' structs and in one heap at a time; the heap owns only
 * its list of them.  Zero-initialised; no threads.  Every operation takes O(log n). */
#ifndef TOOLHOST_BASE_HEAP_H
#define TOOLHOST_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_node {
  uint64_t key;
  uint64_t order; /* the heap's: when it came */
  size_t place;   /* the heap's: 1 and up; 0: in none */
};

struct heap {
  struct heap_node **nodes;
  size_t count, room;
  uint64_t orders;
};

static inline bool
heap_has (const struct heap_node *node)
{
  return node->place != 0;
}

/* NULL when it is empty. */
static inline struct heap_node *
heap_first (const struct heap *heap)
{
  return heap->count != 0 ? heap->nodes[0] : NULL;
}

void heap_add (struct heap *heap, struct heap_node *node, uint64_t key);
/* Nothing when it is in no heap. */
void heap_remove (struct heap *heap, struct heap_node *node);
/* Give a node of the heap another key. */
void heap_move (struct heap *heap, struct heap_node *node, uint64_t key);
/* The nodes stay their owners'. */
void heap_free (struct heap *heap);

#endif
