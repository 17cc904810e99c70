#include "front/realtime/incoming.h"

#include <stdlib.h>
#include <string.h>

#include "front/realtime/number.h"
#include "front/realtime/seen.h"

struct incoming {
  struct incoming_settings settings;
  struct seen seen;
};

struct incoming *
incoming_new (const struct incoming_settings *settings)
{
  struct incoming *incoming = xcalloc (1, sizeof *incoming);

  incoming->settings = *settings;
  incoming->seen = (struct seen){ .window = INCOMING_WINDOW, .max = INCOMING_IDS_MAX };
  return incoming;
}

void
incoming_free (struct incoming *incoming)
{
  if (incoming == NULL)
    return;
  seen_free (&incoming->seen);
  free (incoming);
}

/* ---- answers ---- */

static void
reply (struct http_exchange *x, const char *more)
{
  CLEANUP_BUF struct buf body = { 0 };

  buf_printf (&body, "{\"ok\":true%s}", more);
  http_reply_json (x, 200, NULL, &body);
}

static void
refuse (const struct incoming *incoming, struct http_exchange *x, enum signature_verdict verdict)
{
  log_event (incoming->settings.log, LOG_WARNING, "webhook_refused", "why",
             signature_code (verdict), NULL);
  http_reply_error (x, 401, signature_code (verdict), "Invalid signature: %s",
                    signature_sentence (verdict));
}

/* ---- what was signed ---- */

static struct signed_text
header (const struct http_exchange *x, const char *name)
{
  const struct slice value = http_header (x, name);

  return (struct signed_text){ value.data, value.len };
}

static enum signature_verdict
check (const struct incoming *incoming, const struct http_exchange *x)
{
  const struct incoming_settings *settings = &incoming->settings;
  const struct http_request *request = http_request (x);
  const struct signed_message message = { .id = header (x, "webhook-id"),
                                          .timestamp = header (x, "webhook-timestamp"),
                                          .signature = header (x, "webhook-signature"),
                                          .body = request->body.data,
                                          .body_len = request->body.len };

  return signature_check (&message, &settings->key, settings->time (settings->ctx),
                          settings->tolerance);
}

/* ---- what it says ---- */

/* The number that was dialled, of the first To header; "" without one. */
static void
read_number (const struct json_tape *tape, const struct json_node *headers, struct arena *arena,
             char number[NUMBER_MAX + 1])
{
  number[0] = '\0';
  if (!json_is (headers, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (headers); n != json_end (headers);
       n = json_next (n)) {
    const char *name = json_cstring (tape, json_member (tape, n, "name"), arena);
    size_t len;
    const char *value = json_string (tape, json_member (tape, n, "value"), arena, &len);
    if (name == NULL || value == NULL || strcasecmp (name, "to") != 0)
      continue;
    if (!number_of_header (value, len, number))
      number[0] = '\0';
    return;
  }
}

static const char *
take_call (const struct incoming *incoming, const struct json_tape *tape,
           const struct json_node *data, struct arena *arena)
{
  const char *call_id = json_cstring (tape, json_member (tape, data, "call_id"), arena);
  char number[NUMBER_MAX + 1];

  if (call_id == NULL)
    return ",\"ignored\":\"no call_id\"";
  read_number (tape, json_member (tape, data, "sip_headers"), arena, number);
  switch (reception_take (incoming->settings.reception, call_id, number)) {
  case RECEPTION_ACCEPTING:
    return ",\"accepting\":true";
  case RECEPTION_REJECTING:
    return ",\"accepting\":false";
  case RECEPTION_KNOWN:
    return ",\"deduped\":true";
  default:
    return ",\"ignored\":\"no call_id\"";
  }
}

/* What the answer says beyond ok. */
static const char *
take_event (const struct incoming *incoming, const struct http_request *request)
{
  struct json_tape tape;
  const struct json_node *root;

  if (!json_read (&tape, request->body.data, request->body.len, &json_default_limits,
                  request->arena)
      || !json_is (json_root (&tape), JSON_OBJECT))
    return ",\"ignored\":\"no event\"";
  root = json_root (&tape);
  if (!json_equals (&tape, json_member (&tape, root, "type"), "realtime.call.incoming"))
    return ",\"ignored\":\"another type\"";
  return take_call (incoming, &tape, json_member (&tape, root, "data"), request->arena);
}

void
incoming_handle (struct incoming *incoming, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  const struct slice id = http_header (x, "webhook-id");
  enum signature_verdict verdict;
  const char *more;
  double now;

  if (incoming == NULL)
    return http_reply_error (x, 404, "not_found", "This daemon takes no telephone calls");
  if (!slice_is (request->method, "POST"))
    return http_refuse_method (x, "POST");
  verdict = check (incoming, x);
  if (verdict != SIGNATURE_GOOD)
    return refuse (incoming, x, verdict);
  now = incoming->settings.now (incoming->settings.ctx);
  if (seen_has (&incoming->seen, id.data, id.len, now)) {
    log_event (incoming->settings.log, LOG_INFO, "webhook_deduped", NULL);
    return reply (x, ",\"deduped\":true");
  }
  seen_add (&incoming->seen, id.data, id.len, now);
  more = take_event (incoming, request);
  log_event (incoming->settings.log, LOG_INFO, "webhook_taken", "answer", more, NULL);
  reply (x, more);
}
