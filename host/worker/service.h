/* service.h - what the daemon does for a call, on the call's side: the letters that have come, in
 * their order.  service_deliver may come from any thread; the rest is for the call's own. */
#ifndef TOOLHOST_WORKER_SERVICE_H
#define TOOLHOST_WORKER_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <toolhost.h>

#include "base/buf.h"
#include "base/frame.h"

struct tool_call;

/* What a call keeps of an answer, until it ends. */
struct service_body {
  struct service_body *next;
  struct buf bytes;
};

/* Zero at first. */
struct service {
  uint32_t number;             /* of the request that was made last */
  struct buf inbox;            /* under the call's lock: size_t, payload, size_t, payload, … */
  struct buf letters;          /* those that are being read */
  struct service_body *bodies; /* in the call's arena */
};

/* A new request: what belongs to the last one is not for us from here on. */
void service_begin (struct tool_call *call);
/* What an END says came of a request. */
toolhost_status service_status (const struct frame_served *end);
/* enum frame_served_status as the status of a function of the host. */
toolhost_status service_status_of (uint32_t status);
/* Ask for something that is all head, and wait for what comes of it; the answer's bytes,
 * with a zero behind them, live as long as the call.  TOOLHOST_CANCELLED: the call was over first.
 */
toolhost_status service_ask (struct tool_call *call, enum frame_service_what what, const char *data,
                             size_t len, const char **answer, size_t *answer_len);

/* The payload of a SERVED frame.  What belongs to an earlier request is thrown away. */
void service_deliver (struct tool_call *call, const char *payload, size_t len);

/* Wait until there is a letter, the call is cancelled, or the clock says `until`. */
void service_wait (struct tool_call *call, int64_t until);

/* All letters that are there, into service.letters; false: there are none. */
bool service_take (struct tool_call *call);
/* The next of them: its bytes follow the head.  False: that was the last. */
bool service_next (const struct service *service, size_t *at, struct frame_served *head,
                   const char **data, size_t *len);

void service_free (struct service *service);

#endif
