/* The allocator's reserve, the heap, and the levels of pressure. */
#include "base/buf.h"
#include "base/heap.h"
#include "base/large.h"
#include "base/memory.h"
#include "tap.h"
#include "watch/pressure.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MIB = 1 << 20 };

/* ---- large blocks ---- */

static bool
is_kept (size_t least, size_t *size)
{
  void *block = large_take (least, size);

  free (block);
  return block != NULL;
}

static void
large_blocks_are_taken_again (void)
{
  size_t size = 0;
  void *block = xmalloc (MIB);

  large_keep (2 * MIB);
  large_give (block, MIB);
  CU_ASSERT_PTR_NULL (large_take (MIB + 1, &size));
  CU_ASSERT_PTR_NULL (large_take (MIB / 2 - 1, &size)); /* most of it would be for nothing */
  CU_ASSERT_PTR_EQUAL (large_take (MIB - 100, &size), block);
  CU_ASSERT_EQUAL (size, MIB);
  CU_ASSERT_PTR_NULL (large_take (MIB, &size));
  free (block);
  large_keep (0);
}

static void
large_blocks_that_nobody_takes_go (void)
{
  size_t size;

  large_keep (2 * MIB);
  large_give (xmalloc (MIB), MIB);
  large_age ();
  large_give (xmalloc (MIB / 2), MIB / 2);
  large_age ();
  CU_ASSERT_FALSE (is_kept (MIB, &size));
  CU_ASSERT_TRUE (is_kept (MIB / 2, &size));
  large_give (xmalloc (MIB), MIB);
  large_drop ();
  CU_ASSERT_FALSE (is_kept (MIB, &size));
  large_keep (0);
}

static void
large_blocks_are_kept_within_bounds (void)
{
  size_t size;

  large_give (xmalloc (MIB), MIB); /* nobody has asked for it */
  CU_ASSERT_FALSE (is_kept (MIB, &size));
  large_keep (2 * MIB);
  large_give (xmalloc (MIB), MIB);
  large_give (xmalloc (MIB), MIB);
  large_give (xmalloc (MIB), MIB);
  large_give (xmalloc (LARGE_BLOCK - 1), LARGE_BLOCK - 1);
  large_give (NULL, MIB);
  CU_ASSERT_TRUE (is_kept (MIB, &size));
  CU_ASSERT_TRUE (is_kept (MIB, &size));
  CU_ASSERT_FALSE (is_kept (MIB, &size));
  large_keep (0);
}

/* What a buf had, and an arena, is the next one's; what it held stays whole when it moves. */
static void
bufs_and_arenas_use_large_blocks_again (void)
{
  struct buf buf = { 0 };
  struct arena arena = { 0 };
  const void *block;

  large_keep (8 * MIB);
  memset (buf_reserve (&buf, MIB), 'x', MIB);
  buf.len = MIB;
  block = buf.data;
  buf_free (&buf);
  CU_ASSERT_PTR_EQUAL (buf_reserve (&buf, MIB), block);
  CU_ASSERT_EQUAL (buf.cap, MIB);
  memcpy (buf.data, "begin", 5);
  buf.len = MIB;
  large_give (xmalloc (2 * MIB), 2 * MIB);
  buf_putc (&buf, 'y');
  CU_ASSERT_EQUAL (buf.cap, 2 * MIB);
  CU_ASSERT_EQUAL (memcmp (buf.data, "begin", 5), 0);
  CU_ASSERT_EQUAL (buf.data[MIB], 'y');
  memset (arena_alloc (&arena, MIB - 64), 'z', MIB - 64); /* in what the buf has left */
  CU_ASSERT_PTR_EQUAL (arena.blocks, block);
  arena_free (&arena);
  buf_free (&buf);
  large_drop ();
  large_keep (0);
}

/* ---- the reserve ---- */

/* What a child that ran `body` ended with; its words go to `words`. */
static int
in_child (void (*body) (void), char *words, size_t size)
{
  int ends[2], status = 0;
  ssize_t n;
  pid_t pid;

  CU_ASSERT_EQUAL_FATAL (pipe (ends), 0);
  fflush (stdout);
  pid = fork ();
  if (pid == 0) {
    struct rlimit none = { 0, 0 };
    (void) setrlimit (RLIMIT_CORE, &none);
    (void) dup2 (ends[1], STDERR_FILENO);
    body ();
    _exit (0);
  }
  (void) close (ends[1]);
  n = read (ends[0], words, size - 1);
  words[n > 0 ? n : 0] = '\0';
  (void) close (ends[0]);
  (void) waitpid (pid, &status, 0);
  return status;
}

