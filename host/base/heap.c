#include "base/heap.h"

#include <stdlib.h>

#include "base/buf.h"

static bool
before (const struct heap_node *a, const struct heap_node *b)
{
  return a->key != b->key ? a->key < b->key : a->order < b->order;
}

static void
put (struct heap *heap, size_t at, struct heap_node *node)
{
  heap->nodes[at] = node;
  node->place = at + 1;
}

static void
rise (struct heap *heap, size_t at, struct heap_node *node)
{
  while (at != 0 && before (node, heap->nodes[(at - 1) / 2])) {
    put (heap, at, heap->nodes[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  put (heap, at, node);
}

static void
sink (struct heap *heap, size_t at, struct heap_node *node)
{
  size_t child;

  while ((child = 2 * at + 1) < heap->count) {
    if (child + 1 < heap->count && before (heap->nodes[child + 1], heap->nodes[child]))
      child++;
    if (!before (heap->nodes[child], node))
      break;
    put (heap, at, heap->nodes[child]);
    at = child;
  }
  put (heap, at, node);
}

/* From wherever it is to where its key belongs. */
static void
settle (struct heap *heap, size_t at, struct heap_node *node)
{
  if (at != 0 && before (node, heap->nodes[(at - 1) / 2]))
    rise (heap, at, node);
  else
    sink (heap, at, node);
}

void
heap_add (struct heap *heap, struct heap_node *node, uint64_t key)
{
  if (heap->count == heap->room) {
    size_t room = heap->room != 0 ? heap->room * 2 : 8;
    heap->nodes = xrealloc (heap->nodes, room * sizeof (struct heap_node *));
    heap->room = room;
  }
  node->key = key;
  node->order = ++heap->orders;
  rise (heap, heap->count++, node);
}

void
heap_remove (struct heap *heap, struct heap_node *node)
{
  size_t at = node->place - 1;
  struct heap_node *last;

  if (node->place == 0)
    return;
  node->place = 0;
  last = heap->nodes[--heap->count];
  if (last != node)
    settle (heap, at, last);
}

void
heap_move (struct heap *heap, struct heap_node *node, uint64_t key)
{
  node->key = key;
  settle (heap, node->place - 1, node);
}

void
heap_free (struct heap *heap)
{
  free (heap->nodes);
  *heap = (struct heap){ .nodes = NULL };
}
