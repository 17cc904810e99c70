#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "condition.h"
#include "rule.h"

static bool run_list (struct run *run, const struct action_list *list);

/* ---- results ---- */

struct result
run_done (void)
{
  return (struct result){ .ok = true };
}

struct result
run_failed (struct run *run, const char *code, const char *fmt, ...)
{
  CLEANUP_TEXT struct text line = { 0 };
  char said[500];
  va_list args;

  va_start (args, fmt);
  (void) vsnprintf (said, sizeof said, fmt, args);
  va_end (args);
  text_add_line (&line, said, strlen (said));
  return (struct result){ .code = code,
                          .message = values_text (run->pool, text_get (&line), line.len) };
}

bool
run_missed (const struct run *run)
{
  return run->strict && run->missing->count != 0;
}

struct result
run_missed_result (struct run *run)
{
  return run_failed (run, "template_error", "there is nothing at %s", run->missing->items[0]->text);
}

/* ---- looking up ---- */

static const struct value *
load (struct run *run, enum root root)
{
  switch (root) {
  case ROOT_PARAMS:
  case ROOT_RESULT:
  case ROOT_ERROR:
    return NULL; /* until there is one */
  case ROOT_WEBHOOK:
    return &value_no_members;
  case ROOT_NOW:
    return value_string_z (run->pool, run->around->now (run->around->ctx, run->pool));
  default:
    return run->around->load (run->around->ctx, root, run->pool);
  }
}

const struct value *
run_root (struct run *run, enum root root)
{
  if (run->roots[root] == NULL)
    run->roots[root] = load (run, root);
  return run->roots[root];
}

static const struct value *
find_quietly (void *ctx, const struct path *path)
{
  const struct value *root = run_root (ctx, path->root);

  if (path->endpoint != NULL)
    root = value_get_z (root, path->endpoint);
  return path_follow (path, root);
}

static const struct value *
find (void *ctx, const struct path *path)
{
  struct run *run = ctx;
  const struct value *value = find_quietly (run, path);

  if (value == NULL && path->root == ROOT_FLAGS && path->count == 1)
    return &value_false; /* a flag that nobody has set */
  if (value == NULL)
    run->missing = value_append (run->pool, run->missing, value_string_z (run->pool, path->text));
  return value;
}

struct lookup
run_lookup (struct run *run)
{
  return (struct lookup){ .find = find, .ctx = run, .pool = run->pool };
}

/* ---- what branches and checks ---- */

/* S2-14: what is not there is no failure of a condition. */
static struct result
run_conditional (struct run *run, const struct action *action, struct entry *entry)
{
  const struct lookup lookup = { .find = find_quietly, .ctx = run, .pool = run->pool };
  const bool holds = condition_holds (&action->u.branch.condition, &lookup);

  entry->branch = holds ? "then" : "else";
  if (run_list (run, holds ? &action->u.branch.then : &action->u.branch.otherwise))
    return run_done ();
  return run->failed->result;
}

static const char *
joined_messages (struct run *run, const struct value *errors)
{
  CLEANUP_TEXT struct text text = { 0 };

  for (size_t i = 0; i < errors->count; i++) {
    const char *message = value_cstring (value_get_z (errors->items[i], "message"));
    if (message == NULL || strstr (text_get (&text), message) != NULL)
      continue;
    text_addf (&text, "%s%s", text.len != 0 ? "; " : "", message);
  }
  return values_text (run->pool, text_get (&text), text.len);
}

/* S2-15, A2-11: all that is wrong is told. */
struct result
run_validate (struct run *run, const struct action *action)
{
  const struct value *errors = &value_no_items;
  struct result result = run_done ();

  for (size_t i = 0; i < action->u.validate.count; i++)
    if (!rule_check (&action->u.validate.rules[i], run->roots[ROOT_PARAMS], run->pool, &errors))
      result.ok = false;
  if (result.ok)
    return result;
  result.code = "validation_failed";
  result.message = joined_messages (run, errors);
  result.errors = errors;
  return result;
}

/* ---- one after the other ---- */

