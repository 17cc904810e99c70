#include "schema/check.h"
#include "schema/explain/explain.h"
#include "schema/schema.h"

bool
schema_validate (const struct schema *schema, const struct json_tape *tape,
                 const struct json_node *value, struct schema_report *report, struct arena *arena)
{
  struct checker k = checker_for (schema, tape);
  bool good = check_rule (&k, schema->root, value) && !k.gave_up;

  if (!good && report != NULL)
    explain (&k, value, report, arena);
  return good;
}

enum schema_verdict
schema_judge (const struct schema *schema, const struct json_tape *tape,
              const struct json_node *value)
{
  struct checker k = checker_for (schema, tape);
  const bool good = check_rule (&k, schema->root, value);

  if (k.gave_up)
    return SCHEMA_UNDECIDED;
  return good ? SCHEMA_FITS : SCHEMA_FITS_NOT;
}
