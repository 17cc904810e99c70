#include "agent.h"

#include <stdlib.h>
#include <string.h>

#include "protocol.h"

enum { DEADLINE_MAX = 24 * 3600 * 1000 };

/* ---- values ----------------------------------------------------------------------------- */

static bool
is_pattern (const struct text *text)
{
  size_t len = 0;

  for (const char *c = text_get (text); *c != '\0'; c++)
    if (*c != '*' && strchr (SETTINGS_NAME_CHARS, *c) == NULL)
      return false;
    else
      len++;
  return len == text->len && len != 0 && len <= SETTINGS_NAME_MAX;
}

static bool
read_names (struct settings *s, const char *name, void *value)
{
  static const char expected[] = "a list of at most 64 names of tools, or patterns like \"calc*\"";
  struct tool_names *names = value;
  CLEANUP_TEXT struct text text = { 0 };

  if (!json_scan_enter (&s->scan, '['))
    return settings_wrong (s, name, expected);
  while (json_scan_item (&s->scan)) {
    text_clear (&text);
    if (!json_scan_string (&s->scan, &text) || !is_pattern (&text)
        || names->count == TOOL_NAMES_MAX)
      return settings_wrong (s, name, expected);
    names->list[names->count] = strdup (text_get (&text));
    if (names->list[names->count++] == NULL)
      return settings_wrong (s, name, "less, or more memory");
  }
  return true;
}

static bool
read_protocol (struct settings *s, const char *name, void *value)
{
  CLEANUP_TEXT struct text text = { 0 };

  if (!settings_text (s, name, &text))
    return false;
  *(const struct protocol **) value = protocol_find (text_get (&text));
  return *(const struct protocol **) value != NULL
         || settings_wrong (s, name,
                            "\"openai-chat\", \"openai-responses\", \"anthropic-messages\" or "
                            "\"a2a\"");
}

static bool
read_kind (struct settings *s, const char *name, void *value)
{
  CLEANUP_TEXT struct text text = { 0 };

  if (!settings_text (s, name, &text))
    return false;
  *(bool *) value = strcmp (text_get (&text), "handoff") == 0;
  return *(bool *) value || strcmp (text_get (&text), "loopback") == 0
         || settings_wrong (s, name, "\"loopback\" or \"handoff\"");
}

static bool
read_pointer (struct settings *s, const char *name, void *value)
{
  struct agent *agent = value;
  const char *text;

  if (!settings_text (s, name, &agent->pointer))
    return false;
  text = text_get (&agent->pointer);
  agent->with_pointer = true;
  return *text == '\0' || *text == '/' || settings_wrong (s, name, "a JSON pointer");
}

static bool
read_output (struct settings *s, const char *name, void *value)
{
  struct agent *agent = value;
  const struct setting members[] = {
    { "pointer", read_pointer, agent },
    { "schema", settings_object, &agent->schema },
    { .name = NULL },
  };

  return settings_inner (s, name, members);
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool
in_range (struct settings *s, const char *name, int64_t value, int64_t min, int64_t max)
{
  char expected[80];

  if (value >= min && value <= max)
    return true;
  (void) snprintf (expected, sizeof expected, "a whole number from %lld to %lld", (long long) min,
                   (long long) max);
  return settings_wrong (s, name, expected);
}

static bool
is_url (const struct text *url)
{
  const char *text = text_get (url);

  return strncmp (text, "https://", 8) == 0 || strncmp (text, "http://", 7) == 0;
}

static bool
fits (struct agent *agent, struct settings *s)
{
  if (!settings_is_name (&agent->name))
    return settings_wrong (s, "name", "the name of a tool: 1 to 64 of A-Za-z0-9_-");
  if (agent->protocol == NULL)
    return settings_wrong (s, "protocol", "how it is spoken to");
  if (!is_url (&agent->endpoint))
    return settings_wrong (s, "endpoint", "a URL that begins with https:// or http://");
  if (agent->protocol->wants_model && agent->model.len == 0)
    return settings_wrong (s, "model", "the name of a model");
  if (!agent->protocol->wants_model && (agent->tools.count != 0 || agent->more.count != 0))
    return settings_wrong (s, "tools", "none: an A2A agent has its own");
  if (!agent->protocol->wants_model && agent->instructions.len != 0)
    return settings_wrong (s, "instructions", "none: an A2A agent has its own");
  return in_range (s, "max_iterations", agent->iterations, 1, 1000)
         && in_range (s, "max_function_calls", agent->calls, 0, 100000)
         && in_range (s, "max_consecutive_errors", agent->errors, 0, 1000)
         && in_range (s, "deadline", agent->deadline_ms, 1, DEADLINE_MAX);
}

bool
agent_read (struct agent *agent, struct settings *s)
{
  const struct setting members[] = {
    { "name", settings_text, &agent->name },
    { "description", settings_text, &agent->description },
    { "endpoint", settings_text, &agent->endpoint },
    { "protocol", read_protocol, &agent->protocol },
    { "model", settings_text, &agent->model },
    { "instructions", settings_text, &agent->instructions },
    { "parameters", settings_object, &agent->parameters },
    { "tools", read_names, &agent->tools },
    { "additional_tools", read_names, &agent->more },
    { "stream", settings_bool, &agent->stream },
    { "max_iterations", settings_int, &agent->iterations },
    { "max_function_calls", settings_int, &agent->calls },
    { "max_consecutive_errors", settings_int, &agent->errors },
    { "terminate_on_unknown_calls", settings_bool, &agent->stops_at_unknown },
    { "include_detailed_errors", settings_bool, &agent->detailed },
    { "deadline", settings_int, &agent->deadline_ms },
    { "output", read_output, agent },
    { "propagate_session", settings_bool, &agent->keeps_session },
    { "kind", read_kind, &agent->handoff },
    { .name = NULL },
  };

  agent->stream = true;
  agent->iterations = 40;
  agent->errors = 3;
  agent->deadline_ms = 300000;
  return settings_read (s, members) && fits (agent, s);
}

static void
names_free (struct tool_names *names)
{
  for (size_t i = 0; i < names->count; i++)
    free (names->list[i]);
}

void
agent_free (struct agent *agent)
{
  text_free (&agent->name);
  text_free (&agent->description);
  text_free (&agent->endpoint);
  text_free (&agent->model);
  text_free (&agent->instructions);
  text_free (&agent->parameters);
  names_free (&agent->tools);
  names_free (&agent->more);
  text_free (&agent->pointer);
  text_free (&agent->schema);
  text_free (&agent->definition);
}

void
agent_define (struct agent *agent)
{
  struct text *out = &agent->definition;
  CLEANUP_TEXT struct text about = { 0 };

  text_addf (&about, "Task for %s", text_get (&agent->name));
  json_open (out, '{');
  json_name_string (out, "name", text_get (&agent->name));
  json_name_string (out, "description", text_get (&agent->description));
  json_name (out, "inputSchema");
  json_raw (out, "{\"type\":\"object\",\"properties\":{\"task\":{\"type\":\"string\"");
  json_name_string (out, "description", text_get (&about));
  text_add (out, "}},\"required\":[\"task\"],\"additionalProperties\":false}");
  if (agent->schema.len != 0 && !agent->with_pointer) {
    json_name (out, "outputSchema");
    json_raw (out, text_get (&agent->schema));
  }
  json_name (out, "annotations");
  json_raw (out, "{\"openWorldHint\":true}");
  json_name (out, "toolhost");
  json_open (out, '{');
  json_name_string (out, "kind", agent->handoff ? "handoff" : "loopback");
  json_name_string (out, "text", "task");
  json_close (out, '}');
  json_close (out, '}');
}
