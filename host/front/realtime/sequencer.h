/* sequencer.h - what a client says to an OpenAI Realtime conversation, in an order that the service
 * takes: of its responses only one may be active at a time.  Pure: no I/O, the clock is its
 * owner's.
 *
 * Outputs and messages are sent as they come, each with an id of its own, and kept until the
 * service has said that it has them: what could not be sent, or was lost with a connection, is sent
 * again, and is there once in any case.  A response.create is sent when no response is active, none
 * has been asked for, and nobody speaks; all that want the model to go on meanwhile get one
 * together.  Those with a body of their own are sent one after the other.  A refusal is told apart
 * from others' by its event_id (U0-15, U0-16, U0-19).  One that is neither followed by a response
 * nor refused in time is taken for lost: it is sent again, and after SEQUENCER_TRIES given up, so
 * that what waits behind it has its turn.
 *
 * Owned by a bridge; loop thread only. */
#ifndef TOOLHOST_FRONT_REALTIME_SEQUENCER_H
#define TOOLHOST_FRONT_REALTIME_SEQUENCER_H

#include "base/json_tape.h"

/* Items that are kept until the service has them: so many, and so many bytes of them.  Behind that
 * the oldest of those that were sent are forgotten; what was never sent is kept. */
enum { SEQUENCER_KEPT = 256, SEQUENCER_BYTES = 1 << 20, SEQUENCER_ID = 32 };

/* So often a response.create is sent that is not answered. */
enum { SEQUENCER_TRIES = 3 };

struct sequencer_item;
struct sequencer_create;

struct sequencer_owner {
  /* One client event.  False: it can't be sent now; sequencer_retry sends it later. */
  bool (*send) (void *ctx, const char *json, size_t len);
  double (*now) (void *ctx); /* seconds of a clock that does not go back */
  void *ctx;
};

struct sequencer {
  struct sequencer_owner owner;
  double answer_within;          /* seconds for the answer to a response.create; 0: any time */
  double answer_by;              /* for the one that was sent last; 0: any time */
  char prefix[16];               /* of the ids of events and items */
  uint64_t made;                 /* ids */
  bool lost;                     /* there is no connection: nothing is sent */
  bool closed;                   /* … and there will be none */
  bool speaking;                 /* somebody does: the model is not asked to */
  bool active;                   /* a response is */
  char *active_id;               /* NULL: its id is not known */
  char *asked;                   /* event_id of the response.create that was sent last */
  bool asking;                   /* … and not answered yet */
  struct sequencer_create *sent; /* that one, until its response is done; or NULL */
  struct sequencer_create *creates, **creates_end; /* that wait */
  struct sequencer_item *items, **items_end;       /* not known to have arrived */
  size_t items_count, items_bytes;
};

/* `prefix`: up to 12 bytes of A-Za-z0-9_, which no other client of the conversation uses. */
void sequencer_init (struct sequencer *s, const char *prefix, const struct sequencer_owner *owner,
                     double answer_within);
void sequencer_clear (struct sequencer *s);

/* The output of a function call (U0-14); with `respond` the model goes on from there.
 * `response_id`: whose call it was, or NULL. */
void sequencer_output (struct sequencer *s, const char *call_id, const char *output, size_t len,
                       bool respond, const char *response_id);
/* A message of the system's. */
void sequencer_message (struct sequencer *s, const char *text, size_t len, bool respond);
/* A response with these settings, a JSON object; NULL: the conversation's own. */
void sequencer_respond (struct sequencer *s, const char *response, size_t len);
/* Somebody else's client event, as it is; a response.create waits for its turn. */
void sequencer_event (struct sequencer *s, const struct json_tape *tape,
                      const struct json_node *event);

/* A server event.  True: it is an error that answers one of ours. */
bool sequencer_hear (struct sequencer *s, const struct json_tape *tape,
                     const struct json_node *event);
/* Nobody wants the model to go on from what this response asked for: it was cancelled. */
void sequencer_cancelled (struct sequencer *s, const char *response_id);

/* When to call sequencer_tick; 0: not until something else has happened. */
double sequencer_due (const struct sequencer *s);
/* 0: nothing is overdue.  Otherwise the response.create `event_id` was not answered in time, and so
 * often it has been sent; with SEQUENCER_TRIES it is given up. */
unsigned sequencer_tick (struct sequencer *s, char event_id[SEQUENCER_ID]);

/* Send what could not be sent. */
void sequencer_retry (struct sequencer *s);
/* The connection is lost; a new one is there: what may not have arrived is sent again. */
void sequencer_lost (struct sequencer *s);
void sequencer_back (struct sequencer *s);
/* It is over: what waits is forgotten, and nothing is sent any more. */
void sequencer_close (struct sequencer *s);

/* No response is active, asked for, or to be asked for. */
bool sequencer_idle (const struct sequencer *s);

#endif
