#include "worker/in_session.h"

#include <string.h>

#include "base/json_write.h"
#include "worker/host_table.h"
#include "worker/tool_call.h"

_Static_assert((int) FRAME_EMIT_MAX == (int) TOOLHOST_EMIT_MAX
                 && (int) FRAME_EMITS_MAX == (int) TOOLHOST_EMITS_MAX,
               "the bounds that plugins are told are those of the frames");

static bool
is_event (const char *json, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *type;

  if (!json_read (&tape, json, len, &json_default_limits, &arena))
    return false;
  type = json_member (&tape, json_root (&tape), "type");
  return json_is (json_root (&tape), JSON_OBJECT) && json_is (type, JSON_STRING) && type->len != 0;
}

toolhost_status
in_session_emit (struct tool_call *call, const char *json, size_t len)
{
  if (!call->in_session)
    return TOOLHOST_NOT_GRANTED;
  if (call->stage != STAGE_EXECUTE || json == NULL || len > FRAME_EMIT_MAX || !is_event (json, len))
    return TOOLHOST_BAD_VALUE;
  if (tool_call_is_over (call) || len > FRAME_EMITS_MAX - call->emitted)
    return TOOLHOST_CANCELLED;
  call->emitted += len;
  call->host->port->emit (call->host->ctx, call, json, len);
  return TOOLHOST_OK;
}

/* ---- what the session knows, and who goes on -------------------------------------------- */

/* Ask the session; what is longer than it takes is not even sent. */
static toolhost_status
request (struct tool_call *call, const struct buf *json, const char **answer, size_t *len)
{
  const char *text;
  size_t text_len;
  toolhost_status status;

  if (json->len > FRAME_STATE_MAX)
    return TOOLHOST_BAD_VALUE;
  status = service_ask (call, FRAME_SERVICE_STATE, json->data, json->len, &text, &text_len);
  if (status == TOOLHOST_OK && answer != NULL) {
    *answer = text;
    *len = text_len;
  }
  return status;
}

/* Text that stands in JSON as a string. */
static bool
is_text (const char *text)
{
  return text != NULL && utf8_valid (text, strlen (text));
}

static bool
is_value (const char *json, size_t len, bool object)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json != NULL && len <= FRAME_STATE_MAX
         && json_read (&tape, json, len, &json_default_limits, &arena)
         && (!object || json_is (json_root (&tape), JSON_OBJECT));
}

/* { verb: an object of the tool's } */
static toolhost_status
wrapped (struct tool_call *call, const char *verb, const char *json, size_t len)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!call->in_session)
    return TOOLHOST_NOT_GRANTED;
  if (!is_value (json, len, true))
    return TOOLHOST_BAD_VALUE;
  jsonw_object (&w);
  jsonw_name_raw (&w, verb, json, len);
  jsonw_end (&w);
  return request (call, &out, NULL, NULL);
}

toolhost_status
in_session_handoff (struct tool_call *call, const char *json, size_t len)
{
  return wrapped (call, "handoff", json, len);
}

static toolhost_status
get (struct tool_call *call, const char *what, const char *where, const char **json, size_t *len)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!call->in_session)
    return TOOLHOST_NOT_GRANTED;
  if (!is_text (where))
    return TOOLHOST_BAD_VALUE;
  jsonw_object (&w);
  jsonw_name_string (&w, what, where);
  jsonw_end (&w);
  return request (call, &out, json, len);
}

toolhost_status
in_session_get (struct tool_call *call, const char *path, const char **json, size_t *len)
{
  const char *text = NULL;
  size_t text_len = 0;
  toolhost_status status = get (call, "get", path, &text, &text_len);

  if (json != NULL)
    *json = text;
  if (len != NULL)
    *len = text_len;
  return status;
}

toolhost_status
in_session_write (struct tool_call *call, const char *verb, const char *path, const char *json,
                  size_t len)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!call->in_session)
    return TOOLHOST_NOT_GRANTED;
  if (!is_text (path) || !is_value (json, len, false))
    return TOOLHOST_BAD_VALUE;
  jsonw_object (&w);
  jsonw_name (&w, verb);
  jsonw_object (&w);
  jsonw_name_len (&w, path, strlen (path)); /* the tool's text */
  jsonw_raw (&w, json, len);
  jsonw_end (&w);
  jsonw_end (&w);
  return request (call, &out, NULL, NULL);
}

toolhost_status
in_session_change (struct tool_call *call, const char *json, size_t len)
{
  toolhost_status status;

  if (call->in_session && call->stage != STAGE_EXECUTE)
    return TOOLHOST_BAD_VALUE;
  status = wrapped (call, "change", json, len);
  call->committed |= status == TOOLHOST_OK;
  return status;
}

toolhost_status
in_session_flag (struct tool_call *call, const char *name, bool on)
{
  return in_session_write (call, "flags", name, on ? "true" : "false", on ? 4 : 5);
}

toolhost_status
in_session_flag_get (struct tool_call *call, const char *name, bool *on)
{
  const char *text = NULL;
  size_t len = 0;
  toolhost_status status = get (call, "flag", name, &text, &len);

  if (on != NULL)
    *on = status == TOOLHOST_OK && strcmp (text, "true") == 0;
  return status;
}
