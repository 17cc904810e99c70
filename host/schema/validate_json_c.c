#include "base/json_c.h"
#include "schema/json_c.h"

static void
report_no_json (const char *problem, struct schema_report *report, struct arena *arena)
{
  static const char words[] = "the value is no JSON: ";
  size_t len = strlen (problem);
  char *message = arena_alloc (arena, sizeof words + len);

  memcpy (message, words, sizeof words - 1);
  memcpy (message + sizeof words - 1, problem, len + 1);
  *report = (struct schema_report){ .count = 1 };
  report->problems[0] = (struct schema_problem){
    .pointer = "", .message = message, .keyword = "", .schema_pointer = ""
  };
}

bool
schema_validate_json_c (const struct schema *schema, struct json_object *object,
                        struct schema_report *report, struct arena *arena)
{
  struct json_tape tape;

  if (json_c_to_tape (object, &tape, arena))
    return schema_validate (schema, &tape, json_root (&tape), report, arena);
  if (report != NULL)
    report_no_json (tape.problem, report, arena);
  return false;
}
