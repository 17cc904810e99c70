/* A schema, NUL, a value: the schema compiles or is refused with a sentence, the value is valid or
 * is told why not, with and without a report alike. */
#include "fuzz.h"

#include "schema/schema.h"

static const struct json_limits limits = {
  .depth = 64, .nodes = 3000, .members = 500, .number_len = 128
};

static void
check_report (const struct schema_report *report)
{
  size_t total = 0;

  HOLDS (report->count >= 1 && report->count <= SCHEMA_MAX_PROBLEMS);
  for (size_t i = 0; i < report->count; i++) {
    const struct schema_problem *problem = &report->problems[i];
    HOLDS (problem->message[0] != '\0' && is_harmless (problem->message, 2048));
    HOLDS (problem->pointer[0] == '\0' || problem->pointer[0] == '/');
    HOLDS (is_harmless (problem->pointer, 2048));
    total += strlen (problem->message) + strlen (problem->pointer);
  }
  HOLDS (total <= 2048 + 64);
}

static void
check_value (const struct schema *schema, const struct json_tape *tape, struct arena *arena)
{
  struct schema_report report = { .count = 0 };
  bool valid = schema_validate (schema, tape, json_root (tape), NULL, arena);

  HOLDS (schema_validate (schema, tape, json_root (tape), &report, arena) == valid);
  if (!valid)
    check_report (&report);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece schema_text = { 0 };
  CLEANUP_PIECE struct piece text = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_options options = { .annotate_formats = size % 2 != 0 };
  struct json_tape schema_tape, tape;
  struct error err = { "" };
  struct schema *schema;

  split (data, size, &schema_text, &text);
  if (!json_read (&schema_tape, schema_text.text, schema_text.len, &limits, &arena))
    return 0;
  schema = schema_compile (&schema_tape, json_root (&schema_tape), &options, &err);
  if (schema == NULL) {
    HOLDS (is_harmless (err.text, sizeof err.text) && err.text[0] != '\0');
    return 0;
  }
  if (json_read (&tape, text.text, text.len, &limits, &arena))
    check_value (schema, &tape, &arena);
  schema_free (schema);
  return 0;
}
