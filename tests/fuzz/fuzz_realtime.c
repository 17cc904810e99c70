/* What a Realtime service sends: as frames to the WebSocket client (a first byte of 0), or as
 * events, one a line, to a session's bridge.  Whatever comes, what goes out is one JSON object with
 * a type each time, and after one event at most one response is asked for. */
#include "fuzz.h"

#include "../unit/fake_calls.h"
#include "front/realtime/bridge.h"
#include "service/ws/client.h"
#include "service/ws/upgrade.h"
#include "session/session.h"

/* ---- a session and its bridge ---- */

struct theatre {
  struct fake_env fake;
  struct sessions *sessions;
  struct realtime_bridge *bridge;
  double now, wake;
  unsigned asked; /* since the last event */
};

static double
now (void *ctx)
{
  return ((struct theatre *) ctx)->now;
}

static struct toolset *
toolset_of (void *ctx, const char *tenant)
{
  (void) tenant;
  return catalog_toolset (((struct theatre *) ctx)->fake.env.catalog);
}

static bool
on_send (void *ctx, const char *json, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct theatre *t = ctx;
  struct json_tape tape;
  const struct json_node *type;

  HOLDS (json_read (&tape, json, len, &json_default_limits, &arena));
  type = json_member (&tape, json_root (&tape), "type");
  HOLDS (json_is (type, JSON_STRING));
  if (json_equals (&tape, type, "response.create") && memmem (json, len, "\"th_", 4) != NULL)
    HOLDS (++t->asked == 1);
  return true;
}

static void
on_act (void *ctx, enum realtime_action action, const char *argument, const char *call_id,
        const char *output, size_t len)
{
  (void) ctx;
  (void) call_id;
  (void) output;
  (void) len;
  HOLDS ((argument == NULL) == (action >= REALTIME_ASKS));
}

static void
on_session_ended (void *ctx)
{
  (void) ctx;
}

static void
on_wake (void *ctx, double at)
{
  ((struct theatre *) ctx)->wake = at;
}

static void
theatre_open (struct theatre *t, const struct providers *providers)
{
  struct sessions_settings settings = sessions_defaults;
  const struct session_wish wish = { .principal = "key:fuzz" };
  const struct realtime_owner owner = { .send = on_send,
                                        .act = on_act,
                                        .session_ended = on_session_ended,
                                        .now = now,
                                        .wake = on_wake,
                                        .ctx = t };
  struct realtime_wish bridge = {
    .call_id = "rtc", .providers = providers, .hangup_after = 1, .answer_within = 1
  };
  struct error err = { { 0 } };
  const char *code;

  *t = (struct theatre){ .now = 1 };
  fake_env_init (&t->fake);
  settings.calls = t->fake.env.calls;
  settings.now = now;
  settings.toolset = toolset_of;
  settings.ctx = t;
  settings.calls_max = 16; /* the played pipeline keeps no more */
  t->sessions = sessions_new (&settings);
  bridge.session = session_open (t->sessions, &wish, &code, &err);
  HOLDS (bridge.session != NULL);
  t->bridge = realtime_bridge_new (&bridge, &owner);
  realtime_bridge_connected (t->bridge);
}

static void
theatre_hear (struct theatre *t, const char *text, size_t len)
{
  t->asked = 0;
  realtime_bridge_hear (t->bridge, text, len);
}

static void
theatre_close (struct theatre *t)
{
  t->asked = 0;
  t->now += 2;
  if (t->wake != 0)
    realtime_bridge_tick (t->bridge);
  t->asked = 0;
  realtime_bridge_lost (t->bridge);
  realtime_bridge_connected (t->bridge);
  sessions_end_all (t->sessions, "over");
  realtime_bridge_free (t->bridge);
  sessions_free (t->sessions);
  fake_env_free (&t->fake);
}

/* ---- a wire ---- */

struct wire {
  struct theatre *theatre;
  const struct wire_events *events;
  void *ctx;
  const char *in;
  size_t in_len;
  struct buf out;
  bool ended, closed;
};

