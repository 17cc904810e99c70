/* service.h - what can be done with the telephone call that a session is: transfer it, end it, send
 * tones, say something.  One interface for every kind of telephone; a way (struct phone_way) is one
 * of them.  Loop thread only.
 *
 * What is asked with an idempotency key is done once: the same again while it is under way waits
 * for the same answer, after it was done it is answered at once.  What failed may be asked again.
 * What is under way goes on when who asked for it leaves. */
#ifndef TOOLHOST_SERVICE_CALL_SERVICE_H
#define TOOLHOST_SERVICE_CALL_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of enum frame_service_what. */
enum phone_act { PHONE_REFER, PHONE_HANGUP, PHONE_DTMF, PHONE_SAY, PHONE_ACTS };
extern const char *const phone_act_names[]; /* "refer", …, NULL: what policies grant */
/* What the text of an act is: "target_uri", "reason", "digits", "text". */
extern const char *const phone_act_texts[];

enum { PHONE_TEXT_MAX = 16 * 1024, PHONE_KEY_MAX = 1024, PHONE_ORDERS_MAX = 256 };

struct call_service;

/* One thing that is asked of a way.  Its texts live until the way ends it or is told to drop it. */
struct phone_order {
  struct call_service *service;
  struct phone_order *next, **prev;
  enum phone_act act;
  char *text;
  char *key; /* NULL: none */
  bool done; /* it was, and is kept for its key */
  void *way; /* the way's own */
  struct phone_asker *askers;
};

struct phone_way {
  const char *name; /* "recording", "openai": for logs and events */
  /* Begin; phone_order_end says what came of it, once, possibly before this returns.  NULL: this
   * telephone can't. */
  void (*refer) (void *ctx, struct phone_order *order);
  void (*hangup) (void *ctx, struct phone_order *order);
  void (*dtmf) (void *ctx, struct phone_order *order);
  void (*say) (void *ctx, struct phone_order *order);
  void (*drop) (struct phone_order *order); /* it is not wanted any more; NULL: none is ever open */
  void (*free) (void *ctx);                 /* may be NULL */
};

/* For ways: `why` is a sentence for the log, NULL: it was done.  The order is gone. */
void phone_order_end (struct phone_order *order, const char *why);

/* Hears of every order when it has ended; the service may be gone when this returns. */
struct phone_watch {
  void (*ended) (void *ctx, const char *way, const struct phone_order *order, const char *why);
  void *ctx;
};

/* `call_id`: the telephone's.  Owns ctx by the way's free. */
struct call_service *call_service_new (const struct phone_way *way, void *ctx, const char *call_id);
/* What is under way is dropped; who waits for it is told that the call has ended.  NULL is fine. */
void call_service_free (struct call_service *service);
void call_service_watch (struct call_service *service, struct phone_watch watch);
const char *call_service_call_id (const struct call_service *service);
/* The acts it can do, as bits. */
unsigned call_service_acts (const struct call_service *service);

/* Who waits for an answer: its owner's, stays where it is until `answered` or call_service_leave.
 */
struct phone_asker {
  void (*answered) (struct phone_asker *asker, const char *why); /* NULL: it was done */
  struct phone_asker *next, **prev;                              /* prev NULL: it does not wait */
};
void call_service_leave (struct phone_asker *asker);

/* Ask; `key` NULL: none; `asker` (NULL: nobody) is answered, possibly before this returns. */
void call_service_ask (struct call_service *service, enum phone_act act, const char *text,
                       const char *key, struct phone_asker *asker);

/* A telephone that does everything that is asked, and nothing: for tests and demonstrations.  What
 * was asked is told by its watch. */
struct call_service *call_service_recording (const char *call_id);

#endif
