/* copy.c - a copy of the store in another file, while it serves. */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_parts.h"

void
store_copied (void *ctx, struct store_copy *copy)
{
  struct store *store = ctx;

  if (store->copying == copy) {
    store->copying = NULL;
    ev_unref (store->loop);
  }
  copy->cb (copy->ctx, copy->status, copy->status == STORE_OK ? NULL : copy->why);
  free (copy->path);
  free (copy);
}

static void
refuse (struct store *store, enum store_status status, const char *why, store_backup_cb cb,
        void *ctx)
{
  struct store_act *act = store_new_refused (store, STORE_ACT_BACKUP, status);

  act->why = why;
  act->told.backup = cb;
  act->ctx = ctx;
}

void
store_backup (struct store *store, const char *path, store_backup_cb cb, void *ctx)
{
  if (store->engine->copy == NULL)
    refuse (store, STORE_NOT_FOUND, "the store is in memory: there is nothing to copy", cb, ctx);
  else if (store->closing)
    refuse (store, STORE_UNAVAILABLE, "the store is being closed", cb, ctx);
  else if (store->copying != NULL)
    refuse (store, STORE_CONFLICT, "another copy is being made", cb, ctx);
  else {
    store->copying = xcalloc (1, sizeof *store->copying);
    store->copying->path = xstrdup (path);
    store->copying->cb = cb;
    store->copying->ctx = ctx;
    ev_ref (store->loop);
    store->engine->copy (store->engine, store->copying);
  }
}
