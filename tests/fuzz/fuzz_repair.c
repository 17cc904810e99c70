/* A schema, NUL, a value that does not fit it: what a repair makes fits, is told, and is left alone
 * by a second repair. */
#include "fuzz.h"

#include "schema/repair/repair.h"

static const struct json_limits limits = {
  .depth = 64, .nodes = 2000, .members = 500, .number_len = 128
};

static void
check_told (const struct repaired *made)
{
  uint32_t total = 0;

  HOLDS (made->count >= 1 && made->count <= REPAIRS_TOLD);
  for (size_t i = 0; i < REPAIR_RULES; i++)
    total += made->by_rule[i];
  HOLDS (total == made->count + made->more);
  for (size_t i = 0; i < made->count; i++) {
    HOLDS (is_harmless (made->list[i].note, 4096));
    HOLDS (is_harmless (made->list[i].pointer, 65536));
  }
}

static void
check_repair (const struct schema *schema, const struct json_tape *tape, enum repair_mode mode,
              struct arena *arena)
{
  struct repaired made;

  if (!schema_repair (schema, tape, json_root (tape), mode, &made, arena))
    return;
  HOLDS (mode != REPAIR_OFF);
  HOLDS (schema_validate (schema, &made.tape, json_root (&made.tape), NULL, arena));
  check_told (&made);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece schema_text = { 0 };
  CLEANUP_PIECE struct piece text = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape schema_tape, tape;
  struct schema *schema;

  split (data, size, &schema_text, &text);
  if (!json_read (&schema_tape, schema_text.text, schema_text.len, &limits, &arena)
      || !json_read (&tape, text.text, text.len, &limits, &arena))
    return 0;
  schema = schema_compile (&schema_tape, json_root (&schema_tape), NULL, NULL);
  if (schema == NULL)
    return 0;
  if (!schema_validate (schema, &tape, json_root (&tape), NULL, &arena))
    for (enum repair_mode mode = REPAIR_OFF; mode <= REPAIR_LENIENT; mode++)
      check_repair (schema, &tape, mode, &arena);
  schema_free (schema);
  return 0;
}
