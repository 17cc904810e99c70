#include "call/letters.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/json_write.h"

enum { ID_BYTES = 16 };

const char *const call_event_names[] = { "call.completed", "call.failed", "call.timeout",
                                         "call.cancelled", NULL };

enum call_event
call_event_of (enum call_error error)
{
  switch (error) {
  case CALL_OK:
    return CALL_EVENT_COMPLETED;
  case CALL_tool_timeout:
    return CALL_EVENT_TIMEOUT;
  case CALL_tool_cancelled:
    return CALL_EVENT_CANCELLED;
  default:
    return CALL_EVENT_FAILED;
  }
}

static const char *
name_of (enum call_event event)
{
  size_t bit = 0;

  while ((event >> bit & 1) == 0)
    bit++;
  return call_event_names[bit];
}

static void
put_id (struct json_writer *w)
{
  unsigned char bytes[ID_BYTES];
  char id[5 + 2 * ID_BYTES];
  char *at = id;

  if (getrandom (bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes)
    abort (); /* never: it waits for the pool at the system's start only */
  at += sprintf (at, "evt_");
  for (size_t i = 0; i < sizeof bytes; i++)
    at += sprintf (at, "%02x", bytes[i]);
  jsonw_name_string (w, "id", id);
}

static void
put_data (struct json_writer *w, const struct letter *letter)
{
  jsonw_name (w, "data");
  jsonw_object (w);
  jsonw_name_raw (w, "call", letter->about->data, letter->about->len);
  jsonw_name_string (w, "tool", letter->tool);
  jsonw_name_raw (w, "result", letter->stored->data, letter->stored->len);
  jsonw_end (w);
}

void
letter_write (struct buf *out, const struct letter *letter)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  put_id (&w);
  jsonw_name_string (&w, "object", "event");
  jsonw_name_string (&w, "api_version", LETTER_API_VERSION);
  jsonw_name_int (&w, "created", letter->now_ms / 1000);
  jsonw_name_string (&w, "type", name_of (letter->event));
  jsonw_name_string (&w, "tenant_id", letter->tenant);
  jsonw_name_bool (&w, "livemode", true);
  put_data (&w, letter);
  jsonw_end (&w);
}
