#include "front/http/handed.h"

#include <assert.h>

#include "front/http/conn.h"
#include "front/http/server.h"
#include "front/http/threads.h"

enum { UNREAD_MAX = 16 /* mails of bytes that the core may be behind */ };

/* ---- the core ---- */

const struct http_server *
handed_server (const struct handed *h)
{
  return h->thread->threads->core;
}

void
handed_touch (struct http_exchange *x)
{
  struct front_thread *thread = x->handed.thread;

  if (x->handed.touched)
    return;
  x->handed.touched = true;
  x->handed.next_touched = NULL;
  *thread->touched_end = x;
  thread->touched_end = &x->handed.next_touched;
}

void
handed_stream (struct http_exchange *x, void (*bytes) (void *, const char *, size_t))
{
  struct handed *h = &x->handed;

  h->state = HANDED_STREAMING;
  h->bytes = bytes;
  h->upgrades = bytes != NULL;
  handed_touch (x);
}

void
handed_answered (struct http_exchange *x)
{
  x->handed.state = HANDED_ENDED;
  handed_touch (x);
}

/* Given to the thread, and not yet taken by the peer. */
static uint64_t
on_its_way (const struct handed *h)
{
  return h->given - atomic_load_explicit (&h->sent, memory_order_relaxed);
}

size_t
handed_backlog (const struct http_exchange *x)
{
  return (size_t) on_its_way (&x->handed) + x->handed.out.len;
}

/* What this turn has written had no chance to be sent yet, so it is counted by itself. */
bool
handed_is_taken (const struct http_exchange *x, size_t max)
{
  return on_its_way (&x->handed) <= max && x->handed.out.len <= max;
}

static unsigned
flags_of (struct handed *h)
{
  unsigned flags = 0;

  if (h->state == HANDED_STREAMING)
    flags |= OUTPUT_BEGINS;
  if (h->upgrades)
    flags |= OUTPUT_BEGINS | OUTPUT_UPGRADES;
  if (h->closes)
    flags |= OUTPUT_CLOSES;
  if (h->state == HANDED_ENDED)
    flags |= OUTPUT_ENDS;
  if (h->lost)
    flags |= OUTPUT_LOSES;
  h->upgrades = false;
  return flags;
}

/* The last output stays where it is: the exchange itself goes back with it.  After that there is
 * only to be said what was read. */
static void
say_output (struct front_thread *thread, struct http_exchange *x)
{
  struct mail *mail = mails_add (&thread->saying, MAIL_OUTPUT, x);
  struct handed *h = &x->handed;

  h->touched = false;
  mail->seen = h->seen;
  if (h->told)
    return;
  h->given += h->out.len;
  mail->flags = flags_of (h);
  h->told = h->state == HANDED_ENDED;
  if (!h->told)
    buf_swap (&mail->data, &h->out);
}

void
handed_collect (struct front_thread *thread)
{
  struct http_exchange *x = thread->touched, *next;

  thread->touched = NULL;
  thread->touched_end = &thread->touched;
  for (; x != NULL; x = next) {
    next = x->handed.next_touched;
    say_output (thread, x);
  }
}

static void
serve (const struct http_server *core, struct http_exchange *x, bool stopping)
{
  if (stopping) /* MAIL_GONE comes behind it */
    x->handed.state = HANDED_ENDED;
  else
    core->handler (core->ctx, x);
}

static void
hear_bytes (struct http_exchange *x, const struct buf *data)
{
  struct handed *h = &x->handed;

  handed_touch (x);
  if (h->state == HANDED_STREAMING && !h->lost)
    h->bytes (x->data, data->data, data->len);
}

static void
hear_gone (struct http_exchange *x)
{
  struct handed *h = &x->handed;

  handed_touch (x);
  if (h->state == HANDED_ENDED)
    return;
  h->state = HANDED_ENDED;
  buf_reset (&h->out, 0);
  if (x->gone != NULL)
    x->gone (x->data);
}

