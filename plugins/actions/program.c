#include "program.h"

#include <string.h>

#include "action_read.h"
#include "read.h"
#include "rule.h"

enum { SPARE_MS = 5000 /* beside waiting for webhooks */, CALL_MAX_MS = 300000 };

/* ---- parameters ---- */

static void
read_type (struct reading *r, struct parameter *p)
{
  const char *type = read_text (r, "type", true, NAME_LEN_MAX);
  const struct place at = { r->at, "type", 0 };

  p->type = type != NULL ? type : "string";
  for (size_t i = 0; parameter_types[i] != NULL; i++)
    if (strcmp (parameter_types[i], p->type) == 0)
      return;
  r->good = problem_unknown (r->scope->problems, &at, "unknown_type", p->type, parameter_types,
                             "there is no type \"%s\"", p->type);
  p->type = "string";
}

/* Choices are of the parameter's type; of a list they are its items'. */
static void
read_choices (struct reading *r, struct parameter *p)
{
  const bool of_items = strcmp (p->type, "array") == 0;

  p->choices = read_list (r, "enum", false, 1000);
  if (p->choices == NULL)
    return;
  if (p->choices->count == 0)
    read_wrong (r, "enum", "wrong_type", "expected at least one value");
  for (size_t i = 0; !of_items && i < p->choices->count; i++)
    if (!parameter_is (p->choices->items[i], p->type)) {
      read_wrong (r, "enum", "wrong_type", "the value at %zu is not of type %s", i, p->type);
      return;
    }
}

static void
read_default (struct reading *r, struct parameter *p)
{
  p->otherwise = read_value (r, "default", false);
  if (p->otherwise != NULL && !parameter_is (p->otherwise, p->type))
    read_wrong (r, "default", "wrong_type", "expected a value of type %s, got %s", p->type,
                value_type_name (p->otherwise));
}

static void
read_items (struct reading *r, struct parameter *p)
{
  p->items = read_value (r, "items", false);
  if (p->items == NULL)
    return;
  if (strcmp (p->type, "array") != 0)
    read_wrong (r, "items", "unknown_member", "only a list has items");
  if (p->items->type != VALUE_OBJECT)
    read_wrong (r, "items", "wrong_type", "expected a JSON schema, an object");
}

static void
read_parameter_name (struct reading *r, struct parameter *p)
{
  p->name = read_text (r, "name", true, NAME_LEN_MAX);
  if (p->name != NULL && !path_is_name (p->name, strlen (p->name), NAME_LEN_MAX))
    read_wrong (r, "name", "bad_name", "a parameter is named by 1 to %d of A-Za-z0-9_-",
                NAME_LEN_MAX);
}

static bool
read_parameter (struct parameter *p, const struct scope *scope, const struct place *at,
                const struct value *value)
{
  static const char *const known[] = { "name", "type",     "description", "default",
                                       "enum", "required", "items",       NULL };
  struct reading r;

  if (!read_begin (&r, scope, at, value))
    return false;
  read_known (&r, known);
  read_parameter_name (&r, p);
  read_type (&r, p);
  p->description = read_text (&r, "description", false, DESCRIPTION_MAX);
  p->required = read_bool (&r, "required", false);
  read_choices (&r, p);
  read_default (&r, p);
  read_items (&r, p);
  return r.good;
}

static bool
is_twice (const struct program *program, const struct parameter *p)
{
  for (size_t i = 0; i < program->parameter_count; i++)
    if (p->name != NULL && program->parameters[i].name != NULL
        && strcmp (program->parameters[i].name, p->name) == 0)
      return true;
  return false;
}

static void
read_parameters (struct reading *r, struct program *program)
{
  const struct value *list = read_list (r, "parameters", false, PARAMETERS_MAX);
  const struct place at = { r->at, "parameters", 0 };

  if (list == NULL)
    return;
  program->parameters =
    values_alloc (r->scope->pool, list->count * sizeof *program->parameters + 1);
  for (size_t i = 0; program->parameters != NULL && i < list->count; i++) {
    struct parameter *p = &program->parameters[program->parameter_count];
    const struct place item = { &at, NULL, i };
    r->good &= read_parameter (p, r->scope, &item, list->items[i]);
    if (is_twice (program, p))
      r->good = problem (r->scope->problems, &item, "duplicate_name", NULL,
                         "there are two parameters \"%s\"", p->name);
    program->parameter_count++;
  }
}

