#include "worker/outbox.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/control.h"
#include "worker/segments.h"

enum { MOST_PIECES = 8, CHUNK = FRAME_MAX - sizeof (struct frame_head), CHATTER_ROOM = 128 * 1024 };

void
outbox_init (struct outbox *box, const struct segments *segments)
{
  memset (box, 0, sizeof *box);
  pthread_mutex_init (&box->lock, NULL);
  ring_out_init (&box->ring, segments->up, segments->down);
}

/* ---- the ring, under the lock ----------------------------------------------------------- */

static void
publish (struct outbox *box)
{
  atomic_store_explicit (&box->waiting, false, memory_order_relaxed);
  if (ring_publish (&box->ring))
    control_knock ();
}

static bool
has_room (struct outbox *box, size_t size)
{
  return ring_room (&box->ring) >= (long) size;
}

/* Until the daemon has consumed enough.  It wakes whoever waits for the word it counts that in;
 * should it be gone, init ends this process. */
static void
wait_for_room (struct outbox *box, size_t size)
{
  const _Atomic uint32_t *word = &box->ring.peer->consumed;

  publish (box);
  while (!has_room (box, size)) {
    uint32_t seen = atomic_load (word);
    ring_want_room (&box->ring);
    if (!has_room (box, size))
      (void) syscall (SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
  }
  ring_has_room (&box->ring);
}

static size_t
frame_size (const struct piece_of_frame *pieces, size_t count)
{
  size_t size = sizeof (struct frame_head);

  for (size_t i = 0; i < count; i++)
    size += pieces[i].len;
  return size;
}

/* What must stay free besides: the daemon reads a flood of these slowly, and a result should not
 * stand behind a whole ring of them. */
static size_t
reserved (enum frame_kind kind)
{
  return kind == FRAME_LOG || kind == FRAME_PROGRESS || kind == FRAME_EVENT
           ? RING_SIZE - CHATTER_ROOM
           : 0;
}

static void
put_frame (struct outbox *box, enum frame_kind kind, uint64_t call,
           const struct piece_of_frame *pieces, size_t count)
{
  static const char zeros[FRAME_ALIGN];
  size_t size = frame_size (pieces, count);
  struct frame_head head = { .size = (uint32_t) size, .kind = (uint16_t) kind, .call = call };

  if (!has_room (box, frame_padded (size) + reserved (kind)))
    wait_for_room (box, frame_padded (size) + reserved (kind));
  ring_put (&box->ring, &head, sizeof head);
  for (size_t i = 0; i < count; i++)
    ring_put (&box->ring, pieces[i].data, pieces[i].len);
  ring_put (&box->ring, zeros, frame_padded (size) - size);
  atomic_store_explicit (&box->waiting, true, memory_order_relaxed);
}

/* ---- for all threads -------------------------------------------------------------------- */

void
outbox_put (struct outbox *box, enum frame_kind kind, uint64_t call,
            const struct piece_of_frame *pieces, size_t count)
{
  pthread_mutex_lock (&box->lock);
  put_frame (box, kind, call, pieces, count);
  pthread_mutex_unlock (&box->lock);
}

void
outbox_flush (struct outbox *box)
{
  pthread_mutex_lock (&box->lock);
  if (!outbox_is_empty (box))
    publish (box);
  pthread_mutex_unlock (&box->lock);
}

void
outbox_rescue (struct outbox *box)
{
  if (pthread_mutex_trylock (&box->lock) == 0)
    publish (box);
  /* Stays locked: the process is about to end. */
}

/* ---- long results ----------------------------------------------------------------------- */

struct body {
  struct piece_of_frame left[MOST_PIECES];
  size_t count;
  size_t len;
};

/* Cut the first `max` bytes off the body, as pieces; returns how many pieces. */
static size_t
body_cut (struct body *body, size_t max, struct piece_of_frame *cut)
{
  size_t n = 0;

  for (size_t i = 0; i < body->count && max > 0; i++) {
    struct piece_of_frame *left = &body->left[i];
    size_t len = left->len < max ? left->len : max;
    if (len == 0)
      continue;
    cut[n++] = (struct piece_of_frame){ left->data, len };
    left->data = (const char *) left->data + len;
    left->len -= len;
    body->len -= len;
    max -= len;
  }
  return n;
}

void
outbox_result (struct outbox *box, uint64_t call, const struct frame_result *result,
               const struct piece_of_frame *pieces, size_t count)
{
  const size_t room = CHUNK - sizeof *result;
  struct piece_of_frame frame[MOST_PIECES + 1] = { { result, sizeof *result } };
  struct body body = { .count = count };

  memcpy (body.left, pieces, count * sizeof *pieces);
  body.len = frame_size (pieces, count) - sizeof (struct frame_head);
  while (body.len > room) {
    struct piece_of_frame cut[MOST_PIECES];
    size_t n = body_cut (&body, CHUNK, cut);
    outbox_put (box, FRAME_RESULT_PART, call, cut, n);
  }
  outbox_put (box, FRAME_RESULT, call, frame, 1 + body_cut (&body, room, frame + 1));
}
