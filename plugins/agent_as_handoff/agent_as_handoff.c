/* agent_as_handoff - hand the conversation to another agent.
 *
 * Tools are built for each tenant from its feature "agent_as_handoff", one for each agent.  An
 * agent is a tool of the toolset: it gets all later events of the session, and first hears that it
 * has taken over, which is when it introduces itself. */
#include <stdlib.h>
#include <toolhost.h>

#include "../common/built.h"
#include "../common/voice.h"
#include "agent.h"

/* It takes effect when this call succeeds, so that what is said now comes before it. */
static toolhost_status
hand_over (toolhost_call *call, const struct agent *agent)
{
  CLEANUP_TEXT struct text target = { 0 };

  json_open (&target, '{');
  json_name_string (&target, "tool", text_get (&agent->agent));
  json_name (&target, "args");
  json_raw (&target, agent->args.len != 0 ? text_get (&agent->args) : "{}");
  json_close (&target, '}');
  if (!text_ok (&target))
    return toolhost_fail (call, "out_of_memory", "There is no memory to hand over.");
  switch (toolhost_handoff (call, text_get (&target))) {
  case TOOLHOST_OK:
    return TOOLHOST_OK;
  case TOOLHOST_NOT_FOUND:
    return toolhost_fail (call, "agent_not_found", "The agent %s is not there; go on yourself.",
                          text_get (&agent->agent));
  case TOOLHOST_NOT_GRANTED:
    return voice_nobody (call);
  default:
    return toolhost_fail (call, "not_handed_off", "The conversation could not be handed over.");
  }
}

static void
put (struct text *out, const char *name, const struct text *value)
{
  if (value->len != 0)
    json_name_string (out, name, text_get (value));
}

static toolhost_status
update_call (toolhost_call *call, const struct agent *agent)
{
  CLEANUP_TEXT struct text members = { 0 };

  if (agent->voice_id.len + agent->pronunciation_dict_id.len + agent->language.len == 0)
    return TOOLHOST_OK;
  json_open (&members, '{');
  json_name_string (&members, "type", "update_call");
  put (&members, "voice_id", &agent->voice_id);
  put (&members, "pronunciation_dict_id", &agent->pronunciation_dict_id);
  put (&members, "language", &agent->language);
  return voice_emit (call, &members);
}

static toolhost_status
say (toolhost_call *call, const struct text *text, bool interruptible)
{
  return text->len != 0 ? voice_say (call, text_get (text), interruptible) : TOOLHOST_OK;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct agent *agent = self;
  toolhost_status status = hand_over (call, agent);

  if (status == TOOLHOST_OK)
    status = say (call, &agent->message, agent->interruptible);
  if (status == TOOLHOST_OK)
    status = update_call (call, agent);
  if (status == TOOLHOST_OK)
    status = say (call, &agent->introduction, agent->interruptible);
  return status;
}

static const char *
definition (void *self)
{
  return text_get (&((struct agent *) self)->definition);
}

static const toolhost_tool agent_as_handoff = { TOOLHOST_TOOL, .definition = definition,
                                                .execute = execute };

/* ---- the builder ---- */

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
  static const struct built_list list = {
    "agents", "a list of agents", sizeof (struct agent), &agent_as_handoff, read_one, define,
    release
  };

  return built_each (&list, build, config, len);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "agent_as_handoff",
                                          .build = build, .release = release };

TOOLHOST_PLUGIN (.name = "agent_as_handoff", .version = "1.0",
                 .description = "Hands a conversation to another agent.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))
