/* agent.h - an agent that a conversation may be handed to, as the feature "agent_as_handoff" of a
 * tenant has it.  Immutable once read; any thread. */
#ifndef TOOLHOST_PLUGINS_AGENT_AS_HANDOFF_AGENT_H
#define TOOLHOST_PLUGINS_AGENT_AS_HANDOFF_AGENT_H

#include "../common/settings.h"

struct agent {
  struct text agent;        /* a tool of the toolset */
  struct text args;         /* that it is called with, JSON; empty: {} */
  struct text name;         /* of the tool that hands over */
  struct text description;  /* of it, for the model */
  struct text message;      /* said before the agent has it; empty: nothing is */
  struct text introduction; /* said then, of one that does not introduce itself; likewise */
  struct text voice_id, pronunciation_dict_id, language; /* how it speaks; empty: as before */
  bool interruptible;
  struct text definition;
};

/* The object that stands here.  False: the host was told what is wrong.  `agent` is zero at first
 * and the caller's to free in any case. */
bool agent_read (struct agent *agent, struct settings *s);
void agent_free (struct agent *agent);

/* Fill `definition`. */
void agent_define (struct agent *agent);

#endif
