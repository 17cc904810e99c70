/* agent.h - an agent behind a service, as the feature "agents" of a tenant has it: what it is
 * called, where it is, what it may use and how long.  Immutable once read; any thread. */
#ifndef TOOLHOST_PLUGINS_AGENT_AGENT_H
#define TOOLHOST_PLUGINS_AGENT_AGENT_H

#include "../common/settings.h"

struct protocol;

enum { TOOL_NAMES_MAX = 64 };

/* Names or patterns of tools, NULL at the end. */
struct tool_names {
  char *list[TOOL_NAMES_MAX + 1];
  size_t count;
};

struct agent {
  struct text name, description;
  struct text endpoint;
  const struct protocol *protocol;
  struct text model, instructions; /* empty: none */
  struct text parameters;          /* members of each request, JSON; empty: none */
  struct tool_names tools;         /* shown to the model */
  struct tool_names more;          /* not shown, and run when it names them */
  bool stream;
  int64_t iterations;
  int64_t calls; /* of tools; 0: any number */
  int64_t errors;
  bool stops_at_unknown;
  bool detailed;
  int64_t deadline_ms;
  struct text pointer; /* into its answer; with_pointer: there is one */
  bool with_pointer;
  struct text schema; /* of its answer, JSON; empty: it is text */
  bool keeps_session;
  bool handoff;
  struct text definition;
};

/* The object that stands here.  False: the host was told what is wrong.  `agent` is zero at first
 * and the caller's to free in any case. */
bool agent_read (struct agent *agent, struct settings *s);
void agent_free (struct agent *agent);

/* Fill `definition`. */
void agent_define (struct agent *agent);

#endif
