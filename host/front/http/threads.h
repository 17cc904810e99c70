/* threads.h - the connections of a server spread over several threads, each with a loop of its own.
 *
 * A front thread accepts, reads, parses, and writes; everything it runs is a server of its own, as
 * it would be without threads, but for the handler, which hands the request over to the core
 * (handed.h).  The core is the loop that http_server_new was told of: there handlers run, as if
 * there were no threads.
 *
 * Both sides keep what they have to say until the end of their turn, so that a turn in which much
 * happens costs one wake-up of the other.  Between server.c, handed.c and threads.c. */
#ifndef TOOLHOST_FRONT_HTTP_THREADS_H
#define TOOLHOST_FRONT_HTTP_THREADS_H

#include "front/http/mail.h"
#include "front/http/server.h"
#include "watch/turns.h"

/* What a thread tells of itself. */
struct front_report {
  struct http_counts counts;
  struct turns_taken all, work; /* turns of its loop */
};

struct front_thread {
  struct front_threads *threads;
  pthread_t id;

  /* the thread's, once it runs */
  struct front_env env;
  struct ev_loop *loop;
  struct http_server *server;
  struct turns turns;
  ev_async knock;
  ev_prepare turn_end;
  struct mails said;  /* to the core, this turn */
  struct mails heard; /* being read */
  size_t parted;      /* connections that are closed, whose exchange the core has */
  bool stopping;

  /* the core's */
  struct mails saying; /* to the thread, this turn */
  struct mails news;   /* being read */
  struct http_exchange *touched, **touched_end;
  bool ended;

  /* both sides' */
  struct mailbox inbox;  /* of the thread */
  struct mailbox outbox; /* read by the core */
  pthread_mutex_t lock;  /* guards the report */
  struct front_report report;
};

struct front_threads {
  struct http_server *core;
  unsigned count;
  unsigned first; /* who is listened to first, when not all can be in one turn */
  ev_async knock;
  ev_prepare turn_end;
  ev_idle later;
  bool stopping;
  _Atomic size_t room; /* descriptors that connections may take */
  struct front_thread thread[];
};

/* Start so many; NULL: err says why they could not be started. */
struct front_threads *threads_new (struct http_server *core, unsigned count, struct error *err);
/* Each its own socket of one address (as many as there are threads), or all the same one (count is
 * 1); taken over. */
void threads_listen (struct front_threads *threads, const int *fds, size_t count, bool tls);
/* Tell all: MAIL_DRAIN or MAIL_RELIEVE. */
void threads_tell (struct front_threads *threads, enum mail_kind kind);
/* Add what they count. */
void threads_count (struct front_threads *threads, struct http_counts *counts);
/* The turns of their loops, in Prometheus' text format. */
void threads_metrics (struct front_threads *threads, struct buf *out);
/* Close all connections, whose gone callbacks are called, and wait for the threads to end. */
void threads_free (struct front_threads *threads);

#endif
