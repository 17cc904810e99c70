/* ask_rules.h - what questions and answers must be: ask.schema.json, and of a form its own schema.
 * For ask.c alone.  Pure functions. */
#ifndef TOOLHOST_CALL_ASK_RULES_H
#define TOOLHOST_CALL_ASK_RULES_H

#include "call/ask.h"

extern const char ASK_ELICIT[], ASK_SAMPLE[], ASK_ROOTS[]; /* methods of MCP */

/* An answer as the worker is told it. */
struct ask_reply {
  const char *is;                /* "answered", "declined", "dismissed", "expired" */
  const struct json_node *value; /* of an answered one; NULL: {} */
};

bool ask_rules_fit_questions (const struct ask_rules *rules, const struct json_tape *tape,
                              const struct json_node *asked, struct error *err);

/* A form is a schema too: one that can't be used is found before anybody fills it in. */
bool ask_form_is_usable (const struct json_tape *tape, const struct json_node *params,
                         struct error *err);

/* Is this the answer its question wants?  `where` leads the sentence in err. */
bool ask_check_answer (const struct ask_rules *rules, const struct json_tape *questions,
                       const struct json_node *question, const struct json_tape *tape,
                       const struct json_node *response, const char *where, struct ask_reply *reply,
                       struct error *err);

#endif
