#include "front/ws/as_realtime.h"

#include <stdlib.h>

#include "base/clock.h"

struct as_realtime {
  struct ev_loop *loop;
  struct as_realtime_peer peer;
  struct realtime_bridge *bridge;
  ev_timer wake;
};

static bool
send_event (void *ctx, const char *json, size_t len)
{
  struct as_realtime *as = ctx;

  return as->peer.put (as->peer.ctx, json, len);
}

/* What the service can't do is the application's. */
static void
act (void *ctx, enum realtime_action action, const char *argument, const char *call_id,
     const char *output, size_t len)
{
  struct as_realtime *as = ctx;
  static const char *const types[] = { [REALTIME_HANGUP] = "toolhost.end_call",
                                       [REALTIME_REFER] = "toolhost.output",
                                       [REALTIME_DTMF] = "toolhost.output",
                                       [REALTIME_ASKS] = "toolhost.tool_call_asks",
                                       [REALTIME_APPROVAL] = "toolhost.tool_approval_required",
                                       [REALTIME_OTHER] = "toolhost.output" };
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "type", types[action]);
  if (action == REALTIME_HANGUP)
    jsonw_name_string (&w, "reason", argument);
  if (call_id != NULL)
    jsonw_name_string (&w, "call_id", call_id);
  if (output != NULL)
    jsonw_name_raw (&w,
                    action == REALTIME_ASKS       ? "requests"
                    : action == REALTIME_APPROVAL ? "approval"
                                                  : "output",
                    output, len);
  jsonw_end (&w);
  (void) as->peer.put (as->peer.ctx, out.data, out.len);
}

static void
unanswered (void *ctx, const char *event_id)
{
  struct as_realtime *as = ctx;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "type", "toolhost.response_unanswered");
  jsonw_name_string (&w, "event_id", event_id);
  jsonw_end (&w);
  (void) as->peer.put (as->peer.ctx, out.data, out.len);
}

static void
session_ended (void *ctx)
{
  struct as_realtime *as = ctx;

  as->peer.session_ended (as->peer.ctx);
}

static double
now (void *ctx)
{
  (void) ctx;
  return (double) clock_ns () / 1e9;
}

static void
wake (void *ctx, double at)
{
  struct as_realtime *as = ctx;

  const double left = at - now (NULL);

  ev_timer_stop (as->loop, &as->wake);
  if (at == 0)
    return;
  ev_timer_set (&as->wake, left > 0 ? left : 0, 0);
  ev_timer_start (as->loop, &as->wake);
}

static void
on_wake (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct as_realtime *as = timer->data;

  (void) loop;
  (void) revents;
  realtime_bridge_tick (as->bridge);
}

struct as_realtime *
as_realtime_new (struct ev_loop *loop, const struct realtime_wish *wish,
                 const struct as_realtime_peer *peer)
{
  struct as_realtime *as = xcalloc (1, sizeof *as);
  const struct realtime_owner owner = { .send = send_event,
                                        .act = act,
                                        .session_ended = session_ended,
                                        .unanswered = unanswered,
                                        .now = now,
                                        .wake = wake,
                                        .ctx = as };

  as->loop = loop;
  as->peer = *peer;
  ev_timer_init (&as->wake, on_wake, 0, 0);
  as->wake.data = as;
  as->bridge = realtime_bridge_new (wish, &owner);
  realtime_bridge_connected (as->bridge);
  return as;
}

void
as_realtime_hear (struct as_realtime *as, const char *text, size_t len)
{
  realtime_bridge_hear (as->bridge, text, len);
}

void
as_realtime_free (struct as_realtime *as)
{
  if (as == NULL)
    return;
  ev_timer_stop (as->loop, &as->wake);
  realtime_bridge_free (as->bridge);
  free (as);
}
