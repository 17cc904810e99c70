#include "front/realtime/function_calls.h"

#include <stdlib.h>

enum { ID_MAX = 256 /* bytes */ };

struct function_call *
function_calls_find (const struct function_calls *calls, const struct json_tape *tape,
                     const struct json_node *call_id)
{
  struct function_call *call = calls->list;

  while (call != NULL && !json_equals (tape, call_id, call->call_id))
    call = call->next;
  return call;
}

static void
note_text (char **text, const struct json_tape *tape, const struct json_node *node)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const char *said = json_cstring (tape, node, &arena);

  if (*text == NULL && said != NULL && *said != '\0' && strlen (said) <= ID_MAX)
    *text = xstrdup (said);
}

struct function_call *
function_calls_note (struct function_calls *calls, const struct json_tape *tape,
                     const struct function_call_said *said)
{
  struct function_call *call = function_calls_find (calls, tape, said->call_id);
  char *id = NULL;

  if (call == NULL) {
    note_text (&id, tape, said->call_id);
    if (id == NULL || calls->count == FUNCTION_CALLS_MAX) {
      free (id);
      return NULL;
    }
    call = xcalloc (1, sizeof *call);
    call->call_id = id;
    call->next = calls->list;
    calls->list = call;
    calls->count++;
  }
  note_text (&call->response_id, tape, said->response_id);
  note_text (&call->item_id, tape, said->item_id);
  note_text (&call->name, tape, said->name);
  return call;
}

bool
function_calls_keep (struct function_calls *calls, struct function_call *call, const char *args,
                     size_t len)
{
  function_calls_release (calls, call);
  if (calls->bytes + len > FUNCTION_CALLS_BYTES)
    return false;
  buf_append (&call->args, args, len);
  calls->bytes += len;
  return true;
}

void
function_calls_release (struct function_calls *calls, struct function_call *call)
{
  calls->bytes -= call->args.len;
  buf_free (&call->args);
}

void
function_calls_drop (struct function_calls *calls, struct function_call *call)
{
  struct function_call **at = &calls->list;

  while (*at != call)
    at = &(*at)->next;
  *at = call->next;
  calls->count--;
  function_calls_release (calls, call);
  free (call->call_id);
  free (call->response_id);
  free (call->item_id);
  free (call->name);
  free (call);
}

void
function_calls_clear (struct function_calls *calls)
{
  while (calls->list != NULL)
    function_calls_drop (calls, calls->list);
}
