#include "worker/call_service.h"

#include <string.h>

#include "base/utf8.h"
#include "worker/host_table.h"
#include "worker/tool_call.h"

enum {
  BYTES_MAX = FRAME_MAX - sizeof (struct frame_head) - sizeof (struct frame_service),
};

/* Something that is asked. */
struct asking_call {
  struct tool_call *call;
  bool ended;
  toolhost_status status;
  const char *why;
};

static void
end (struct asking_call *a, toolhost_status status, const char *why)
{
  a->ended = true;
  a->status = status;
  a->why = why;
}

static void
tell (const struct asking_call *a, enum frame_service_what what, const char *text, const char *key)
{
  CLEANUP_BUF struct buf both = { 0 };
  struct frame_service head = { .what = what,
                                .number = a->call->service.number,
                                .head_len = strlen (text),
                                .body_len = strlen (key) };

  buf_puts (&both, text);
  buf_puts (&both, key);
  a->call->host->port->service (a->call->host->ctx, a->call, &head, both.data, both.len);
}

static void
take_letters (struct asking_call *a)
{
  struct frame_served head;
  const char *data;
  size_t len, at = 0;

  while (!a->ended && service_next (&a->call->service, &at, &head, &data, &len))
    if (head.what == FRAME_SERVED_END) {
      size_t code = head.code_len < len ? head.code_len : len;
      end (a, service_status (&head), arena_strndup (&a->call->arena, data + code, len - code));
    }
}

static void
give_up (struct asking_call *a)
{
  tell (a, FRAME_SERVICE_STOP, "", "");
  end (a, TOOLHOST_CANCELLED, "The call was cancelled, or its time is up.");
}

static toolhost_status
order (toolhost_call *pub, enum frame_service_what what, const char *text, const char *key,
       const char **why)
{
  struct asking_call a = { .call = (struct tool_call *) pub };

  text = text != NULL ? text : "";
  key = key != NULL ? key : "";
  if (strlen (text) > BYTES_MAX || strlen (key) > BYTES_MAX - strlen (text))
    end (&a, TOOLHOST_BAD_VALUE, "The text is too long.");
  else if (!utf8_valid (text, strlen (text)) || !utf8_valid (key, strlen (key)))
    end (&a, TOOLHOST_BAD_VALUE, "The text is not UTF-8.");
  else {
    service_begin (a.call);
    tell (&a, what, text, key);
  }
  while (!a.ended)
    if (service_take (a.call))
      take_letters (&a);
    else if (tool_call_is_over (a.call))
      give_up (&a);
    else
      a.call->host->port->await (a.call->host->ctx, a.call);
  if (why != NULL)
    *why = a.status != TOOLHOST_OK ? a.why : NULL;
  return a.status;
}

static toolhost_status
refer (toolhost_call *call, const char *target_uri, const char *key, const char **why)
{
  return order (call, FRAME_SERVICE_REFER, target_uri, key, why);
}

static toolhost_status
hangup (toolhost_call *call, const char *reason, const char *key, const char **why)
{
  return order (call, FRAME_SERVICE_HANGUP, reason, key, why);
}

static toolhost_status
dtmf (toolhost_call *call, const char *digits, const char *key, const char **why)
{
  return order (call, FRAME_SERVICE_DTMF, digits, key, why);
}

static toolhost_status
say (toolhost_call *call, const char *text, const char *key, const char **why)
{
  return order (call, FRAME_SERVICE_SAY, text, key, why);
}

static const char *
call_id (toolhost_call *pub)
{
  struct tool_call *call = (struct tool_call *) pub;
  const struct json_tape *tape = lazy_json_read (&call->meta, &call->arena);

  return tape != NULL ? json_cstring (tape, json_member (tape, json_root (tape), "phone_call_id"),
                                      &call->arena)
                      : NULL;
}

const toolhost_call_service call_service = { .struct_size = sizeof call_service,
                                             .refer = refer,
                                             .hangup = hangup,
                                             .dtmf = dtmf,
                                             .say = say,
                                             .call_id = call_id };
