#include "store/doubt.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "base/hash.h"

enum { DOUBTS_MAX = 65536 };

struct doubt {
  unsigned char what[STORE_HASH];
  uint64_t nonce;
  bool freed;
  UT_hash_handle hh; /* in the order they came */
};

struct doubts {
  struct doubt *known;
};

/* ---- what makes two acts the same: all that was handed in, but the clock ---- */

static void
put_bytes (struct buf *b, const void *data, size_t len)
{
  buf_append (b, &len, sizeof len);
  buf_append (b, data, len);
}

static void
put_text (struct buf *b, const char *text)
{
  if (text == NULL)
    put_bytes (b, &text, sizeof text);
  else
    put_bytes (b, text, strlen (text));
}

static void
put_key (struct buf *b, const struct store_key *key)
{
  put_text (b, key->tenant);
  put_bytes (b, key->id, STORE_HASH);
}

static void
put_change (struct buf *b, const struct store_change *change)
{
  bool removed = change->body.data == NULL;

  put_text (b, change->tenant);
  put_text (b, change->kind);
  put_text (b, change->name);
  put_text (b, change->author);
  put_bytes (b, &removed, sizeof removed);
  put_bytes (b, change->body.data, removed ? 0 : change->body.len);
  put_bytes (b, &change->expect, sizeof change->expect);
}

static void
put_context (struct buf *b, const struct store_context *context)
{
  bool forgotten = context->body.data == NULL;

  put_text (b, context->tenant);
  put_bytes (b, context->handle, STORE_HASH);
  put_bytes (b, &forgotten, sizeof forgotten);
  put_bytes (b, context->body.data, forgotten ? 0 : context->body.len);
  put_bytes (b, &context->version, sizeof context->version);
}

static void
put_letter (struct buf *b, const struct store_letter *letter)
{
  put_text (b, letter->tenant);
  put_text (b, letter->hook);
  put_bytes (b, letter->payload.data, letter->payload.len);
}

/* False: acts of its kind are the same act however often they are done. */
static bool
put_act (struct buf *b, const struct store_act *act)
{
  enum store_kind kind = act->kind == STORE_ACT_RELEASE ? STORE_ACT_CLAIM : act->kind;

  put_bytes (b, &kind, sizeof kind);
  switch (act->kind) {
  case STORE_ACT_CLAIM:
    put_key (b, &act->in.claim.key);
    return true;
  case STORE_ACT_RELEASE: /* what was claimed and perhaps let go of is the claim's doubt */
    put_key (b, &act->in.key);
    return true;
  case STORE_ACT_CHANGE:
    for (size_t i = 0; i < act->in.changes.count; i++)
      put_change (b, &act->in.changes.list[i]);
    return true;
  case STORE_ACT_CONTEXT_SET:
    put_context (b, &act->in.context);
    return true;
  case STORE_ACT_POST:
    for (size_t i = 0; i < act->in.letters.count; i++)
      put_letter (b, &act->in.letters.list[i]);
    return true;
  default:
    return false;
  }
}

static bool
fingerprint (const struct store_act *act, unsigned char what[STORE_HASH])
{
  CLEANUP_BUF struct buf b = { 0 };

  return put_act (&b, act) && EVP_Digest (b.data, b.len, what, NULL, EVP_sha256 (), NULL) == 1;
}

/* ---- who is in doubt ---- */

static void
forget (struct doubts *doubts, struct doubt *doubt)
{
  HASH_DEL (doubts->known, doubt);
  free (doubt);
}

static struct doubt *
find (struct doubts *doubts, const unsigned char what[STORE_HASH])
{
  struct doubt *doubt;

  HASH_FIND (hh, doubts->known, what, STORE_HASH, doubt);
  return doubt;
}

static struct doubt *
find_or_make (struct doubts **doubts, const unsigned char what[STORE_HASH])
{
  struct doubt *doubt;

  if (*doubts == NULL)
    *doubts = xcalloc (1, sizeof **doubts);
  if ((doubt = find (*doubts, what)) != NULL)
    return doubt;
  if (HASH_COUNT ((*doubts)->known) >= DOUBTS_MAX)
    forget (*doubts, (*doubts)->known);
  doubt = xcalloc (1, sizeof *doubt);
  memcpy (doubt->what, what, STORE_HASH);
  HASH_ADD (hh, (*doubts)->known, what, STORE_HASH, doubt);
  return doubt;
}

static bool
is_none (const struct doubts *doubts)
{
  return doubts == NULL || doubts->known == NULL;
}

void
doubt_ask (struct doubts **doubts, struct store_act *act, uint64_t *nonces)
{
  unsigned char what[STORE_HASH];
  struct doubt *doubt;

  act->nonce = ++*nonces;
  if (is_none (*doubts) || act->kind == STORE_ACT_RELEASE || !fingerprint (act, what)
      || (doubt = find (*doubts, what)) == NULL)
    return;
  act->again = doubt->nonce != 0;
  if (act->again)
    act->nonce = doubt->nonce;
  act->freed = doubt->freed;
  forget (*doubts, doubt); /* a second one like it is another act */
}

void
doubt_ended (struct doubts **doubts, const struct store_act *act)
{
  unsigned char what[STORE_HASH];
  struct doubt *doubt;

  if (act->status != STORE_UNAVAILABLE || !fingerprint (act, what))
    return;
  doubt = find_or_make (doubts, what);
  doubt->freed = act->freed || act->kind == STORE_ACT_RELEASE || doubt->freed;
  /* Of several the first one is what was done, if anything was; to be wrong in that is to be told
   * that it runs, never to run it twice. */
  if (act->kind != STORE_ACT_RELEASE && doubt->nonce == 0)
    doubt->nonce = act->nonce;
}

void
doubts_free (struct doubts *doubts)
{
  struct doubt *doubt, *next;

  if (doubts == NULL)
    return;
  HASH_ITER (hh, doubts->known, doubt, next)
  {
    forget (doubts, doubt);
  }
  free (doubts);
}
