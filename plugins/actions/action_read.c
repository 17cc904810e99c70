#include "action_read.h"

#include <string.h>

#include "condition.h"
#include "read.h"
#include "rule.h"

const char *const action_type_names[ACTION_TYPES + 1] = {
  [ACTION_CONTEXT_SET] = "context.set", [ACTION_CONTEXT_GET] = "context.get",
  [ACTION_WEBHOOK] = "webhook",         [ACTION_HANDOFF] = "handoff",
  [ACTION_RESPOND] = "respond",         [ACTION_FLAG_SET] = "flag.set",
  [ACTION_CONDITIONAL] = "conditional", [ACTION_VALIDATE] = "validate",
};

/* ---- context.get ---- */

static const char *
last_name (const struct path *path)
{
  return path->count != 0 ? path->names[path->count - 1].text : root_names[path->root];
}

static void
read_get (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = { ACTION_COMMON, "path", "key", "as", NULL };
  static const char *const spellings[] = { "path", "key", NULL };
  struct path *path = &action->u.get.path;
  const char *name, *why;
  const struct value *value = read_spelling (r, spellings, true, &name);
  const struct place at = { r->at, name, 0 };

  (void) list;
  read_known (r, known);
  action->u.get.as = read_text (r, "as", false, PATH_NAME_MAX);
  if (value == NULL)
    return;
  if (value->type != VALUE_STRING
      || !path_read (path, r->scope->pool, value->text, value->count, ROOT_WORKFLOW, &why))
    read_wrong (r, name, "bad_path", "expected a path, names with dots between them");
  else if (!expr_check_path (r->scope, &at, path))
    r->good = false;
  else if (action->u.get.as == NULL)
    action->u.get.as = last_name (path);
}

/* ---- webhook ---- */

static void
find_endpoint (struct reading *r, struct action *action, const struct list_reading *list)
{
  const char *name = read_text (r, "endpoint", true, NAME_LEN_MAX);
  const struct place at = { r->at, "endpoint", 0 };

  action->u.webhook.endpoint = name != NULL ? endpoint_find (list->endpoints, name) : NULL;
  if (name != NULL && action->u.webhook.endpoint == NULL)
    r->good = problem_unknown (r->scope->problems, &at, "unknown_endpoint", name,
                               list->endpoints->names, "there is no endpoint \"%s\"", name);
}

static void
read_webhook (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = {
    ACTION_COMMON, "endpoint", "body", "payload", "method", NULL
  };
  static const char *const spellings[] = { "body", "payload", NULL };
  const struct endpoint *endpoint;
  const char *name;
  const struct value *body = read_spelling (r, spellings, false, &name);

  read_known (r, known);
  find_endpoint (r, action, list);
  endpoint = action->u.webhook.endpoint;
  action->u.webhook.method = read_text (r, "method", false, NAME_LEN_MAX);
  if (action->u.webhook.method != NULL && !endpoint_is_method (action->u.webhook.method))
    read_wrong (r, "method", "bad_method", "expected GET, POST, PUT, PATCH or DELETE");
  action->u.webhook.has_body = body != NULL;
  if (body != NULL)
    (void) read_expr (r, name, &action->u.webhook.body, body, strcmp (name, "payload") == 0);
  if (body != NULL && endpoint != NULL
      && strcmp (action->u.webhook.method != NULL ? action->u.webhook.method : endpoint->method,
                 "GET")
           == 0)
    read_wrong (r, name, "bad_method", "a GET has no body");
  list->program->writes = list->program->calls_out = true;
  if (endpoint != NULL)
    list->program->max_time_ms += endpoint->timeout_ms * (endpoint->retries + 1);
}

/* ---- handoff, respond, flag.set ---- */

static void
read_handoff (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = { ACTION_COMMON, "agent", "target_agent",
                                       "target",      "args",  NULL };
  static const char *const spellings[] = { "agent", "target_agent", "target", NULL };
  const char *name;
  const struct value *agent = read_spelling (r, spellings, true, &name);
  const struct value *args = read_value (r, "args", false);

  read_known (r, known);
  list->program->writes = true;
  action->u.handoff.args.source = &value_null;
  if (agent != NULL && (agent->type != VALUE_STRING || agent->count == 0))
    read_wrong (r, name, "wrong_type", "expected the name of an agent");
  else if (agent != NULL)
    (void) read_expr (r, name, &action->u.handoff.agent, agent, false);
  if (args != NULL && args->type != VALUE_OBJECT && args->type != VALUE_STRING)
    read_wrong (r, "args", "wrong_type", "expected an object, got %s", value_type_name (args));
  else if (args != NULL)
    (void) read_expr (r, "args", &action->u.handoff.args, args, false);
}

