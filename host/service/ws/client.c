#include "service/ws/client.h"

#include <stdlib.h>
#include <sys/random.h>
#include <wslay/wslay.h>

#include "base/base64.h"
#include "service/ws/upgrade.h"

const struct ws_times ws_default_times = { .open = 10, .beat = 20, .close = 2 };

enum { READ_BYTES = 16 * 1024, NO_CODE = 1006 };

enum state { DIALLING, UPGRADING, OPEN, CLOSING };

struct ws_client {
  struct ev_loop *loop;
  struct dialer dialer;
  void *wire; /* NULL: it is gone */
  const struct ws_client_events *events;
  void *ctx;
  struct ws_times times;
  enum state state;
  bool alive;   /* heard of since the last ping */
  bool busy;    /* one of its functions is on the stack: nothing is freed */
  bool dropped; /* … and it is to be freed then */
  bool over;    /* the connection has ended */
  char accept[WS_ACCEPT_TEXT];
  struct buf in;  /* the head of the answer, and what came with it */
  struct buf out; /* what the wire has not taken */
  wslay_event_context_ptr wslay;
  ev_timer timer;
  int status;
  int closed_with; /* by us; 0: not */
  bool blocked;
  struct error why;
};

static void
client_free (struct ws_client *c)
{
  ev_timer_stop (c->loop, &c->timer);
  if (c->wire != NULL)
    c->dialer.drop (c->wire);
  wslay_event_context_free (c->wslay);
  buf_free (&c->in);
  buf_free (&c->out);
  free (c);
}

/* ---- the end ---- */

static int
close_code (const struct ws_client *c)
{
  if (c->closed_with != 0)
    return c->closed_with;
  return wslay_event_get_close_received (c->wslay) ? wslay_event_get_status_code_received (c->wslay)
                                                   : NO_CODE;
}

static void
tell_end (struct ws_client *c)
{
  const struct ws_client_events *events = c->events;
  const struct error why = c->why;
  const struct ws_end end = { .status = c->status,
                              .code = close_code (c),
                              .opened = c->state >= OPEN,
                              .blocked = c->blocked,
                              .why = why.text };
  void *ctx = c->ctx;

  client_free (c);
  events->closed (ctx, &end);
}

/* What had to wait until nothing of the client is on the stack. */
static void
leave (struct ws_client *c)
{
  c->busy = false;
  if (c->dropped)
    client_free (c);
  else if (c->over)
    tell_end (c);
}

static void
finish (struct ws_client *c, const char *why)
{
  if (!c->over && c->why.text[0] == '\0')
    (void) error_set (&c->why, "%s", why);
  c->over = true;
}

/* … when the timer comes to it: nobody is told from within a call of his own. */
static void
end_soon (struct ws_client *c)
{
  c->over = true;
  ev_timer_stop (c->loop, &c->timer);
  ev_timer_set (&c->timer, 0, 0);
  ev_timer_start (c->loop, &c->timer);
}

/* ---- bytes ---- */

static void
flush (struct ws_client *c)
{
  ssize_t n;

  while (!c->over && c->out.len != 0) {
    n = c->dialer.write (c->wire, c->out.data, c->out.len);
    if (n < 0)
      return finish (c, "the connection broke off");
    if (n == 0)
      return;
    buf_consume (&c->out, (size_t) n);
  }
}

static ssize_t
take_frames (wslay_event_context_ptr wslay, const uint8_t *data, size_t len, int flags,
             void *user_data)
{
  struct ws_client *c = user_data;

  (void) wslay;
  (void) flags;
  buf_append (&c->out, data, len);
  return (ssize_t) len;
}

static ssize_t
give_frames (wslay_event_context_ptr wslay, uint8_t *room, size_t size, int flags, void *user_data)
{
  struct ws_client *c = user_data;
  ssize_t n;

  (void) flags;
  if (c->in.len != 0) {
    n = (ssize_t) (c->in.len < size ? c->in.len : size);
    memcpy (room, c->in.data, (size_t) n);
    buf_consume (&c->in, (size_t) n);
    return n;
  }
  n = c->over || c->dropped ? 0 : c->dialer.read (c->wire, room, size);
  if (n > 0)
    return n;
  if (n < 0)
    finish (c, "the connection broke off");
  wslay_event_set_error (wslay, WSLAY_ERR_WOULDBLOCK);
  return -1;
}

