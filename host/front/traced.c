#include "front/traced.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/json_tape.h"
#include "base/json_write.h"

static const char NAME[] = "\"traceparent\"";

bool
traced_parent (const struct http_exchange *x, struct trace_parent *parent)
{
  const struct slice header = http_header (x, "traceparent");
  struct slice state;

  *parent = (struct trace_parent){ .known = false };
  if (header.data == NULL || !trace_parent_read (parent, header.data, header.len))
    return false;
  state = http_header (x, "tracestate");
  trace_parent_state (parent, state.data, state.len);
  return true;
}

static bool
names_a_trace (struct slice metadata)
{
  return metadata.data != NULL
         && memmem (metadata.data, metadata.len, NAME, sizeof NAME - 1) != NULL;
}

/* What stands between the braces of an object; it was read strictly. */
static struct slice
inside_of (struct slice object)
{
  if (object.data == NULL)
    return (struct slice){ "", 0 };
  object.data++;
  object.len -= 2;
  while (object.len != 0 && strchr (" \t\r\n", *object.data) != NULL) {
    object.data++;
    object.len--;
  }
  return object;
}

struct slice
traced_metadata (const struct http_exchange *x, struct slice metadata)
{
  const struct slice inside = inside_of (metadata);
  struct arena *arena = http_request (x)->arena;
  CLEANUP_BUF struct buf out = { 0 };
  struct trace_parent parent;

  if (!traced_parent (x, &parent) || names_a_trace (metadata))
    return metadata;
  buf_printf (&out, "{%s:\"%.*s\"", NAME, TRACEPARENT_LEN, http_header (x, "traceparent").data);
  if (parent.state != NULL) {
    buf_puts (&out, ",\"tracestate\":\"");
    json_escape (&out, parent.state, parent.state_len);
    buf_putc (&out, '"');
  }
  if (inside.len != 0)
    buf_putc (&out, ',');
  buf_append (&out, inside.data, inside.len);
  buf_putc (&out, '}');
  return (struct slice){ arena_strndup (arena, out.data, out.len), out.len };
}

/* ---- its span ---- */

bool
traced_is_told (struct slice metadata, struct arena *arena)
{
  return trace_parent_in (metadata.data, metadata.len, arena).known;
}

/* With threads it was there before this turn of the loop. */
int64_t
traced_came (const struct front_env *env, const struct http_exchange *x)
{
  const int64_t came = http_came_ns (x);

  if (came != 0)
    return came;
  return env->turns != NULL && env->turns->loop != NULL ? env->turns->began : clock_ns ();
}

struct span *
traced_begin (const struct front_env *env, const struct http_exchange *x, const char *route,
              struct slice metadata)
{
  const struct http_request *request = http_request (x);
  struct trace_parent told, ambient;
  struct span *span;

  if (env->tracer == NULL)
    return NULL;
  told = trace_parent_in (metadata.data, metadata.len, request->arena);
  (void) traced_parent (x, &ambient);
  span = span_root (env->tracer, told.known ? &told : &ambient, SPAN_SERVER, traced_came (env, x));
  if (span == NULL)
    return NULL;
  span_name (span, "%.*s %s", (int) request->method.len, request->method.data, route);
  span_text_len (span, "http.request.method", request->method.data, request->method.len);
  span_text (span, "http.route", route);
  span_text_len (span, "url.path", request->path.data, request->path.len);
  span_text (span, "network.transport", request->peer->local ? "unix" : "tcp");
  span_text (span, "network.protocol.version", "1.1");
  return span;
}

void
traced_end (struct span *span, int status)
{
  char text[12];

  if (span == NULL)
    return;
  if (status != 0)
    span_int (span, "http.response.status_code", status);
  (void) snprintf (text, sizeof text, "%d", status);
  if (status >= 500 || status == 0)
    span_fail (span, status != 0 ? text : "client_gone", NULL);
  span_end (span, 0);
}
