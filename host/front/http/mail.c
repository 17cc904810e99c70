#include "front/http/mail.h"

#include <stdlib.h>

enum { LEAST = 64, KEEP = 4096 /* mails that a list has room for */ };

/* ---- lists ---- */

static void
make_room (struct mails *mails, size_t more)
{
  size_t needs = mails->count + more;

  if (needs <= mails->cap)
    return;
  mails->cap = needs > 2 * mails->cap ? needs : 2 * mails->cap;
  if (mails->cap < LEAST)
    mails->cap = LEAST;
  mails->list = xrealloc (mails->list, mails->cap * sizeof *mails->list);
}

struct mail *
mails_add (struct mails *mails, enum mail_kind kind, struct http_exchange *x)
{
  struct mail *mail;

  make_room (mails, 1);
  mail = &mails->list[mails->count++];
  *mail = (struct mail){ .kind = kind, .fd = -1, .x = x };
  return mail;
}

struct mail *
mails_next (struct mails *mails)
{
  return mails->at < mails->count ? &mails->list[mails->at++] : NULL;
}

void
mails_clear (struct mails *mails)
{
  if (mails->cap > KEEP)
    return mails_free (mails);
  mails->count = mails->at = 0;
}

void
mails_free (struct mails *mails)
{
  free (mails->list);
  *mails = (struct mails){ 0 };
}

/* ---- boxes ---- */

void
mailbox_init (struct mailbox *box, struct ev_loop *loop, ev_async *knock)
{
  *box = (struct mailbox){ .loop = loop, .knock = knock };
  pthread_mutex_init (&box->lock, NULL);
  pthread_cond_init (&box->came, NULL);
}

void
mailbox_clear (struct mailbox *box)
{
  mails_free (&box->mails);
  pthread_cond_destroy (&box->came);
  pthread_mutex_destroy (&box->lock);
}

static void
swap (struct mails *a, struct mails *b)
{
  struct mails was = *a;

  *a = *b;
  *b = was;
}

static void
append (struct mails *to, struct mails *from)
{
  make_room (to, from->count);
  memcpy (to->list + to->count, from->list, from->count * sizeof *from->list);
  to->count += from->count;
}

void
mailbox_post (struct mailbox *box, struct mails *mails)
{
  bool was_empty;

  if (mails->count == 0)
    return;
  pthread_mutex_lock (&box->lock);
  was_empty = box->mails.count == 0;
  if (was_empty)
    swap (&box->mails, mails);
  else
    append (&box->mails, mails);
  if (box->awaited)
    pthread_cond_signal (&box->came);
  pthread_mutex_unlock (&box->lock);
  mails_clear (mails);
  if (was_empty)
    ev_async_send (box->loop, box->knock);
}

void
mailbox_take (struct mailbox *box, struct mails *mails)
{
  pthread_mutex_lock (&box->lock);
  swap (&box->mails, mails);
  pthread_mutex_unlock (&box->lock);
}

void
mailbox_await (struct mailbox *box, struct mails *mails)
{
  pthread_mutex_lock (&box->lock);
  box->awaited = true;
  while (box->mails.count == 0)
    pthread_cond_wait (&box->came, &box->lock);
  box->awaited = false;
  swap (&box->mails, mails);
  pthread_mutex_unlock (&box->lock);
}
