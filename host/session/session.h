/* session.h - conversations: each has the toolset it began with, a ledger of its calls, a context,
 * an active target, and events for whoever listens.  Every front that speaks of sessions uses this,
 * and all speak the same events.
 *
 * Calls run concurrently in the pipeline (call/call.h).  Each id runs once: the same again while it
 * runs, or after, gets the answer of the first.  Loop thread only; the clock is the owner's. */
#ifndef TOOLHOST_SESSION_SESSION_H
#define TOOLHOST_SESSION_SESSION_H

#include "base/error.h"
#include "base/json_write.h"
#include "call/call.h"
#include "service/call/service.h"
#include "session/feed.h"
#include "watch/log.h"

struct sessions; /* all of a daemon */
struct session;
struct span; /* watch/trace.h */
struct tracer;
struct trace_parent;

enum { SESSION_ID_LEN = 36, SESSION_NAME_LEN = 20 };

struct sessions_settings {
  struct calls *calls;
  struct approvals *approvals; /* what calls wait for; NULL: for nothing; outlives the sessions */
  struct log *log;
  double (*now) (void *ctx); /* seconds of a clock that does not go back */
  /* What a tenant is served now, borrowed. */
  struct toolset *(*toolset) (void *ctx, const char *tenant);
  void (*began) (void *ctx); /* there is a session where there was none; may be NULL */
  void *ctx;
  double ttl;                            /* seconds without a sign of life */
  double ask_ttl;                        /* seconds that a call waits for answers */
  size_t asks_max;                       /* calls of all sessions that wait for them */
  double grace;                          /* seconds that background calls have after the end */
  size_t max, tenant_max, principal_max; /* sessions */
  size_t calls_max;                      /* ids that a session takes */
  size_t answers_room;                   /* bytes of answers that a session keeps */
  size_t events_room, events_room_all;   /* bytes of events: of a session, of all */
  size_t context_max;                    /* bytes */
  unsigned json_depth;                   /* of arguments */
  struct tracer *tracer;                 /* NULL: nothing is traced */
  bool fake_telephone;                   /* each is one at first, of which all is recorded */
};
/* An hour, ten minutes, 1,000 that wait; 10,000 sessions, 2,000 of a tenant, 1,000 of a principal;
 * 10,000 calls; 256 KiB of answers, 256 KiB of events, 64 MiB of all; 64 KiB of context. */
extern const struct sessions_settings sessions_defaults;

struct sessions *sessions_new (const struct sessions_settings *settings);
/* Ends all of them. */
void sessions_free (struct sessions *sessions);
/* End those whose time has come; once a second will do, while there are any. */
void sessions_tick (struct sessions *sessions);
/* What tenants are served may have changed: those who see another toolset are told, and use it from
 * their next turn on. */
void sessions_toolsets_changed (struct sessions *sessions);
size_t sessions_count (const struct sessions *sessions);
/* End all of them, with this reason. */
void sessions_end_all (struct sessions *sessions, const char *reason);

/* ---- one session ---- */

struct session_wish {
  const char *tenant; /* NULL: "default" */
  const char *principal;
  const char *call_id;                 /* of the telephone, say; for the log; NULL: its name */
  const struct json_tape *tape;        /* of the next two */
  const struct json_node *user, *data; /* the context's roots user and tenant; or NULL */
  bool may_approve;                    /* its principal has the role */
  double ttl;                          /* 0: as settings say, and never more */
};

/* NULL: *code is "session_limit" or "bad_context", err says why. */
struct session *session_open (struct sessions *sessions, const struct session_wish *wish,
                              const char **code, struct error *err);
/* The session of this id if it is this principal's of this tenant; a NULL principal is a manager's
 * and may have any, also by its name.  Finding it is a sign of life. */
struct session *session_find (struct sessions *sessions, const char *id, size_t len,
                              const char *tenant, const char *principal);
/* Cancel everything, background calls after their grace, and forget the session. */
void session_end (struct session *session, const char *reason);

/* Who knows it may use it, together with its principal. */
const char *session_id (const struct session *session);
/* For logs and tools. */
const char *session_name (const struct session *session);
/* Which tools it is served from its next turn on; borrowed. */
struct toolset *session_toolset (const struct session *session);
/* The number of its last event, and that behind which all are kept. */
uint64_t session_said (const struct session *session);
uint64_t session_first (const struct session *session);

/* { "session_id", "name", "tenant", "principal", … }, without the context; and with it */
void session_put (const struct session *session, bool whole, struct json_writer *w);
/* { "sessions": […] }, of a principal of a tenant, or of all (NULL), the newest first. */
void sessions_put (const struct sessions *sessions, const char *tenant, const char *principal,
                   struct json_writer *w);

/* Calls and events that say nothing of a trace, and come by no request that does, are part of this.
 * Copied; nothing changes where nothing is known. */
