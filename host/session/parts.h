/* parts.h - a session's own struct, for host/session alone:
 *
 *   sessions.c  the table: they begin, are found, and end
 *   work.c      calls, from their reservation to their start, and what stops them
 *   ending.c    … and their ends
 *   asking.c    those that wait for answers
 *   approval.c  those that wait for a person's approval
 *   state.c     what a call wants of its session while it runs
 *   cause.c     what brings calls, as a span
 *   route.c     the active target and its events
 *   turns.c     turns of the user, and the toolset after so many
 *   hear.c      events that come in, and where they go
 *   say.c       events that go out
 *   answer.c    what the model is told of a call
 *   show.c      what people are shown
 *   phone.c     the telephone call that it is, if it is one
 */
#ifndef TOOLHOST_SESSION_PARTS_H
#define TOOLHOST_SESSION_PARTS_H

#include "approval/approvals.h"
#include "call/batch.h"
#include "session/answer.h"
#include "session/context.h"
#include "session/ledger.h"
#include "session/session.h"
#include "watch/trace.h"

enum { ROUTED_MAX = 64 /* events that wait for the active target */ };

/* What a call waits for that needs a person's approval. */
struct work_approval {
  char *id; /* NULL: for nothing */
  char *shown, *reason;
  bool by_caller;     /* who has the session may decide, without the role, too */
  bool asked;         /* it is asked for, now */
  int64_t expires_ms; /* Unix time */
  uint64_t number;    /* in which order they came */
};

/* A call while it runs. */
struct work {
  struct session *session;
  struct work *next, **prev;
  struct ledger_entry *entry; /* NULL: an event's way through the active target */
  struct call *call;          /* NULL: it is being started, waits for answers, or has ended */
  struct held *held;          /* not NULL: it waits for answers, … */
  double expires;             /* … until then */
  struct work_approval approval;
  struct call_batch *batch; /* with what else its response wanted; NULL: it belongs to none */
  struct session_waiter *waiters;
  struct cause *cause; /* what has brought it; NULL: its call knows, or nothing is traced */
  char *name, *response_id, *item_id;
  char *args; /* of a handoff, until it is the active target; or NULL */
  enum tool_kind kind;
  bool background;     /* it was answered, what it gives comes later */
  bool interrupted;    /* its response was cancelled */
  bool handed_off;     /* it has ended, and somebody else goes on */
  unsigned emitted;    /* events it had for the user */
  struct state *state; /* what takes effect when it succeeds; NULL: nothing */
};

/* An event on its way to the active target. */
struct routed {
  struct routed *next;
  struct cause *cause; /* of the call that will hear of it; or NULL */
  size_t len;
  char json[];
};

struct session {
  struct sessions *all;
  UT_hash_handle hh;
  struct session *newer, *older; /* in order of life signs */
  char id[SESSION_ID_LEN + 1];
  char name[SESSION_NAME_LEN + 1];
  char *tenant, *principal, *call_id;
  double began, used, ttl;
  double ends;      /* when its background calls are cancelled; 0: it goes on */
  bool cancelling;  /* calls are being ended: nothing begins, and the session does not end */
  char *end_reason; /* NULL: it goes on */
  struct toolset *toolset, *next_toolset; /* next: from the next turn on; or NULL */
  struct toolset *base;                   /* the tenant's, of which next is what is left */
  char *turn;                             /* the response of the last call; or NULL */
  struct cause *response;                 /* it as a span; NULL: none of its calls needed one */
  bool expects;                           /* more calls of it may come */
  struct trace_parent parent;             /* of what no event says of a trace */
  char *parent_state;                     /* its state's memory */
  struct call_batch *gathering;           /* of a response that is not done; or NULL … */
  char *gathered;                         /* … and which one */
  unsigned user_turns;                    /* of the user, since the conversation began */
  bool in_turn;                           /* the user is speaking */
  struct ledger ledger;
  struct feed feed;
  struct context context;
  struct work *works;
  unsigned running; /* of them */
  uint64_t made;    /* ids */
  /* the active target */
  char *target, *target_args; /* name of a tool, and what it was called with; or NULL */
  struct work *routing;       /* the event that it looks at */
  struct routed *routed, **routed_end;
  unsigned routed_count;
  struct call_service *phone; /* or NULL */
  bool may_approve;           /* who opened it has the role */
  uint64_t approvals;         /* that its calls have waited for */
};

struct share; /* how many sessions a tenant or a principal has */

struct sessions {
  struct sessions_settings settings;
  struct session *by_id;
  struct session *newest, *oldest;
  struct share *tenants, *principals;
  struct feed_budget budget;
  size_t asking; /* calls that wait for answers */
  struct approvals_watcher watcher;
};

/* ---- sessions.c ---- */

/* All calls of an ending session have ended: it goes. */
void session_has_ended (struct session *session);

/* ---- work.c ---- */

struct work *work_new (struct session *session, struct ledger_entry *entry, const char *name,
                       size_t name_len);
void work_free (struct work *work);
/* Hand it to the pipeline.  False: it has ended already, and is gone. */
bool work_start (struct work *work, const struct session_call *call);
/* Begin it, of a call that may have waited; it may be gone when this returns. */
void work_begin (struct work *work, const struct session_call *call);
/* Hand it on with what was answered, which is taken over; likewise. */
bool work_go_on (struct work *work, struct held *held);
/* Its metadata: the handler of a handoff hears of the event it is called for, at first that it has
 * taken over.  `call` (or NULL) is what it was called with. */
