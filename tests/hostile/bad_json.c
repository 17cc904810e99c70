/* Answers its own call past the worker's code, with JSON that RFC 8259 or the host's reader
 * refuses.
 */
#include "hostile.h"

#include <unistd.h>

enum { CONTROL = 3, RESULT = 7, OK = 1, WORDS = 24, SLOTS = 64 };

/* The frame as the host's own code would send it (host/base/frame.h). */
struct forged {
  uint32_t size;
  uint16_t kind, flags;
  uint64_t call;
  uint32_t outcome, code_len, message_len, structured_len, content_len, reserved;
  uint64_t wall_ns, cpu_ns;
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

/* The number the host knows the call by stands in the worker's part of the call: the first word
 * that is random above and small below. */
HOSTILE_DEED static uint64_t
number_of (const toolhost_call *call)
{
  const uint64_t *words = (const uint64_t *) (const void *) call;

  for (unsigned i = 0; i < WORDS; i++)
    if (words[i] >> 48 != 0 && (words[i] & 0xFFFF) < SLOTS)
      return words[i];
  return 0;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *wanted = toolhost_arg_string_or (call, "kind", "duplicate");
  struct forged frame = { .kind = RESULT, .call = number_of (call), .outcome = OK };

  (void) self;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp (kinds[i].name, wanted) == 0) {
      frame.structured_len = (uint32_t) strlen (kinds[i].json);
      memcpy (frame.json, kinds[i].json, frame.structured_len);
    }
  frame.size = (uint32_t) offsetof (struct forged, json) + frame.structured_len;
  (void) !write (CONTROL, &frame, (frame.size + 7U) & ~7U);
  return toolhost_text (call, "sent");
}

HOSTILE ("bad_json", TOOLHOST_PARALLEL, "Answers with JSON that is none.",
         "\"properties\":{\"kind\":{\"type\":\"string\"}}")
