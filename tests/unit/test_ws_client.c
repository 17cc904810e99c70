#include <stdlib.h>

#include "service/ws/client.h"
#include "service/ws/upgrade.h"
#include "tap.h"

/* ---- a wire that the test plays ---- */

struct played_wire {
  const struct wire_events *events;
  void *ctx;
  struct buf in;  /* what the server sends */
  struct buf out; /* what it got */
  size_t room;    /* bytes that it takes; SIZE_MAX: all */
  bool ended, dropped;
  char host[64];
};

static void *
wire_dial (void *ctx, const struct url *url, bool private_too, const struct wire_events *events,
           void *events_ctx)
{
  struct played_wire *wire = ctx;

  (void) private_too;
  wire->events = events;
  wire->ctx = events_ctx;
  snprintf (wire->host, sizeof wire->host, "%.63s", url->host);
  return wire;
}

static ssize_t
wire_read (void *ctx, void *room, size_t size)
{
  struct played_wire *wire = ctx;
  const size_t n = wire->in.len < size ? wire->in.len : size;

  if (n == 0)
    return wire->ended ? -1 : 0;
  memcpy (room, wire->in.data, n);
  buf_consume (&wire->in, n);
  return (ssize_t) n;
}

static ssize_t
wire_write (void *ctx, const void *data, size_t len)
{
  struct played_wire *wire = ctx;
  const size_t n = len < wire->room ? len : wire->room;

  if (wire->ended)
    return -1;
  buf_append (&wire->out, data, n);
  wire->room -= wire->room == SIZE_MAX ? 0 : n;
  return (ssize_t) n;
}

static void
wire_drop (void *ctx)
{
  ((struct played_wire *) ctx)->dropped = true;
}

/* ---- a client on it ---- */

struct play {
  struct ev_loop *loop;
  struct played_wire wire;
  struct ws_client *client;
  unsigned opened, messages;
  char last[256];
  size_t last_len;
  bool closed, drop_on_message;
  struct ws_end end;
  char why[512];
};

static void
on_open (void *ctx)
{
  ((struct play *) ctx)->opened++;
}

static void
on_message (void *ctx, const char *text, size_t len)
{
  struct play *p = ctx;

  p->messages++;
  p->last_len = len;
  memcpy (p->last, text, len < sizeof p->last ? len : sizeof p->last);
  if (!p->drop_on_message)
    return;
  ws_client_drop (p->client);
  p->client = NULL;
}

static void
on_closed (void *ctx, const struct ws_end *end)
{
  struct play *p = ctx;

  CU_ASSERT_FALSE (p->closed);
  p->closed = true;
  p->end = *end;
  snprintf (p->why, sizeof p->why, "%s", end->why);
  p->client = NULL;
}

static void
begin (struct play *p, struct ws_times times)
{
  static const struct ws_client_events events = { on_open, on_message, on_closed };
  static const struct http_header header = { "Authorization", "Bearer k" };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct dialer dialer = { wire_dial, wire_read, wire_write, wire_drop, &p->wire };
  struct url url;
  const char *text = "http://ws.example.com:8080/v1/realtime?call_id=rtc%201";
  struct ws_wish wish = {
    .url = &url, .headers = &header, .headers_count = 1, .message_max = 1024, .times = times
  };

  *p = (struct play){ .loop = ev_loop_new (0), .wire = { .room = SIZE_MAX } };
  CU_ASSERT_TRUE_FATAL (url_read (&url, text, strlen (text), &arena, NULL));
  p->client = ws_client_new (p->loop, &dialer, &wish, &events, p);
  CU_ASSERT_PTR_NOT_NULL_FATAL (p->client);
}

static void
server_says (struct play *p, const void *bytes, size_t len)
{
  buf_append (&p->wire.in, bytes, len);
  p->wire.events->ready (p->wire.ctx);
}

/* The answer to the handshake that the client sent. */
static void
put_answer (struct play *p, struct buf *out)
{
  static const char name[] = "Sec-WebSocket-Key: ";
  const char *key = strstr (buf_cstr (&p->wire.out), name);
  char accept[WS_ACCEPT_TEXT];

  CU_ASSERT_PTR_NOT_NULL_FATAL (key);
  ws_accept (key + sizeof name - 1, WS_KEY_TEXT - 1, accept);
  buf_printf (out,
              "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\n"
              "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
              accept);
}

