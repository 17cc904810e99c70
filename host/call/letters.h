/* letters.h - what is told to the outside of a call that has ended: one event, for every hook of
 * its tenant that wants to hear of it, which leaves in the commit that makes its result durable.
 *
 *   { "id": "evt_…", "object": "event", "api_version", "created": SECONDS, "type":
 * "call.completed", "tenant_id", "livemode": true, "data": { "call": { "call_id", "session_id"?,
 * "principal"?, "front" }, "tool", "result": { as stored.h has it } } }
 *
 * Source: U2-10.  Pure, but for the id. */
#ifndef TOOLHOST_CALL_LETTERS_H
#define TOOLHOST_CALL_LETTERS_H

#include "call/call.h"

#define LETTER_API_VERSION "2026-11-22"
enum { LETTER_HOOKS_MAX = 16 }; /* of one tenant */

enum call_event {
  CALL_EVENT_COMPLETED = 1,
  CALL_EVENT_FAILED = 2,
  CALL_EVENT_TIMEOUT = 4,
  CALL_EVENT_CANCELLED = 8,
  CALL_EVENTS_ALL = 15
};
extern const char *const call_event_names[]; /* in the order of the bits, ends with NULL */

enum call_event call_event_of (enum call_error error);

struct letter {
  enum call_event event;
  const char *tenant, *tool;
  const struct buf *about;  /* whose it is, a JSON object */
  const struct buf *stored; /* the result */
  int64_t now_ms;           /* Unix time */
};

/* Append it; its id is a new one, of 128 random bits. */
void letter_write (struct buf *out, const struct letter *letter);

#endif
