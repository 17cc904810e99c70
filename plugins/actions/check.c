/* actions_check: is this configuration good, and what does it come to? */
#include <string.h>

#include "internal.h"
#include "set.h"

static void
write_programs (const struct set *set, struct text *out)
{
  json_name (out, "tools");
  json_open (out, '[');
  for (size_t i = 0; i < set->count; i++)
    if (set->programs[i] != NULL)
      program_write (set->programs[i], out);
    else
      json_raw (out, "null");
  json_close (out, ']');
  json_name (out, "definitions");
  json_open (out, '[');
  for (size_t i = 0; i < set->count; i++)
    json_raw (out, set->programs[i] != NULL ? set->programs[i]->definition : "null");
  json_close (out, ']');
}

static void
write_answer (const struct set *set, const struct problems *problems, struct text *out)
{
  json_open (out, '{');
  json_name_bool (out, "ok", problems->count == 0);
  json_name (out, "problems");
  problems_write (out, problems->list, problems->count);
  if (problems->count > PROBLEMS_MAX)
    json_name_int (out, "more_problems", (int64_t) (problems->count - PROBLEMS_MAX));
  json_name (out, "warnings");
  problems_write (out, problems->warnings, problems->warned);
  write_programs (set, out);
  json_close (out, '}');
}

bool
check_documents (const char *args, size_t len, struct text *out, const char **why)
{
  struct set *set = set_new ();
  const struct value *config = set != NULL ? value_parse (&set->pool, args, len) : NULL, *tools;
  struct problems problems = { .pool = set != NULL ? &set->pool : NULL };

  *why = "there is no memory, or the arguments are too deep";
  if (value_is (config, VALUE_OBJECT)) {
    set_read_endpoints (set, config, &problems);
    tools = set_read_tools (set, config, &problems);
    for (size_t i = 0; tools != NULL && i < tools->count; i++)
      (void) set_read_tool (set, tools, i, &problems);
    write_answer (set, &problems, out);
    if (values_ok (&set->pool) && text_ok (out))
      *why = NULL;
  }
  if (set != NULL)
    set_unref (set);
  return *why == NULL;
}

/* ---- the tool ---- */

/* clang-format off */
static const char definition_text[] = TOOLHOST_JSON ({
  "name": "actions_check",
  "description": "Checks documents of declarative tools and tells everything that is wrong with them.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "tools": { "type": "array", "maxItems": 2000 },
      "endpoints": { "type": "array", "maxItems": 500 },
      "strict_templates": { "type": "boolean" }
    },
    "additionalProperties": false
  },
  "annotations": { "readOnlyHint": true, "openWorldHint": false },
  "toolhost": { "internal": true }
});
/* clang-format on */

static const char *
definition (void *self)
{
  (void) self;
  return definition_text;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  CLEANUP_TEXT struct text out = { 0 };
  size_t len;
  const char *args = toolhost_args (call, &len), *why;

  (void) self;
  if (!check_documents (args, len, &out, &why))
    return toolhost_fail (call, "actions_check_failed", "%s", why);
  return toolhost_json_len (call, out.data, out.len);
}

const toolhost_tool actions_check = { TOOLHOST_TOOL, .definition = definition, .execute = execute };