void
handed_receive (const struct http_server *core, struct mail *mail, bool stopping)
{
  struct http_exchange *x = mail->x;

  x->handed.seen++;
  switch (mail->kind) {
  case MAIL_REQUEST:
    return serve (core, x, stopping);
  case MAIL_BYTES:
    hear_bytes (x, &mail->data);
    return buf_free (&mail->data);
  case MAIL_GONE:
    return hear_gone (x);
  default:
    assert (false);
  }
}

/* ---- the front thread ---- */

static void
say (struct http_exchange *x, enum mail_kind kind)
{
  (void) mails_add (&x->handed.thread->said, kind, x);
  x->handed.posted++;
}

void
handed_over (void *ctx, struct http_exchange *x)
{
  struct handed *h = &x->handed;

  h->thread = ctx;
  h->came_ns = h->thread->turns.began;
  h->state = HANDED_SERVING;
  h->closes = h->lost = h->told = h->ended = false;
  h->seen = h->posted = h->acknowledged = 0;
  h->given = h->taken = 0;
  atomic_store_explicit (&h->sent, 0, memory_order_relaxed);
  say (x, MAIL_REQUEST);
}

/* Bytes are read as fast as the core reads them. */
static void
listen_or_wait (struct http_exchange *x)
{
  const struct handed *h = &x->handed;

  conn_be_deaf (x->conn, h->ended || h->posted - h->acknowledged > UNREAD_MAX);
}

void
handed_bytes (struct http_exchange *x, const char *bytes, size_t len)
{
  struct mails *said = &x->handed.thread->said;

  say (x, MAIL_BYTES);
  buf_append (&said->list[said->count - 1].data, bytes, len);
  listen_or_wait (x);
}

void
handed_gone (struct http_exchange *x)
{
  x->handed.thread->parted++;
  say (x, MAIL_GONE);
}

void
handed_sent (struct http_exchange *x)
{
  size_t unsent = exchange_unsent (x);

  /* Answers to requests before this one may be among what is unsent. */
  if (x->handed.taken > unsent)
    atomic_store_explicit (&x->handed.sent, x->handed.taken - unsent, memory_order_relaxed);
}

static void
take_output (struct http_exchange *x, struct buf *from)
{
  x->handed.taken += from->len;
  if (x->out.len == 0)
    buf_swap (&x->out, from);
  else
    buf_append (&x->out, from->data, from->len);
  from->len = 0;
}

/* The exchange is the thread's again. */
static void
come_back (struct http_exchange *x)
{
  struct front_thread *thread = x->handed.thread;

  x->handed.thread = NULL;
  if (!x->conn->parted)
    return conn_answered (x->conn);
  thread->parted--;
  conn_free (x->conn);
}

static void
send_output (struct http_exchange *x, struct mail *mail)
{
  struct conn *c = x->conn;
  bool ends = (mail->flags & OUTPUT_ENDS) != 0;

  take_output (x, ends ? &x->handed.out : &mail->data);
  if (ends && x->handed.body.len != 0)
    buf_swap (&x->body, &x->handed.body);
  c->closing |= (mail->flags & OUTPUT_CLOSES) != 0;
  c->lost |= (mail->flags & OUTPUT_LOSES) != 0;
  if ((mail->flags & OUTPUT_BEGINS) != 0)
    c->state = CONN_STREAMING;
  if ((mail->flags & OUTPUT_UPGRADES) != 0)
    c->upgraded = c->lingers = true;
  conn_take_turn (c);
}

void
handed_apply (struct mail *mail)
{
  struct http_exchange *x = mail->x;
  struct handed *h = &x->handed;

  h->acknowledged = mail->seen;
  h->ended |= (mail->flags & OUTPUT_ENDS) != 0;
  if (!x->conn->parted)
    send_output (x, mail);
  buf_free (&mail->data);
  if (h->ended && h->acknowledged == h->posted)
    come_back (x);
  else if (!x->conn->parted)
    listen_or_wait (x);
}
