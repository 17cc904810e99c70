/* mail.h - what two loops in two threads say to each other, a turn's worth at a time: lists that
 * change hands whole, and one wake-up for a list.
 *
 * A list that is being written or read belongs to one thread; a box is for any. */
#ifndef TOOLHOST_FRONT_HTTP_MAIL_H
#define TOOLHOST_FRONT_HTTP_MAIL_H

#include <ev.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct http_exchange;

enum mail_kind {
  /* from a front thread to the core */
  MAIL_REQUEST, /* a complete one */
  MAIL_BYTES,   /* `data` has come after an upgrade */
  MAIL_GONE,    /* the peer has left */
  MAIL_ENDED,   /* the last one of a thread */
  /* from the core to a front thread */
  MAIL_OUTPUT,  /* what an exchange has to send */
  MAIL_LISTEN,  /* serve the listening socket `fd`; with LISTEN_TLS as a flag by that */
  MAIL_DRAIN,   /* as http_server_drain */
  MAIL_RELIEVE, /* as http_server_relieve */
  MAIL_STOP     /* close everything and end */
};

/* What MAIL_OUTPUT says besides. */
enum {
  OUTPUT_BEGINS = 1,   /* a stream: `data` goes out as it comes */
  OUTPUT_UPGRADES = 2, /* … and what the peer sends from now on are bytes */
  OUTPUT_CLOSES = 4,   /* the connection, after this answer */
  OUTPUT_ENDS = 8,     /* the answer: what is left of it lies in the exchange */
  OUTPUT_LOSES = 16    /* the peer does not take what it is sent */
};

/* … and MAIL_LISTEN. */
enum { LISTEN_TLS = 1 };

struct mail {
  enum mail_kind kind;
  unsigned flags;
  unsigned seen; /* how many mails about the exchange the core has read */
  int fd;
  struct http_exchange *x; /* or NULL */
  struct buf data;         /* the reader's */
};

struct mails {
  struct mail *list;
  size_t count, cap;
  size_t at; /* of a list that is being read: how many were */
};

/* Another mail at the end, of this kind and about this exchange; good until the next one. */
struct mail *mails_add (struct mails *mails, enum mail_kind kind, struct http_exchange *x);
/* The next one to be read, or NULL; its data are then to be freed. */
struct mail *mails_next (struct mails *mails);
/* Forget a list that was read. */
void mails_clear (struct mails *mails);
void mails_free (struct mails *mails);

struct mailbox {
  struct ev_loop *loop; /* the reader's */
  ev_async *knock;      /* of it */
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t came;
  bool awaited;
  struct mails mails;
};

void mailbox_init (struct mailbox *box, struct ev_loop *loop, ev_async *knock);
void mailbox_clear (struct mailbox *box);
/* Put the whole list in and leave it empty; the reader is woken if it has read all before. */
void mailbox_post (struct mailbox *box, struct mails *mails);
/* Take what there is, in the place of an empty list. */
void mailbox_take (struct mailbox *box, struct mails *mails);
/* The same, but wait for some: for a reader whose loop does not run. */
void mailbox_await (struct mailbox *box, struct mails *mails);

#endif
