#include "call/named.h"

#include <stdlib.h>
#include <string.h>

#include "call/claim.h"
#include "call/running.h"
#include "call/stored.h"

struct look {
  call_known_cb cb;
  void *ctx;
};

/* A result that was kept, as whoever asks for it is told of it. */
static void
on_looked (void *ctx, enum store_status status, const struct store_call *call)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_FREE struct look *look = ctx;
  struct call_known known;
  struct result result;

  if (status != STORE_OK) {
    look->cb (look->ctx, status, NULL);
    return;
  }
  known = (struct call_known){ .state = call->state,
                               .tool = call->tool,
                               .created_ms = call->created_ms,
                               .ended_ms = call->ended_ms };
  if (call->state == STORE_ENDED
      && stored_read (&result, call->result.data, call->result.len, &arena)) {
    result.name = call->tool;
    result.name_len = strlen (call->tool);
    known.result = &result;
  }
  look->cb (look->ctx, STORE_OK, &known);
}

bool
calls_look (struct calls *calls, const struct call_name *name, call_known_cb cb, void *ctx)
{
  const struct store_key key = claim_key (name);

  return calls_look_key (calls, key.tenant, key.id, cb, ctx);
}

bool
calls_look_key (struct calls *calls, const char *tenant, const unsigned char id[STORE_HASH],
                call_known_cb cb, void *ctx)
{
  struct store_key key = { .tenant = tenant };
  struct look *look;

  memcpy (key.id, id, STORE_HASH);

  if (calls->claims == NULL)
    return false;
  look = xcalloc (1, sizeof *look);
  *look = (struct look){ .cb = cb, .ctx = ctx };
  store_lookup (claims_store (calls->claims), &key, on_looked, look);
  return true;
}

struct call *
calls_find_named (struct calls *calls, const struct call_name *name)
{
  return calls->claims != NULL ? claims_find (calls->claims, name) : NULL;
}

bool
calls_forbid (struct calls *calls, const struct call_name *name, store_cb cb, void *ctx)
{
  const struct store_key key = claim_key (name);

  if (calls->claims == NULL)
    return false;
  store_cancel (claims_store (calls->claims), &key, cb, ctx);
  return true;
}
