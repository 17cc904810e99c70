/* said.h - what the daemon answered, while it is shown to a person. */
#ifndef TOOLHOST_CLI_SAID_H
#define TOOLHOST_CLI_SAID_H

#include "base/json_tape.h"
#include "cli/client.h"

struct said {
  const struct json_tape *tape;
  struct arena *arena; /* holds the texts */
};

/* The array `name` of an answer, which is read into `tape`; or NULL, and the person is told that it
 * has none. */
const struct json_node *said_list (struct json_tape *tape, struct arena *arena,
                                   const struct reply *reply, const char *name);

/* A value's text if it is a string, its JSON if it is anything else; `otherwise` if it is null or
 * NULL. */
const char *said_value (const struct said *said, const struct json_node *node,
                        const char *otherwise);
/* … of a member. */
const char *said_text (const struct said *said, const struct json_node *object, const char *member,
                       const char *otherwise);
/* A member that is a number; 0 if there is none. */
int64_t said_number (const struct said *said, const struct json_node *object, const char *member);

#endif