static void
open_it (struct play *p)
{
  CLEANUP_BUF struct buf answer = { 0 };

  begin (p, ws_default_times);
  p->wire.events->open (p->wire.ctx);
  put_answer (p, &answer);
  buf_reset (&p->wire.out, 0);
  server_says (p, answer.data, answer.len);
  CU_ASSERT_EQUAL_FATAL (p->opened, 1);
}

static void
finish (struct play *p)
{
  ws_client_drop (p->client);
  CU_ASSERT_TRUE (p->wire.dropped);
  buf_free (&p->wire.in);
  buf_free (&p->wire.out);
  ev_loop_destroy (p->loop);
}

/* A frame of a client without its mask; the opcode, or -1: there is none. */
static int
take_frame (struct play *p, char *payload, size_t *len)
{
  const unsigned char *b = (const unsigned char *) p->wire.out.data;

  if (p->wire.out.len < 6)
    return -1;
  *len = b[1] & 0x7f;
  CU_ASSERT_EQUAL_FATAL (b[1] & 0x80, 0x80);
  CU_ASSERT_FATAL (*len < 126 && p->wire.out.len >= *len + 6);
  for (size_t i = 0; i < *len; i++)
    payload[i] = (char) (b[6 + i] ^ b[2 + i % 4]);
  int opcode = b[0] & 0x0f;
  buf_consume (&p->wire.out, *len + 6);
  return opcode;
}

/* ---- handshakes ---- */

static void
test_upgrade (void)
{
  struct play p;
  char accept[WS_ACCEPT_TEXT];

  ws_accept ("dGhlIHNhbXBsZSBub25jZQ==", 24, accept); /* RFC 6455, 1.3 */
  CU_ASSERT_STRING_EQUAL (accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  open_it (&p);
  CU_ASSERT_STRING_EQUAL (p.wire.host, "ws.example.com");
  finish (&p);
  begin (&p, ws_default_times);
  CU_ASSERT_EQUAL (p.wire.out.len, 0);
  p.wire.events->open (p.wire.ctx);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&p.wire.out),
                                  "GET /v1/realtime?call_id=rtc%201 HTTP/1.1\r\n"
                                  "Host: ws.example.com:8080\r\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (p.wire.out.data, "\r\nAuthorization: Bearer k\r\n\r\n"));
  finish (&p);
}

static void
test_byte_by_byte (void)
{
  CLEANUP_BUF struct buf answer = { 0 };
  struct play p;

  begin (&p, ws_default_times);
  p.wire.events->open (p.wire.ctx);
  put_answer (&p, &answer);
  buf_append (&answer, "\x81\x02hi", 4); /* a message comes with it */
  for (size_t i = 0; i < answer.len; i++)
    server_says (&p, answer.data + i, 1);
  CU_ASSERT_EQUAL (p.opened, 1);
  CU_ASSERT_EQUAL (p.messages, 1);
  CU_ASSERT_EQUAL (memcmp (p.last, "hi", 2), 0);
  finish (&p);
}

static const struct {
  const char *answer, *why;
  int status;
} refusals[] = {
  { "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "the server answered with status 404",
    404 },
  { "HTTP/1.1 200 OK\r\n\r\n", "the server answered with status 200", 200 },
  { "SSH-2.0-x\r\n\r\n", "what came is no HTTP", 0 },
  { "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "the answer does not upgrade the connection", 101 },
  { "HTTP/1.1 101 x\r\n\r\n", "the answer does not upgrade the connection", 101 },
  { "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
    "Sec-WebSocket-Accept answers another request", 101 },
  { "HTTP/1.1 101 x\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
    "the server wants an extension or protocol that nobody asked for", 101 },
};

static void
test_refused (void)
{
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    struct play p;
    begin (&p, ws_default_times);
    p.wire.events->open (p.wire.ctx);
    server_says (&p, refusals[i].answer, strlen (refusals[i].answer));
    CU_ASSERT_TRUE (p.closed);
    CU_ASSERT_FALSE (p.end.opened);
    CU_ASSERT_EQUAL (p.end.status, refusals[i].status);
    CU_ASSERT_STRING_EQUAL (p.why, refusals[i].why);
    finish (&p);
  }
}