/* A message by its key is the tenant's: {{tenant.messages.KEY}} (U2-4). */
static const struct value *
message_of_key (struct reading *r)
{
  const char *key = read_text (r, "message_key", true, NAME_LEN_MAX);
  CLEANUP_TEXT struct text text = { 0 };

  if (key == NULL)
    return NULL;
  text_addf (&text, "{{tenant.messages.%s}}", key);
  return value_string (r->scope->pool, text_get (&text), text.len);
}

static void
read_respond (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = { ACTION_COMMON, "message", "message_key", NULL };
  const bool by_key = value_get_z (r->object, "message_key") != NULL;
  const struct value *message;

  (void) list;
  read_known (r, known);
  if (by_key && value_get_z (r->object, "message") != NULL)
    read_wrong (r, "message_key", "conflicting_members", "either \"message\" or \"message_key\"");
  message = by_key ? message_of_key (r) : read_value (r, "message", true);
  if (message != NULL && message->type != VALUE_STRING)
    read_wrong (r, "message", "wrong_type", "expected a text, got %s", value_type_name (message));
  else if (message != NULL)
    (void) read_expr (r, by_key ? "message_key" : "message", &action->u.message, message, false);
}

static void
read_flag (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = { ACTION_COMMON, "flag", "name", "value", NULL };
  static const char *const spellings[] = { "flag", "name", NULL };
  const char *name;
  const struct value *flag = read_spelling (r, spellings, true, &name);

  read_known (r, known);
  list->program->writes = true;
  action->u.flag.value = read_bool (r, "value", true);
  if (flag != NULL
      && (value_cstring (flag) == NULL || !path_is_name (flag->text, flag->count, NAME_LEN_MAX)))
    read_wrong (r, name, "bad_name", "a flag is named by 1 to %d of A-Za-z0-9_-", NAME_LEN_MAX);
  else if (flag != NULL)
    action->u.flag.name = flag->text;
}

/* ---- conditional, validate ---- */

static const char *
where_within (const struct scope *scope, const char *where, const char *list)
{
  CLEANUP_TEXT struct text text = { 0 };

  text_addf (&text, "%s.%s", where, list);
  return values_text (scope->pool, text_get (&text), text.len);
}

static void
read_branch (struct reading *r, struct action_list *branch, const char *name, const char *where,
             const struct list_reading *list)
{
  struct list_reading inner = *list;
  const struct place at = { r->at, name, 0 };

  inner.where = where_within (r->scope, where, name);
  inner.depth++;
  r->good &= action_list_read (branch, &inner, &at, value_get_z (r->object, name));
}

static void
read_conditional (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = { ACTION_COMMON, "condition", "then", "else", NULL };
  const struct value *condition = read_value (r, "condition", true);
  const struct place at = { r->at, "condition", 0 };

  read_known (r, known);
  if (condition != NULL)
    r->good &= condition_read (&action->u.branch.condition, r->scope, &at, condition);
  if (list->depth == ACTIONS_DEPTH_MAX) {
    r->good = problem (r->scope->problems, r->at, "too_deep", NULL,
                       "conditionals stand within each other at most %d times", ACTIONS_DEPTH_MAX);
    return;
  }
  if (value_get_z (r->object, "then") == NULL && value_get_z (r->object, "else") == NULL)
    (void) read_value (r, "then", true);
  read_branch (r, &action->u.branch.then, "then", action->where, list);
  read_branch (r, &action->u.branch.otherwise, "else", action->where, list);
}

static void
read_validate (struct reading *r, struct action *action, const struct list_reading *list)
{
  static const char *const known[] = { ACTION_COMMON, "rules", NULL };
  const struct value *rules = read_list (r, "rules", true, RULES_MAX);
  const struct place at = { r->at, "rules", 0 };

  (void) list;
  read_known (r, known);
  if (rules == NULL)
    return;
  action->u.validate.rules = values_alloc (r->scope->pool, rules->count * sizeof (struct rule) + 1);
  for (size_t i = 0; action->u.validate.rules != NULL && i < rules->count; i++) {
    const struct place rule = { &at, NULL, i };
    r->good &= rule_read (&action->u.validate.rules[i], r->scope, &rule, rules->items[i]);
    action->u.validate.count++;
  }
}

/* ---- all of them ---- */

