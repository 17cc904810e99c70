#include "front/mcp/trace.h"

#include "base/json_write.h"

enum { TRACEPARENT_LEN = 55, STATE_MAX = 512, BAGGAGE_MAX = 8192 /* bytes, as W3C bounds them */ };

/* 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 */
static bool
is_traceparent (const char *text, size_t len)
{
  static const char form[] = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";

  if (len != TRACEPARENT_LEN)
    return false;
  for (size_t i = 0; i < len; i++)
    if (form[i] == 'h' ? strchr ("0123456789abcdef", text[i]) == NULL || text[i] == '\0'
                       : text[i] != '-')
      return false;
  return true;
}

static void
put (struct json_writer *w, const struct mcp_message *m, const char *name, size_t max)
{
  const struct json_node *node = json_member (&m->tape, m->meta, name);
  size_t len;
  const char *text = json_string (&m->tape, node, m->arena, &len);

  if (text != NULL && len <= max) {
    jsonw_name (w, name);
    jsonw_string_len (w, text, len);
  }
}

struct slice
mcp_trace (const struct mcp_message *m)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  struct slice trace = { NULL, 0 };
  const char *text = json_string (&m->tape, m->traceparent, m->arena, &trace.len);

  if (text == NULL || !is_traceparent (text, trace.len))
    return (struct slice){ NULL, 0 };
  jsonw_object (&w);
  put (&w, m, "traceparent", TRACEPARENT_LEN);
  put (&w, m, "tracestate", STATE_MAX);
  put (&w, m, "baggage", BAGGAGE_MAX);
  jsonw_end (&w);
  trace.data = arena_strndup (m->arena, out.data, out.len);
  trace.len = out.len;
  return trace;
}
