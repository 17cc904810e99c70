/* actions_try: what would this tool do? */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "played.h"
#include "real.h"
#include "rule.h"
#include "run.h"
#include "set.h"

/* ---- what is tried ---- */

struct trial {
  struct set *set;
  struct problems problems;
  const struct value *arguments, *context, *webhooks;
  const char *now;
};

static const struct value *
object_of (struct trial *trial, const struct value *args, const char *name)
{
  const struct value *value = value_get_z (args, name);
  const struct place at = { NULL, name, 0 };

  if (value == NULL)
    return &value_no_members;
  if (value->type != VALUE_OBJECT)
    (void) problem (&trial->problems, &at, "wrong_type", NULL, "expected an object, got %s",
                    value_type_name (value));
  return value->type == VALUE_OBJECT ? value : &value_no_members;
}

static bool
is_parameter (const struct program *program, const char *name)
{
  for (size_t i = 0; i < program->parameter_count; i++)
    if (strcmp (program->parameters[i].name, name) == 0)
      return true;
  return false;
}

static bool
is_choice (const struct parameter *p, const struct value *value)
{
  for (size_t i = 0; i < p->choices->count; i++)
    if (value_equal (value, p->choices->items[i]))
      return true;
  return false;
}

/* The choices of a list are its items'. */
static bool
are_choices (const struct parameter *p, const struct value *value)
{
  if (p->choices == NULL || value->type != VALUE_ARRAY)
    return p->choices == NULL || is_choice (p, value);
  for (size_t i = 0; i < value->count; i++)
    if (!is_choice (p, value->items[i]))
      return false;
  return true;
}

/* The host checks arguments of calls before any action runs; here they are checked as the
 * parameters alone say. */
static void
check_argument (struct trial *trial, const struct place *in, const struct parameter *p)
{
  const struct value *value = value_get_z (trial->arguments, p->name);
  const struct place at = { in, p->name, 0 };

  if (value == NULL && p->required)
    (void) problem (&trial->problems, &at, "missing_argument", NULL, "\"%s\" is required", p->name);
  else if (value != NULL && !parameter_is (value, p->type))
    (void) problem (&trial->problems, &at, "wrong_type", NULL, "expected %s, got %s", p->type,
                    value_type_name (value));
  else if (value != NULL && !are_choices (p, value))
    (void) problem (&trial->problems, &at, "not_in_enum", NULL,
                    "this is none of the values that are allowed");
}

static void
check_arguments (struct trial *trial, const struct program *program)
{
  const struct place at = { NULL, "arguments", 0 };

  for (size_t i = 0; i < program->parameter_count; i++)
    check_argument (trial, &at, &program->parameters[i]);
  for (size_t i = 0; i < trial->arguments->count; i++) {
    const char *name = trial->arguments->members[i].name;
    const struct place member = { &at, name, 0 };
    if (!is_parameter (program, name))
      (void) problem (&trial->problems, &member, "unknown_member", NULL,
                      "the tool has no parameter \"%s\"", name);
  }
}

static const struct program *
read_trial (struct trial *trial, const struct value *args)
{
  const struct place at = { NULL, "tool", 0 };
  const struct value *tool = value_get_z (args, "tool");
  const char *now = value_cstring (value_get_z (args, "now"));
  const struct program *program;

  set_read_endpoints (trial->set, args, &trial->problems);
  trial->arguments = object_of (trial, args, "arguments");
  trial->context = object_of (trial, args, "context");
  trial->webhooks = object_of (trial, args, "webhooks");
  trial->now = now != NULL ? now : time_text (&trial->set->pool, 0);
  program = program_read (tool != NULL ? tool : &value_null, &at, &trial->set->pool,
                          &trial->problems, &trial->set->endpoints);
  if (program != NULL)
    check_arguments (trial, program);
  return program;
}

/* ---- what is told ---- */

static void
write_problems (const struct problems *problems, struct text *out)
{
  json_open (out, '{');
  json_name_bool (out, "ok", false);
  json_name_string (out, "error", "tool_invalid");
  json_name_string (out, "message",
                    "The document or what it is tried with is wrong; nothing was run.");
  json_name (out, "problems");
  problems_write (out, problems->list, problems->count);
  json_close (out, '}');
}

static void
write_value (struct text *out, const char *name, const struct value *value)
{
  json_name (out, name);
  value_write (out, value);
}

static void
write_context (struct run *run, struct text *out)
{
  static const enum root roots[] = { ROOT_USER, ROOT_TENANT, ROOT_WORKFLOW, ROOT_AGENTS,
                                     ROOT_FLAGS };

  json_name (out, "context");
  json_open (out, '{');
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
    write_value (out, root_names[roots[i]], run_root (run, roots[i]));
  json_close (out, '}');
}

static void
write_run (struct run *run, const struct played *played, struct text *out)
{
  run_write_output (run, true, out);
  if (!text_ok (out))
    return;
  out->data[--out->len] = '\0'; /* more members follow */
  write_context (run, out);
  write_value (out, "events", played->events);
  if (played->handoff != NULL)
    write_value (out, "handoff", played->handoff);
  write_value (out, "requests", played->requests);
  json_close (out, '}');
}

/* ---- all of it ---- */

static void
play (struct trial *trial, const struct program *program, struct text *out)
{
  struct played played = { .pool = &trial->set->pool,
                           .context = trial->context,
                           .webhooks = trial->webhooks,
                           .now = trial->now };
  struct surroundings around;
  struct run run = {
    .program = program, .around = &around, .pool = &trial->set->pool, .strict = trial->set->strict
  };

  played_surroundings (&around, &played);
  run_program (&run, trial->arguments);
  write_run (&run, &played, out);
  run_free (&run);
}

bool
try_document (const char *args, size_t len, struct text *out, const char **why)
{
  struct trial trial = { .set = set_new () };
  const struct value *root;
  const struct program *program = NULL;

  *why = "there is no memory, or the arguments are too deep";
  if (trial.set == NULL)
    return false;
  trial.problems.pool = &trial.set->pool;
  root = value_parse (&trial.set->pool, args, len);
  if (root != NULL)
    program = read_trial (&trial, root);
  if (trial.problems.count != 0)
    write_problems (&trial.problems, out);
  else if (program != NULL)
    play (&trial, program, out);
  if (program != NULL)
    program_free (program);
  if (root != NULL && values_ok (&trial.set->pool) && text_ok (out) && out->len != 0)
    *why = NULL;
  set_unref (trial.set);
  return *why == NULL;
}

/* ---- the tool ---- */

/* clang-format off */
static const char definition_text[] = TOOLHOST_JSON ({
  "name": "actions_try",
  "description": "Runs a declarative tool in played surroundings: nothing is sent, said or written.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "tool": { "type": "object" },
      "endpoints": { "type": "array", "maxItems": 500 },
      "strict_templates": { "type": "boolean" },
      "arguments": { "type": "object" },
      "context": { "type": "object" },
      "webhooks": { "type": "object" },
      "now": { "type": "string", "maxLength": 64 }
    },
    "required": ["tool"],
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
  if (!try_document (args, len, &out, &why))
    return toolhost_fail (call, "actions_try_failed", "%s", why);
  return toolhost_json_len (call, out.data, out.len);
}

const toolhost_tool actions_try = { TOOLHOST_TOOL, .definition = definition, .execute = execute };
