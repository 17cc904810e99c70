/* store_parts.h - what the files of the store's front share: store.c (turns), ask.c (each function
 * that asks), tell.c (each callback). */
#ifndef TOOLHOST_STORE_STORE_PARTS_H
#define TOOLHOST_STORE_STORE_PARTS_H

#include "store/doubt.h"
#include "store/store_engine.h"

/* Batches in their order. */
struct store_line {
  struct store_batch *first, *last;
};

struct store {
  struct store_settings settings;
  struct store_engine *engine;
  struct ev_loop *loop;
  struct log *log;
  ev_prepare turn_end;
  ev_idle awake;
  ev_timer retry;
  struct store_line asked;     /* not handed over yet */
  struct store_line decided;   /* acts that never reach the engine, to be told of */
  struct store_batch *running; /* the engine's */
  struct store_batch *spare;
  struct store_copy *copying;
  struct doubts *doubts;
  uint64_t nonces;
  size_t pending, pending_bytes;
  bool well, closing;
  char trouble[256]; /* while it is not well */
  struct store_figures figures;
};

/* An act that is asked, or is already refused; its input is to be copied into its arena.  `bytes`:
 * what it will hold. */
struct store_act *store_new_act (struct store *store, enum store_kind kind, size_t bytes);
/* One that never reaches the engine. */
struct store_act *store_new_refused (struct store *store, enum store_kind kind,
                                     enum store_status status);
/* Call the act's callback. */
void store_tell (const struct store_act *act);
/* The engine has made a copy, or not. */
void store_copied (void *ctx, struct store_copy *copy);

#endif
