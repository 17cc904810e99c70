/* agent - agents behind services, as tools: an agent is given a task in words and answers with
 * text, or with JSON where it is configured so.  It may use tools of its caller's own toolset.
 *
 * Tools are built for each tenant from its feature "agents".  Requests go through the host, which
 * adds the key. */
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

#include "../common/built.h"
#include "agent.h"
#include "run.h"

enum { SESSION_MAX = 40 * 1024 /* bytes of a conversation that is kept */ };

/* ---- the task --------------------------------------------------------------------------- */

/* The texts of a list of them, as Line's events have what the user said. */
static const char *
said_in_parts (struct values *pool, const struct value *parts)
{
  CLEANUP_TEXT struct text said = { 0 };

  for (size_t i = 0; value_is (parts, VALUE_ARRAY) && i < parts->count; i++) {
    const char *text = value_cstring (value_get_z (parts->items[i], "content"));
    if (text == NULL)
      text = value_cstring (value_get_z (parts->items[i], "text"));
    if (text == NULL)
      continue;
    if (said.len != 0)
      text_add (&said, " ");
    text_add (&said, text);
  }
  return said.len != 0 ? values_text (pool, said.data, said.len) : NULL;
}

/* Of an event of a conversation that the agent leads, what the user says; NULL: nothing. */
static const char *
said_in (struct values *pool, const struct value *event)
{
  static const char *const names[] = { "text", "transcript", "content", "message" };
  const char *text = NULL;

  for (size_t i = 0; text == NULL && i < sizeof names / sizeof *names; i++)
    text = value_cstring (value_get_z (event, names[i]));
  return text != NULL ? text : said_in_parts (pool, value_get_z (event, "content"));
}

/* The argument "task", or the only one that is a text. */
static const char *
task_in (const struct value *args)
{
  const char *task = value_cstring (value_get_z (args, "task"));

  if (task == NULL && value_is (args, VALUE_OBJECT) && args->count == 1)
    task = value_cstring (args->members[0].value);
  return task;
}

/* NULL: there is nothing to do.  *led: it is an event of a conversation that the agent leads. */
static const char *
task_of (toolhost_call *call, struct values *pool, bool *led)
{
  const char *metadata = toolhost_metadata (call), *args;
  const struct value *event =
    value_get_z (value_parse (pool, metadata, strlen (metadata)), "event");
  size_t len;

  args = toolhost_args (call, &len);
  *led = event != NULL;
  if (*led
      && strcmp (value_cstring (value_get_z (event, "type")) != NULL
                   ? value_cstring (value_get_z (event, "type"))
                   : "",
                 "agent_handed_off")
           != 0)
    return said_in (pool, event);
  return task_in (value_parse (pool, args, len));
}

/* ---- what stays in a session ------------------------------------------------------------ */

static bool
path_of (const struct agent *agent, char path[96])
{
  return snprintf (path, 96, "agents.%s", text_get (&agent->name)) < 96;
}

static void
recall (struct run *run)
{
  const struct value *kept, *items;
  char path[96];
  const char *json;
  size_t len;

  if (!path_of (run->agent, path)
      || toolhost_context_get (run->call, path, &json, &len) != TOOLHOST_OK)
    return;
  kept = value_parse (&run->pool, json, len);
  items = value_get_z (kept, "items");
  if (value_is (items, VALUE_ARRAY))
    run->items = items;
  json = value_cstring (value_get_z (kept, "context"));
  text_add (&run->context, json != NULL ? json : "");
}

static bool
begins_a_turn (const struct value *item)
{
  const char *role = value_cstring (value_get_z (item, "role"));

  return role != NULL && strcmp (role, "user") == 0
         && value_is (value_get_z (item, "content"), VALUE_STRING);
}

/* The latest of it that fits, from something the user said on. */
static const struct value *
latest (struct values *pool, const struct value *items)
{
  for (size_t from = 0; from < items->count; from++) {
    const struct value *rest;
    if (!begins_a_turn (items->items[from]))
      continue;
    rest = value_array (pool, items->items + from, items->count - from);
    if (value_fits (rest, SESSION_MAX))
      return rest;
  }
  return &value_no_items;
}

static void
remember (struct run *run)
{
  CLEANUP_TEXT struct text json = { 0 };
  char path[96];

  json_open (&json, '{');
  if (run->agent->protocol->wants_model)
    value_write_member (&json, "items", latest (&run->pool, run->items));
  else
    json_name_string (&json, "context", text_get (&run->context));
  json_close (&json, '}');
  if (path_of (run->agent, path) && text_ok (&json))
    (void) toolhost_context_set (run->call, path, text_get (&json));
}

/* ---- the answer ------------------------------------------------------------------------- */

