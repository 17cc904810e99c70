/* held.h - a call that waits for answers, as what it takes to start it again: for fronts that keep
 * it in memory meanwhile.  It holds no worker, no slot, no toolset.  Loop thread only. */
#ifndef TOOLHOST_CALL_HELD_H
#define TOOLHOST_CALL_HELD_H

#include "call/call.h"

struct held;

/* Of a result that is CALL_input_required, in `done`: take over what it asks. */
struct held *held_take (const struct result *result);
/* What it asks: for ask_answer and ask_settle; its. */
struct ask *held_ask (struct held *held);
/* The id the call had, and will have. */
const char *held_call_id (const struct held *held);
const char *held_name (const struct held *held);
/* Whose it is; NULL: "default". */
const char *held_tenant (const struct held *held);

/* The telephone call of its session, which outlives it; NULL, as at first: none. */
void held_phone (struct held *held, struct call_service *phone);
/* With which others it goes on, whose answers came with its own (call/batch.h): what was approved
 * begins when all of them are decided.  Borrowed until held_start. */
void held_join (struct held *held, struct call_batch *batch);
/* Who has answered, if it is not the caller: whether the call may run is decided by it. */
void held_decided_by (struct held *held, const char *principal, bool may_approve);
/* What its tool is told of who calls, as JSON: { "call_id", "thread_id"?, "metadata"?, … }. */
const char *held_meta (const struct held *held, size_t *len);

/* Run its next round with what was answered, with the tool as it now is.  The held call is gone.
 * NULL when it has ended already. */
struct call *held_start (struct held *held, struct calls *calls, struct toolset *toolset,
                         const struct call_events *events, void *ctx);
/* It is not wanted any more: where it asks for an approval, that is withdrawn.  held_free is still
 * to come. */
void held_withdraw (const struct held *held, const struct calls *calls);
void held_free (struct held *held);

#endif