static int
make_mask (wslay_event_context_ptr wslay, uint8_t *mask, size_t len, void *user_data)
{
  (void) wslay;
  (void) user_data;
  return getrandom (mask, len, 0) == (ssize_t) len ? 0 : -1;
}

/* Frames that are queued go out. */
static void
send_frames (struct ws_client *c)
{
  if (c->over)
    return;
  if (wslay_event_send (c->wslay) != 0)
    return finish (c, "frames can't be made");
  flush (c);
}

static void
queue_close (struct ws_client *c, int code, const char *reason)
{
  c->state = CLOSING;
  c->closed_with = code;
  (void) wslay_event_queue_close (c->wslay, (uint16_t) code, (const uint8_t *) reason,
                                  strlen (reason));
  ev_timer_stop (c->loop, &c->timer);
  ev_timer_set (&c->timer, c->times.close, 0);
  ev_timer_start (c->loop, &c->timer);
}

static void
on_message (wslay_event_context_ptr wslay, const struct wslay_event_on_msg_recv_arg *arg,
            void *user_data)
{
  struct ws_client *c = user_data;

  (void) wslay;
  c->alive = true;
  if (wslay_is_ctrl_frame (arg->opcode) || c->state != OPEN || c->dropped)
    return;
  if (arg->opcode == WSLAY_TEXT_FRAME)
    return c->events->message (c->ctx, arg->msg_length != 0 ? (const char *) arg->msg : "",
                               arg->msg_length);
  (void) error_set (&c->why, "the server sent bytes that are no text");
  queue_close (c, WSLAY_CODE_UNSUPPORTED_DATA, "text alone is understood");
}

/* wslay answers what is wrong with a close of its own. */
static void
read_frames (struct ws_client *c)
{
  if (wslay_event_recv (c->wslay) != 0)
    finish (c, "what came is no WebSocket");
  send_frames (c);
  if (wslay_event_get_close_received (c->wslay) && c->out.len == 0)
    finish (c, "closed");
  else if (wslay_event_get_close_sent (c->wslay) && !wslay_event_get_read_enabled (c->wslay))
    finish (c, "what came is no WebSocket, or too much");
}

/* ---- the handshake ---- */

static void
begin_frames (struct ws_client *c, size_t used)
{
  buf_consume (&c->in, used);
  c->state = OPEN;
  c->alive = true;
  ev_timer_stop (c->loop, &c->timer);
  ev_timer_set (&c->timer, c->times.beat, c->times.beat);
  ev_timer_start (c->loop, &c->timer);
  c->events->open (c->ctx);
  if (!c->dropped)
    read_frames (c);
}

static void
read_answer (struct ws_client *c)
{
  ssize_t n = 1;
  size_t used;

  while (c->in.len < WS_HEAD_MAX && n > 0) {
    n = c->dialer.read (c->wire, buf_reserve (&c->in, READ_BYTES), READ_BYTES);
    c->in.len += n > 0 ? (size_t) n : 0;
  }
  if (c->in.len == 0)
    return n < 0 ? finish (c, "the connection broke off") : (void) 0;
  switch (ws_upgrade_read (c->in.data, c->in.len, c->accept, &used, &c->status, &c->why)) {
  case WS_UPGRADE_DONE:
    c->status = 0;
    return begin_frames (c, used);
  case WS_UPGRADE_REFUSED:
    return finish (c, "refused");
  case WS_UPGRADE_MORE:
    if (n < 0)
      finish (c, "the connection broke off");
  }
}

/* ---- the wire ---- */

static void
on_open (void *ctx)
{
  struct ws_client *c = ctx;

  c->busy = true;
  c->state = UPGRADING;
  flush (c);
  leave (c);
}