/* S3-7, A3-6: a strict tool has no optional parameters; "auto" is strict where there are none. */
static void
read_strict (struct reading *r, struct program *program)
{
  const struct value *strict = program->strict = read_value (r, "strict", false);
  const struct place at = { r->at, "parameters", 0 };

  if (strict == NULL || strict->type == VALUE_FALSE)
    return;
  if (strict->type == VALUE_STRING && strcmp (strict->text, "auto") == 0)
    return;
  if (strict->type != VALUE_TRUE)
    read_wrong (r, "strict", "wrong_type", "expected true, false or \"auto\"");
  for (size_t i = 0; strict->type == VALUE_TRUE && i < program->parameter_count; i++) {
    const struct place item = { &at, NULL, i };
    if (!program->parameters[i].required)
      r->good = problem (r->scope->problems, &item, "strict_optional",
                         "say \"required\": true, or \"strict\": \"auto\"",
                         "a strict tool has no optional parameters");
  }
}

static const char *const *
names_of (const struct program *program, struct values *pool)
{
  const char **names = values_alloc (pool, (program->parameter_count + 1) * sizeof *names);
  size_t count = 0;

  for (size_t i = 0; names != NULL && i < program->parameter_count; i++)
    if (program->parameters[i].name != NULL)
      names[count++] = program->parameters[i].name;
  return names;
}

/* ---- the document ---- */

static void
read_name (struct reading *r, struct program *program)
{
  program->name = read_text (r, "name", true, NAME_LEN_MAX);
  if (program->name == NULL)
    return;
  if (!path_is_name (program->name, strlen (program->name), NAME_LEN_MAX))
    read_wrong (r, "name", "bad_name", "a tool is named by 1 to %d of A-Za-z0-9_-", NAME_LEN_MAX);
  else if (strcmp (program->name, "actions_check") == 0
           || strcmp (program->name, "actions_try") == 0)
    read_wrong (r, "name", "bad_name", "this name is the plugin's own");
}

static void
read_lists (struct reading *r, struct program *program, const struct endpoints *endpoints)
{
  const struct {
    const char *name;
    struct action_list *list;
    bool required;
  } lists[] = { { "actions", &program->actions, true },
                { "on_success", &program->on_success, false },
                { "on_failure", &program->on_failure, false } };

  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const struct list_reading list = {
      .scope = r->scope, .endpoints = endpoints, .program = program, .where = lists[i].name
    };
    const struct place at = { r->at, lists[i].name, 0 };
    r->good &= action_list_read (lists[i].list, &list, &at,
                                 read_value (r, lists[i].name, lists[i].required));
  }
}

static bool
read_all (struct program *program, struct scope *scope, const struct place *at,
          const struct value *document, const struct endpoints *endpoints)
{
  static const char *const known[] = { "name",       "description", "parameters", "actions",
                                       "on_success", "on_failure",  "strict",     NULL };
  struct reading r;

  if (!read_begin (&r, scope, at, document))
    return false;
  read_known (&r, known);
  read_name (&r, program);
  program->description = read_text (&r, "description", true, DESCRIPTION_MAX);
  read_parameters (&r, program);
  read_strict (&r, program);
  scope->params = names_of (program, scope->pool);
  if (scope->params == NULL)
    return false;
  read_lists (&r, program, endpoints);
  program->max_time_ms += SPARE_MS;
  if (program->max_time_ms > CALL_MAX_MS)
    program->max_time_ms = CALL_MAX_MS;
  return r.good && values_ok (scope->pool);
}

const struct program *
program_read (const struct value *document, const struct place *at, struct values *pool,
              struct problems *problems, const struct endpoints *endpoints)
{
  struct scope scope = { .pool = pool, .problems = problems, .endpoints = endpoints->names };
  struct program *program = values_alloc (pool, sizeof *program);

  if (program == NULL)
    return NULL;
  if (!read_all (program, &scope, at, document, endpoints)) {
    program_free (program);
    return NULL;
  }
  program_define (program, pool);
  return program;
}

static void
free_list (const struct action_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    const struct action *action = &list->items[i];
    if (action->type == ACTION_CONDITIONAL) {
      free_list (&action->u.branch.then);
      free_list (&action->u.branch.otherwise);
    }
    for (size_t n = 0; action->type == ACTION_VALIDATE && n < action->u.validate.count; n++)
      rule_free (&action->u.validate.rules[n]);
  }
}

void
program_free (const struct program *program)
{
  free_list (&program->actions);
  free_list (&program->on_success);
  free_list (&program->on_failure);
}