static struct result
dispatch (struct run *run, const struct action *action, struct entry *entry)
{
  static struct result (*const handlers[ACTION_TYPES]) (struct run * run,
                                                        const struct action *action) = {
    [ACTION_CONTEXT_SET] = run_set,   [ACTION_CONTEXT_GET] = run_get,
    [ACTION_WEBHOOK] = run_webhook,   [ACTION_HANDOFF] = run_handoff,
    [ACTION_RESPOND] = run_respond,   [ACTION_FLAG_SET] = run_flag,
    [ACTION_VALIDATE] = run_validate,
  };

  if (run->around->cancelled (run->around->ctx))
    return run_failed (run, "cancelled", "the call was cancelled, or its time is up");
  if (action->type == ACTION_CONDITIONAL)
    return run_conditional (run, action, entry);
  if (action->type < ACTION_TYPES)
    return handlers[action->type](run, action);
  return run_failed (run, "unknown_action_type", "there is no such action"); /* A2-14 */
}

static struct entry *
run_action (struct run *run, const struct action *action)
{
  struct entry *entry = &run->entries[run->entry_count++];
  const int64_t began = run->around->clock (run->around->ctx);

  run->missing = &value_no_items;
  entry->action = action;
  entry->result = dispatch (run, action, entry);
  entry->missing = action->type == ACTION_CONDITIONAL ? &value_no_items : run->missing;
  entry->ms = run->around->clock (run->around->ctx) - began;
  if (entry->result.ok && !values_ok (run->pool))
    entry->result = run_failed (run, "out_of_memory", "there is no memory left");
  return entry;
}

/* S2-21, S2-22: in their order, until one fails.  False: one did. */
static bool
run_list (struct run *run, const struct action_list *list)
{
  for (size_t i = 0; i < list->count && !run->stop; i++) {
    struct entry *entry = run_action (run, &list->items[i]);
    if (entry->result.ok)
      continue;
    if (!entry->action->continues) {
      if (run->failed == NULL)
        run->failed = entry;
      return false;
    }
    entry->continued = true;
    run->failed = NULL;
  }
  return true;
}

/* ---- all of it ---- */

/* Arguments, and defaults of those that are not there (U2-1). */
static const struct value *
with_defaults (const struct run *run, const struct value *arguments)
{
  const struct program *program = run->program;

  for (size_t i = 0; i < program->parameter_count; i++) {
    const struct parameter *p = &program->parameters[i];
    if (p->otherwise != NULL && value_get_z (arguments, p->name) == NULL)
      arguments = value_with (run->pool, arguments, p->name, strlen (p->name), p->otherwise);
  }
  return arguments;
}

static const struct value *
with_text (const struct run *run, const struct value *object, const char *name, const char *text)
{
  return text == NULL
           ? object
           : value_with (run->pool, object, name, strlen (name), value_string_z (run->pool, text));
}

/* What {{error}} is while on_failure runs. */
static const struct value *
error_value (const struct run *run, const struct entry *entry)
{
  const struct result *result = &entry->result;
  const struct value *error = &value_no_members;

  error = with_text (run, error, "code", result->code);
  error = with_text (run, error, "message", result->message);
  error = with_text (run, error, "action", entry->action->where);
  error = with_text (run, error, "type", action_type_names[entry->action->type]);
  error = with_text (run, error, "reason", result->reason);
  if (result->status != 0)
    error = value_with (run->pool, error, "status", 6, value_int (run->pool, result->status));
  if (result->errors != NULL)
    error = value_with (run->pool, error, "errors", 6, result->errors);
  return error;
}

/* A2-13: what fails there ends that list, and nothing else. */
static void
run_handlers (struct run *run)
{
  const struct entry *failed = run->failed;

  run->stop = false;
  run->failed = NULL;
  if (!run->ok)
    run->roots[ROOT_ERROR] = error_value (run, failed);
  if (run->ok)
    (void) run_list (run, &run->program->on_success);
  else if (strcmp (failed->result.code, "cancelled") != 0)
    (void) run_list (run, &run->program->on_failure);
  run->failed = failed;
}

void
run_program (struct run *run, const struct value *arguments)
{
  run->roots[ROOT_PARAMS] = with_defaults (run, arguments);
  run->data = &value_no_members;
  run->missing = &value_no_items;
  run->entries = values_alloc (run->pool, (run->program->action_count + 1) * sizeof *run->entries);
  if (run->entries == NULL)
    return;
  run->ok = run_list (run, &run->program->actions);
  run_handlers (run);
}

void
run_free (struct run *run)
{
  text_free (&run->message);
}