void session_set_trace (struct session *session, const struct trace_parent *parent);

/* The session is a telephone call, of which its tools may ask things; taken over.  Each that was
 * asked is told as an event, call_service. */
void session_set_call_service (struct session *session, struct call_service *service);
/* NULL: it is none. */
struct call_service *session_call_service (const struct session *session);

/* ---- calls ---- */

struct session_answer {
  const char *call_id;
  bool ok;
  bool running;     /* it goes on in the background */
  const char *json; /* the event tool_call_output, as it was said */
  size_t len;
};

/* Who waits for one answer; its owner's, stays where it is until `answered` or session_unwait. */
struct session_waiter {
  void (*answered) (struct session_waiter *waiter, const struct session_answer *answer);
  struct session_waiter *next, **prev; /* prev NULL: it does not wait */
};
void session_unwait (struct session_waiter *waiter);

struct session_call {
  const char *call_id; /* NULL: one is made, and nothing is deduplicated */
  const char *name;
  size_t name_len;
  const char *args; /* NULL: "{}" */
  size_t args_len;
  const char *response_id, *item_id; /* or NULL */
  const char *metadata;              /* a JSON object that was read strictly, or NULL */
  size_t metadata_len;
  int64_t deadline_ms; /* 0: none */
  bool background;     /* wanted, if the tool may */
  bool more;           /* session_response_done will say when no more of its response come */
  /* With which others it was made (call/batch.h), borrowed; NULL: with those of its response. */
  struct call_batch *batch;
  /* As of a call_request. */
  bool traced;
  struct span *span;
};

enum session_verdict {
  SESSION_TAKEN,    /* it runs, or has ended already */
  SESSION_PENDING,  /* the same runs; ignored */
  SESSION_EXECUTED, /* the same has ended; ignored */
  SESSION_OTHER,    /* the id is another call's; ignored, and nobody is answered */
  SESSION_FULL,     /* the session takes no more ids; likewise */
  SESSION_ENDING    /* likewise */
};

/* Start a call; `waiter` (may be NULL) gets its answer, also of the first three verdicts' others,
 * possibly before this returns. */
enum session_verdict session_call (struct session *session, const struct session_call *call,
                                   struct session_waiter *waiter);

/* No more calls of this response (or NULL) come: those of its calls that waited for that begin,
 * unless one needs approval (call/batch.h). */
void session_response_done (struct session *session, const char *response_id);

/* Cancel the calls of a response, except background ones; those whose results are the model's end
 * when their tools have stopped, 250 ms later at most.  How many; an empty or NULL id is nobody's.
 */
size_t session_interrupt (struct session *session, const char *response_id);
/* … of all responses, those that wait for answers among them, and what the active target does. */
size_t session_interrupt_all (struct session *session);

/* ---- calls that wait for answers ---- */

/* One, while `see` runs. */
struct session_ask {
  const char *session; /* its name */
  const char *tenant, *principal, *call_id, *tool;
  const char *requests; /* a JSON object, as tool_call_asks has it */
  size_t requests_len;
  double expires_in; /* seconds */
};
/* Show those of all sessions, the newest session's first. */
void sessions_see_asks (const struct sessions *sessions,
                        void (*see) (void *ctx, const struct session_ask *ask), void *ctx);
/* Answers, an object { key: answer }; NULL: to nothing there is one.  With the last one the call
 * goes on.  False: as session_hear says. */
bool session_answer_ask (struct session *session, const char *call_id, const struct json_tape *tape,
                         const struct json_node *responses, const char **code, struct error *err);
/* It is not wanted any more.  False: no such call asks. */
bool session_drop_ask (struct session *session, const char *call_id);

/* ---- events ---- */

/* Who sends an event: what it decides, it decides with its own role. */
struct session_speaker {
  const char *principal; /* NULL: nobody that is known by a name */
  bool may_approve;
  /* What calls that it brings are part of, as of a call_request. */
  bool traced;
  struct span *span;
};
/* An event for the session, { "type": …, … }; `from` NULL: from who opened it.  False: *code says
 * what is wrong with it
 * ("bad_event", "context_write_denied", "session_busy", "session_full", "ask_not_found",
 * "input_invalid", "approval_not_found", "approval_not_allowed"), err begins with a JSON pointer.
 * The session may be gone when this returns: *ended. */
bool session_hear (struct session *session, const struct session_speaker *from,
                   const struct json_tape *tape, const struct json_node *event, bool *ended,
                   const char **code, struct error *err);

/* The events behind number `after`, and those to come.  False: they are not kept any more, or it
 * could not take them; it does not listen. */
bool session_subscribe (struct session *session, struct subscriber *subscriber, uint64_t after);
void session_unsubscribe (struct subscriber *subscriber);

#endif
