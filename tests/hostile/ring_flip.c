/* Flips bytes of the memory it shares with the daemon, from a thread of its own, while calls run.
 * "where": "index" (the first words), "frames" (what it says), "all"; "down": it writes where only
 * the daemon may. */
#include "hostile.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inside.h"

struct flipper {
  volatile unsigned char *at;
  size_t from, len;
  useconds_t pause;
};

HOSTILE_DEED static void *
flip (void *arg)
{
  const struct flipper *f = arg;
  unsigned seed = (unsigned) getpid ();

  for (;;) {
    size_t where = f->from + (size_t) rand_r (&seed) % f->len;
    f->at[where] ^= (unsigned char) (1U << (unsigned) rand_r (&seed) % 8);
    if (f->pause != 0)
      (void) usleep (f->pause);
  }
  return NULL;
}

/* Once: the thread goes on for as long as the process lives. */
static void
begin (const toolhost_call *call, const char *where, useconds_t pause)
{
  static struct flipper flipper;
  static pthread_t thread;

  if (flipper.at != NULL)
    return;
  flipper = (struct flipper){ .at = (volatile unsigned char *) inside_ring (call)->own,
                              .len = RING_SEGMENT,
                              .pause = pause };
  if (strcmp (where, "index") == 0)
    flipper.len = sizeof (struct ring_side);
  if (strcmp (where, "frames") == 0) {
    flipper.from = RING_HEAD;
    flipper.len = RING_SIZE / 16;
  }
  (void) pthread_create (&thread, NULL, flip, &flipper);
}

/* Everything that could make the daemon's memory writable here; the answer is how much of it
 * worked. */
static int64_t
attack_down (const toolhost_call *call)
{
  void *down = (void *) (uintptr_t) inside_ring (call)->peer;

  return (mprotect (down, RING_SEGMENT, PROT_READ | PROT_WRITE) == 0)
         + (madvise (down, RING_SEGMENT, MADV_REMOVE) == 0)
         + (madvise ((void *) inside_ring (call)->own, RING_SEGMENT, MADV_REMOVE) == 0);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *where = toolhost_arg_string_or (call, "where", "all");

  (void) self;
  if (strcmp (where, "down") == 0)
    return toolhost_textf (call, "%d", (int) attack_down (call));
  begin (call, where, (useconds_t) toolhost_arg_int (call, "pause_us", 0));
  for (int i = 0; i < 20; i++)
    (void) toolhost_log (call, TOOLHOST_INFO, "about to be garbled");
  return toolhost_text (call, "flipped");
}

HOSTILE ("ring_flip", TOOLHOST_PARALLEL, "Garbles what it says.",
         "\"properties\":{\"where\":{\"type\":\"string\"},\"pause_us\":{\"type\":\"integer\"}}")
