/* Answers its own call past the worker's code, with JSON that RFC 8259 or the host's reader
 * refuses.
 */
#include "hostile.h"

#include "inside.h"

/* The frame as the host's own code would send it. */
struct forged {
  struct frame_head head;
  struct frame_result result;
  char json[64];
};

static const struct {
  const char *name, *json;
} kinds[] = {
  { "duplicate", "{\"a\":1,\"a\":2}" },
  { "utf8", "{\"a\":\"\xC0\xAF\"}" },
  { "zero_name", "{\"a\\u0000b\":1}" },
  { "surrogate", "[\"\\ud800\"]" },
  { "quotes", "{'a':1}" },
  { "number", "[NaN]" },
  { "more", "{} {}" },
};

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *wanted = toolhost_arg_string_or (call, "kind", "duplicate");
  struct forged frame = { .head = { .kind = FRAME_RESULT, .call = inside_number (call) },
                          .result = { .outcome = FRAME_OUTCOME_OK } };

  (void) self;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp (kinds[i].name, wanted) == 0) {
      frame.result.structured_len = (uint32_t) strlen (kinds[i].json);
      memcpy (frame.json, kinds[i].json, frame.result.structured_len);
    }
  frame.head.size = (uint32_t) offsetof (struct forged, json) + frame.result.structured_len;
  ring_put (inside_ring (call), &frame, frame_padded (frame.head.size));
  return toolhost_text (call, "sent");
}

HOSTILE ("bad_json", TOOLHOST_PARALLEL, "Answers with JSON that is none.",
         "\"properties\":{\"kind\":{\"type\":\"string\"}}")
