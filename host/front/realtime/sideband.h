/* sideband.h - calls of OpenAI's Realtime service that the daemon itself attends: to each it opens
 * a WebSocket of its own, wss://…/realtime?call_id=…, and bridges it to a session (bridge.h).
 *
 * A connection that breaks off is opened again, after 250 ms, doubling up to 5 s, of which half is
 * random; what the session has to say meanwhile waits.  The call is over, and its session ends,
 * when the service closes the socket in peace (1000), knows no such call (404), refuses us, or
 * can't be reached eight times in a row.  When the session ends, the socket is closed.
 *
 * Loop thread only. */
#ifndef TOOLHOST_FRONT_REALTIME_SIDEBAND_H
#define TOOLHOST_FRONT_REALTIME_SIDEBAND_H

#include <ev.h>

#include "front/realtime/bridge.h"
#include "service/http/retry.h"
#include "service/ws/client.h"

enum { REALTIME_CALL_ID_MAX = 256 };

struct realtime;
struct realtime_call;

/* What is asked of the telephone.  `argument`: where to, tones, the reason. */
struct realtime_phone {
  void *ctx;
  void (*act) (void *ctx, struct session *session, const char *call_id, enum realtime_action action,
               const char *argument);
};

struct realtime_settings {
  struct ev_loop *loop;
  struct log *log;
  struct dialer dialer;
  const char *url;         /* "https://api.openai.com/v1/realtime"; http, https, ws or wss */
  const char *key;         /* of the service, without control characters */
  bool private_too;        /* it may be at an address that is not public */
  bool item_completed;     /* a call starts when its item is completed */
  enum output_form output; /* what a model is told of a result */
  double hangup_after;     /* seconds that playing may hold up the end of a call */
  double answer_within;    /* … for the answer to a response.create; 0: any time */
  struct http_retry retry; /* of connections that broke off */
  struct ws_times times;
  double (*random) (void *ctx); /* from 0 up to 1 */
  void *random_ctx;
};
/* … of which the connections' are these. */
extern const struct realtime_settings realtime_defaults;

/* Texts are copied.  NULL: the URL is none, err says why. */
struct realtime *realtime_new (const struct realtime_settings *settings, struct error *err);
/* Lets go of all calls; their sessions live on. */
void realtime_free (struct realtime *realtime);
/* Copied; without one, what is asked of the telephone is only logged. */
void realtime_set_phone (struct realtime *realtime, const struct realtime_phone *phone);

/* Attend a call that was accepted, for this session.  `told`: the tools that the service was given
 * with that; NULL: it is told first.  NULL: the call is attended already, or its id is none of 1 to
 * 256 bytes; err says which. */
struct realtime_call *realtime_attach (struct realtime *realtime, struct session *session,
                                       const char *call_id, struct toolset *told,
                                       struct error *err);
struct realtime_call *realtime_find (const struct realtime *realtime, const char *call_id);
/* How many are attended. */
size_t realtime_count (const struct realtime *realtime);

/* Have the model say this.  False: no such call is attended. */
bool realtime_say (struct realtime *realtime, const char *call_id, const char *text, size_t len);
/* Hang up when what is being said has been played: then `phone` is asked to. */
bool realtime_hang_up (struct realtime *realtime, const char *call_id, const char *reason);

#endif
