/* handed.h - exchanges that a front thread has handed over to the core, and what of them is whose.
 *
 * The front thread owns the connection, its socket and all that is to be sent to it.  From when it
 * hands a request over, that request - its bytes, its headers, its arena, and what the handler has
 * set - is the core's, until the core has ended its answer:
 *
 *   front thread                        core
 *   MAIL_REQUEST  ------------------->  the handler is called
 *   (MAIL_BYTES, after an upgrade) -->  its callback is
 *   sends what comes  <---------------  MAIL_OUTPUT, one a turn of the core
 *   goes on with the next request  <--  MAIL_OUTPUT that ends it
 *
 * When the peer leaves the thread closes the socket at once and says MAIL_GONE.  The exchange stays
 * until the core has said that it ended and has read everything that was said of it: each counts
 * the mails, and the core's last one has the thread's own number.  So neither touches what the
 * other may have freed, whichever of them says first that it is over.
 *
 * Functions named for the core run on its loop, the others in the thread of the connection. */
#ifndef TOOLHOST_FRONT_HTTP_HANDED_H
#define TOOLHOST_FRONT_HTTP_HANDED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "front/http/mail.h"

struct conn;
struct front_thread;
struct http_exchange;
struct http_server;

enum handed_state { HANDED_SERVING, HANDED_STREAMING, HANDED_ENDED };

/* Part of every exchange. */
struct handed {
  struct front_thread *thread; /* whose connection it is; NULL: it is not handed over */

  /* the core's */
  int64_t came_ns; /* when the thread had its request, of clock_ns */
  enum handed_state state;
  bool touched;    /* has something to say at the end of this turn */
  bool closes;     /* the connection, after this answer */
  bool upgrades;   /* yet to be said */
  bool lost;       /* given up; the gone callback is yet to be called */
  bool told;       /* the end was said: what is to be sent is the thread's */
  unsigned seen;   /* mails about it */
  uint64_t given;  /* bytes of output, in all mails */
  struct buf out;  /* not given yet; with the last mail the thread's */
  struct buf body; /* likewise, behind it */
  void (*bytes) (void *data, const char *bytes, size_t len);
  struct http_exchange *next_touched;

  /* the thread's */
  unsigned posted;       /* mails about it */
  unsigned acknowledged; /* … that the core has seen, as far as it said */
  bool ended;            /* the core said so */
  uint64_t taken;        /* bytes of output, out of all mails */

  /* the thread's, for the core to read */
  _Atomic uint64_t sent; /* bytes of output that the socket has */
};

/* ---- the core ---- */

/* The core's server, whose limits and state count for the answer. */
const struct http_server *handed_server (const struct handed *h);
/* There is something to say at the end of this turn. */
void handed_touch (struct http_exchange *x);
/* The answer begins: a stream, or after an upgrade what both like. */
void handed_stream (struct http_exchange *x, void (*bytes) (void *, const char *, size_t));
/* The answer is complete. */
void handed_answered (struct http_exchange *x);
/* Bytes that the peer has not taken. */
size_t handed_backlog (const struct http_exchange *x);
/* Is it within bounds, so that more may be written? */
bool handed_is_taken (const struct http_exchange *x, size_t max);
/* Read one mail of a thread; `stopping`: no request is served any more. */
void handed_receive (const struct http_server *core, struct mail *mail, bool stopping);
/* Put together what is to be said to this thread. */
void handed_collect (struct front_thread *thread);

/* ---- the front thread ---- */

/* The handler of its server; `ctx` is the thread. */
void handed_over (void *ctx, struct http_exchange *x);
/* What came after an upgrade. */
void handed_bytes (struct http_exchange *x, const char *bytes, size_t len);
/* The peer has left and its socket is closed. */
void handed_gone (struct http_exchange *x);
/* Some of the output is sent. */
void handed_sent (struct http_exchange *x);
/* Read MAIL_OUTPUT. */
void handed_apply (struct mail *mail);

#endif
