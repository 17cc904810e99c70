#include "agent.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool
read_update_call (struct settings *s, const char *name, void *value)
{
  struct agent *agent = value;
  const struct setting members[] = {
    { "voice_id", settings_text, &agent->voice_id },
    { "pronunciation_dict_id", settings_text, &agent->pronunciation_dict_id },
    { "language", settings_text, &agent->language },
    { .name = NULL },
  };

  return settings_inner (s, name, members);
}

/* What the seed's system calls it: by the agent, in lower case. */
static void
name_it (struct agent *agent)
{
  const char *from = text_get (&agent->agent);

  text_add (&agent->name, "transfer_to_");
  for (; *from != '\0'; from++) {
    char c = (char) tolower ((unsigned char) *from);
    text_add_len (&agent->name, &c, 1);
  }
}

bool
agent_read (struct agent *agent, struct settings *s)
{
  static const char named[] = "the name of a tool: 1 to 64 of A-Za-z0-9_-";
  const struct setting members[] = {
    { "agent", settings_text, &agent->agent },
    { "args", settings_object, &agent->args },
    { "name", settings_text, &agent->name },
    { "description", settings_text, &agent->description },
    { "handoff_message", settings_text, &agent->message },
    { "introduction", settings_text, &agent->introduction },
    { "update_call", read_update_call, agent },
    { "interruptible", settings_bool, &agent->interruptible },
    { .name = NULL },
  };

  agent->interruptible = true;
  if (!settings_read (s, members))
    return false;
  if (!settings_is_name (&agent->agent))
    return settings_wrong (s, "agent", named);
  if (agent->name.len == 0)
    name_it (agent);
  return settings_is_name (&agent->name) || settings_wrong (s, "name", named);
}

void
agent_free (struct agent *agent)
{
  text_free (&agent->agent);
  text_free (&agent->args);
  text_free (&agent->name);
  text_free (&agent->description);
  text_free (&agent->message);
  text_free (&agent->introduction);
  text_free (&agent->voice_id);
  text_free (&agent->pronunciation_dict_id);
  text_free (&agent->language);
  text_free (&agent->definition);
}

void
agent_define (struct agent *agent)
{
  struct text *out = &agent->definition;

  json_open (out, '{');
  json_name_string (out, "name", text_get (&agent->name));
  json_name_string (out, "description",
                    agent->description.len != 0 ? text_get (&agent->description)
                                                : "Transfer the conversation to another agent.");
  json_name (out, "inputSchema");
  json_raw (out, "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}");
  json_name (out, "toolhost");
  json_raw (out, "{\"kind\":\"passthrough\"}");
  json_close (out, '}');
}
