#include "voice.h"

toolhost_status
voice_nobody (toolhost_call *call)
{
  return toolhost_fail (call, "no_conversation",
                        "There is nobody to hear it: the call is in no session.");
}

toolhost_status
voice_emit (toolhost_call *call, struct text *event)
{
  toolhost_status status;

  json_close (event, '}');
  if (!text_ok (event))
    return toolhost_fail (call, "out_of_memory", "There is no memory for what is to be said.");
  status = toolhost_emit (call, text_get (event));
  if (status == TOOLHOST_OK)
    return TOOLHOST_OK;
  if (status == TOOLHOST_NOT_GRANTED)
    return voice_nobody (call);
  return toolhost_fail (call, "not_said", "It could not be said any more, or is too long.");
}

static void
begin (struct text *event, const char *type)
{
  json_open (event, '{');
  json_name_string (event, "type", type);
}

/* An event with one text, and whether the user may interrupt it. */
static toolhost_status
tell (toolhost_call *call, const char *type, const char *name, const char *value,
      bool interruptible)
{
  CLEANUP_TEXT struct text event = { 0 };

  begin (&event, type);
  json_name_string (&event, name, value);
  json_name_bool (&event, "interruptible", interruptible);
  return voice_emit (call, &event);
}

toolhost_status
voice_say (toolhost_call *call, const char *text, bool interruptible)
{
  return tell (call, "agent_send_text", "text", text, interruptible);
}

toolhost_status
voice_end_call (toolhost_call *call, const char *reason, bool interruptible)
{
  return tell (call, "end_call", "reason", reason, interruptible);
}

toolhost_status
voice_transfer (toolhost_call *call, const char *number, bool interruptible)
{
  return tell (call, "agent_transfer_call", "target_phone_number", number, interruptible);
}

toolhost_status
voice_dtmf (toolhost_call *call, const char *button)
{
  CLEANUP_TEXT struct text event = { 0 };

  begin (&event, "agent_send_dtmf");
  json_name_string (&event, "button", button);
  return voice_emit (call, &event);
}
