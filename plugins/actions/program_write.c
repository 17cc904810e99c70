/* A program as a document in the one spelling there is, and as a tool's definition. */
#include <string.h>

#include "condition.h"
#include "program.h"
#include "rule.h"

static void write_list (struct text *out, const char *name, const struct action_list *list);

/* ---- actions ---- */

static void
write_set (const struct action *action, struct text *out)
{
  json_name (out, "data");
  json_open (out, '{');
  for (size_t i = 0; i < action->u.set.count; i++)
    value_write_member (out, action->u.set.writes[i].key, action->u.set.writes[i].value.source);
  json_close (out, '}');
}

static void
write_get (const struct action *action, struct text *out)
{
  json_name_string (out, "path", action->u.get.path.text);
  json_name_string (out, "as", action->u.get.as);
}

static void
write_webhook (const struct action *action, struct text *out)
{
  json_name_string (out, "endpoint", action->u.webhook.endpoint->name);
  value_write_text_member (out, "method", action->u.webhook.method);
  if (action->u.webhook.has_body)
    value_write_member (out, "body", action->u.webhook.body.source);
}

static void
write_handoff (const struct action *action, struct text *out)
{
  value_write_member (out, "agent", action->u.handoff.agent.source);
  if (action->u.handoff.args.source->type != VALUE_NULL)
    value_write_member (out, "args", action->u.handoff.args.source);
}

static void
write_respond (const struct action *action, struct text *out)
{
  value_write_member (out, "message", action->u.message.source);
}

static void
write_flag (const struct action *action, struct text *out)
{
  json_name_string (out, "flag", action->u.flag.name);
  if (!action->u.flag.value)
    json_name_bool (out, "value", false);
}

static void
write_conditional (const struct action *action, struct text *out)
{
  json_name (out, "condition");
  condition_write (&action->u.branch.condition, out);
  write_list (out, "then", &action->u.branch.then);
  if (action->u.branch.otherwise.count != 0)
    write_list (out, "else", &action->u.branch.otherwise);
}

static void
write_validate (const struct action *action, struct text *out)
{
  json_name (out, "rules");
  json_open (out, '[');
  for (size_t i = 0; i < action->u.validate.count; i++)
    rule_write (&action->u.validate.rules[i], out);
  json_close (out, ']');
}

static void (*const writers[ACTION_TYPES]) (const struct action *action, struct text *out) = {
  [ACTION_CONTEXT_SET] = write_set,         [ACTION_CONTEXT_GET] = write_get,
  [ACTION_WEBHOOK] = write_webhook,         [ACTION_HANDOFF] = write_handoff,
  [ACTION_RESPOND] = write_respond,         [ACTION_FLAG_SET] = write_flag,
  [ACTION_CONDITIONAL] = write_conditional, [ACTION_VALIDATE] = write_validate,
};

static void
write_list (struct text *out, const char *name, const struct action_list *list)
{
  json_name (out, name);
  json_open (out, '[');
  for (size_t i = 0; i < list->count; i++) {
    const struct action *action = &list->items[i];
    json_open (out, '{');
    json_name_string (out, "type", action_type_names[action->type]);
    writers[action->type](action, out);
    if (action->continues)
      json_name_string (out, "on_error", "continue");
    json_close (out, '}');
  }
  json_close (out, ']');
}

/* ---- the document ---- */

static void
write_parameter (const struct parameter *p, struct text *out)
{
  json_open (out, '{');
  json_name_string (out, "name", p->name);
  json_name_string (out, "type", p->type);
  value_write_text_member (out, "description", p->description);
  value_write_member (out, "enum", p->choices);
  value_write_member (out, "items", p->items);
  value_write_member (out, "default", p->otherwise);
  if (p->required)
    json_name_bool (out, "required", true);
  json_close (out, '}');
}

void
program_write (const struct program *program, struct text *out)
{
  json_open (out, '{');
  json_name_string (out, "name", program->name);
  json_name_string (out, "description", program->description);
  json_name (out, "parameters");
  json_open (out, '[');
  for (size_t i = 0; i < program->parameter_count; i++)
    write_parameter (&program->parameters[i], out);
  json_close (out, ']');
  value_write_member (out, "strict", program->strict);
  write_list (out, "actions", &program->actions);
  write_list (out, "on_success", &program->on_success);
  write_list (out, "on_failure", &program->on_failure);
  json_close (out, '}');
}

/* ---- the definition ---- */

/* The schema of a parameter (U2-1). */
static void
define_parameter (const struct parameter *p, struct text *out)
{
  const bool list = strcmp (p->type, "array") == 0;

  json_name (out, p->name);
  json_open (out, '{');
  json_name_string (out, "type", p->type);
  value_write_text_member (out, "description", p->description);
  if (list && p->items == NULL) {
    json_name (out, "items");
    json_open (out, '{');
    value_write_member (out, "enum", p->choices);
    json_close (out, '}');
  }
  else if (list)
    value_write_member (out, "items", p->items);
  else
    value_write_member (out, "enum", p->choices);
  value_write_member (out, "default", p->otherwise);
  json_close (out, '}');
}

static void
define_required (const struct program *program, struct text *out)
{
  json_name (out, "required");
  json_open (out, '[');
  for (size_t i = 0; i < program->parameter_count; i++)
    if (program->parameters[i].required)
      json_string (out, program->parameters[i].name);
  json_close (out, ']');
}

static void
define_all (const struct program *program, struct text *out)
{
  json_open (out, '{');
  json_name_string (out, "name", program->name);
  json_name_string (out, "description", program->description);
  json_name (out, "inputSchema");
  json_open (out, '{');
  json_name_string (out, "type", "object");
  json_name (out, "properties");
  json_open (out, '{');
  for (size_t i = 0; i < program->parameter_count; i++)
    define_parameter (&program->parameters[i], out);
  json_close (out, '}');
  define_required (program, out);
  json_name_bool (out, "additionalProperties", false);
  json_close (out, '}');
  json_name (out, "annotations");
  json_open (out, '{');
  json_name_bool (out, "readOnlyHint", !program->writes);
  json_name_bool (out, "openWorldHint", program->calls_out);
  json_close (out, '}');
  if (program->strict != NULL) {
    json_name (out, "toolhost");
    json_open (out, '{');
    value_write_member (out, "strict", program->strict);
    json_close (out, '}');
  }
  json_close (out, '}');
}

void
program_define (struct program *program, struct values *pool)
{
  CLEANUP_TEXT struct text out = { 0 };

  define_all (program, &out);
  program->definition = values_text (pool, text_get (&out), out.len);
  if (!text_ok (&out))
    pool->failed = true;
}
