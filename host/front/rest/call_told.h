/* call_told.h - what is told of a call over plain HTTP while it runs and when it ends, by itself or
 * among several.  Used by calls.c and batch.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_CALL_TOLD_H
#define TOOLHOST_FRONT_REST_CALL_TOLD_H

#include "base/error.h"
#include "base/json_write.h"
#include "front/encodings.h"
#include "front/http/http.h"
#include "front/rest/asks.h"
#include "front/rest/body.h"

struct approval_facts; /* approval/approvals.h */

/* How its caller wants to be told. */
struct told {
  struct rest_asks *asks; /* where those go that ask */
  struct http_exchange *x;
  enum encoding encoding;
  bool events; /* an event stream */
  bool async;  /* it does not wait for people: Prefer: respond-async */
};
struct told told_read (struct rest_asks *asks, struct http_exchange *x, enum encoding encoding);

/* What is told of a call that has ended, or asks, and with which status.  `id` may be NULL. */
int told_end (const struct told *told, const char *id, const struct result *result,
              struct buf *out);
/* { "call_id", "ok": false, "status": "approval_required", "approval": {…} } */
void told_waiting (struct buf *out, const struct approval_facts *facts);
/* Members: "done", "total"?, "message"? */
void told_progress (struct json_writer *w, double done, double total, const char *text, size_t len);
/* "level", "message" */
void told_log (struct json_writer *w, int level, const char *text, size_t len);
/* An event on a stream that has begun.  False: the connection is given up. */
bool told_event (struct http_exchange *x, const char *event, const struct buf *json);

/* The body could not be read: as call_body_read and batch_body_read say it. */
void told_bad_body (struct http_exchange *x, const char *pointer, const struct error *err);

/* A call as a body has it, of this exchange. */
struct call_request told_request (const struct front_env *env, struct http_exchange *x,
                                  const struct call_body *body);

#endif