void work_put_event (struct buf *out, const char *event, size_t event_len,
                     const struct session_call *call);
void work_answer_waiters (struct work *work, const struct session_answer *answer);
/* Cancel those of its calls; how many. */
enum work_whose {
  WORK_RUNNING, /* that run, except in the background */
  WORK_ASKING,  /* … and those that wait for answers */
  WORK_ALL      /* … and background ones */
};
size_t work_cancel (struct session *session, enum work_whose whose);
/* The user speaks: what runs is interrupted.  What waits for an answer may be hearing it. */
void work_hear_turn (struct session *session);

/* ---- ending.c ---- */

/* It goes on by itself, in the background: the model is answered now. */
void work_answer_running (struct work *work);
/* Its call has ended; the work is gone when this returns, and the session may be. */
void work_done (struct work *work, const struct result *result);

/* ---- asking.c ---- */

/* Its call asks, with this result: it waits from now on, or has ended when this returns. */
void asking_begin (struct work *work, const struct result *result);
/* One that waits is not wanted any more: it ends. */
void asking_cancel (struct work *work);
/* Those whose time is over go on without answers. */
void asking_expire (struct session *session, double now);
/* What one that waits asks, as a member. */
void asking_put (const struct work *work, struct json_writer *w);

/* ---- approval.c ---- */

/* Its call waits for a person, as call_events.waits has it. */
bool approval_begin (struct work *work, const struct approval_facts *facts);
/* It does not any more: the next one is asked for. */
void approval_end (struct work *work);
void work_approval_clear (struct work_approval *approval);
/* What the book of approvals tells. */
void approval_changed (struct approvals_watcher *watcher, const struct approval_facts *facts);
/* The event tool_approval, as session_hear has it. */
bool session_approve (struct session *session, const struct session_speaker *from,
                      const struct json_tape *tape, const struct json_node *event,
                      const char **code, struct error *err);

/* ---- state.c ---- */

/* What a call wants of its session, as call_events.state has it. */
enum frame_served_status state_serve (struct work *work, const char *json, size_t len,
                                      struct buf *out, size_t *cost);
/* The call has succeeded: what it has written takes effect.  False: it can't, err says why, and
 * nothing of it does. */
bool state_apply (struct work *work, struct error *err);
/* Does it hand off, now that it has ended so?  To whom, the caller's: a tool and what it is called
 * with, or NULL. */
bool state_hands_off (const struct work *work, const struct result *result, char **target,
                      char **args);
void state_free (struct state *state);

/* ---- route.c ---- */

/* An event for the active target, if there is one; false: too many wait for it. */
bool route_event (struct session *session, const struct session_speaker *from,
                  const struct trace_parent *parent, const char *json, size_t len);
/* Before all others it hears that it has taken over from this one. */
void route_introduce (struct session *session, const struct work *from);
/* From now on this is the active target, called with these arguments; NULL: there is none.  Both
 * are taken over. */
void route_to (struct session *session, char *target, char *args);
/* Hand the next event to the active target, if it is free. */
void work_route (struct session *session);
void route_forget (struct session *session);

/* ---- cause.c ---- */

/* A request of a front, a response of the model, an event: whoever is at it has joined, and its
 * span ends when all have left; a front's when that says so.  All take NULL. */
struct cause;
struct cause *cause_join (struct cause *cause);
void cause_leave (struct cause *cause);
/* NULL: it is not sampled. */
struct span *cause_span (const struct cause *cause);
/* What has brought a call of the session's turn, joined; NULL: the call knows, or nothing is
 * traced. */
struct cause *cause_of_call (struct session *session, const struct session_call *call);
/* … an event, whose metadata say this of a trace. */
struct cause *cause_of_event (struct session *session, const struct session_speaker *from,
                              const struct trace_parent *parent);
/* No more calls of the turn's response come; and another one begins. */
void cause_response_done (struct session *session);
void cause_response_forget (struct session *session);

/* ---- phone.c ---- */

/* A call's arguments could be read: the log hears what it is given. */
void phone_log_parsed (const struct work *work, const struct json_tape *tape,
                       const struct json_node *args);

/* ---- turns.c ---- */

/* The tenant is served another toolset. */
void turns_follow (struct session *session, struct toolset *set);
/* The user begins a turn, has ended it; the conversation begins (anew). */
void turns_begin (struct session *session);
void turns_end (struct session *session);
void turns_reset (struct session *session);

/* ---- say.c ---- */

/* Begin an event: { "type": type, "call_id": … */
void say_begin (struct json_writer *w, const char *type, const char *call_id);
/* … end it, and tell. */
void say_end (struct session *session, struct json_writer *w);
/* Tell an event; `instead` (or NULL) to those who can't take it. */
enum feed_taken say (struct session *session, struct buf *json, const struct buf *instead);
/* One event for the user, whatever the model is told. */
void say_output (struct session *session, const char *call_id, const char *json, size_t len);
/* What was made for the user goes to the user. */
void say_parts (struct session *session, const char *call_id, const struct result *result);
/* The answer of a call as an event. */
void say_answer_json (struct buf *out, const char *type, const struct work *work,
                      const struct session_answer *answer, const char *error, const char *output,
                      size_t len, bool respond);

static inline struct log *
session_log (const struct session *session)
{
  return session->all->settings.log;
}

/* ---- logging: names of members as the seeds have them ---- */

#define SESSION_LOG(session)                                                                       \
  "call_id", (session)->call_id, "tenant_id", (session)->tenant, "session", (session)->name

#endif
