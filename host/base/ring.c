#include "base/ring.h"

#include <assert.h>
#include <string.h>

static_assert (sizeof (struct ring_side) <= RING_HEAD, "the head fits its page");
static_assert ((RING_SIZE & (RING_SIZE - 1)) == 0, "indices are masked");
static_assert (ATOMIC_INT_LOCK_FREE == 2, "a lock would be in only one of the processes");

/* An index counts from where the ring was empty last, so that what is small goes through the same
 * few pages again and again and stays in the processor's caches.  Whatever an enemy says is the
 * origin, this is in the data. */
static uint32_t
offset (uint32_t index, uint32_t origin)
{
  return (index - origin) & (RING_SIZE - 1);
}

/* All accesses to the shared words are sequentially consistent: of "I have moved my index; do you
 * sleep?" and "I am about to sleep; have you moved?" at least one must see the other. */

/* Put up a ticket that differs from the last one and is not 0. */
static void
put_up (_Atomic uint32_t *bell, uint32_t *ticket)
{
  if (++*ticket == 0)
    ++*ticket;
  atomic_store (bell, *ticket);
}

/* An index was moved: does the peer, which may be about to sleep, want to know? */
static bool
must_knock (const _Atomic uint32_t *bell, uint32_t *knocked)
{
  uint32_t ticket = atomic_load (bell);

  if (ticket == 0 || ticket == *knocked)
    return false;
  *knocked = ticket;
  return true;
}

/* ---- sending ---- */

void
ring_out_init (struct ring_out *out, void *own, const void *peer)
{
  *out = (struct ring_out){ .own = own, .peer = peer, .data = (char *) own + RING_HEAD };
}

long
ring_room (struct ring_out *out)
{
  uint32_t consumed = atomic_load (&out->peer->consumed);
  uint32_t unread = out->at - out->consumed;

  /* It can only go forward, and not beyond what there is. */
  if (consumed - out->consumed > unread || consumed % RING_UNIT != 0)
    return RING_BROKEN;
  out->consumed = consumed;
  if (consumed == out->at && out->origin != consumed) {
    /* Nobody reads what is not there: seen by the peer before what is published next. */
    out->origin = consumed;
    atomic_store_explicit (&out->own->origin, consumed, memory_order_relaxed);
  }
  return RING_SIZE - (long) (out->at - consumed);
}

void
ring_put (struct ring_out *out, const void *data, size_t len)
{
  size_t at = offset (out->at, out->origin);
  size_t first = RING_SIZE - at < len ? RING_SIZE - at : len;

  if (len == 0)
    return;
  memcpy (out->data + at, data, first);
  memcpy (out->data, (const char *) data + first, len - first);
  out->at += (uint32_t) len;
}

bool
ring_unpublished (const struct ring_out *out)
{
  return atomic_load (&out->own->produced) != out->at;
}

bool
ring_publish (struct ring_out *out)
{
  atomic_store (&out->own->produced, out->at);
  return must_knock (&out->peer->bell, &out->knocked);
}

void
ring_want_room (struct ring_out *out)
{
  put_up (&out->own->room, &out->ticket);
}

void
ring_has_room (struct ring_out *out)
{
  atomic_store (&out->own->room, 0);
}

/* ---- receiving ---- */

void
ring_in_init (struct ring_in *in, void *own, const void *peer)
{
  *in = (struct ring_in){ .own = own, .peer = peer, .data = (const char *) peer + RING_HEAD };
}

long
ring_peek (const struct ring_in *in, char *room, size_t most)
{
  uint32_t produced = atomic_load (&in->peer->produced);
  size_t len = produced - in->at;
  size_t at = offset (in->at, atomic_load_explicit (&in->peer->origin, memory_order_relaxed));
  size_t first;

  if (len > RING_SIZE || len % RING_UNIT != 0)
    return RING_BROKEN;
  if (len > most)
    len = most;
  first = RING_SIZE - at < len ? RING_SIZE - at : len;
  memcpy (room, in->data + at, first);
  memcpy (room + first, in->data, len - first);
  return (long) len;
}

bool
ring_take (struct ring_in *in, size_t len)
{
  in->at += (uint32_t) len;
  atomic_store (&in->own->consumed, in->at);
  return must_knock (&in->peer->room, &in->knocked);
}

bool
ring_has_news (const struct ring_in *in)
{
  return atomic_load (&in->peer->produced) != in->at;
}

bool
ring_listen (struct ring_in *in)
{
  put_up (&in->own->bell, &in->ticket);
  return !ring_has_news (in);
}

void
ring_awake (struct ring_in *in)
{
  atomic_store (&in->own->bell, 0);
}