static void
on_ready (void *ctx)
{
  struct ws_client *c = ctx;

  c->busy = true;
  flush (c);
  if (!c->over && c->state == UPGRADING)
    read_answer (c);
  else if (!c->over)
    read_frames (c);
  leave (c);
}

static void
on_failed (void *ctx, bool blocked, const char *why)
{
  struct ws_client *c = ctx;

  c->wire = NULL;
  c->blocked = blocked;
  c->busy = true;
  finish (c, why);
  leave (c);
}

static void
beat (struct ws_client *c)
{
  static const struct wslay_event_msg ping = { .opcode = WSLAY_PING };

  if (!c->alive)
    return finish (c, "the server answers no ping");
  c->alive = false;
  (void) wslay_event_queue_msg (c->wslay, &ping);
  send_frames (c);
}

static void
on_time (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct ws_client *c = timer->data;

  (void) loop;
  (void) revents;
  c->busy = true;
  if (c->state == OPEN)
    beat (c);
  else
    finish (c, c->state == CLOSING ? "the server did not close it" : "it took too long to open");
  leave (c);
}

/* ---- beginning ---- */

static void
begin_handshake (struct ws_client *c, const struct ws_wish *wish)
{
  CLEANUP_BUF struct buf key = { 0 };
  char bytes[WS_KEY_BYTES];

  if (getrandom (bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes)
    abort (); /* never short: libc waits for the pool at start only */
  base64_encode (BASE64_PADDED, bytes, sizeof bytes, &key);
  ws_accept (key.data, key.len, c->accept);
  ws_upgrade_write (&c->out, wish->url, buf_cstr (&key), wish->headers, wish->headers_count);
}

struct ws_client *
ws_client_new (struct ev_loop *loop, const struct dialer *dialer, const struct ws_wish *wish,
               const struct ws_client_events *events, void *ctx)
{
  static const struct wslay_event_callbacks callbacks = { .recv_callback = give_frames,
                                                          .send_callback = take_frames,
                                                          .genmask_callback = make_mask,
                                                          .on_msg_recv_callback = on_message };
  static const struct wire_events wire_events = { .open = on_open,
                                                  .ready = on_ready,
                                                  .failed = on_failed };
  struct ws_client *c = xcalloc (1, sizeof *c);

  *c = (struct ws_client){
    .loop = loop, .dialer = *dialer, .events = events, .ctx = ctx, .times = wish->times
  };
  if (wslay_event_context_client_init (&c->wslay, &callbacks, c) != 0)
    abort (); /* there is always some memory, see base/memory.h */
  wslay_event_config_set_max_recv_msg_length (c->wslay, wish->message_max);
  ev_timer_init (&c->timer, on_time, c->times.open, 0);
  c->timer.data = c;
  begin_handshake (c, wish);
  c->wire = dialer->dial (dialer->ctx, wish->url, wish->private_too, &wire_events, c);
  if (c->wire == NULL) {
    client_free (c);
    return NULL;
  }
  ev_timer_start (loop, &c->timer);
  return c;
}

/* From the outside: what was queued goes out. */
static void
push (struct ws_client *c)
{
  if (c->busy)
    return; /* it does in any case */
  send_frames (c);
  if (c->over)
    end_soon (c);
}

bool
ws_client_send (struct ws_client *c, const char *text, size_t len)
{
  const struct wslay_event_msg message = { .opcode = WSLAY_TEXT_FRAME,
                                           .msg = (const uint8_t *) text,
                                           .msg_length = len };

  if (c->state != OPEN || c->over || c->dropped || c->out.len > WS_BACKLOG_MAX
      || wslay_event_queue_msg (c->wslay, &message) != 0)
    return false;
  push (c);
  return true;
}

void
ws_client_close (struct ws_client *c, int code, const char *reason)
{
  if (c->state == OPEN) {
    queue_close (c, code, reason);
    push (c);
  }
  else if (c->state < OPEN) {
    (void) error_set (&c->why, "given up");
    end_soon (c);
  }
}

void
ws_client_drop (struct ws_client *c)
{
  if (c == NULL)
    return;
  c->dropped = true;
  if (!c->busy)
    client_free (c);
}
