/* message.h - JSON-RPC messages of MCP: what we say, and what kind of thing was said to us. */
#ifndef TOOLHOST_PLUGINS_MCP_MESSAGE_H
#define TOOLHOST_PLUGINS_MCP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/text.h"
#include "../common/value.h"

#define MODERN_REVISION "2026-07-28"
#define LEGACY_REVISION "2025-11-25"

/* A request as one line, with what its revision wants besides.  `params` are the members of its
 * parameters, without braces and without _meta; "" are none.  `progress`: notifications of its
 * progress are wanted.  `trace`: members of _meta that say what it is part of, or NULL. */
void message_request (struct text *out, bool modern, int64_t id, const char *method,
                      const char *params, bool progress, const char *trace);
void message_notification (struct text *out, const char *method, const char *params);
/* The answer to a request of theirs: an empty result, or (message not NULL) an error. */
void message_answer (struct text *out, const struct value *id, int code, const char *message);

enum message_kind {
  MESSAGE_NONE,    /* it is no message */
  MESSAGE_RESULT,  /* the answer to `id` */
  MESSAGE_ERROR,   /* likewise, or to nothing that could be read */
  MESSAGE_REQUEST, /* of theirs, with an `id` of theirs */
  MESSAGE_NOTIFICATION
};

struct message {
  enum message_kind kind;
  int64_t id;         /* of an answer; -1: it is none of ours */
  const char *method; /* of a request or notification */
  const struct value *their_id;
  const struct value *params; /* likewise; may be NULL */
  const struct value *result; /* MESSAGE_RESULT: an object */
  const struct value *error;  /* MESSAGE_ERROR: an object */
};

/* What a text says; the values are the pool's. */
void message_read (struct message *message, struct values *pool, const char *text, size_t len);
/* The code of an error; 0: it has none. */
int message_error_code (const struct value *error);

#endif
