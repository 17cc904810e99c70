/* action_read.h - lists of actions, read with all that is wrong in them told. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_ACTION_READ_H
#define TOOLHOST_PLUGINS_ACTIONS_ACTION_READ_H

#include "program.h"

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

#endif