static void
test_endless_head (void)
{
  char line[1024];
  struct play p;

  memset (line, 'x', sizeof line);
  begin (&p, ws_default_times);
  p.wire.events->open (p.wire.ctx);
  for (size_t i = 0; i < WS_HEAD_MAX / sizeof line && !p.closed; i++)
    server_says (&p, line, sizeof line);
  CU_ASSERT_TRUE (p.closed);
  CU_ASSERT_STRING_EQUAL (p.why, "the answer has no end");
  finish (&p);
}

static void
test_no_connection (void)
{
  struct play p;

  begin (&p, ws_default_times);
  p.wire.events->failed (p.wire.ctx, true, "blocked it is");
  CU_ASSERT_TRUE (p.closed && p.end.blocked && !p.end.opened);
  CU_ASSERT_STRING_EQUAL (p.why, "blocked it is");
  p.wire.dropped = true; /* it was the wire's own end */
  finish (&p);
}

/* ---- messages ---- */

static void
test_messages (void)
{
  char payload[128];
  size_t len;
  struct play p;

  open_it (&p);
  CU_ASSERT_TRUE (ws_client_send (p.client, "{}", 2));
  CU_ASSERT_EQUAL (take_frame (&p, payload, &len), 1);
  CU_ASSERT (len == 2 && memcmp (payload, "{}", 2) == 0);
  server_says (&p, "\x01\x02he\x89\x01?\x80\x03llo", 12); /* parts, and a ping between them */
  CU_ASSERT_EQUAL (p.messages, 1);
  CU_ASSERT (p.last_len == 5 && memcmp (p.last, "hello", 5) == 0);
  CU_ASSERT_EQUAL (take_frame (&p, payload, &len), 10);
  CU_ASSERT (len == 1 && payload[0] == '?');
  server_says (&p, "\x81\x00", 2);
  CU_ASSERT_EQUAL (p.messages, 2);
  CU_ASSERT_EQUAL (p.last_len, 0);
  finish (&p);
}

static const struct {
  const char *frame;
  size_t len;
  int code; /* of the close that answers it */
} bad_frames[] = {
  { "\x82\x01x", 3, 1003 },        /* bytes */
  { "\x81\x81....x", 7, 1002 },    /* a mask */
  { "\x83\x00", 2, 1002 },         /* an opcode that is none */
  { "\xc1\x00", 2, 1002 },         /* a bit that nobody agreed upon */
  { "\x81\x02\xff\xfe", 4, 1007 }, /* no UTF-8 */
  { "\x80\x00", 2, 1002 },         /* goes on with nothing */
  { "\x81\x7e\x10\x00", 4, 1009 }, /* 4096 bytes */
  { "\x89\x7e\x00\x7e", 4, 1002 }, /* a large ping */
};

static void
test_bad_frames (void)
{
  for (size_t i = 0; i < sizeof bad_frames / sizeof bad_frames[0]; i++) {
    char payload[128];
    size_t len;
    struct play p;
    open_it (&p);
    server_says (&p, bad_frames[i].frame, bad_frames[i].len);
    CU_ASSERT_EQUAL (p.messages, 0);
    if (p.wire.out.len != 0) {
      CU_ASSERT_EQUAL (take_frame (&p, payload, &len), 8);
      CU_ASSERT_EQUAL ((unsigned char) payload[0] * 256 + (unsigned char) payload[1],
                       bad_frames[i].code);
    }
    p.wire.ended = true;
    if (!p.closed)
      p.wire.events->ready (p.wire.ctx);
    CU_ASSERT_TRUE (p.closed);
    CU_ASSERT_TRUE (p.end.opened);
    CU_ASSERT_NOT_EQUAL (p.end.code, 1000);
    finish (&p);
  }
}

