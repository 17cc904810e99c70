/* session_stage.h - a conversation that a test plays: the calls are played (fake_calls.h), the
 * clock is the test's, and what is said is kept.  A scenario is JSON, one object a line:
 *
 *   {"scenario": "…"}          its name
 *   {"open": {…}}              the session, before all else: call_id, user, and of its settings
 * grace (seconds), calls_max; without it a plain one
 *   {"set": {"kind": "handoff", "background": true, "active_turns": 2}}   of the tool "later",
 * which runs until told; "stops_late": also when it is interrupted
 *   {"in": {…}}                an event comes in, "refused": with this code
 *   {"tool": "ID", "structured": …, "content": […], "error": "…"}   the call ends so
 *   {"state": "ID", "wants": {…}, "is": "ok", "value": …}   the call wants something of its
 * session: "ok", "failed", "not_granted", "bad_value", "not_found", "nonsense", and for "ok" what
 * it is told
 *   {"emit": "ID", "event": {…}}   the call has an event for the user
 *   {"advance_ms": N}          time passes
 *   {"tools": [...]}           the tenant is served others
 *   {"expect": {…}}            the next event has these members; null: there is none
 *   {"log": {…}}               after what the last "log" found, a line has these members
 *   {"started": N}             so many calls have been started */
#ifndef TOOLHOST_TESTS_UNIT_SESSION_STAGE_H
#define TOOLHOST_TESTS_UNIT_SESSION_STAGE_H

#include "base/json_tape.h"
#include "fake_calls.h"
#include "session/session.h"

enum { STAGE_EVENTS = 256 };

struct stage {
  struct fake_env fake;
  struct sessions_settings settings;
  struct sessions *sessions;
  struct session *session;
  struct subscriber ear;
  bool deaf;   /* it takes nothing but what stands in its place */
  bool closed; /* the session has ended */
  double now;
  int log_fd;
  /* Another test's: plays a line itself, or says that it is none of its own; or NULL. */
  bool (*also) (struct stage *stage, const struct json_tape *line);
  void *also_ctx;
  char *events[STAGE_EVENTS];
  size_t count, seen;
};

void stage_open (struct stage *stage);
/* The session, with what `wish` says (JSON; or NULL). */
void stage_begin (struct stage *stage, const char *wish);
/* An event comes in; its refusal's code, NULL when it was taken. */
const char *stage_hear (struct stage *stage, const char *event);
void stage_close (struct stage *stage);
/* Ends session and log; its text, the caller's to free. */
char *stage_log (struct stage *stage);

/* Has a value all members of the other, and theirs? */
bool stage_holds (const char *json, size_t len, const char *part, size_t part_len);
/* Play one; failures are CUnit's. */
void stage_play (const char *lines);
/* … with lines of one's own; `over` (or NULL) runs before the stage is closed. */
void stage_play_also (const char *lines,
                      bool (*also) (struct stage *stage, const struct json_tape *line),
                      void (*over) (struct stage *stage), void *ctx);

#endif
