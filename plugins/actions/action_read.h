/* action_read.h - lists of actions, read with all that is wrong in them told. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_ACTION_READ_H
#define TOOLHOST_PLUGINS_ACTIONS_ACTION_READ_H

#include "program.h"
#include "read.h"

/* Members that every action may have, besides those of its type. */
#define ACTION_COMMON "type", "on_error", "continue_on_failure"

/* What is read of a tool, and where. */
struct list_reading {
  const struct scope *scope;
  const struct endpoints *endpoints;
  struct program *program; /* its counts are kept */
  const char *where;       /* of the list: "actions", "actions[1].then" */
  unsigned depth;          /* conditionals around it */
};

/* False: there were problems.  `value` may be NULL: an empty list. */
bool action_list_read (struct action_list *list, const struct list_reading *reading,
                       const struct place *at, const struct value *value);

/* The members of a context.set. */
void action_read_set (struct reading *r, struct action *action, const struct list_reading *list);

#endif
