/* A SKILL.md: what its front matter becomes is one JSON object of bounded depth, with a name and a
 * description; of what is refused there is a sentence. */
#include "fuzz.h"

#include "catalog/front_matter.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const struct json_limits limits = {
    .depth = 8, .nodes = 100000, .members = 10000, .number_len = 1024
  };
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  struct error err = { { 0 } };
  struct json_tape tape;
  bool good = front_matter_read ((const char *) data, size, "a", &out, &err);

  HOLDS (good == (err.text[0] == '\0'));
  if (!good)
    return 0;
  HOLDS (json_read (&tape, out.data, out.len, &limits, &arena));
  HOLDS (json_is (json_root (&tape), JSON_OBJECT));
  HOLDS (json_equals (&tape, json_member (&tape, json_root (&tape), "name"), "a"));
  HOLDS (json_is (json_member (&tape, json_root (&tape), "description"), JSON_STRING));
  return 0;
}
