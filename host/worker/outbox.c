#include "worker/outbox.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_write.h"

enum { MOST_PIECES = 8, CHUNK = FRAME_MAX - sizeof (struct frame_head) };

/* ---- the socket ------------------------------------------------------------------------- */

/* A plugin may have closed the descriptor or made it non-blocking; the first is its end. */
static void
send_datagram (const struct iovec *iov, size_t count)
{
  struct msghdr msg = { .msg_iov = (struct iovec *) iov, .msg_iovlen = count };

  while (sendmsg (FD_CONTROL, &msg, MSG_NOSIGNAL) < 0) {
    struct pollfd writable = { .fd = FD_CONTROL, .events = POLLOUT };
    if (errno == EPIPE || errno == ECONNRESET)
      _exit (WORKER_EXIT_OK);
    if (errno == EAGAIN)
      (void) poll (&writable, 1, -1);
    else if (errno != EINTR)
      _exit (WORKER_EXIT_PROTOCOL);
  }
}

static void
send_frame (enum frame_kind kind, uint16_t flags, uint64_t call,
            const struct piece_of_frame *pieces, size_t count)
{
  static const char zeros[FRAME_ALIGN];
  struct frame_head head = { .kind = (uint16_t) kind, .flags = flags, .call = call };
  struct iovec iov[MOST_PIECES + 2];
  size_t size = sizeof head, n = 0;

  iov[n++] = (struct iovec){ &head, sizeof head };
  for (size_t i = 0; i < count; i++) {
    size += pieces[i].len;
    iov[n++] = (struct iovec){ (void *) pieces[i].data, pieces[i].len };
  }
  head.size = (uint32_t) size;
  iov[n++] = (struct iovec){ (void *) zeros, frame_padded (size) - size };
  send_datagram (iov, n);
}

void
control_send (enum frame_kind kind, const char *text, size_t len)
{
  struct piece_of_frame piece = { text, len < CHUNK ? len : CHUNK };
  send_frame (kind, 0, 0, &piece, 1);
}

void
control_bye (const char *reason, const char *message)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  jsonw_object (&w);
  jsonw_name_string (&w, "reason", reason);
  jsonw_name_string (&w, "message", message);
  jsonw_end (&w);
  control_send (FRAME_BYE, text.data, text.len);
}

/* ---- the box ---------------------------------------------------------------------------- */

void
outbox_init (struct outbox *box)
{
  memset (box, 0, sizeof *box);
  pthread_mutex_init (&box->sending, NULL);
  pthread_mutex_init (&box->filling, NULL);
  box->fill = xmalloc (FRAME_MAX);
  box->spare = xmalloc (FRAME_MAX);
}

/* Empty the box; under `sending`. */
static void
send_waiting (struct outbox *box)
{
  char *full;
  size_t len;

  pthread_mutex_lock (&box->filling);
  full = box->fill;
  len = box->len;
  box->fill = box->spare;
  box->spare = full;
  box->len = 0;
  atomic_store_explicit (&box->waiting, 0, memory_order_relaxed);
  pthread_mutex_unlock (&box->filling);
  if (len != 0) {
    struct iovec iov = { full, len };
    send_datagram (&iov, 1);
  }
}

void
outbox_flush (struct outbox *box)
{
  pthread_mutex_lock (&box->sending);
  send_waiting (box);
  pthread_mutex_unlock (&box->sending);
}

void
outbox_rescue (struct outbox *box)
{
  if (pthread_mutex_trylock (&box->filling) != 0)
    return;
  if (box->len != 0) {
    struct iovec iov = { box->fill, box->len };
    send_datagram (&iov, 1);
  }
  /* Stays locked: the process is about to end and nothing must be sent twice. */
}

static size_t
frame_size (const struct piece_of_frame *pieces, size_t count)
{
  size_t size = sizeof (struct frame_head);

  for (size_t i = 0; i < count; i++)
    size += pieces[i].len;
  return size;
}

/* Under `filling`; the frame fits. */
static void
append (struct outbox *box, const struct frame_head *head, const struct piece_of_frame *pieces,
        size_t count)
{
  char *at = box->fill + box->len;

  memcpy (at, head, sizeof *head);
  at += sizeof *head;
  for (size_t i = 0; i < count; i++)
    if (pieces[i].len != 0)
      at = (char *) memcpy (at, pieces[i].data, pieces[i].len) + pieces[i].len;
  memset (at, 0, frame_padded (head->size) - head->size);
  box->len += frame_padded (head->size);
  atomic_store_explicit (&box->waiting, box->len, memory_order_relaxed);
}

void
outbox_put (struct outbox *box, enum frame_kind kind, uint16_t flags, uint64_t call,
            const struct piece_of_frame *pieces, size_t count)
{
  size_t size = frame_size (pieces, count);
  struct frame_head head = {
    .size = (uint32_t) size, .kind = (uint16_t) kind, .flags = flags, .call = call
  };

  for (;;) {
    bool fits;
    pthread_mutex_lock (&box->filling);
    fits = frame_padded (size) <= FRAME_MAX - box->len;
    if (fits)
      append (box, &head, pieces, count);
    pthread_mutex_unlock (&box->filling);
    if (fits)
      return;
    outbox_flush (box);
  }
}

void
outbox_text (struct outbox *box, enum frame_kind kind, const char *text, size_t len)
{
  do {
    struct piece_of_frame piece = { text, len < CHUNK ? len : CHUNK };
    text += piece.len;
    len -= piece.len;
    outbox_put (box, kind, len != 0 ? FRAME_MORE : 0, 0, &piece, 1);
  } while (len != 0);
  outbox_flush (box);
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

/* Parts, past the box but behind what waits in it. */
static void
send_parts (struct outbox *box, uint64_t call, struct body *body, size_t last)
{
  pthread_mutex_lock (&box->sending);
  send_waiting (box);
  while (body->len > last) {
    struct piece_of_frame cut[MOST_PIECES];
    size_t n = body_cut (body, CHUNK, cut);
    send_frame (FRAME_RESULT_PART, 0, call, cut, n);
  }
  pthread_mutex_unlock (&box->sending);
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
  if (body.len > room)
    send_parts (box, call, &body, room);
  outbox_put (box, FRAME_RESULT, 0, call, frame, 1 + body_cut (&body, room, frame + 1));
}
