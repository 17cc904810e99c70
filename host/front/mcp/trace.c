#include "front/mcp/trace.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "front/mcp/core.h"

enum { BAGGAGE_MAX = 8192 /* bytes, as W3C bounds it */ };

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
  struct trace_parent parent;
  const char *text = json_string (&m->tape, m->traceparent, m->arena, &trace.len);

  if (!trace_parent_read (&parent, text, trace.len))
    return (struct slice){ NULL, 0 };
  jsonw_object (&w);
  put (&w, m, "traceparent", TRACEPARENT_LEN);
  put (&w, m, "tracestate", TRACESTATE_MAX);
  put (&w, m, "baggage", BAGGAGE_MAX);
  jsonw_end (&w);
  trace.data = arena_strndup (m->arena, out.data, out.len);
  trace.len = out.len;
  return trace;
}

/* ---- spans ------------------------------------------------------------------------------ */

static struct trace_parent
parent_of (const struct mcp_message *m)
{
  struct trace_parent parent = { .known = false };
  size_t len = 0;
  const char *text = json_string (&m->tape, m->traceparent, m->arena, &len);

  if (!trace_parent_read (&parent, text, len))
    return parent;
  text = json_string (&m->tape, json_member (&m->tape, m->meta, "tracestate"), m->arena, &len);
  trace_parent_state (&parent, text, len);
  return parent;
}

/* When it was there: not before the turn of the loop that brought it began. */
static int64_t
began (const struct mcp_request *r)
{
  const struct turns *turns = r->core->env->turns;

  if (r->came_ns != 0)
    return r->came_ns;
  return turns != NULL && turns->loop != NULL ? turns->began : clock_ns ();
}

static void
put_carrier (struct span *span, const struct mcp_request *r)
{
  const bool is_stdio = strcmp (r->core->carrier->front, "stdio") == 0;

  span_text (span, "network.transport", is_stdio ? "pipe" : r->is_local ? "unix" : "tcp");
  if (is_stdio)
    return;
  span_text (span, "network.protocol.name", "http");
  span_text (span, "network.protocol.version", "1.1");
}

static void
put_id (struct span *span, struct slice id)
{
  const bool is_text = id.len >= 2 && id.data[0] == '"';

  if (id.data != NULL)
    span_text_len (span, "jsonrpc.request.id", id.data + (is_text ? 1 : 0),
                   id.len - (is_text ? 2 : 0));
}

static void
put_peer (struct span *span, const struct mcp_request *r)
{
  span_text (span, "mcp.protocol.version",
             r->era == MCP_MODERN ? MCP_MODERN_VERSION : r->peer->version);
  if (r->era == MCP_LEGACY)
    span_text (span, "mcp.session.id", r->session);
}

/* What of its parameters the conventions ask for. */
static void
put_target (struct span *span, const struct mcp_request *r, const struct mcp_message *m,
            const char *method)
{
  const bool is_tool = strcmp (method, "tools/call") == 0;
  const struct slice name = mcp_text (m, m->name), uri = mcp_param_text (m, "uri");

  if (is_tool)
    span_text (span, "gen_ai.operation.name", "execute_tool");
  if (is_tool || strcmp (method, "prompts/get") == 0)
    span_text_len (span, is_tool ? "gen_ai.tool.name" : "gen_ai.prompt.name", name.data, name.len);
  if (strncmp (method, "resources/", 10) == 0)
    span_text_len (span, "mcp.resource.uri", uri.data, uri.len);
  /* Clients may make up names: only one that there is names the span. */
  if (is_tool && name.data != NULL && r->set != NULL
      && toolset_find (r->set, name.data, name.len) != NULL)
    span_name (span, "%s %.*s", method, (int) name.len, name.data);
}

void
mcp_trace_begin (struct mcp_request *r, const struct mcp_message *m, const char *method)
{
  const struct trace_parent none = { .known = false };
  const struct trace_parent *ambient = r->ambient != NULL ? r->ambient : &none;
  const struct trace_parent told = parent_of (m);
  struct span *span =
    span_root (r->core->env->tracer, told.known ? &told : ambient, SPAN_SERVER, began (r));

  r->ambient = NULL;
  if (span == NULL)
    return;
  r->span = span;
  if (told.known)
    span_link (span, ambient);
  span_name (span, "%s", method != NULL ? method : "unknown");
  span_text_len (span, "mcp.method.name", m->method.data, m->method.len);
  put_peer (span, r);
  put_id (span, r->id);
  put_carrier (span, r);
  if (method != NULL)
    put_target (span, r, m, method);
}

void
mcp_trace_refused (const struct mcp_request *r, const struct mcp_fault *fault)
{
  char code[16];

  if (r->span == NULL)
    return;
  (void) snprintf (code, sizeof code, "%d", (int) fault->code);
  span_text (r->span, "rpc.response.status_code", code);
  span_fail (r->span, code, NULL);
}

void
mcp_trace_result (const struct mcp_request *r, const struct result *result)
{
  if (r->span == NULL || result == NULL || result->kind != CALL_TOOL
      || result->error == CALL_tool_not_found)
    return; /* what is refused says so itself */
  if (result->error != CALL_OK && result->error != CALL_input_required)
    span_fail (r->span, "tool_error", NULL);
}

/* ---- requests to the client ---- */

struct span *
mcp_trace_upcall (const struct mcp_request *r, const char *method, struct slice id)
{
  struct span *span = span_child (r->span, SPAN_CLIENT, clock_ns ());

  if (span == NULL)
    return NULL;
  span_name (span, "%s", method);
  span_text (span, "mcp.method.name", method);
  put_peer (span, r);
  put_id (span, id);
  put_carrier (span, r);
  return span;
}

static bool
is_empty (struct slice object)
{
  size_t at = 1;

  while (at < object.len && strchr (" \t\r\n", object.data[at]) != NULL)
    at++;
  return object.data == NULL || object.data[at] == '}';
}

void
mcp_trace_params (const struct span *span, struct slice *params, struct buf *room)
{
  static const char meta[] = "\"_meta\"";
  struct json_writer w = { .out = room };
  char traceparent[TRACEPARENT_LEN + 1];
  const bool alone = is_empty (*params);

  if (span == NULL || (!alone && memmem (params->data, params->len, meta, sizeof meta - 1) != NULL))
    return;
  buf_append (room, alone ? "{" : params->data, alone ? 1 : params->len - 1);
  buf_printf (room, "%s%s:", alone ? "" : ",", meta);
  span_traceparent (span, traceparent);
  jsonw_object (&w);
  jsonw_name_string (&w, "traceparent", traceparent);
  if (span_tracestate (span) != NULL)
    jsonw_name_string (&w, "tracestate", span_tracestate (span));
  jsonw_end (&w);
  buf_putc (room, '}');
  *params = (struct slice){ room->data, room->len };
}

void
mcp_trace_answered (struct span *span)
{
  span_end (span, 0);
}

void
mcp_trace_declined (struct span *span, const struct json_tape *tape, const struct json_node *error)
{
  const struct json_node *node = json_member (tape, error, "code");
  char text[24] = "_OTHER";
  int64_t code;

  if (span == NULL)
    return;
  if (node != NULL && json_int64 (tape, node, &code)) {
    (void) snprintf (text, sizeof text, "%lld", (long long) code);
    span_text (span, "rpc.response.status_code", text);
  }
  span_fail (span, text, NULL);
  span_end (span, 0);
}

void
mcp_trace_unanswered (struct span *span)
{
  span_fail (span, "cancelled", NULL);
  span_end (span, 0);
}