/* JSON, also where the model has put a fence around it. */
static const struct value *
json_in (struct values *pool, const struct text *answer)
{
  const char *text = text_get (answer), *begin = strstr (text, "```"), *end;
  const struct value *value = value_parse (pool, text, answer->len);

  if (value != NULL || begin == NULL)
    return value;
  begin += strcspn (begin, "\n");
  end = strstr (begin, "```");
  return end != NULL ? value_parse (pool, begin, (size_t) (end - begin)) : NULL;
}

static const struct value *
at_pointer (const struct value *value, const char *pointer)
{
  while (value != NULL && *pointer == '/') {
    CLEANUP_TEXT struct text name = { 0 };
    size_t index;
    for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++) {
      char c = *pointer;
      if (c == '~' && (pointer[1] == '0' || pointer[1] == '1'))
        c = *++pointer == '0' ? '~' : '/';
      text_add_len (&name, &c, 1);
    }
    index = (size_t) strtoul (text_get (&name), NULL, 10);
    if (value_is (value, VALUE_ARRAY))
      value =
        name.len != 0 && strspn (text_get (&name), "0123456789") == name.len && index < value->count
          ? value->items[index]
          : NULL;
    else
      value = value_get (value, text_get (&name), name.len);
  }
  return value;
}

static toolhost_status
tell (struct run *run)
{
  const struct agent *agent = run->agent;
  const struct value *value;
  CLEANUP_TEXT struct text json = { 0 };

  if (agent->schema.len == 0 && !agent->with_pointer)
    return toolhost_text_len (run->call, text_get (&run->turn.text), run->turn.text.len);
  value = json_in (&run->pool, &run->turn.text);
  if (value == NULL)
    return toolhost_fail (run->call, "agent_error", "The agent %s failed: its answer is no JSON.",
                          text_get (&agent->name));
  if (agent->with_pointer)
    value = at_pointer (value, text_get (&agent->pointer));
  if (value == NULL)
    return toolhost_fail (run->call, "agent_error",
                          "The agent %s failed: its answer has nothing at %s.",
                          text_get (&agent->name), text_get (&agent->pointer));
  if (value_is (value, VALUE_STRING) && agent->with_pointer)
    return toolhost_text_len (run->call, value->text, value->count);
  value_write (&json, value);
  return toolhost_json_len (run->call, text_get (&json), json.len);
}

/* ---- the call --------------------------------------------------------------------------- */

/* What an a2a agent is sent is one message; the others are told all that was said. */
static void
ask_it (struct run *run, const char *task)
{
  CLEANUP_TEXT struct text json = { 0 };

  if (run->agent->protocol->wants_model) {
    run->items = conversation_ask (&run->pool, run->items, task);
    return;
  }
  json_open (&json, '{');
  json_name_string (&json, "content", task);
  json_name_string (&json, "id", toolhost_call_id (run->call));
  json_close (&json, '}');
  run->items = conversation_add (&run->pool, &value_no_items, &json);
}

static toolhost_status
work (struct run *run)
{
  bool led, kept;
  const char *task = task_of (run->call, &run->pool, &led);

  kept = led || run->agent->keeps_session;
  if (!run_resume (run)) {
    if (task == NULL)
      return led ? TOOLHOST_OK
                 : toolhost_fail (run->call, "agent_error", "The task must be a text.");
    if (kept)
      recall (run);
    ask_it (run, task);
  }
  if (!run_on (run))
    return run->status;
  if (kept)
    remember (run);
  return tell (run);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  struct run *run = calloc (1, sizeof *run);
  toolhost_status status;

  if (run == NULL)
    return toolhost_fail (call, "agent_error", "There is no memory for the agent.");
  run->agent = self;
  run->call = call;
  run->items = &value_no_items;
  run->turn.pool = &run->pool;
  status = work (run);
  run_end (run);
  free (run);
  return status;
}

static const char *
definition (void *self)
{
  return text_get (&((struct agent *) self)->definition);
}

static int64_t
max_time (void *self)
{
  return ((struct agent *) self)->deadline_ms;
}

static const toolhost_tool agent_tool = { TOOLHOST_TOOL, .definition = definition,
                                          .execute = execute, .max_time = max_time };

/* ---- the builder ------------------------------------------------------------------------ */

static void
release (void *self)
{
  agent_free (self);
  free (self);
}

static bool
read_one (void *self, struct settings *s)
{
  return agent_read (self, s);
}

static const struct text *
define (void *self)
{
  struct agent *agent = self;

  agent_define (agent);
  return &agent->definition;
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  static const struct built_list list = { "agents",    "a list of agents", sizeof (struct agent),
                                          &agent_tool, read_one,           define,
                                          release };

  return built_each (&list, build, config, len);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "agents", .build = build,
                                          .release = release };

TOOLHOST_PLUGIN (.name = "agent", .version = "1.0",
                 .description = "Agents behind services, as tools.", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_BUILDERS (&builder))