static void *
wire_dial (void *ctx, const struct url *url, bool private_too, const struct wire_events *events,
           void *events_ctx)
{
  struct wire *wire = ctx;

  (void) url;
  (void) private_too;
  wire->events = events;
  wire->ctx = events_ctx;
  return wire;
}

static ssize_t
wire_read (void *ctx, void *room, size_t size)
{
  struct wire *wire = ctx;
  const size_t n = wire->in_len < size ? wire->in_len : size;

  if (n == 0)
    return wire->ended ? -1 : 0;
  memcpy (room, wire->in, n);
  wire->in += n;
  wire->in_len -= n;
  return (ssize_t) n;
}

static ssize_t
wire_write (void *ctx, const void *data, size_t len)
{
  struct wire *wire = ctx;

  if (wire->ended)
    return -1;
  buf_append (&wire->out, data, len);
  return (ssize_t) len;
}

static void
wire_drop (void *ctx)
{
  (void) ctx;
}

static void
on_open (void *ctx)
{
  (void) ctx;
}

static void
on_message (void *ctx, const char *text, size_t len)
{
  HOLDS (utf8_valid (text, len));
  theatre_hear (((struct wire *) ctx)->theatre, text, len);
}

static void
on_closed (void *ctx, const struct ws_end *end)
{
  struct wire *wire = ctx;

  HOLDS (!wire->closed);
  HOLDS (is_harmless (end->why, 512));
  wire->closed = true;
}

static void
server_says (struct wire *wire, const char *bytes, size_t len)
{
  wire->in = bytes;
  wire->in_len = len;
  if (!wire->closed)
    wire->events->ready (wire->ctx);
}

/* A good handshake, or what the input has instead of one. */
static void
play_frames (struct theatre *t, struct ev_loop *loop, const uint8_t *data, size_t size)
{
  static const struct ws_client_events events = { on_open, on_message, on_closed };
  static const struct address address = { .v6 = false };
  struct wire wire = { .theatre = t };
  const struct dialer dialer = { wire_dial, wire_read, wire_write, wire_drop, &wire };
  struct url url = { .host = "h", .port = 80, .path = "/", .path_len = 1, .address = address };
  const struct ws_wish wish = { .url = &url, .message_max = 4096, .times = ws_default_times };
  struct ws_client *client = ws_client_new (loop, &dialer, &wish, &events, &wire);
  CLEANUP_BUF struct buf answer = { 0 };
  char accept[WS_ACCEPT_TEXT];
  size_t half = size / 2;

  wire.events->open (wire.ctx);
  ws_accept (strstr (buf_cstr (&wire.out), "-Key: ") + 6, WS_KEY_TEXT - 1, accept);
  buf_printf (&answer,
              "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              "Sec-WebSocket-Accept: %s\r\n\r\n",
              accept);
  if (size != 0 && data[0] != 'H')
    server_says (&wire, answer.data, answer.len);
  server_says (&wire, (const char *) data, half);
  server_says (&wire, (const char *) data + half, size - half);
  wire.ended = true;
  server_says (&wire, NULL, 0);
  if (!wire.closed)
    ws_client_drop (client);
  buf_free (&wire.out);
}

static void
play_lines (struct theatre *t, const char *text, size_t len)
{
  while (len != 0) {
    const char *end = memchr (text, '\n', len);
    const size_t line = end != NULL ? (size_t) (end - text) : len;
    theatre_hear (t, text, line);
    text += line + (end != NULL);
    len -= line + (end != NULL);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static struct providers *providers;
  static struct ev_loop *loop;
  struct theatre t;

  if (providers == NULL) {
    providers = providers_new ();
    loop = ev_loop_new (0);
  }
  theatre_open (&t, providers);
  if (size != 0 && data[0] == 0)
    play_frames (&t, loop, data + 1, size - 1);
  else
    play_lines (&t, (const char *) data, size);
  theatre_close (&t);
  return 0;
}