static void
test_slow_server (void)
{
  static char text[64 * 1024];
  unsigned sent = 0;
  struct play p;

  memset (text, 'x', sizeof text);
  open_it (&p);
  p.wire.room = 10;
  while (sent < 1000 && ws_client_send (p.client, text, sizeof text))
    sent++;
  CU_ASSERT (sent >= WS_BACKLOG_MAX / sizeof text && sent <= WS_BACKLOG_MAX / sizeof text + 1);
  p.wire.room = SIZE_MAX;
  p.wire.events->ready (p.wire.ctx);
  CU_ASSERT_EQUAL (p.wire.out.len, sent * (sizeof text + 14));
  CU_ASSERT_TRUE (ws_client_send (p.client, "x", 1));
  finish (&p);
}

static void
test_dropped_within (void)
{
  struct play p;

  open_it (&p);
  p.drop_on_message = true;
  server_says (&p, "\x81\x01x\x81\x01y", 6);
  CU_ASSERT_EQUAL (p.messages, 1);
  CU_ASSERT_FALSE (p.closed);
  finish (&p);
}

/* ---- ends ---- */

static void
test_closed_by_server (void)
{
  char payload[128];
  size_t len;
  struct play p;

  open_it (&p);
  server_says (&p,
               "\x88\x05\x03\xe8"
               "bye",
               7);
  CU_ASSERT_TRUE (p.closed && p.end.opened);
  CU_ASSERT_EQUAL (p.end.code, 1000);
  CU_ASSERT_EQUAL (take_frame (&p, payload, &len), 8);
  finish (&p);
  open_it (&p);
  p.wire.ended = true;
  p.wire.events->ready (p.wire.ctx);
  CU_ASSERT_TRUE (p.closed && p.end.opened);
  CU_ASSERT_EQUAL (p.end.code, 1006);
  CU_ASSERT_STRING_EQUAL (p.why, "the connection broke off");
  finish (&p);
}

static void
test_closed_by_us (void)
{
  char payload[128];
  size_t len;
  struct play p;

  open_it (&p);
  ws_client_close (p.client, 1000, "over");
  CU_ASSERT_FALSE (ws_client_send (p.client, "x", 1));
  CU_ASSERT_EQUAL (take_frame (&p, payload, &len), 8);
  CU_ASSERT (len == 6 && memcmp (payload + 2, "over", 4) == 0);
  CU_ASSERT_FALSE (p.closed);
  server_says (&p, "\x88\x02\x03\xe8", 4);
  CU_ASSERT_TRUE (p.closed);
  CU_ASSERT_EQUAL (p.end.code, 1000);
  finish (&p);
  begin (&p, ws_default_times); /* before it was open */
  ws_client_close (p.client, 1000, "over");
  CU_ASSERT_FALSE (p.closed);
  ev_run (p.loop, 0);
  CU_ASSERT_TRUE (p.closed && !p.end.opened);
  finish (&p);
}

/* The loop ends when no timer is left: nothing is waited for but what is to come. */
static void
test_time (void)
{
  static const struct ws_times short_times = { .open = 0.01, .beat = 0.01, .close = 0.01 };
  CLEANUP_BUF struct buf answer = { 0 };
  char payload[128];
  size_t len;
  struct play p;

  begin (&p, short_times);
  ev_run (p.loop, 0);
  CU_ASSERT_TRUE (p.closed);
  CU_ASSERT_STRING_EQUAL (p.why, "it took too long to open");
  finish (&p);

  begin (&p, short_times);
  p.wire.events->open (p.wire.ctx);
  put_answer (&p, &answer);
  buf_reset (&p.wire.out, 0);
  server_says (&p, answer.data, answer.len);
  ev_run (p.loop, 0);
  CU_ASSERT_TRUE (p.closed);
  CU_ASSERT_STRING_EQUAL (p.why, "the server answers no ping");
  CU_ASSERT_EQUAL (take_frame (&p, payload, &len), 9);
  finish (&p);
}

static CU_TestInfo tests[] = {
  { "the handshake", test_upgrade },
  { "byte by byte, and a message with it", test_byte_by_byte },
  { "answers that are none", test_refused },
  { "a head without end", test_endless_head },
  { "no connection", test_no_connection },
  { "messages, parts and pings", test_messages },
  { "frames that are none", test_bad_frames },
  { "a server that reads slowly", test_slow_server },
  { "dropped by its owner from within", test_dropped_within },
  { "closed by the server", test_closed_by_server },
  { "closed by us", test_closed_by_us },
  { "what takes too long", test_time },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "ws_client", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
