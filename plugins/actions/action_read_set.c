/* context.set, in all its spellings (A2-1). */
#include <string.h>

#include "action_read.h"

static bool
is_written (const struct path *path)
{
  return path->root == ROOT_WORKFLOW || path->root == ROOT_AGENTS;
}

static void
warn_denied (const struct scope *scope, const struct place *at, const struct path *path)
{
  problem_warn (scope->problems, at, "context_write_denied",
                path->root == ROOT_FLAGS ? "flags are set by flag.set"
                                         : "write below workflow or agents",
                "%s can't be written: the action will fail", root_names[path->root]);
}

/* "workflow.meals[+]"; without a root it is below workflow (A2-5). */
static bool
read_target (struct write *write, const struct scope *scope, const struct place *at,
             const char *key, size_t len)
{
  CLEANUP_TEXT struct text canonical = { 0 };
  const char *why = "";

  write->append = len > 3 && memcmp (key + len - 3, "[+]", 3) == 0;
  if (!path_read (&write->path, scope->pool, key, write->append ? len - 3 : len, ROOT_WORKFLOW,
                  &why)
      || (is_written (&write->path) && write->path.count == 0))
    return problem (scope->problems, at, "bad_path",
                    "a path such as \"meals\", \"workflow.step\" or, to append, \"meals[+]\"", "%s",
                    *why != '\0' ? why : "something below it is needed");
  write->denied = !is_written (&write->path);
  if (write->denied)
    warn_denied (scope, at, &write->path);
  text_addf (&canonical, "%s%s", write->path.text, write->append ? "[+]" : "");
  write->key = values_text (scope->pool, text_get (&canonical), canonical.len);
  return true;
}

static bool
add_write (struct reading *r, struct action *action, const struct place *at, const char *key,
           size_t len)
{
  struct write *writes = action->u.set.writes, *write = &writes[action->u.set.count];

  if (!read_target (write, r->scope, at, key, len))
    return r->good = false;
  for (size_t i = 0; i < action->u.set.count; i++)
    if (strcmp (writes[i].path.text, write->path.text) == 0)
      return r->good = problem (r->scope->problems, at, "conflicting_members", NULL,
                                "%s is written twice in one action", write->path.text);
  action->u.set.count++;
  return true;
}

/* { "data": { PATH: value, … } } */
static void
read_writes (struct reading *r, struct action *action, const struct value *data)
{
  const struct place at = { r->at, "data", 0 };

  if (!value_is (data, VALUE_OBJECT)) {
    read_hint (r, "data", "wrong_type", "{\"path\": value, …}", "expected an object, got %s",
               value_type_name (data));
    return;
  }
  if (data->count == 0 || data->count > WRITES_MAX) {
    read_wrong (r, "data", "too_many", "expected 1 to %d paths", WRITES_MAX);
    return;
  }
  action->u.set.writes = values_alloc (r->scope->pool, data->count * sizeof (struct write));
  for (size_t i = 0; action->u.set.writes != NULL && i < data->count; i++) {
    const struct value_member *member = &data->members[i];
    const struct place place = { &at, member->name, 0 };
    struct write *write = &action->u.set.writes[action->u.set.count];
    if (add_write (r, action, &place, member->name, member->len))
      r->good &= expr_read (&write->value, r->scope, &place, member->value, false);
  }
}

/* { "path" or "key": PATH, "value" or "data": value } (U2-3) */
static void
read_one_write (struct reading *r, struct action *action)
{
  static const char *const targets[] = { "path", "key", NULL };
  static const char *const values[] = { "value", "data", NULL };
  const char *target_name, *value_name;
  const struct value *target = read_spelling (r, targets, true, &target_name);
  const struct value *value = read_spelling (r, values, true, &value_name);
  const struct place at = { r->at, target_name, 0 };

  action->u.set.writes = values_alloc (r->scope->pool, sizeof (struct write));
  if (target == NULL || value == NULL || action->u.set.writes == NULL)
    return;
  if (value_cstring (target) == NULL)
    read_wrong (r, target_name, "wrong_type", "expected a path");
  else if (add_write (r, action, &at, target->text, target->count))
    (void) read_expr (r, value_name, &action->u.set.writes[0].value, value,
                      strcmp (value_name, "value") == 0);
}

void
action_read_set (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = { ACTION_COMMON, "data", "path", "key", "value", NULL };
  const struct value *data = value_get_z (r->object, "data");

  read_known (r, known);
  list->program->writes = true;
  if (value_get_z (r->object, "path") != NULL || value_get_z (r->object, "key") != NULL
      || value_get_z (r->object, "value") != NULL)
    read_one_write (r, action);
  else if (data != NULL)
    read_writes (r, action, data);
  else
    (void) read_value (r, "data", true);
}
