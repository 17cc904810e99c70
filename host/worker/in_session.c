#include "worker/in_session.h"

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
