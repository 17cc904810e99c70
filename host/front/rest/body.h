/* body.h - the JSON body of a call over plain HTTP, or of several together, checked member by
 * member.  Used by calls.c and batch.c. */
#ifndef TOOLHOST_FRONT_REST_BODY_H
#define TOOLHOST_FRONT_REST_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_tape.h"
#include "front/http/http.h"

struct call_body {
  struct json_tape tape;
  const struct json_node *arguments; /* any value, the pipeline judges it; or NULL */
  const char *call_id;               /* in the arena, or NULL */
  const char *session_id;            /* likewise */
  const char *response_id;           /* likewise: the model's, in a session */
  bool background;                   /* wanted, in a session */
  struct slice metadata;             /* an object as raw JSON; data NULL: none */
  int64_t deadline_ms;               /* 0: none */
  struct slice name;                 /* of a call among several: its tool */
};

/* Several; what is said for all of them stands in each of them that does not say it itself. */
struct batch_body {
  struct call_body *calls; /* in the arena; with the tape of all */
  size_t count;
};

/* An empty text is an empty body.  False: err says what is wrong, and `pointer` (JSON pointer, in
 * the arena) where; NULL when the text is no JSON. */
bool call_body_read (struct call_body *body, struct slice text, const struct json_limits *limits,
                     struct arena *arena, const char **pointer, struct error *err);
/* The same of { "calls": [ … ] } with at most so many. */
bool batch_body_read (struct batch_body *batch, struct slice text, const struct json_limits *limits,
                      size_t max, struct arena *arena, const char **pointer, struct error *err);

#endif