/* Address space for a few MiB more than there is. */
static void
leave_little (void)
{
  struct rlimit limit;
  unsigned long long pages = 0;
  FILE *statm = fopen ("/proc/self/statm", "r");

  if (statm == NULL || fscanf (statm, "%llu", &pages) != 1)
    _exit (9);
  (void) fclose (statm);
  limit.rlim_cur = limit.rlim_max = pages * (rlim_t) sysconf (_SC_PAGESIZE) + 8 * MIB;
  if (setrlimit (RLIMIT_AS, &limit) < 0)
    _exit (9);
}

static void
use_reserve (void)
{
  void *blocks[64];
  int count = 0;

  memory_keep (4 * MIB);
  if (memory_is_short ())
    _exit (1);
  leave_little ();
  while (count < 64 && !memory_is_short ())
    blocks[count++] = xmalloc (MIB);
  if (count == 64 || memory_refill ())
    _exit (2);
  while (count > 0)
    free (blocks[--count]);
  if (!memory_refill () || memory_is_short ())
    _exit (3);
}

static void
use_all (void)
{
  memory_keep (4 * MIB);
  leave_little ();
  for (int i = 0; i < 64; i++)
    if (xcalloc (1, MIB) == NULL)
      _exit (1);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITHOUT_SANITIZER() TAP_SKIP ("a sanitizer needs address space of its own")
#else
#define WITHOUT_SANITIZER()
#endif

static void
test_reserve (void)
{
  char words[200];
  int status;

  WITHOUT_SANITIZER ();
  status = in_child (use_reserve, words, sizeof words);
  CU_ASSERT (WIFEXITED (status));
  CU_ASSERT_EQUAL (WEXITSTATUS (status), 0);
  CU_ASSERT_STRING_EQUAL (words, "");
}

static void
test_end (void)
{
  char words[200];
  int status;

  WITHOUT_SANITIZER ();
  status = in_child (use_all, words, sizeof words);
  CU_ASSERT (WIFSIGNALED (status));
  CU_ASSERT_STRING_EQUAL (words, "toolhost: out of memory: 1048576 bytes were needed\n");
}

/* Without memory_keep there is nothing that could be short. */
static void
test_no_reserve (void)
{
  void *p = memory_realloc (NULL, 10);

  CU_ASSERT_FALSE (memory_is_short ());
  CU_ASSERT_TRUE (memory_refill ());
  p = memory_realloc (p, 20);
  CU_ASSERT_PTR_NOT_NULL (p);
  CU_ASSERT_PTR_NULL (memory_realloc (p, 0));
}

/* ---- the heap ---- */

static void
test_heap_order (void)
{
  static const uint64_t keys[] = { 5, 3, 9, 3, 1, 7, 3, 0 };
  static const unsigned order[] = { 7, 4, 1, 3, 6, 0, 5, 2 };
  struct heap_node nodes[8] = { 0 };
  struct heap heap = { 0 };

  CU_ASSERT_PTR_NULL (heap_first (&heap));
  for (unsigned i = 0; i < 8; i++)
    heap_add (&heap, &nodes[i], keys[i]);
  for (unsigned i = 0; i < 8; i++) {
    CU_ASSERT_PTR_EQUAL (heap_first (&heap), &nodes[order[i]]);
    heap_remove (&heap, heap_first (&heap));
    CU_ASSERT_FALSE (heap_has (&nodes[order[i]]));
    heap_remove (&heap, &nodes[order[i]]); /* again: nothing */
  }
  CU_ASSERT_PTR_NULL (heap_first (&heap));
  heap_free (&heap);
}

static void
test_heap_random (void)
{
  struct heap_node nodes[100] = { 0 };
  struct heap heap = { 0 };
  unsigned faults = 0;
  uint32_t seed = 1;

  for (int step = 0; step < 20000; step++) {
    struct heap_node *node;
    seed = seed * 1664525U + 1013904223U;
    node = &nodes[(seed >> 8) % 100];
    if (!heap_has (node))
      heap_add (&heap, node, seed >> 20);
    else if (step % 3 == 0)
      heap_move (&heap, node, seed >> 20);
    else
      heap_remove (&heap, node);
    for (unsigned i = 0; i < 100; i++)
      faults += heap_has (&nodes[i]) && nodes[i].key < heap_first (&heap)->key;
  }
  CU_ASSERT_EQUAL (faults, 0);
  heap_free (&heap);
}

/* ---- pressure ---- */

static uint64_t
measure_500 (void *ctx)
{
  (void) ctx;
  return 500;
}

/* What a thread was promised is not forgotten by a measurement that comes before it is used. */
static void
what_is_held_counts_until_it_is_released (void)
{
  struct pressure p = { .max = 1000, .bytes = 500, .measure = measure_500 };

  CU_ASSERT_TRUE (pressure_hold (&p, 300));
  CU_ASSERT_FALSE (pressure_note (&p, 500, false));
  CU_ASSERT_FALSE (pressure_hold (&p, 300));
  CU_ASSERT_FALSE (pressure_take (&p, 300));
  CU_ASSERT_TRUE (pressure_take (&p, 100));
  pressure_release (&p, 300);
  CU_ASSERT_TRUE (pressure_hold (&p, 300));
  CU_ASSERT_EQUAL (p.refused, 2);
  CU_ASSERT_TRUE (pressure_hold (NULL, 1));
}

static void
test_levels (void)
{
  struct pressure p = { .max = 1000 };

  CU_ASSERT_FALSE (pressure_note (&p, 799, false));
  CU_ASSERT_EQUAL (p.level, PRESSURE_NONE);
  CU_ASSERT_TRUE (pressure_note (&p, 800, false));
  CU_ASSERT_EQUAL (p.level, PRESSURE_HIGH);
  CU_ASSERT_FALSE (pressure_note (&p, 750, false)); /* not yet below where it ends */
  CU_ASSERT_TRUE (pressure_note (&p, 749, false));
  CU_ASSERT_EQUAL (p.level, PRESSURE_NONE);
  CU_ASSERT_TRUE (pressure_note (&p, 950, false));
  CU_ASSERT_EQUAL (p.level, PRESSURE_FULL);
  CU_ASSERT_FALSE (pressure_note (&p, 900, false));
  CU_ASSERT_TRUE (pressure_note (&p, 899, false));
  CU_ASSERT_EQUAL (p.level, PRESSURE_HIGH);
  CU_ASSERT_TRUE (pressure_note (&p, 10, true)); /* the reserve was used: full, whatever the size */
  CU_ASSERT_EQUAL (p.level, PRESSURE_FULL);
  CU_ASSERT_TRUE (pressure_note (&p, 10, false));
  CU_ASSERT_EQUAL (p.level, PRESSURE_NONE);
  CU_ASSERT_TRUE (pressure_is (&p, PRESSURE_NONE));
  CU_ASSERT_FALSE (pressure_is (&p, PRESSURE_HIGH));
  CU_ASSERT_FALSE (pressure_is (NULL, PRESSURE_HIGH));
}

static void
test_no_ceiling (void)
{
  struct pressure p = { .max = 0 };

  CU_ASSERT_FALSE (pressure_note (&p, UINT64_MAX, false));
  CU_ASSERT_TRUE (pressure_take (&p, 1 << 30));
  CU_ASSERT_TRUE (pressure_take (NULL, 1 << 30));
  CU_ASSERT_TRUE (pressure_note (&p, 0, true));
}

static uint64_t
measured (void *ctx)
{
  return *(uint64_t *) ctx;
}

static void
test_take (void)
{
  uint64_t now = 100;
  struct pressure p = { .max = 1000, .measure = measured, .ctx = &now };

  CU_ASSERT_TRUE (pressure_take (&p, 900)); /* of what was taken since … */
  CU_ASSERT_EQUAL (p.bytes, 900);
  CU_ASSERT_TRUE (pressure_take (&p, 500)); /* … most was given back: a new look says so */
  CU_ASSERT_EQUAL (p.bytes, 600);
  now = 600;
  CU_ASSERT_TRUE (pressure_take (&p, 300));
  now = 940;
  CU_ASSERT_FALSE (pressure_take (&p, 100));
  CU_ASSERT_EQUAL (p.bytes, 940);
  CU_ASSERT_EQUAL (p.refused, 1);
  CU_ASSERT_TRUE (pressure_take (&p, 9));
}

/* Memory of which more is used than was asked for. */
static void
test_take_often (void)
{
  uint64_t used = 0;
  struct pressure p = { .max = 100000, .measure = measured, .ctx = &used };
  unsigned refused = 0;

  for (unsigned i = 0; i < 200; i++)
    if (pressure_take (&p, 1000))
      used += 1900;
    else
      refused++;
  CU_ASSERT_TRUE (used >= 90000 && used <= 100000);
  CU_ASSERT_EQUAL (p.refused, refused);
}

static CU_TestInfo tests[] = {
  { "large blocks are taken again", large_blocks_are_taken_again },
  { "large blocks that nobody takes go", large_blocks_that_nobody_takes_go },
  { "large blocks are kept within bounds", large_blocks_are_kept_within_bounds },
  { "bufs and arenas use large blocks again", bufs_and_arenas_use_large_blocks_again },
  { "the reserve is used, and had again", test_reserve },
  { "without it there is a sentence", test_end },
  { "no reserve is kept", test_no_reserve },
  { "heap: order", test_heap_order },
  { "heap: random steps", test_heap_random },
  { "pressure: levels", test_levels },
  { "pressure: no ceiling", test_no_ceiling },
  { "pressure: taking", test_take },
  { "pressure: taking bit by bit", test_take_often },
  { "pressure: what is held counts until it is released",
    what_is_held_counts_until_it_is_released },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "memory", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
