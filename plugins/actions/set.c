#include "set.h"

#include <stdlib.h>
#include <string.h>

void
set_unref (struct set *set)
{
  if (atomic_fetch_sub (&set->users, 1) != 1)
    return;
  for (size_t i = 0; i < set->count; i++)
    if (set->programs[i] != NULL)
      program_free (set->programs[i]);
  values_free (&set->pool);
  free (set);
}

struct set *
set_new (void)
{
  struct set *set = calloc (1, sizeof *set);

  if (set != NULL)
    atomic_init (&set->users, 1);
  return set;
}

struct set *
set_ref (struct set *set)
{
  atomic_fetch_add (&set->users, 1);
  return set;
}

void
set_read_endpoints (struct set *set, const struct value *config, struct problems *problems)
{
  const struct place at = { NULL, "endpoints", 0 };
  const struct place strict_at = { NULL, "strict_templates", 0 };
  const struct value *strict = value_get_z (config, "strict_templates");

  endpoints_read (&set->endpoints, value_get_z (config, "endpoints"), &at, &set->pool, problems);
  set->strict = value_is (strict, VALUE_TRUE);
  if (strict != NULL && strict->type != VALUE_TRUE && strict->type != VALUE_FALSE)
    (void) problem (problems, &strict_at, "wrong_type", NULL, "expected true or false");
}

const struct value *
set_read_tools (struct set *set, const struct value *config, struct problems *problems)
{
  const struct place at = { NULL, "tools", 0 };
  const struct value *tools = value_get_z (config, "tools");

  if (tools == NULL)
    return NULL;
  if (tools->type != VALUE_ARRAY || tools->count > TOOLS_MAX) {
    (void) problem (problems, &at, "wrong_type", NULL, "expected a list of at most %d tools",
                    TOOLS_MAX);
    return NULL;
  }
  set->programs = values_alloc (&set->pool, tools->count * sizeof *set->programs + 1);
  return set->programs != NULL ? tools : NULL;
}

static bool
is_twice (const struct set *set, const char *name)
{
  for (size_t i = 0; i < set->count; i++)
    if (set->programs[i] != NULL && strcmp (set->programs[i]->name, name) == 0)
      return true;
  return false;
}

const struct program *
set_read_tool (struct set *set, const struct value *tools, size_t index, struct problems *problems)
{
  const struct place list = { NULL, "tools", 0 }, at = { &list, NULL, index };
  const struct place name = { &at, "name", 0 };
  const struct program *program =
    program_read (tools->items[index], &at, &set->pool, problems, &set->endpoints);

  if (program != NULL && is_twice (set, program->name)) {
    (void) problem (problems, &name, "duplicate_name", NULL, "there are two tools \"%s\"",
                    program->name);
    program_free (program);
    program = NULL;
  }
  set->programs[set->count++] = program;
  return program;
}

struct set *
set_read (const char *config, size_t len,
          void (*heard) (void *ctx, const char *what, const struct value *document,
                         const struct problems *problems),
          void *ctx)
{
  struct set *set = set_new ();
  struct problems problems;
  const struct value *root, *tools;

  if (set == NULL)
    return NULL;
  root = value_parse (&set->pool, config, len);
  problems = (struct problems){ .pool = &set->pool };
  set_read_endpoints (set, root, &problems);
  tools = set_read_tools (set, root, &problems);
  if (problems.count != 0)
    heard (ctx, "actions_configuration_refused", NULL, &problems);
  for (size_t i = 0; tools != NULL && i < tools->count; i++) {
    problems = (struct problems){ .pool = &set->pool };
    if (set_read_tool (set, tools, i, &problems) == NULL)
      heard (ctx, "actions_tool_refused", tools->items[i], &problems);
  }
  if (values_ok (&set->pool))
    return set;
  set_unref (set);
  return NULL;
}
