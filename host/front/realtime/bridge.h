/* bridge.h - a session as one client of an OpenAI Realtime conversation: the service's events go
 * in, those that the service shall have come out, in an order that it takes (sequencer.h).  It
 * knows no socket: a sideband (sideband.h) has one of its own, an application forwards over ws.h.
 *
 * A function call is started when its arguments are there and whole.  The service says that they
 * are there also when it broke off in the middle (U0-12): what is no JSON waits for its item to be
 * completed and is dropped otherwise (A0-9); with `item_completed` every call waits for that.  A
 * cancelled response takes its calls with it, as does who speaks (U0-13, U0-18, A0-10); what they
 * leave behind is told to the model only where the service has the call on record (A0-8).
 *
 * Loop thread only; the clock is the owner's.  A bridge is not freed from within one of its own
 * functions. */
#ifndef TOOLHOST_FRONT_REALTIME_BRIDGE_H
#define TOOLHOST_FRONT_REALTIME_BRIDGE_H

#include "catalog/provider.h"
#include "front/encodings.h"
#include "session/session.h"

struct realtime_bridge;

/* What the user shall have and a model's service can't give. */
enum realtime_action {
  REALTIME_HANGUP,   /* the reason; what was said before has been played, or took too long */
  REALTIME_REFER,    /* where to; likewise */
  REALTIME_DTMF,     /* tones */
  REALTIME_ASKS,     /* NULL: a call waits for answers; `output` is what it asks */
  REALTIME_APPROVAL, /* NULL: a call waits for a person's approval; `output` is the event */
  REALTIME_OTHER     /* NULL: an event of the tool's own */
};

struct realtime_owner {
  /* A client event.  False: it can't go out now. */
  bool (*send) (void *ctx, const char *json, size_t len);
  /* `output`: the tool's event, as JSON. */
  void (*act) (void *ctx, enum realtime_action action, const char *argument, const char *call_id,
               const char *output, size_t len);
  /* The bridge only reads on, and answers that nobody can. */
  void (*session_ended) (void *ctx);
  /* The response.create `event_id`, sent several times, was never answered, and is given up.  May
   * be NULL. */
  void (*unanswered) (void *ctx, const char *event_id);
  double (*now) (void *ctx); /* seconds of a clock that does not go back */
  /* Call realtime_bridge_tick at this time; 0: not any more. */
  void (*wake) (void *ctx, double at);
  void *ctx;
};

struct realtime_wish {
  struct session *session;
  struct log *log;
  const char *call_id;               /* of the telephone, for the log */
  const struct providers *providers; /* how tools are written */
  struct toolset *told;              /* what the service was told already, or NULL */
  bool item_completed;               /* a call starts when its item is completed */
  enum output_form output;           /* what the model is told of a result */
  double hangup_after;               /* seconds that playing may hold up the end */
  double answer_within;              /* … for the answer to a response.create; 0: any time */
};

/* Borrows all but the call_id, which is copied; listens to the session from here on. */
struct realtime_bridge *realtime_bridge_new (const struct realtime_wish *wish,
                                             const struct realtime_owner *owner);
void realtime_bridge_free (struct realtime_bridge *bridge);

/* What came from the service; or, from an application, a client event that is to take its turn
 * among ours.  What is no event is logged without a word of what it holds (T0-14). */
void realtime_bridge_hear (struct realtime_bridge *bridge, const char *text, size_t len);

/* There is a connection: the tools are told if the service may not know them, and what waited goes
 * out.  It is lost: what may not have arrived is kept. */
void realtime_bridge_connected (struct realtime_bridge *bridge);
void realtime_bridge_lost (struct realtime_bridge *bridge);

/* Have the model say this. */
void realtime_bridge_say (struct realtime_bridge *bridge, const char *text, size_t len);
/* REALTIME_HANGUP when what is being said has been played. */
void realtime_bridge_hang_up (struct realtime_bridge *bridge, const char *reason);

/* The time has come that `wake` was told. */
void realtime_bridge_tick (struct realtime_bridge *bridge);

#endif