static void (*const readers[ACTION_TYPES]) (struct reading *r, struct action *action,
                                            const struct list_reading *list) = {
  [ACTION_CONTEXT_SET] = action_read_set,  [ACTION_CONTEXT_GET] = read_get,
  [ACTION_WEBHOOK] = read_webhook,         [ACTION_HANDOFF] = read_handoff,
  [ACTION_RESPOND] = read_respond,         [ACTION_FLAG_SET] = read_flag,
  [ACTION_CONDITIONAL] = read_conditional, [ACTION_VALIDATE] = read_validate,
};

/* Types of later generations (U2-2), which are not among the eight (S2-7). */
static const char *
hint_of_type (const char *type)
{
  static const struct {
    const char *type, *hint;
  } others[] = {
    { "context.delete", "context.set can write null there, and \"exists\" is false for null" },
    { "flag.clear", "{\"type\": \"flag.set\", \"flag\": …, \"value\": false} clears a flag" },
    { "api_call", "webhook calls an endpoint, which has the URL and a name" },
  };

  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp (others[i].type, type) == 0)
      return others[i].hint;
  return NULL;
}

static void
unknown_type (struct reading *r, const char *type)
{
  const struct place at = { r->at, "type", 0 };
  const char *hint = hint_of_type (type);
  static const char said[] = "there is no action type \"%s\"";

  if (hint != NULL)
    r->good = problem (r->scope->problems, &at, "unknown_action_type", hint, said, type);
  else
    r->good = problem_unknown (r->scope->problems, &at, "unknown_action_type", type,
                               action_type_names, said, type);
}

/* "stop", "continue", or its other spelling (A2-12). */
static void
read_on_error (struct reading *r, struct action *action)
{
  const char *on_error = read_text (r, "on_error", false, NAME_LEN_MAX);
  const bool alias = read_bool (r, "continue_on_failure", false);

  action->continues = alias;
  if (on_error == NULL)
    return;
  action->continues = strcmp (on_error, "continue") == 0;
  if (!action->continues && strcmp (on_error, "stop") != 0)
    read_wrong (r, "on_error", "wrong_type", "expected \"stop\" or \"continue\"");
  if (value_get_z (r->object, "continue_on_failure") != NULL && alias != action->continues)
    read_wrong (r, "continue_on_failure", "conflicting_members",
                "\"on_error\" and \"continue_on_failure\" differ");
}

static bool
read_action (struct action *action, const struct list_reading *list, const struct place *at,
             const struct value *value)
{
  struct reading r;
  const char *type;
  int known = 0;

  if (!read_begin (&r, list->scope, at, value))
    return false;
  type = read_text (&r, "type", true, NAME_LEN_MAX);
  if (type == NULL)
    return false;
  while (known < ACTION_TYPES && strcmp (action_type_names[known], type) != 0)
    known++;
  if (known == ACTION_TYPES) {
    unknown_type (&r, type);
    return false;
  }
  action->type = (enum action_type) known;
  read_on_error (&r, action);
  readers[known](&r, action, list);
  return r.good;
}

static const char *
where_of (const struct list_reading *list, size_t index)
{
  CLEANUP_TEXT struct text text = { 0 };

  text_addf (&text, "%s[%zu]", list->where, index);
  return values_text (list->scope->pool, text_get (&text), text.len);
}

static bool
has_room (const struct list_reading *list, const struct place *at, const struct value *value)
{
  if (value->type != VALUE_ARRAY)
    return problem (list->scope->problems, at, "wrong_type", NULL,
                    "expected a list of actions, got %s", value_type_name (value));
  if (value->count > ACTIONS_MAX - list->program->action_count)
    return problem (list->scope->problems, at, "too_many", NULL,
                    "a tool has at most %d actions, all lists together", ACTIONS_MAX);
  return true;
}

bool
action_list_read (struct action_list *actions, const struct list_reading *list,
                  const struct place *at, const struct value *value)
{
  bool good = true;

  *actions = (struct action_list){ 0 };
  if (value == NULL)
    return true;
  if (!has_room (list, at, value))
    return false;
  list->program->action_count += value->count;
  actions->items = values_alloc (list->scope->pool, value->count * sizeof *actions->items + 1);
  for (size_t i = 0; actions->items != NULL && i < value->count; i++) {
    const struct place item = { at, NULL, i };
    actions->items[i].type = ACTION_TYPES;
    actions->items[i].where = where_of (list, i);
    good &= read_action (&actions->items[i], list, &item, value->items[i]);
    actions->count++;
  }
  return good;
}
