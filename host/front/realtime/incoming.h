/* incoming.h - POST /v1/realtime/incoming: OpenAI's webhook of an incoming call.  What is signed
 * with the operator's secret is answered with 200, whatever becomes of it (U0-1); the same again
 * within half an hour is only acknowledged (U0-2).  Loop thread only. */
#ifndef TOOLHOST_FRONT_REALTIME_INCOMING_H
#define TOOLHOST_FRONT_REALTIME_INCOMING_H

#include "front/http/http.h"
#include "front/realtime/reception.h"
#include "service/webhook/signature.h"

#define REALTIME_INCOMING_PATH "/v1/realtime/incoming"

enum { INCOMING_WINDOW = 1800 /* seconds */, INCOMING_IDS_MAX = 20000 };

struct incoming;

struct incoming_settings {
  struct log *log;
  struct reception *reception; /* borrowed */
  struct signature_key key;
  int64_t tolerance;           /* seconds */
  int64_t (*time) (void *ctx); /* seconds since 1970 */
  double (*now) (void *ctx);   /* seconds of a clock that does not go back */
  void *ctx;
};

struct incoming *incoming_new (const struct incoming_settings *settings);
void incoming_free (struct incoming *incoming);

/* Answers the exchange.  `incoming` NULL: this daemon takes no calls. */
void incoming_handle (struct incoming *incoming, struct http_exchange *x);

#endif
