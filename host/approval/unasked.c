/* unasked.c - how many calls in a row have run without that anybody was asked about them, of each
 * conversation and of each caller outside of any: what is to go on by itself for ever does not. */
#include <stdlib.h>
#include <string.h>

#include "approval/book.h"

enum { RUNS_MAX = 10000, REST_MS = 600000 };

struct unasked_run {
  UT_hash_handle hh; /* in the order of `last_ms` */
  int64_t count;
  int64_t last_ms;
  size_t len;
  char key[];
};

static void
key_of (const struct approval_run *run, struct buf *key)
{
  const char *const parts[] = { run->tenant, run->principal, run->session_id };

  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i] != NULL)
      buf_append (key, parts[i], strlen (parts[i]) + 1);
    else
      buf_append (key, "", 1);
}

static struct unasked_run *
find (const struct approvals *book, const struct buf *key)
{
  struct unasked_run *found;

  HASH_FIND (hh, book->unasked, key->data, key->len, found);
  return found;
}

static void
drop (struct approvals *book, struct unasked_run *run)
{
  HASH_DEL (book->unasked, run);
  free (run);
}

/* Another one's count for room: that of whoever has been quiet for longest. */
static struct unasked_run *
run_new (struct approvals *book, const struct buf *key)
{
  struct unasked_run *run = xcalloc (1, sizeof *run + key->len);

  if (HASH_COUNT (book->unasked) >= RUNS_MAX)
    drop (book, book->unasked);
  memcpy (run->key, key->data, key->len);
  run->len = key->len;
  return run;
}

bool
approvals_unasked (struct approvals *book, const struct approval_run *run, int64_t max)
{
  const int64_t now = book_now (book);
  CLEANUP_BUF struct buf key = { 0 };
  struct unasked_run *found;

  key_of (run, &key);
  found = find (book, &key);
  if (found == NULL)
    found = run_new (book, &key);
  else if (now - found->last_ms < REST_MS && found->count >= max)
    return false;
  else
    HASH_DEL (book->unasked, found); /* to its end */
  found->count = found->count != 0 && now - found->last_ms < REST_MS ? found->count + 1 : 1;
  found->last_ms = now;
  HASH_ADD (hh, book->unasked, key[0], found->len, found);
  return true;
}

void
approvals_begin_run (struct approvals *book, const struct approval_run *run)
{
  CLEANUP_BUF struct buf key = { 0 };
  struct unasked_run *found;

  key_of (run, &key);
  found = find (book, &key);
  if (found != NULL)
    drop (book, found);
}

void
unasked_free (struct approvals *book)
{
  while (book->unasked != NULL)
    drop (book, book->unasked);
}
